//! `/v1/servers/{server_id}/live`: what arrives, as server-sent events.

use axum::extract::{Path, RawQuery, State};
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use mcpulse_store::metrics::types::CallRow;
use utoipa::IntoParams;

use super::metrics::query::Query;
use crate::app::App;
use crate::auth::{Need, Principal};
use crate::live::{IngestEvent, LastSeen, Missed, Tails, stream};
use crate::problem::Problem;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Which calls are watched, and from where on.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "for the OpenAPI document; it is read by `Query`")]
pub(crate) struct LiveQuery {
    /// Only calls of these tools: exact names; give the parameter once per name.
    #[param(explode = true, max_items = 100, required = false)]
    tools: Vec<String>,
    /// Only calls of these clients: exact names; give the parameter once per name.
    #[param(explode = true, max_items = 100, required = false)]
    clients: Vec<String>,
    /// As the header `Last-Event-ID`, which a browser cannot set at first: the `seq` of the newest call that is shown.
    last_event_id: Option<String>,
}

macro_rules! tails {
    ($($(#[doc = $doc:literal])* $name:ident = $path:literal, calls: $calls:literal, ingest_health: $health:literal,
       $body:ty;)*) => {$(
        $(#[doc = $doc])*
        #[utoipa::path(
            get,
            path = $path,
            operation_id = concat!("live_", stringify!($name)),
            tag = "live",
            params(
                ("server_id" = String, Path, description = "`srv_…`"),
                LiveQuery,
                ("Last-Event-ID" = Option<String>, Header, description = "Goes on after that event"),
            ),
            responses((
                status = 200,
                description = "Server-sent events, until the server, the credential or the connection ends",
                body = $body,
                content_type = "text/event-stream",
            ))
        )]
        pub(crate) async fn $name(
            State(app): State<App>,
            principal: Principal,
            Path(id): Path<String>,
            headers: HeaderMap,
            RawQuery(query): RawQuery,
        ) -> Result<Response, Problem> {
            let tails = Tails { calls: $calls, ingest_health: $health };
            tail(app, principal, &id, &headers, query.as_deref().unwrap_or_default(), tails).await
        }
    )*};
}

tails! {
    /// Live tail of calls
    ///
    /// An event `call` for each matching call, in order of arrival; its id is the call's `seq`. Events `ready` (at the
    /// beginning) and `missed` (when more arrived than is sent again) come too. A comment comes every 5 seconds.
    calls = "/v1/servers/{server_id}/live/calls", calls: true, ingest_health: false, CallRow;
    /// Live tail of ingest health
    ///
    /// An event `ingest` for each ingest request: what was stored, and which payloads broke which rule. The newest 256
    /// are sent again to whoever comes back within two minutes; otherwise `missed` says how many were not.
    ingest_health = "/v1/servers/{server_id}/live/ingest-health", calls: false, ingest_health: true, IngestEvent;
    /// Both live tails
    ///
    /// Events `call`, `ingest`, `ready` and `missed` over one connection, of which browsers open only a few.
    both = "/v1/servers/{server_id}/live", calls: true, ingest_health: true, LiveEvent;
}

/// What an event of the name holds.
#[derive(utoipa::ToSchema)]
#[allow(dead_code, reason = "for the OpenAPI document; events are made one by one")]
pub(crate) struct LiveEvent {
    /// `call`
    call: Option<CallRow>,
    /// `ingest`
    ingest: Option<IngestEvent>,
    /// `missed`
    missed: Option<Missed>,
}

async fn tail(
    app: App,
    principal: Principal,
    id: &str,
    headers: &HeaderMap,
    query: &str,
    tails: Tails,
) -> Result<Response, Problem> {
    let (server, _) = principal.server(&*app.control, id, Need::READ).await?;
    let (query, asked) = Query::parse_with(query, Some("last_event_id"))?;
    let (tools, clients) = query.only_names()?;
    // The header is newer: a browser that comes back sends it along with the address of the first time.
    let last = match headers
        .get(&LAST_EVENT_ID)
        .map(|value| value.to_str().unwrap_or_default())
        .or(asked.as_deref())
    {
        Some(text) => Some(
            LastSeen::parse(text)
                .ok_or_else(|| Problem::invalid().field("last_event_id", "must be the id of an event"))?,
        ),
        None => None,
    };
    let events = stream(app, principal, server.id, tails, (tools, clients), last).await?;
    let unbuffered = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        // Proxies that know it hand events on at once.
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    Ok((unbuffered, Sse::new(events)).into_response())
}
