//! What appeared for the first time, and whether it helped (`docs/metrics.md`, 10).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::context::Context;
use super::first_call::Sums;
use super::snapshot::{
    By, FirstCallTally, SeenBefore, Slice, Snapshot, SurfaceSeen, SurfaceTool, Tally, VersionKey,
};
use super::stats::{ENOUGH, Share, two_sided_z};
use super::surfaces::{self, Differences, Surfaces, version};
use super::types::{
    Change, ChangeKind, ChangeReport, Comparison, ImpactSide, Outcomes, ProducerVersion, Range, Renamed,
    Scope, SurfaceSummary, ToolImpact, Verdict,
};
use super::{MetricsError, real};

type Result<T> = std::result::Result<T, MetricsError>;

/// Changes that are listed.
const MOST: usize = 200;

pub(super) fn changes(snapshot: &dyn Snapshot, scope: &Scope) -> Result<ChangeReport> {
    // Calls of both sides are looked for in the range and the equally long one before.
    let compared = Range { from_ms: scope.range.before().from_ms, to_ms: scope.range.to_ms };
    let seen = snapshot.surfaces()?;
    let mut changes = surface_changes(snapshot, scope, &seen)?;
    changes.extend(producer_changes(snapshot, scope)?);
    // Newest first; of one startup, the surface before the producer.
    changes.sort_by_key(|found| {
        (std::cmp::Reverse(found.change.seq), found.change.kind == ChangeKind::Producer)
    });
    let truncated = changes.len() > MOST;
    changes.truncate(MOST);
    if changes.iter().any(|found| !found.sides.is_empty()) {
        let calls = ComparedCalls::new(snapshot, scope, compared)?;
        for found in &mut changes {
            found.change.impact = found.sides.iter().map(|sides| calls.impact(sides)).collect();
        }
    }
    Ok(ChangeReport {
        range: scope.range,
        compared_from_ms: compared.from_ms,
        settled_as_of_ms: scope.settled_as_of_ms(),
        changes: changes.into_iter().map(|found| found.change).collect(),
        truncated,
        surfaces: surfaces_in_use(snapshot, scope, &seen)?,
    })
}

/// A change, and which calls are before and after it.
struct Found {
    change: Change,
    sides: Vec<Sides>,
}

/// Which calls are compared.
enum Sides {
    /// Of a tool (by its new name): calls of each name whose surface is one of these.
    Tool { name: String, before: (String, BTreeSet<u32>), after: (String, BTreeSet<u32>) },
    /// Of all tools: calls whose startup has this version.
    Producer { before: VersionKey, after: VersionKey },
}

fn surface_changes(snapshot: &dyn Snapshot, scope: &Scope, seen: &[SurfaceSeen]) -> Result<Vec<Found>> {
    let new: Vec<&SurfaceSeen> =
        seen.iter().filter(|surface| scope.range.contains(surface.first_ms)).collect();
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let surfaces = surfaces::all(snapshot)?;
    let empty = BTreeMap::new();
    let tools = |surface: u32| surfaces.get(&surface).unwrap_or(&empty);
    let units: HashMap<u32, u64> =
        seen.iter().map(|surface| (surface.surface, surface.schema_units)).collect();
    let mut before: HashMap<u64, Vec<SeenBefore<u32>>> = HashMap::new();
    for earlier in snapshot.surfaces_before(scope.range)? {
        before.entry(earlier.first_seq).or_default().push(earlier);
    }
    let mut found = Vec::new();
    for surface in new {
        // The most similar; of several, the one seen last.
        let previous = before
            .get(&surface.first_seq)
            .into_iter()
            .flatten()
            .map(|earlier| (earlier, Differences::between(tools(earlier.what), tools(surface.surface))))
            .min_by_key(|(earlier, differences)| (differences.count(), std::cmp::Reverse(earlier.last_seq)));
        let mut change = Change {
            kind: ChangeKind::FirstSurface,
            at_ms: surface.first_ms,
            seq: surface.first_seq,
            surface_id: surface.surface,
            previous_surface_id: None,
            added: Vec::new(),
            removed: Vec::new(),
            renamed: Vec::new(),
            schema_changed: Vec::new(),
            wording_changed: Vec::new(),
            policy_changed: Vec::new(),
            schema_units_difference: difference(surface.schema_units, 0),
            producer: None,
            previous_producer: None,
            impact: Vec::new(),
        };
        let Some((previous, differences)) = previous else {
            change.added = tools(surface.surface).keys().cloned().collect();
            let wanted = scope.tools.is_empty() || change.added.iter().any(|tool| scope.tools.contains(tool));
            if wanted {
                found.push(Found { change, sides: Vec::new() });
            }
            continue;
        };
        if !differences.concern(&scope.tools) {
            continue;
        }
        let sides =
            sides(&differences, tools(previous.what), tools(surface.surface), &surfaces, &scope.tools);
        change.kind = ChangeKind::Surface;
        change.previous_surface_id = Some(previous.what);
        change.schema_units_difference =
            difference(surface.schema_units, units.get(&previous.what).copied().unwrap_or_default());
        Differences {
            added: change.added,
            removed: change.removed,
            renamed: change.renamed,
            schema_changed: change.schema_changed,
            wording_changed: change.wording_changed,
            policy_changed: change.policy_changed,
        } = differences;
        found.push(Found { change, sides });
    }
    Ok(found)
}

/// Larger less smaller of two sizes, with its sign.
fn difference(new: u64, old: u64) -> i64 {
    i64::try_from(i128::from(new) - i128::from(old)).unwrap_or(i64::MAX)
}

/// The calls before and after, for each tool that is renamed or has another schema or wording, by new name.
fn sides(
    differences: &Differences,
    old: &BTreeMap<String, SurfaceTool>,
    new: &BTreeMap<String, SurfaceTool>,
    surfaces: &Surfaces,
    wanted: &[String],
) -> Vec<Sides> {
    let same: BTreeSet<&String> =
        differences.schema_changed.iter().chain(&differences.wording_changed).collect();
    let mut names: Vec<(&String, &String)> = same.into_iter().map(|name| (name, name)).collect();
    names.extend(differences.renamed.iter().map(|Renamed { from, to }| (from, to)));
    names.sort_by_key(|(_, to)| *to);
    names
        .into_iter()
        .filter(|(from, to)| wanted.is_empty() || wanted.contains(from) || wanted.contains(to))
        .map(|(from, to)| Sides::Tool {
            name: to.clone(),
            before: (from.clone(), with_version(surfaces, &old[from])),
            after: (to.clone(), with_version(surfaces, &new[to])),
        })
        .collect()
}

/// Every surface that has the tool in the same version.
fn with_version(surfaces: &Surfaces, tool: &SurfaceTool) -> BTreeSet<u32> {
    surfaces
        .iter()
        .filter(|(_, tools)| tools.get(&tool.tool).is_some_and(|other| version(other) == version(tool)))
        .map(|(surface, _)| *surface)
        .collect()
}

fn producer_changes(snapshot: &dyn Snapshot, scope: &Scope) -> Result<Vec<Found>> {
    let before = snapshot.versions_before(scope.range)?;
    let mut found = Vec::new();
    // The first version of a server is where it begins, not a change.
    for seen in snapshot.versions()?.into_iter().skip(1).filter(|seen| scope.range.contains(seen.first_ms)) {
        let family = family(&seen.version);
        let previous =
            before.iter().filter(|earlier| earlier.first_seq == seen.first_seq).max_by_key(|earlier| {
                (family.is_some() && self::family(&earlier.what) == family, earlier.last_seq)
            });
        let Some(previous) = previous else { continue };
        found.push(Found {
            sides: vec![Sides::Producer { before: previous.what.clone(), after: seen.version.clone() }],
            change: Change {
                kind: ChangeKind::Producer,
                at_ms: seen.first_ms,
                seq: seen.first_seq,
                surface_id: seen.surface,
                previous_surface_id: None,
                added: Vec::new(),
                removed: Vec::new(),
                renamed: Vec::new(),
                schema_changed: Vec::new(),
                wording_changed: Vec::new(),
                policy_changed: Vec::new(),
                schema_units_difference: 0,
                producer: Some(producer(seen.version)),
                previous_producer: Some(producer(previous.what.clone())),
                impact: Vec::new(),
            },
        });
    }
    Ok(found)
}

/// `mcpulse-rust` of `mcpulse-rust/0.1.0`.
fn family(version: &VersionKey) -> Option<&str> {
    version.sdk.as_deref().map(|sdk| sdk.split_once('/').map_or(sdk, |(family, _)| family))
}

fn producer(version: VersionKey) -> ProducerVersion {
    ProducerVersion { sdk: version.sdk, mcp_sdk_version: version.mcp_sdk_version }
}

/// The calls that comparisons choose from.
struct ComparedCalls<'a> {
    context: Context<'a>,
    tallies_by_surface: Vec<Tally>,
    first_calls_by_surface: Vec<FirstCallTally>,
    tallies_by_producer: Vec<Tally>,
    first_calls_by_producer: Vec<FirstCallTally>,
}

impl<'a> ComparedCalls<'a> {
    fn new(snapshot: &'a dyn Snapshot, scope: &'a Scope, range: Range) -> Result<Self> {
        // A renamed tool is compared under both names, of which the filter may hold one.
        let slice = Slice::any_tool(range);
        Ok(Self {
            context: Context::new(snapshot, scope, range)?,
            tallies_by_surface: snapshot.counts(slice, By::ToolAndSurface)?,
            first_calls_by_surface: snapshot.first_calls(slice, By::ToolAndSurface)?,
            tallies_by_producer: snapshot.counts(Slice::matching(range), By::Producer)?,
            first_calls_by_producer: snapshot.first_calls(Slice::matching(range), By::Producer)?,
        })
    }

    fn impact(&self, sides: &Sides) -> ToolImpact {
        match sides {
            Sides::Tool { name, before, after } => {
                compare(Some(name.clone()), self.of_tool(before), self.of_tool(after))
            }
            Sides::Producer { before, after } => {
                compare(None, self.of_producer(before), self.of_producer(after))
            }
        }
    }

    fn of_tool(&self, (tool, surfaces): &(String, BTreeSet<u32>)) -> ImpactSide {
        let in_surface = |surface: Option<u32>| surface.is_some_and(|surface| surfaces.contains(&surface));
        self.side(
            self.tallies_by_surface
                .iter()
                .filter(|row| row.key.tool.as_ref() == Some(tool) && in_surface(row.key.surface)),
            self.first_calls_by_surface.iter().filter(|row| row.tool == *tool && in_surface(row.key.surface)),
        )
    }

    fn of_producer(&self, version: &VersionKey) -> ImpactSide {
        let has = |key: &super::snapshot::ProducerKey| {
            key.sdk == version.sdk && key.mcp_sdk_version == version.mcp_sdk_version
        };
        self.side(
            self.tallies_by_producer.iter().filter(|row| has(&row.key.producer)),
            self.first_calls_by_producer.iter().filter(|row| has(&row.key.producer)),
        )
    }

    fn side<'r>(
        &self,
        tallies: impl Iterator<Item = &'r Tally>,
        first_calls: impl Iterator<Item = &'r FirstCallTally>,
    ) -> ImpactSide {
        let settled = tallies.fold(Outcomes::default(), |sum, row| sum.and(row.settled));
        let mut sums = Sums::default();
        first_calls.for_each(|row| sums.add(row, self.context.reading()));
        ImpactSide {
            settled_calls: settled.total(),
            error_rate: settled.error_rate(),
            first_call: sums.figures(),
        }
    }
}

fn compare(tool: Option<String>, before: ImpactSide, after: ImpactSide) -> ToolImpact {
    let strict = |side: &ImpactSide| (real(side.first_call.strict_calls), side.first_call.sequence_calls);
    let without_error = |side: &ImpactSide| {
        let errors = side.error_rate.unwrap_or_default() * real(side.settled_calls);
        (real(side.settled_calls) - errors, side.settled_calls)
    };
    ToolImpact {
        tool,
        strict: comparison(strict(&before), strict(&after)),
        without_error: comparison(without_error(&before), without_error(&after)),
        before,
        after,
    }
}

/// A difference of two shares with its interval (`docs/metrics.md`, 10.6).
fn comparison(before: (f64, u64), after: (f64, u64)) -> Comparison {
    let sides = Share::new(before.0, before.1).zip(Share::new(after.0, after.1));
    let interval = sides.map(|(before, after)| after.less(before, two_sided_z()));
    let verdict = match interval {
        Some(interval) if before.1 >= ENOUGH && after.1 >= ENOUGH => {
            if interval.low > 0.0 {
                Verdict::Better
            } else if interval.high < 0.0 {
                Verdict::Worse
            } else {
                Verdict::NoDifference
            }
        }
        _ => Verdict::TooFewCalls,
    };
    let difference = sides.map(|(before, after)| after.value() - before.value());
    Comparison { difference, interval, verdict }
}

/// Surfaces in use, last seen first.
fn surfaces_in_use(
    snapshot: &dyn Snapshot,
    scope: &Scope,
    seen: &[SurfaceSeen],
) -> Result<Vec<SurfaceSummary>> {
    let in_use: BTreeSet<u32> =
        snapshot.surfaces_in_use(scope.range)?.into_iter().map(|surface| surface.surface).collect();
    let mut summaries: Vec<SurfaceSummary> = seen
        .iter()
        .filter(|surface| in_use.contains(&surface.surface))
        .map(|surface| SurfaceSummary {
            surface_id: surface.surface,
            first_seen_ms: surface.first_ms,
            last_seen_ms: surface.last_ms,
            tools: surface.tools,
            schema_units: surface.schema_units,
            sessions: surface.sessions,
        })
        .collect();
    summaries.sort_by_key(|surface| std::cmp::Reverse((surface.last_seen_ms, surface.surface_id)));
    Ok(summaries)
}
