//! The answers to every question of the trait, asked of an engine or of the oracle, in one comparable form.

use std::fmt::Debug;

use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::types::{
    CallPage, InsightReport, Scope, SessionPage, SessionTape, SessionsPage, TapePage,
};
use mcpulse_store::metrics::{Metrics, MetricsError};
use serde::Serialize;
use serde_json::{Value, json};

use crate::view::View;

/// One thing that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Overview,
    Tools,
    Tool,
    Clients,
    Producers,
    Sessions,
    Session,
    Pairs,
    Insights,
    Changes,
    Overlaps,
    Agreements,
    IngestHealth,
    NewestCalls,
    OldestCalls,
}

/// All of them.
pub const METRICS: &[Metric] = &[
    Metric::Overview,
    Metric::Tools,
    Metric::Tool,
    Metric::Clients,
    Metric::Producers,
    Metric::Sessions,
    Metric::Session,
    Metric::Pairs,
    Metric::Insights,
    Metric::Changes,
    Metric::Overlaps,
    Metric::Agreements,
    Metric::IngestHealth,
    Metric::NewestCalls,
    Metric::OldestCalls,
];

/// What is asked besides the scope.
#[derive(Clone, Debug)]
pub struct Asked {
    pub metrics: Vec<Metric>,
    /// The tool to show in full.
    pub tool: String,
    /// The session to show call by call.
    pub session: String,
    /// Size of pages.
    pub page: u32,
}

/// Pages read of each list: enough to cross several edges.
const PAGES: usize = 4;

/// An answer as JSON, as it leaves the server. Numbers that are not finite would become `null` there.
fn shown<T: Serialize + Debug>(answer: &T) -> Value {
    let text = format!("{answer:?}");
    if ["NaN", "(inf)", "(-inf)", ": inf", ": -inf"].iter().any(|bad| text.contains(bad)) {
        return json!("the answer holds a number that is not finite");
    }
    serde_json::to_value(answer).unwrap()
}

/// What an engine answers.
pub async fn of_engine<E: Metrics + ?Sized>(
    engine: &E,
    server: ServerId,
    scope: &Scope,
    asked: &Asked,
    metric: Metric,
) -> Result<Value, MetricsError> {
    Ok(match metric {
        Metric::Overview => shown(&engine.overview(server, scope).await?),
        Metric::Tools => shown(&engine.tools(server, scope).await?),
        Metric::Tool => shown(&found(engine.tool(server, &asked.tool, scope).await)?),
        Metric::Clients => shown(&engine.clients(server, scope).await?),
        Metric::Producers => shown(&engine.producers(server, scope).await?),
        Metric::Sessions => shown(&sessions(engine, server, scope, asked).await?),
        Metric::Session => shown(&tape(engine, server, scope, asked).await?),
        Metric::Pairs => shown(&engine.pairs(server, scope).await?),
        Metric::Insights => shown(&without_messages(engine.insights(server, scope).await?)),
        Metric::Changes => shown(&engine.changes(server, scope).await?),
        Metric::Overlaps => shown(&engine.overlaps(server, scope).await?),
        Metric::Agreements => shown(&engine.agreements(server, scope).await?),
        Metric::IngestHealth => shown(&engine.ingest_health(server, scope).await?),
        Metric::NewestCalls => {
            let mut pages = Vec::new();
            let mut seq = None;
            while pages.len() < PAGES {
                let page = engine.calls(server, scope, &CallPage::Before { seq, limit: asked.page }).await?;
                seq = page.next;
                pages.push(page);
                if seq.is_none() {
                    break;
                }
            }
            shown(&pages)
        }
        Metric::OldestCalls => {
            let mut pages = Vec::new();
            let mut after = Some(0);
            while let Some(seq) = after
                && pages.len() < PAGES
            {
                let page = engine.calls(server, scope, &CallPage::After { seq, limit: asked.page }).await?;
                after = page.next;
                pages.push(page);
            }
            shown(&pages)
        }
    })
}

/// What the oracle answers.
pub fn of_oracle(view: &View<'_>, asked: &Asked, metric: Metric) -> Value {
    match metric {
        Metric::Overview => shown(&view.overview()),
        Metric::Tools => shown(&view.tools()),
        Metric::Tool => shown(&view.tool(&asked.tool)),
        Metric::Clients => shown(&view.clients()),
        Metric::Producers => shown(&view.producers()),
        Metric::Sessions => shown(&cut(view.sessions(asked.page))),
        Metric::Session => shown(&view.tape(&asked.session, asked.page).map(cut)),
        Metric::Pairs => shown(&view.pairs()),
        Metric::Insights => shown(&view.insights()),
        Metric::Changes => shown(&view.changes()),
        Metric::Overlaps => shown(&view.overlaps()),
        Metric::Agreements => shown(&view.agreements()),
        Metric::IngestHealth => shown(&view.ingest_health()),
        Metric::NewestCalls => shown(&cut(view.newest_calls(asked.page))),
        Metric::OldestCalls => shown(&cut(view.oldest_calls(asked.page))),
    }
}

/// Messages are prose: there has to be one, and the oracle does not write it.
fn without_messages(mut report: InsightReport) -> InsightReport {
    for insight in &mut report.insights {
        assert!(!insight.message.is_empty(), "{:?} says nothing", insight.kind);
        insight.message.clear();
    }
    report
}

fn cut<T>(mut pages: Vec<T>) -> Vec<T> {
    pages.truncate(PAGES);
    pages
}

fn found<T>(answer: Result<T, MetricsError>) -> Result<Option<T>, MetricsError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(MetricsError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn sessions<E: Metrics + ?Sized>(
    engine: &E,
    server: ServerId,
    scope: &Scope,
    asked: &Asked,
) -> Result<Vec<SessionsPage>, MetricsError> {
    let mut pages = Vec::new();
    let mut after = None;
    while pages.len() < PAGES {
        let page = engine.sessions(server, scope, &SessionPage { after, limit: asked.page }).await?;
        let next = page.next.clone();
        pages.push(page);
        match next {
            Some(cursor) => after = Some(cursor.parse()?),
            None => break,
        }
    }
    Ok(pages)
}

async fn tape<E: Metrics + ?Sized>(
    engine: &E,
    server: ServerId,
    scope: &Scope,
    asked: &Asked,
) -> Result<Option<Vec<SessionTape>>, MetricsError> {
    let mut pages = Vec::new();
    let mut after = None;
    while pages.len() < PAGES {
        let page = TapePage { after, limit: asked.page };
        let Some(page) = found(engine.session(server, &asked.session, scope, &page).await)? else {
            return Ok(None);
        };
        let next = page.next.clone();
        pages.push(page);
        match next {
            Some(cursor) => after = Some(cursor.parse()?),
            None => break,
        }
    }
    Ok(Some(pages))
}
