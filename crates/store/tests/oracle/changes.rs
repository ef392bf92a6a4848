//! What changed, and whether it helped (docs/metrics.md, 10).

use std::collections::BTreeSet;

use mcpulse_store::metrics::types::{
    Change, ChangeKind, ChangeReport, Comparison, ImpactSide, Interval, ProducerVersion, Range, Renamed,
    SurfaceSummary, ToolImpact, Verdict,
};
use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::Tool;

use crate::model::{Startup, Surface};
use crate::rates::{count, error_rate, outcomes};
use crate::statistics::newcombe;
use crate::view::{View, Window, within};

/// Changes listed at most.
const MOST: usize = 200;
/// Calls that a verdict needs on each side.
const ENOUGH: u64 = 20;

/// How one surface differs from another, by name.
#[derive(Default)]
struct Difference {
    added: Vec<String>,
    removed: Vec<String>,
    renamed: Vec<Renamed>,
    schema: Vec<String>,
    wording: Vec<String>,
    policy: Vec<String>,
}

impl Difference {
    fn between(earlier: &Surface, later: &Surface) -> Self {
        let names =
            |surface: &Surface| surface.tools.iter().map(|tool| tool.name.clone()).collect::<BTreeSet<_>>();
        let (before, after) = (names(earlier), names(later));
        let mut found = Self {
            added: after.difference(&before).cloned().collect(),
            removed: before.difference(&after).cloned().collect(),
            ..Self::default()
        };
        for from in found.removed.clone() {
            let fits = |to: &&String| {
                let (from, to) = (earlier.tool(&from).unwrap(), later.tool(to).unwrap());
                from.schema_hash.is_some() && from.description_hash.is_some() && hashes(from) == hashes(to)
            };
            if let Some(to) = found.added.iter().find(fits).cloned() {
                found.added.retain(|name| *name != to);
                found.removed.retain(|name| *name != from);
                found.renamed.push(Renamed { from, to });
            }
        }
        found.renamed.sort_by(|a, b| a.to.cmp(&b.to));
        for name in before.intersection(&after) {
            let (old, new) = (earlier.tool(name).unwrap(), later.tool(name).unwrap());
            if old.schema_hash != new.schema_hash {
                found.schema.push(name.clone());
            }
            if old.description_hash != new.description_hash {
                found.wording.push(name.clone());
            }
            if old.policy != new.policy {
                found.policy.push(name.clone());
            }
        }
        found
    }

    fn changed(&self) -> BTreeSet<&String> {
        self.schema.iter().chain(&self.wording).chain(&self.policy).collect()
    }

    fn size(&self) -> usize {
        self.added.len() + self.removed.len() + self.renamed.len() + self.changed().len()
    }
}

fn hashes(tool: &Tool) -> (Option<Hash12>, Option<Hash12>) {
    (tool.schema_hash, tool.description_hash)
}

/// The SDK and MCP SDK version of a startup, if it has either.
fn version(startup: &Startup) -> Option<ProducerVersion> {
    let version =
        ProducerVersion { sdk: startup.sdk.clone(), mcp_sdk_version: startup.mcp_sdk_version.clone() };
    (version.sdk.is_some() || version.mcp_sdk_version.is_some()).then_some(version)
}

fn family(version: &ProducerVersion) -> Option<&str> {
    version.sdk.as_deref().map(|sdk| sdk.split('/').next().unwrap())
}

impl View<'_> {
    /// Everything that first appeared in the range.
    pub fn changes(&self) -> ChangeReport {
        let compared = Range { from_ms: self.before_range().from_ms, to_ms: self.scope.range.to_ms };
        let window = self.window(compared);
        let mut startups: Vec<&Startup> = self.history.startups.iter().collect();
        startups.sort_by_key(|startup| startup.seq);
        let mut changes = Vec::new();
        for (at, startup) in startups.iter().enumerate() {
            // The producer comes after the surface, and the whole list is turned round below.
            changes.extend(self.producer_change(startup, &startups[..at], &window));
            changes.extend(self.surface_change(startup, &startups[..at], &window));
        }
        changes.reverse();
        changes.retain(|change| within(self.scope.range, change.at_ms) && self.is_asked_for(change));
        let truncated = changes.len() > MOST;
        changes.truncate(MOST);
        ChangeReport {
            range: self.scope.range,
            compared_from_ms: compared.from_ms,
            settled_as_of_ms: self.settled_as_of_ms(),
            changes,
            truncated,
            surfaces: self.surface_summaries(),
        }
    }

    fn is_asked_for(&self, change: &Change) -> bool {
        let names = [
            &change.added,
            &change.removed,
            &change.schema_changed,
            &change.wording_changed,
            &change.policy_changed,
        ];
        change.kind == ChangeKind::Producer
            || self.scope.tools.is_empty()
            || names.into_iter().flatten().any(|name| self.passes_tool(name))
            || change
                .renamed
                .iter()
                .any(|renamed| self.passes_tool(&renamed.from) || self.passes_tool(&renamed.to))
    }

    fn surface_change(&self, startup: &Startup, before: &[&Startup], window: &Window<'_>) -> Option<Change> {
        if before.iter().any(|earlier| earlier.surface == startup.surface) {
            return None;
        }
        let new = self.surface(startup.surface);
        // The latest startup of a surface is the first met from the end, so the first of the least different wins.
        let mut known: Vec<usize> = Vec::new();
        for earlier in before.iter().rev() {
            if !known.contains(&earlier.surface) {
                known.push(earlier.surface);
            }
        }
        let previous =
            known.into_iter().min_by_key(|&earlier| Difference::between(self.surface(earlier), new).size());
        let (kind, difference) = match previous {
            Some(earlier) => (ChangeKind::Surface, Difference::between(self.surface(earlier), new)),
            None => {
                let added = new.tools.iter().map(|tool| tool.name.clone()).collect();
                (ChangeKind::FirstSurface, Difference { added, ..Difference::default() })
            }
        };
        let earlier_units = previous.map_or(0, |earlier| self.surface(earlier).units());
        Some(Change {
            kind,
            at_ms: startup.received_ms,
            seq: startup.seq as u64,
            surface_id: startup.surface as u32 + 1,
            previous_surface_id: previous.map(|earlier| earlier as u32 + 1),
            impact: previous.map_or_else(Vec::new, |earlier| {
                self.impact(&difference, self.surface(earlier), new, window)
            }),
            added: difference.added,
            removed: difference.removed,
            renamed: difference.renamed,
            schema_changed: difference.schema,
            wording_changed: difference.wording,
            policy_changed: difference.policy,
            schema_units_difference: new.units() as i64 - earlier_units as i64,
            producer: None,
            previous_producer: None,
        })
    }

    /// Did it help, tool by tool?
    fn impact(
        &self,
        difference: &Difference,
        earlier: &Surface,
        new: &Surface,
        window: &Window<'_>,
    ) -> Vec<ToolImpact> {
        let changed = difference.schema.iter().chain(&difference.wording).map(|name| (name, name));
        let renamed = difference.renamed.iter().map(|renamed| (&renamed.from, &renamed.to));
        let mut pairs: Vec<(&String, &String)> = changed.chain(renamed).collect();
        pairs.sort_by_key(|(_, to)| *to);
        pairs.dedup();
        pairs.retain(|(from, to)| self.passes_tool(from) || self.passes_tool(to));
        pairs
            .into_iter()
            .map(|(from, to)| {
                let side = |name: &String, surface: &Surface| {
                    let as_it_was = hashes(surface.tool(name).unwrap());
                    let mut calls = self.compared(window);
                    calls.retain(|&at| {
                        let has =
                            self.startup(at).and_then(|startup| self.surface(startup.surface).tool(name));
                        self.call(at).tool == *name && has.is_some_and(|tool| hashes(tool) == as_it_was)
                    });
                    calls
                };
                self.compare(window, Some(to.clone()), &side(from, earlier), &side(to, new))
            })
            .collect()
    }

    /// The calls that before and after are taken from.
    fn compared(&self, window: &Window<'_>) -> Vec<usize> {
        self.select(|call| within(window.range, call.started_ms) && self.passes_client(&call.client))
    }

    fn compare(
        &self,
        window: &Window<'_>,
        tool: Option<String>,
        before: &[usize],
        after: &[usize],
    ) -> ToolImpact {
        let side = |calls: &[usize]| {
            let settled = || calls.iter().map(|&at| self.call(at)).filter(|call| self.is_settled(call));
            ImpactSide {
                settled_calls: count(settled()),
                error_rate: error_rate(outcomes(settled())),
                first_call: window.first_call(calls),
            }
        };
        let (before, after) = (side(before), side(after));
        let strict = |side: &ImpactSide| (side.first_call.strict, side.first_call.sequence_calls);
        let without_error = |side: &ImpactSide| (side.error_rate.map(|rate| 1.0 - rate), side.settled_calls);
        ToolImpact {
            tool,
            strict: comparison(strict(&before), strict(&after)),
            without_error: comparison(without_error(&before), without_error(&after)),
            before,
            after,
        }
    }

    fn producer_change(&self, startup: &Startup, before: &[&Startup], window: &Window<'_>) -> Option<Change> {
        let new = version(startup)?;
        let earlier: Vec<ProducerVersion> = before.iter().filter_map(|earlier| version(earlier)).collect();
        if earlier.is_empty() || earlier.contains(&new) {
            return None;
        }
        let same_family =
            earlier.iter().rev().find(|other| family(other).is_some() && family(other) == family(&new));
        let previous = same_family.or(earlier.last()).unwrap().clone();
        let calls_of = |wanted: &ProducerVersion| {
            let mut calls = self.compared(window);
            calls.retain(|&at| self.passes(self.call(at)));
            calls.retain(|&at| self.startup(at).and_then(version).as_ref() == Some(wanted));
            calls
        };
        Some(Change {
            kind: ChangeKind::Producer,
            at_ms: startup.received_ms,
            seq: startup.seq as u64,
            surface_id: startup.surface as u32 + 1,
            previous_surface_id: None,
            added: Vec::new(),
            removed: Vec::new(),
            renamed: Vec::new(),
            schema_changed: Vec::new(),
            wording_changed: Vec::new(),
            policy_changed: Vec::new(),
            schema_units_difference: 0,
            impact: vec![self.compare(window, None, &calls_of(&previous), &calls_of(&new))],
            producer: Some(new),
            previous_producer: Some(previous),
        })
    }

    fn surface_summaries(&self) -> Vec<SurfaceSummary> {
        let mut summaries: Vec<SurfaceSummary> = self
            .surfaces_in_use()
            .into_iter()
            .map(|at| {
                let own = self.history.startups.iter().filter(|startup| startup.surface == at);
                let surface = self.surface(at);
                SurfaceSummary {
                    surface_id: at as u32 + 1,
                    first_seen_ms: surface.first_seen_ms,
                    last_seen_ms: surface.last_seen_ms,
                    tools: surface.tools.len() as u64,
                    schema_units: surface.units(),
                    sessions: own.map(|startup| &startup.session).collect::<BTreeSet<_>>().len() as u64,
                }
            })
            .collect();
        summaries.sort_by_key(|summary| std::cmp::Reverse((summary.last_seen_ms, summary.surface_id)));
        summaries
    }
}

/// After less before, of two shares and the calls behind each.
fn comparison(before: (Option<f64>, u64), after: (Option<f64>, u64)) -> Comparison {
    let ((Some(b), m), (Some(a), n)) = (before, after) else {
        return Comparison { difference: None, interval: None, verdict: Verdict::TooFewCalls };
    };
    let (low, high) = newcombe(a, n as f64, b, m as f64);
    let verdict = if n < ENOUGH || m < ENOUGH {
        Verdict::TooFewCalls
    } else if low > 0.0 {
        Verdict::Better
    } else if high < 0.0 {
        Verdict::Worse
    } else {
        Verdict::NoDifference
    };
    Comparison { difference: Some(a - b), interval: Some(Interval { low, high }), verdict }
}
