//! `/v1/servers/{server_id}/export`: the calls themselves, as a file.

use std::fs::File;
use std::io::{self, Read};

use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{HeaderValue, header};
use mcpulse_store::export::Selection;
use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::types::CallRow;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::metrics::query::{MetricsQuery, Query};
use crate::app::App;
use crate::auth::Principal;
use crate::problem::Problem;
use crate::table;

/// Arrivals that are read at once: what one export holds in memory.
const AT_ONCE: u64 = 10_000;
/// Bytes of a file that are read at once.
const PIECE: usize = 256 * 1024;

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Comma-separated values (RFC 4180), with a header. Text that a spreadsheet would take for a formula begins with
    /// an apostrophe.
    #[default]
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// Apache Parquet.
    Parquet,
}

impl Format {
    fn parse(text: &str) -> Result<Self, Problem> {
        match text {
            "csv" => Ok(Self::Csv),
            "ndjson" => Ok(Self::Ndjson),
            "parquet" => Ok(Self::Parquet),
            _ => Err(Problem::invalid().field("format", "must be csv, ndjson or parquet")),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Ndjson => "application/x-ndjson",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }

    fn end(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
            Self::Parquet => "parquet",
        }
    }
}

/// The form of the file.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "for the OpenAPI document; it is read by `Query`")]
pub(crate) struct FormatQuery {
    /// `csv` (the default), `ndjson` or `parquet`.
    #[param(inline)]
    format: Option<Format>,
}

/// Export calls
///
/// All matching calls in order of arrival, with the fields of `calls`, as of the moment of the request. An answer that
/// breaks off is not whole.
#[utoipa::path(
    get,
    path = "/v1/servers/{server_id}/export",
    operation_id = "export",
    tag = "export",
    params(("server_id" = String, Path, description = "`srv_…`"), MetricsQuery, FormatQuery),
    responses((
        status = 200,
        description = "The file",
        content(
            (String = "text/csv"),
            (CallRow = "application/x-ndjson"),
            (Vec<u8> = "application/vnd.apache.parquet"),
        ),
    ))
)]
pub(crate) async fn get(
    State(app): State<App>,
    principal: Principal,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (query, format) = Query::parse_with(query.as_deref().unwrap_or_default(), Some("format"))?;
    query.no_page()?;
    let format = format.as_deref().map_or(Ok(Format::default()), Format::parse)?;
    let (server, scope) = query.scope(&app, &principal, &id).await?;
    let upto = app.exports.newest(server).await?;
    let selection = Selection { range: scope.range, tools: scope.tools, clients: scope.clients };
    let export = Export { app, server, selection, upto };
    let body = match format {
        Format::Csv => export.rows(table::CSV_HEAD.into(), table::csv),
        Format::Ndjson => export.rows(Bytes::new(), table::ndjson),
        Format::Parquet => export.parquet(),
    };
    let name = format!("attachment; filename=\"calls-{server}.{}\"", format.end());
    let name = HeaderValue::try_from(name).map_err(|_| Problem::internal())?;
    let kind = HeaderValue::from_static(format.kind());
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], body).into_response())
}

/// What is exported.
struct Export {
    app: App,
    server: ServerId,
    selection: Selection,
    upto: u64,
}

impl Export {
    /// Rows as text. Each piece is read when the one before was taken, so a reader that stops holds nothing.
    fn rows(self, head: Bytes, write: fn(&CallRow, &mut Vec<u8>) -> io::Result<()>) -> Body {
        let pieces = stream::try_unfold((self, 0, Some(head)), move |(export, mut after, head)| async move {
            if let Some(head) = head.filter(|head| !head.is_empty()) {
                return Ok(Some((head, (export, after, None))));
            }
            while after < export.upto {
                let upto = export.upto.min(after + AT_ONCE);
                let calls =
                    export.app.exports.calls_between(export.server, &export.selection, after, upto).await;
                after = upto;
                let mut piece = Vec::new();
                for call in calls.map_err(failed)? {
                    write(&call, &mut piece)?;
                }
                if !piece.is_empty() {
                    return Ok(Some((Bytes::from(piece), (export, after, None))));
                }
            }
            Ok::<_, io::Error>(None)
        });
        Body::from_stream(pieces)
    }

    /// The engine's file, made whole before its first byte is sent.
    fn parquet(self) -> Body {
        let pieces = stream::try_unfold((self, None), |(export, file): (Self, Option<File>)| async move {
            let file = match file {
                Some(file) => file,
                None => {
                    let made =
                        export.app.exports.parquet(export.server, &export.selection, export.upto).await;
                    made.map_err(failed)?
                }
            };
            let read = tokio::task::spawn_blocking(move || read(file)).await.map_err(io::Error::other)?;
            let (piece, file) = read?;
            Ok::<_, io::Error>((!piece.is_empty()).then_some((piece, (export, Some(file)))))
        });
        Body::from_stream(pieces)
    }
}

fn read(mut file: File) -> io::Result<(Bytes, File)> {
    let mut piece = vec![0; PIECE];
    let length = file.read(&mut piece)?;
    piece.truncate(length);
    Ok((piece.into(), file))
}

/// The connection ends early, which tells the client that the file is not whole.
fn failed(error: mcpulse_store::events::EventError) -> io::Error {
    tracing::warn!(%error, "an export ends early");
    io::Error::other(error)
}
