//! `/v1/backup`: for the command line beside the server.

use std::io;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{HeaderMap, HeaderValue, header};
use mcpulse_store::backup::Backup;
use mcpulse_store::secret::{self, SecretKind};

use crate::app::{App, now_ms};
use crate::auth::bearer;
use crate::problem::Problem;

/// Back everything up
///
/// A tar archive with the control store and the events of every server: every payload answered before is in it. Needs
/// a pass that `mcpulse backup` makes in the data directory, so only whoever may write there gets one.
#[utoipa::path(
    post,
    path = "/v1/backup",
    tag = "operations",
    operation_id = "backup",
    security(("operator_pass" = [])),
    responses(
        (status = 200, description = "The archive. One that breaks off is not whole.", body = Vec<u8>, content_type = "application/x-tar"),
        (status = 401, description = "The pass is unknown, used or expired", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(State(app): State<App>, headers: HeaderMap) -> Result<Response, Problem> {
    let refuse = || Problem::unauthorized().detail("the operator's pass is unknown, used or expired");
    let pass = bearer(&headers).filter(|pass| pass.starts_with(SecretKind::OperatorPass.prefix()));
    let pass = secret::hash(pass.ok_or_else(refuse)?);
    if !app.control.redeem_operator_pass(&pass, now_ms()).await? {
        return Err(refuse());
    }
    let backup = Backup::begin(app.control.clone(), app.exports.clone(), now_ms()).await;
    let backup = backup.map_err(|error| {
        tracing::error!(%error, "a backup");
        Problem::unavailable().detail("the control store does not answer; see the server's log")
    })?;
    tracing::info!("a backup begins");
    let pieces = stream::try_unfold(backup, |mut backup| async move {
        match backup.piece().await {
            Ok(piece) => Ok(piece.map(|piece| (Bytes::from(piece), backup))),
            Err(error) => {
                tracing::error!(%error, "a backup ends early");
                Err(io::Error::other(error))
            }
        }
    });
    let kind = HeaderValue::from_static("application/x-tar");
    Ok(([(header::CONTENT_TYPE, kind)], Body::from_stream(pieces)).into_response())
}
