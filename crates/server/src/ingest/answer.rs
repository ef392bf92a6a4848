//! Step 6: the answer. It says which wire versions are taken, so that a newer producer can fall back.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use mcpulse_store::events::{Appended, Rejected};
use mcpulse_wire::payload::WIRE_VERSION;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;

/// The wire versions that are taken.
const ACCEPTS: &[u32] = &[WIRE_VERSION];

/// Every valid payload is on disk.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// Payloads stored.
    #[schema(example = 30)]
    accepted: u32,
    /// The first 20 rejected payloads.
    #[schema(max_items = 20)]
    rejected: Vec<Rejected>,
    /// The wire versions that are taken.
    #[schema(example = json!([1]))]
    accepts: &'static [u32],
}

impl From<Appended> for Accepted {
    fn from(appended: Appended) -> Self {
        Self { accepted: appended.accepted, rejected: appended.rejected, accepts: ACCEPTS }
    }
}

impl IntoResponse for Accepted {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self)).into_response()
    }
}

/// A batch refused whole.
pub(super) fn refused(problem: Problem) -> Problem {
    if problem.status() == StatusCode::BAD_REQUEST { problem.accepts(ACCEPTS) } else { problem }
}
