//! All tools, and one tool in full.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::changes::changes;
use super::confidence::confidence;
use super::context::{Context, Row, most_calls_first};
use super::figures::tokens;
use super::overview::series;
use super::pairs::pair;
use super::snapshot::{By, RegisteredTool, Slice, Snapshot};
use super::types::{ClientOfTool, Figures, HistogramBin, Scope, ToolDetail, ToolReport, ToolRow, ToolStatus};
use super::{MetricsError, real};

type Result<T> = std::result::Result<T, MetricsError>;

/// Lower edges of the bins of durations, milliseconds.
const DURATION_EDGES: [u32; 17] =
    [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000, 300_000];
/// Pairs shown each way on the page of one tool.
const PAIRS: usize = 100;
/// What further names are stored as once a server has too many; it stands for no tool in particular.
const OTHER: &str = "(other)";

pub(super) fn tools(snapshot: &dyn Snapshot, scope: &Scope) -> Result<ToolReport> {
    let now = Context::new(snapshot, scope, scope.range)?;
    let before = Context::new(snapshot, scope, scope.range.before())?;
    let newest = newest_surface(snapshot, scope)?;
    Ok(ToolReport {
        range: now.range,
        range_before: before.range,
        settled_as_of_ms: scope.settled_as_of_ms(),
        tools: tool_rows(&now, &before)?,
        surface_tools: newest.map(|size| size.tools),
        surface_units: newest.map(|size| size.units),
        surface_tokens: newest.map(|size| tokens(size.units)),
        confidence: confidence(snapshot, scope, &now.total()?)?,
    })
}

/// One tool, whatever tools the scope asks for.
pub(super) fn tool(snapshot: &dyn Snapshot, tool: &str, scope: &Scope) -> Result<ToolDetail> {
    let now = Context::new(snapshot, scope, scope.range)?;
    let before = Context::new(snapshot, scope, scope.range.before())?;
    let row = match tool_rows(&now, &before)?.into_iter().next() {
        Some(row) => row,
        None => absent(tool, &now, &before)?,
    };
    let (mut pairs_in, mut pairs_out) = (Vec::new(), Vec::new());
    for pair in snapshot.pairs(scope.range, u32::MAX)?.into_iter().map(pair) {
        if pair.to == tool { pairs_in.push(pair) } else { pairs_out.push(pair) }
    }
    pairs_in.truncate(PAIRS);
    pairs_out.truncate(PAIRS);
    Ok(ToolDetail {
        range: now.range,
        range_before: before.range,
        settled_as_of_ms: scope.settled_as_of_ms(),
        row,
        before: before.total()?.figures,
        series: series(&now)?,
        latency_histogram: histogram(&now)?,
        pairs_in,
        pairs_out,
        changes: changes(snapshot, scope)?.changes,
        confidence: confidence(snapshot, scope, &now.total()?)?,
    })
}

/// Tools that were called or registered in the range, most calls first, then by name.
pub(super) fn tool_rows(now: &Context<'_>, before: &Context<'_>) -> Result<Vec<ToolRow>> {
    let called = now.rows(By::Tool)?;
    let mut lists = Lists::new(now)?;
    let mut clients = clients_of_tools(now)?;
    let calls_before = calls_by_tool(before)?;
    let first_call_before = before.first_calls(By::Tool, |key| key.tool.clone().unwrap_or_default())?;

    let mut rows = Vec::with_capacity(called.len() + lists.in_use.len());
    let mut add = |tool: String, figures: Figures, status: ToolStatus, entry: Option<RegisteredTool>| {
        let schema_tokens = entry.as_ref().map(|entry| tokens(entry.schema_units.into()));
        let sessions = entry.as_ref().map_or(0, |entry| entry.sessions);
        rows.push(ToolRow {
            status,
            mode: now.scope.modes.get(&tool).copied(),
            figures,
            calls_before: calls_before.get(&tool).copied().unwrap_or_default(),
            first_call_before: first_call_before.get(&tool).copied().unwrap_or_default(),
            clients: clients.remove(&tool).unwrap_or_default(),
            registered: entry.is_some(),
            schema_units: entry.as_ref().map(|entry| entry.schema_units),
            schema_tokens,
            schema_cost_usd: schema_tokens.map(|tokens| now.price().of(tokens * real(sessions))),
            sessions_registered: sessions,
            policy: entry.and_then(|entry| entry.policy),
            tool,
        });
    };
    for row in called {
        let tool = row.tally.key.tool.unwrap_or_default();
        let (status, entry) = (lists.status_of_called(&tool), lists.in_use.remove(&tool));
        add(tool, row.figures, status, entry);
    }
    for (tool, entry) in lists.in_use {
        add(tool, Figures::default(), status_of_uncalled(&entry), Some(entry));
    }
    rows.sort_by(|a, b| b.figures.calls.cmp(&a.figures.calls).then_with(|| a.tool.cmp(&b.tool)));
    Ok(rows)
}

/// What tools are listed where.
struct Lists {
    /// Tools of surfaces in use.
    in_use: BTreeMap<String, RegisteredTool>,
    /// Names that a surface ever had; `None` when no surface is known.
    ever: Option<HashSet<String>>,
}

impl Lists {
    fn new(context: &Context<'_>) -> Result<Self> {
        let in_use = context.snapshot.registered(context.range)?;
        Ok(Self {
            in_use: in_use.into_iter().map(|tool| (tool.tool.clone(), tool)).collect(),
            ever: context.snapshot.names_ever_registered()?.map(HashSet::from_iter),
        })
    }

    fn status_of_called(&self, tool: &str) -> ToolStatus {
        let phantom = tool != OTHER && self.ever.as_ref().is_some_and(|ever| !ever.contains(tool));
        if phantom { ToolStatus::Phantom } else { ToolStatus::Called }
    }
}

/// Not everyone may call a tool with such a policy, so that nobody does says nothing.
fn status_of_uncalled(entry: &RegisteredTool) -> ToolStatus {
    match entry.policy.as_deref() {
        Some("authorization" | "identity") => ToolStatus::Withheld,
        _ => ToolStatus::Dead,
    }
}

/// What insights need to know of a tool.
pub(super) struct ToolState {
    pub(super) tool: String,
    pub(super) status: ToolStatus,
    pub(super) settled_calls: u64,
    pub(super) registered: Option<RegisteredTool>,
    pub(super) schema_cost_usd: f64,
}

/// Tools that were called or registered in the range.
pub(super) fn states(context: &Context<'_>) -> Result<Vec<ToolState>> {
    let mut lists = Lists::new(context)?;
    let mut states = Vec::new();
    for tally in context.snapshot.counts(Slice::matching(context.range), By::Tool)? {
        let tool = tally.key.tool.unwrap_or_default();
        states.push(ToolState {
            status: lists.status_of_called(&tool),
            settled_calls: tally.settled.total(),
            registered: lists.in_use.remove(&tool),
            schema_cost_usd: 0.0,
            tool,
        });
    }
    states.extend(lists.in_use.into_values().map(|entry| ToolState {
        tool: entry.tool.clone(),
        status: status_of_uncalled(&entry),
        settled_calls: 0,
        schema_cost_usd: context.price().of(tokens(entry.schema_units.into()) * real(entry.sessions)),
        registered: Some(entry),
    }));
    Ok(states)
}

/// A tool that is known, but neither called nor registered in the range.
fn absent(tool: &str, now: &Context<'_>, before: &Context<'_>) -> Result<ToolRow> {
    let registered = now.snapshot.names_ever_registered()?.unwrap_or_default();
    if !registered.iter().any(|name| name == tool) && !now.snapshot.ever_called(tool)? {
        return Err(MetricsError::NotFound);
    }
    let before = before.total()?.figures;
    Ok(ToolRow {
        tool: tool.to_owned(),
        status: ToolStatus::Absent,
        mode: now.scope.modes.get(tool).copied(),
        figures: Figures::default(),
        calls_before: before.calls,
        first_call_before: before.first_call,
        clients: Vec::new(),
        registered: false,
        schema_units: None,
        schema_tokens: None,
        policy: None,
        sessions_registered: 0,
        schema_cost_usd: None,
    })
}

fn calls_by_tool(context: &Context<'_>) -> Result<HashMap<String, u64>> {
    let tallies = context.snapshot.counts(Slice::matching(context.range), By::Tool)?;
    Ok(tallies
        .into_iter()
        .map(|tally| (tally.key.tool.unwrap_or_default(), tally.outcomes.total()))
        .collect())
}

fn clients_of_tools(context: &Context<'_>) -> Result<HashMap<String, Vec<ClientOfTool>>> {
    let mut rows: Vec<Row> = context.rows(By::ToolAndClient)?;
    most_calls_first(&mut rows);
    let mut clients: HashMap<String, Vec<ClientOfTool>> = HashMap::new();
    for row in rows {
        let (Some(tool), Some(client)) = (row.tally.key.tool, row.tally.key.client) else { continue };
        clients.entry(tool).or_default().push(ClientOfTool {
            client,
            calls: row.figures.calls,
            error_rate: row.figures.error_rate,
            empty_rate: row.figures.empty_rate,
            first_call: row.figures.first_call,
            p95_ms: row.figures.latency.p95_ms,
        });
    }
    Ok(clients)
}

fn histogram(context: &Context<'_>) -> Result<Vec<HistogramBin>> {
    let ends = DURATION_EDGES.iter().skip(1).map(|edge| Some(*edge)).chain([None]);
    let mut bins: Vec<HistogramBin> = DURATION_EDGES
        .iter()
        .zip(ends)
        .map(|(&from_ms, to_ms)| HistogramBin { from_ms, to_ms, calls: 0 })
        .collect();
    for (position, calls) in context.snapshot.durations(Slice::matching(context.range), &DURATION_EDGES)? {
        if let Some(bin) = bins.get_mut(position) {
            bin.calls = calls;
        }
    }
    Ok(bins)
}

/// How large a surface is.
#[derive(Clone, Copy)]
struct SurfaceSize {
    tools: u64,
    units: u64,
}

/// The size of the newest surface in use in the range.
fn newest_surface(snapshot: &dyn Snapshot, scope: &Scope) -> Result<Option<SurfaceSize>> {
    let in_use = snapshot.surfaces_in_use(scope.range)?;
    let Some(newest) = in_use.iter().max_by_key(|surface| surface.newest_seq) else { return Ok(None) };
    let surfaces = snapshot.surfaces()?;
    let size = surfaces.iter().find(|surface| surface.surface == newest.surface);
    Ok(size.map(|size| SurfaceSize { tools: size.tools, units: size.schema_units }))
}
