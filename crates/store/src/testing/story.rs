//! Two days of a shop's server as the demo shows them: one client gets one tool wrong at the first try, one tool is
//! never called, one returns too much, and a reworded description helps.

use mcpulse_wire::hash::Hash12;
use mcpulse_wire::payload::{DeclaredAgreement, Outcome, Policy, Startup, Tool, Transport};

use super::{agreement, call, startup};
use crate::events::{NewBatch, NewCall, NewPayload, Rejected};
use crate::id::KeyId;

/// Half an hour: so far apart are the sessions.
const PAUSE_MS: i64 = 1_800_000;
/// Sessions a day.
const SESSIONS: i64 = 24;
const DAY_MS: i64 = 86_400_000;

/// The story as requests that arrive as things happen, from the first moment of its first day.
#[must_use]
pub fn story(key: KeyId, first_day_ms: i64) -> Vec<NewBatch> {
    let sessions = (0..2).flat_map(|day| (0..SESSIONS).map(move |nth| (day, nth)));
    sessions
        .map(|(day, nth)| {
            let session = Session {
                id: format!("s_{:012x}", 0xc0de_0000 + day * SESSIONS + nth),
                client: if nth % 2 == 0 { "claude-desktop" } else { "cursor" },
                begins_ms: first_day_ms + day * DAY_MS + nth * PAUSE_MS,
                is_reworded: day == 1,
                nth: nth.unsigned_abs(),
            };
            let batch = super::batch(key, session.begins_ms + 300_000, session.payloads());
            NewBatch { rejected: session.rejected(), ..batch }
        })
        .collect()
}

struct Session {
    id: String,
    client: &'static str,
    begins_ms: i64,
    is_reworded: bool,
    nth: u64,
}

impl Session {
    fn payloads(&self) -> Vec<NewPayload> {
        let mut payloads = vec![NewPayload::Startup(self.startup())];
        payloads.extend(self.calls().into_iter().map(NewPayload::Call));
        let agreed = !(self.is_reworded && self.nth == 20);
        let verdict =
            agreement(&self.id, "total", ["export_report", "get_order"], agreed, self.begins_ms + 200_000);
        payloads.push(NewPayload::Agreement(verdict));
        payloads
    }

    fn startup(&self) -> Startup {
        let search = if self.is_reworded { 0xb2 } else { 0xb1 };
        let entries = [
            ("archive_order", 612, 0xa5, 0xb5, 0xd5, Some(Policy::None)),
            ("export_report", 548, 0xa4, 0xb4, 0xd5, None),
            ("get_customer", 431, 0xa3, 0xb3, 0xd3, None),
            ("get_order", 402, 0xa2, 0xb0, 0xd0, None),
            ("search_orders", if self.is_reworded { 655 } else { 520 }, 0xa1, search, search, None),
        ];
        let tools = entries.map(|(name, schema_bytes, schema, description, norm, policy)| Tool {
            name: name.to_owned(),
            schema_bytes,
            schema_hash: hash(schema),
            description_hash: hash(description),
            description_norm: hash(norm),
            policy,
        });
        Startup {
            client_name: self.client.to_owned(),
            tools: tools.into(),
            mcp_sdk_version: Some("3.1.0".to_owned()),
            protocol_version: Some("2026-07-28".to_owned()),
            transport: Some(if self.nth.is_multiple_of(3) { Transport::Http } else { Transport::Stdio }),
            agreements: Some(vec![DeclaredAgreement {
                field: "total".to_owned(),
                tools: vec!["export_report".to_owned(), "get_order".to_owned()],
            }]),
            ..startup(&self.id, &[])
        }
    }

    fn calls(&self) -> Vec<NewCall> {
        let mut calls = Vec::new();
        if self.client == "cursor" {
            let wrong = self.call("get_customer", 0, 1);
            calls.push(NewCall {
                call: mcpulse_wire::payload::Call {
                    outcome: Outcome::BadArgs,
                    response_bytes: 0,
                    ..wrong.call
                },
                ..wrong
            });
        }
        calls.push(self.call("get_customer", 4_000, 2));
        // Until its description says what it searches, it takes up to three wordings to find something.
        let wordings = if self.is_reworded { 1 } else { 1 + i64::try_from(self.nth % 3).unwrap_or_default() };
        calls.extend((0..wordings).map(|nth| self.call("search_orders", 40_000 + nth * 5_000, nth + 10)));
        // A list of ids, one after the other: nothing is wrong with that.
        calls.extend((0..4).map(|nth| self.call("get_order", 60_000 + nth * 2_000, nth + 20)));
        let mut report = self.call("export_report", 120_000, 30);
        report.call.duration_ms = 1_400 + 40 * u32::try_from(self.nth).unwrap_or_default();
        report.call.response_bytes = 44_000 + 97 * u32::try_from(self.nth).unwrap_or_default();
        calls.push(report);
        calls
    }

    fn call(&self, tool: &str, after_ms: i64, question: i64) -> NewCall {
        let mut made = call(&self.id, tool, self.begins_ms + after_ms);
        made.call.client_name = self.client.to_owned();
        made.call.duration_ms = 35 + u32::try_from(self.nth * 7 % 90).unwrap_or_default();
        made.call.response_bytes = 640 + u32::try_from(self.nth * 31 % 400).unwrap_or_default();
        made.call.args_hash =
            hash(self.nth * 100 + question.unsigned_abs() + 1).unwrap_or(made.call.args_hash);
        made
    }

    /// Somebody's own producer, now and then.
    fn rejected(&self) -> Vec<Rejected> {
        let wrong =
            |rule: &str, path: &str| Rejected { index: 12, path: path.to_owned(), rule: rule.to_owned() };
        match self.nth {
            7 => vec![wrong("pattern", "/args_hash")],
            19 if self.is_reworded => vec![wrong("additionalProperties", "")],
            _ => Vec::new(),
        }
    }
}

/// A hash that stands for some content.
fn hash(content: u64) -> Option<Hash12> {
    Hash12::try_from(format!("{content:012x}").as_str()).ok()
}
