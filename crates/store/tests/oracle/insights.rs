//! What needs the owner's attention (docs/metrics.md, 9).

use std::collections::{BTreeMap, BTreeSet};

use mcpulse_store::metrics::types::{Insight, InsightKind, InsightReport, Range, Severity, ToolStatus};

use crate::clients::by;
use crate::rates::{count, error_rate, outcomes};
use crate::statistics::{Cox, Side, holm, share_bound, share_p, two_shares_p};
use crate::view::{View, Window, within};

/// Calls that a judgement needs.
const ENOUGH: u64 = 20;

/// One judgement, fired or not.
struct Judged {
    insight: Insight,
    /// p values for the first threshold and for the one that makes it high.
    p: [f64; 2],
    /// Whether what else has to hold for each does.
    also: [bool; 2],
}

/// A share that is judged against two thresholds.
struct Share {
    value: f64,
    n: u64,
    side: Side,
    thresholds: [f64; 2],
}

fn blank(kind: InsightKind, tool: &str) -> Insight {
    Insight {
        kind,
        severity: Severity::Medium,
        tool: tool.to_owned(),
        client: None,
        other_tool: None,
        field: None,
        value: 0.0,
        threshold: 0.0,
        bound: None,
        p_value: None,
        evidence: 0,
        message: String::new(),
    }
}

impl Share {
    fn judge(&self, kind: InsightKind, tool: &str) -> Judged {
        let p = self.thresholds.map(|threshold| share_p(self.value, self.n as f64, threshold, self.side));
        let insight = Insight {
            value: self.value,
            threshold: self.thresholds[0],
            bound: Some(share_bound(self.value, self.n as f64, self.side)),
            p_value: Some(p[0]),
            evidence: self.n,
            ..blank(kind, tool)
        };
        Judged { insight, p, also: [true; 2] }
    }
}

/// Those of a family that fire.
fn fired(family: Vec<Judged>) -> Vec<Insight> {
    let significant = |which: usize| holm(&family.iter().map(|judged| judged.p[which]).collect::<Vec<_>>());
    let (first, second) = (significant(0), significant(1));
    family
        .into_iter()
        .zip(first.into_iter().zip(second))
        .filter(|(judged, (first, _))| *first && judged.also[0])
        .map(|(judged, (_, second))| Insight {
            severity: if second && judged.also[1] { Severity::High } else { Severity::Medium },
            ..judged.insight
        })
        .collect()
}

impl View<'_> {
    /// All insights; messages are left empty.
    pub fn insights(&self) -> InsightReport {
        let window = self.now_window();
        let mut calls = self.matching(window.range);
        calls.retain(|&at| self.is_settled(self.call(at)));
        let tools = by(&calls, |at| self.call(at).tool.clone());

        let mut insights = Vec::new();
        insights.extend(fired(self.low_success(&window, &tools)));
        insights.extend(fired(self.heavy(&tools)));
        insights.extend(fired(self.silent(&tools)));
        insights.extend(fired(self.slow(&tools)));
        insights.extend(fired(self.behind(&tools)));
        insights.extend(fired(self.disagreements()));
        insights.extend(fired(self.bursts()));
        insights.extend(self.dead_and_phantom(&tools));
        insights.extend(self.same_descriptions(&calls));
        insights.sort_by(|a, b| {
            let key = |insight: &Insight| {
                let Insight { severity, kind, tool, client, other_tool, field, .. } = insight.clone();
                (severity, kind, tool, client, other_tool, field)
            };
            key(a).cmp(&key(b))
        });
        InsightReport { range: window.range, settled_as_of_ms: self.settled_as_of_ms(), insights }
    }

    fn low_success(&self, window: &Window<'_>, tools: &BTreeMap<String, Vec<usize>>) -> Vec<Judged> {
        let judge = |(tool, calls): (&String, &Vec<usize>)| {
            let first_call = window.first_call(calls);
            let share = Share {
                value: first_call.first_call_success?,
                n: first_call.estimated_calls,
                side: Side::Below,
                thresholds: [0.7, 0.5],
            };
            (share.n >= ENOUGH).then(|| share.judge(InsightKind::LowFirstCallSuccess, tool))
        };
        tools.iter().filter_map(judge).collect()
    }

    fn heavy(&self, tools: &BTreeMap<String, Vec<usize>>) -> Vec<Judged> {
        let mut family = Vec::new();
        for (tool, calls) in tools {
            let good = calls.iter().filter(|&&at| self.is_good(at));
            let sizes: Vec<u64> = good.map(|&at| self.call(at).units).collect();
            if (sizes.len() as u64) < ENOUGH {
                continue;
            }
            let mean = sizes.iter().sum::<u64>() as f64 / sizes.len() as f64;
            let cox = Cox::of(&sizes);
            let thresholds = [10_000.0, 30_000.0];
            let p = thresholds.map(|threshold| cox.p_above(threshold));
            let insight = Insight {
                value: mean,
                threshold: thresholds[0],
                bound: Some(cox.bound()),
                p_value: Some(p[0]),
                evidence: sizes.len() as u64,
                ..blank(InsightKind::HeavyAnswers, tool)
            };
            family.push(Judged { insight, p, also: thresholds.map(|threshold| mean > threshold) });
        }
        family
    }

    fn silent(&self, tools: &BTreeMap<String, Vec<usize>>) -> Vec<Judged> {
        self.shares_of_tools(InsightKind::SilentEmpties, tools, [0.05, 0.2], |at| {
            self.call(at).is_empty && !self.is_good(at)
        })
    }

    fn slow(&self, tools: &BTreeMap<String, Vec<usize>>) -> Vec<Judged> {
        self.shares_of_tools(InsightKind::Slow, tools, [0.1, 0.3], |at| self.call(at).duration_ms > 2_000)
    }

    fn shares_of_tools(
        &self,
        kind: InsightKind,
        tools: &BTreeMap<String, Vec<usize>>,
        thresholds: [f64; 2],
        is_one: impl Fn(usize) -> bool,
    ) -> Vec<Judged> {
        let mut family = Vec::new();
        for (tool, calls) in tools {
            let n = calls.len() as u64;
            if n >= ENOUGH {
                let value = count(calls.iter().filter(|&&at| is_one(at))) as f64 / n as f64;
                family.push(Share { value, n, side: Side::Above, thresholds }.judge(kind, tool));
            }
        }
        family
    }

    fn behind(&self, tools: &BTreeMap<String, Vec<usize>>) -> Vec<Judged> {
        let mut family = Vec::new();
        for (tool, calls) in tools {
            let sequence: Vec<usize> =
                calls.iter().copied().filter(|&at| self.is_sequence_call(at)).collect();
            let clients: BTreeSet<&String> = sequence.iter().map(|&at| &self.call(at).client).collect();
            for client in clients {
                let (own, others): (Vec<usize>, Vec<usize>) =
                    sequence.iter().partition(|&&at| self.call(at).client == *client);
                let strict = |calls: &[usize]| count(calls.iter().filter(|&&at| self.is_strict(at)));
                let ((x, n), (y, m)) =
                    ((strict(&own), own.len() as u64), (strict(&others), others.len() as u64));
                if n < ENOUGH || m < ENOUGH {
                    continue;
                }
                let insight =
                    Insight { client: Some(client.clone()), ..blank(InsightKind::ClientBehind, tool) };
                family.push(judge_two(insight, (x, n), (y, m), 1.0, [0.15, 0.3]));
            }
        }
        family
    }

    fn bursts(&self) -> Vec<Judged> {
        const HOUR_MS: i64 = 3_600_000;
        const WEEK_MS: i64 = 7 * 86_400_000;
        let now_ms = self.scope.now_ms;
        let settled_by_tool = |range: Range| {
            let mut calls = self.matching(range);
            calls.retain(|&at| self.is_settled(self.call(at)));
            by(&calls, |at| self.call(at).tool.clone())
        };
        let hour = settled_by_tool(Range { from_ms: now_ms - HOUR_MS, to_ms: now_ms });
        let week = settled_by_tool(Range { from_ms: now_ms - HOUR_MS - WEEK_MS, to_ms: now_ms - HOUR_MS });
        let mut family = Vec::new();
        for (tool, calls) in &hour {
            let Some(before) = week.get(tool) else { continue };
            let errors = |calls: &[usize]| count(calls.iter().filter(|&&at| self.is_error(at)));
            let ((x, n), (y, m)) =
                ((errors(calls), calls.len() as u64), (errors(before), before.len() as u64));
            if n >= ENOUGH && m >= ENOUGH {
                family.push(judge_two(
                    blank(InsightKind::ErrorBurst, tool),
                    (x, n),
                    (y, m),
                    -1.0,
                    [0.05, 0.2],
                ));
            }
        }
        family
    }

    fn is_error(&self, at: usize) -> bool {
        error_rate(outcomes([self.call(at)].into_iter())) == Some(1.0)
    }

    fn disagreements(&self) -> Vec<Judged> {
        self.agreements()
            .agreements
            .into_iter()
            .filter(|row| row.checked >= ENOUGH)
            .map(|row| {
                let share = Share {
                    value: (row.checked - row.agreed) as f64 / row.checked as f64,
                    n: row.checked,
                    side: Side::Above,
                    thresholds: [0.01, 0.1],
                };
                let judged = share.judge(InsightKind::Disagreement, &row.tool_a);
                let insight =
                    Insight { other_tool: Some(row.tool_b), field: Some(row.field), ..judged.insight };
                Judged { insight, ..judged }
            })
            .collect()
    }

    fn dead_and_phantom(&self, settled: &BTreeMap<String, Vec<usize>>) -> Vec<Insight> {
        let by_clients = self.select(|call| {
            within(self.scope.range, call.started_ms)
                && self.passes_client(&call.client)
                && self.is_settled(call)
        });
        let mut insights = Vec::new();
        for row in self.tools().tools {
            let having = by_clients.iter().filter(|&&at| {
                self.startup(at)
                    .is_some_and(|startup| self.surface(startup.surface).tool(&row.tool).is_some())
            });
            let insight = match row.status {
                ToolStatus::Dead => Insight {
                    severity: Severity::Low,
                    value: row.schema_cost_usd.unwrap(),
                    evidence: count(having),
                    ..blank(InsightKind::DeadTool, &row.tool)
                },
                ToolStatus::Phantom => {
                    let n = settled.get(&row.tool).map_or(0, Vec::len) as u64;
                    Insight {
                        value: n as f64,
                        threshold: ENOUGH as f64,
                        evidence: n,
                        ..blank(InsightKind::PhantomTool, &row.tool)
                    }
                }
                _ => continue,
            };
            if insight.evidence >= ENOUGH {
                insights.push(insight);
            }
        }
        insights
    }

    fn same_descriptions(&self, settled: &[usize]) -> Vec<Insight> {
        let mut pairs: BTreeSet<(String, String)> = BTreeSet::new();
        for overlap in self.overlaps().overlaps {
            for a in &overlap.tools {
                pairs.extend(overlap.tools.iter().filter(|b| a < *b).map(|b| (a.clone(), b.clone())));
            }
        }
        let mut insights = Vec::new();
        for (tool, other) in pairs {
            let n = count(settled.iter().filter(|&&at| [&tool, &other].contains(&&self.call(at).tool)));
            if n >= ENOUGH {
                insights.push(Insight {
                    severity: Severity::Low,
                    other_tool: Some(other),
                    value: n as f64,
                    threshold: ENOUGH as f64,
                    evidence: n,
                    ..blank(InsightKind::SameDescription, &tool)
                });
            }
        }
        insights
    }
}

/// x of n against y of m: the second share less the first, times the sign, has to be large enough.
fn judge_two(insight: Insight, (x, n): (u64, u64), (y, m): (u64, u64), sign: f64, least: [f64; 2]) -> Judged {
    let (own, other) = (x as f64 / n as f64, y as f64 / m as f64);
    let p = if sign > 0.0 { two_shares_p(x, n, y, m) } else { two_shares_p(y, m, x, n) };
    let insight = Insight { value: own, threshold: other, p_value: Some(p), evidence: n, ..insight };
    Judged { insight, p: [p; 2], also: least.map(|least| sign * (other - own) >= least) }
}
