//! Sessions, and one session call by call.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mcpulse_store::metrics::types::{
    LinkKind, SessionCursor, SessionRow, SessionStartup, SessionTape, SessionsPage, TapeCall, TapeCursor,
};

use crate::calls::{cut, row};
use crate::clients::by;
use crate::facts::Link;
use crate::rates::{count, outcomes};
use crate::view::View;

impl View<'_> {
    /// All pages of sessions with a matching call, newest first.
    pub fn sessions(&self, limit: u32) -> Vec<SessionsPage> {
        let calls = self.matching(self.scope.range);
        let mut rows: Vec<SessionRow> = by(&calls, |at| self.call(at).session.clone())
            .into_iter()
            .map(|(session, own)| self.session_row(session, &own))
            .collect();
        rows.sort_by_key(|row| Reverse(row.first_call_ms));
        cut(&rows, limit)
            .into_iter()
            .map(|(sessions, more)| SessionsPage {
                range: self.scope.range,
                settled_as_of_ms: self.settled_as_of_ms(),
                total: rows.len() as u64,
                next: sessions.last().filter(|_| more).map(|last| {
                    SessionCursor { first_call_ms: last.first_call_ms, session_id: last.session_id.clone() }
                        .to_string()
                }),
                sessions,
            })
            .collect()
    }

    fn session_row(&self, session_id: String, calls: &[usize]) -> SessionRow {
        let all = || calls.iter().map(|&at| self.call(at));
        let linked =
            |behind: Link| move |at: &&usize| self.fact(**at).behind == behind && self.is_sequence_call(**at);
        let units: u64 = all().map(|call| call.units).sum();
        SessionRow {
            first_call_ms: self.history.session_dates()[&*session_id],
            last_call_ms: all().map(|call| call.started_ms).max().unwrap(),
            clients: all().map(|call| call.client.clone()).collect::<BTreeSet<_>>().into_iter().collect(),
            tools: all().map(|call| &call.tool).collect::<BTreeSet<_>>().len() as u64,
            calls: count(all()),
            outcomes: outcomes(all()),
            retried_calls: count(calls.iter().filter(linked(Link::Retry))),
            followed_calls: count(
                calls.iter().filter(linked(Link::FollowUp)).filter(|&&at| self.is_good(at)),
            ),
            response_units: units,
            cost_usd: self.usd(units as f64),
            crowded: calls.iter().any(|&at| self.fact(at).crowded),
            sdk: self.startups_of(&session_id).first().and_then(|startup| startup.sdk.clone()),
            session_id,
        }
    }

    /// All pages of one session's calls. `None` when nothing is known of it.
    pub fn tape(&self, session: &str, limit: u32) -> Option<Vec<SessionTape>> {
        let mut calls = self.select(|call| call.session == session);
        let startups = self.startups_of(session);
        if calls.is_empty() && startups.is_empty() {
            return None;
        }
        calls.sort_by_key(|&at| (self.call(at).started_ms, self.call(at).seq));
        let starts = || calls.iter().map(|&at| self.call(at).started_ms);
        let tape = self.tape_calls(&calls);
        let startups: Vec<SessionStartup> = startups
            .into_iter()
            .map(|startup| {
                let surface = &self.history.surfaces[startup.surface];
                SessionStartup {
                    seq: startup.seq as u64,
                    received_ms: startup.received_ms,
                    client: startup.client.clone(),
                    surface_id: startup.surface as u32 + 1,
                    tools: surface.tools.len() as u64,
                    schema_units: surface.units(),
                    sdk: startup.sdk.clone(),
                    mcp_sdk_version: startup.mcp_sdk_version.clone(),
                    protocol_version: startup.protocol_version.clone(),
                    transport: startup.transport.clone(),
                }
            })
            .collect();
        let pages = cut(&tape, limit).into_iter().map(|(page, more)| SessionTape {
            session_id: session.to_owned(),
            first_call_ms: starts().min(),
            last_call_ms: starts().max(),
            total_calls: count(starts()),
            settled_as_of_ms: self.settled_as_of_ms(),
            startups: startups.clone(),
            next: page
                .last()
                .filter(|_| more)
                .map(|last| TapeCursor { started_ms: last.call.started_ms, seq: last.call.seq }.to_string()),
            calls: page,
        });
        Some(pages.collect())
    }

    /// The calls of a session, given in order, with what is known of each.
    fn tape_calls(&self, calls: &[usize]) -> Vec<TapeCall> {
        let window = self.now_window();
        // Steps and runs are numbered by their first calls.
        let mut in_order = calls.to_vec();
        in_order.sort_by_key(|&at| {
            let call = self.call(at);
            (call.started_ms, call.end_ms(), call.hash, call.seq)
        });
        let steps = numbers(in_order.iter().map(|&at| (self.fact(at).run, self.fact(at).step)));
        let runs = numbers(in_order.iter().map(|&at| self.fact(at).run));
        calls
            .iter()
            .map(|&at| {
                let (call, fact) = (self.call(at), self.fact(at));
                let run = &self.facts.runs[fact.run];
                let repeat =
                    run.steps[fact.step].repeats.iter().position(|repeat| repeat.contains(&at)).unwrap();
                TapeCall {
                    call: row(call),
                    step: steps[&(fact.run, fact.step)],
                    repeat: repeat as u32,
                    run: runs[&fact.run],
                    run_steps: run.steps.len() as u32,
                    run_clean: run.is_clean(),
                    link: kind(fact.before).filter(|_| !fact.crowded),
                    link_behind: kind(fact.behind).filter(|_| !fact.crowded),
                    reworded_probability: (self.is_good(at) && !fact.crowded)
                        .then(|| window.reworded_probability(at)),
                    crowded: fact.crowded,
                    settled: self.is_settled(call),
                    surface_id: self.startup(at).map(|startup| startup.surface as u32 + 1),
                }
            })
            .collect()
    }
}

/// Numbers from 1 in order of first appearance.
fn numbers<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, u32> {
    let mut numbers = BTreeMap::new();
    for key in keys {
        let next = numbers.len() as u32 + 1;
        numbers.entry(key).or_insert(next);
    }
    numbers
}

fn kind(link: Link) -> Option<LinkKind> {
    match link {
        Link::Nothing => None,
        Link::Retry => Some(LinkKind::Retry),
        Link::FollowUp => Some(LinkKind::FollowUp),
    }
}
