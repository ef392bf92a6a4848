//! The answers to every question of the trait, asked of an engine or of the oracle, in one comparable form.

use mcpulse_store::id::ServerId;
use mcpulse_store::metrics::types::{
    AgreementReport, CallPage, CallsPage, ChangeReport, ClientReport, IngestHealth, InsightReport,
    OverlapReport, Overview, PairReport, ProducerReport, Scope, SessionPage, SessionTape, SessionsPage, TapePage,
    ToolDetail, ToolReport,
};
use mcpulse_store::metrics::{Metrics, MetricsError};
use serde::Serialize;

use crate::view::View;

/// Everything that can be asked with one scope.
#[derive(Debug, Serialize)]
pub struct Answers {
    pub overview: Overview,
    pub tools: ToolReport,
    /// `None` where there is no such tool.
    pub tool: Vec<Option<ToolDetail>>,
    pub clients: ClientReport,
    pub producers: ProducerReport,
    pub sessions: Vec<SessionsPage>,
    /// `None` where there is no such session.
    pub tapes: Vec<Option<Vec<SessionTape>>>,
    pub pairs: PairReport,
    pub insights: InsightReport,
    pub changes: ChangeReport,
    pub overlaps: OverlapReport,
    pub agreements: AgreementReport,
    pub ingest_health: IngestHealth,
    pub newest_calls: Vec<CallsPage>,
    pub oldest_calls: Vec<CallsPage>,
}

/// What is asked besides the scope.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Tools to show in full.
    pub tools: Vec<String>,
    /// Sessions to show call by call.
    pub sessions: Vec<String>,
    /// Size of pages of sessions; pages of calls are three times as long.
    pub page: u32,
}

/// Pages read of each list: enough to cross several edges.
const PAGES: usize = 4;

impl Answers {
    /// What the engine answers.
    pub async fn of_engine<E: Metrics + ?Sized>(
        engine: &E,
        server: ServerId,
        scope: &Scope,
        asked: &Asked,
    ) -> Result<Self, MetricsError> {
        let mut tool = Vec::new();
        for name in &asked.tools {
            tool.push(found(engine.tool(server, name, scope).await)?);
        }
        let mut tapes = Vec::new();
        for session in &asked.sessions {
            tapes.push(tape_of_engine(engine, server, session, scope, asked).await?);
        }
        let limit = asked.page * 3;
        let mut newest_calls = Vec::new();
        let mut oldest_calls = Vec::new();
        let (mut before, mut after) = (Some(None), Some(0));
        for _ in 0..PAGES {
            if let Some(seq) = before {
                let page = engine.calls(server, scope, &CallPage::Before { seq, limit }).await?;
                before = page.next.map(Some);
                newest_calls.push(page);
            }
            if let Some(seq) = after {
                let page = engine.calls(server, scope, &CallPage::After { seq, limit }).await?;
                after = page.next;
                oldest_calls.push(page);
            }
        }
        Ok(Self {
            overview: engine.overview(server, scope).await?,
            tools: engine.tools(server, scope).await?,
            tool,
            clients: engine.clients(server, scope).await?,
            producers: engine.producers(server, scope).await?,
            sessions: sessions_of_engine(engine, server, scope, asked).await?,
            tapes,
            pairs: engine.pairs(server, scope).await?,
            insights: engine.insights(server, scope).await?,
            changes: engine.changes(server, scope).await?,
            overlaps: engine.overlaps(server, scope).await?,
            agreements: engine.agreements(server, scope).await?,
            ingest_health: engine.ingest_health(server, scope).await?,
            newest_calls,
            oldest_calls,
        })
    }

    /// What the oracle answers.
    pub fn of_oracle(view: &View<'_>, asked: &Asked) -> Self {
        Self {
            overview: view.overview(),
            tools: view.tools(),
            tool: asked.tools.iter().map(|name| view.tool(name)).collect(),
            clients: view.clients(),
            producers: view.producers(),
            sessions: cut(view.sessions(asked.page)),
            tapes: asked.sessions.iter().map(|session| view.tape(session, asked.page * 3).map(cut)).collect(),
            pairs: view.pairs(),
            insights: view.insights(),
            changes: view.changes(),
            overlaps: view.overlaps(),
            agreements: view.agreements(),
            ingest_health: view.ingest_health(),
            newest_calls: cut(view.newest_calls(asked.page * 3)),
            oldest_calls: cut(view.oldest_calls(asked.page * 3)),
        }
    }
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

async fn sessions_of_engine<E: Metrics + ?Sized>(
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

async fn tape_of_engine<E: Metrics + ?Sized>(
    engine: &E,
    server: ServerId,
    session: &str,
    scope: &Scope,
    asked: &Asked,
) -> Result<Option<Vec<SessionTape>>, MetricsError> {
    let mut pages = Vec::new();
    let mut after = None;
    while pages.len() < PAGES {
        let page = TapePage { after, limit: asked.page * 3 };
        let Some(page) = found(engine.session(server, session, scope, &page).await)? else { return Ok(None) };
        let next = page.next.clone();
        pages.push(page);
        match next {
            Some(cursor) => after = Some(cursor.parse()?),
            None => break,
        }
    }
    Ok(Some(pages))
}
