//! The rows of one group, table by table.

use duckdb::{Connection, ToSql, params};
use mcpulse_wire::payload::{Outcome, Startup, Transport};

use super::names::DayNames;
use crate::events::{NewAgreement, NewCall};

/// What every row has from its batch.
#[derive(Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) seq: i64,
    pub(super) received_ms: i64,
    pub(super) key: &'a str,
    pub(super) producer: &'a str,
}

struct CallRow<'a> {
    at: Arrival<'a>,
    new: &'a NewCall,
    client: &'a str,
    tool: &'a str,
}

struct StartupRow<'a> {
    at: Arrival<'a>,
    new: &'a Startup,
    client: &'a str,
    surface: i32,
}

struct AgreementRow<'a> {
    at: Arrival<'a>,
    new: &'a NewAgreement,
    tools: [&'a str; 2],
}

/// Rows waiting to be written.
#[derive(Default)]
pub(super) struct Rows<'a> {
    calls: Vec<CallRow<'a>>,
    startups: Vec<StartupRow<'a>>,
    agreements: Vec<AgreementRow<'a>>,
}

impl<'a> Rows<'a> {
    pub(super) fn call(&mut self, at: Arrival<'a>, new: &'a NewCall, names: &mut DayNames) {
        let (client, tool) = (names.client(&new.call.client_name), names.tool(&new.call.tool_name));
        self.calls.push(CallRow { at, new, client, tool });
    }

    pub(super) fn startup(&mut self, at: Arrival<'a>, new: &'a Startup, surface: i32, names: &mut DayNames) {
        self.startups.push(StartupRow { at, new, client: names.client(&new.client_name), surface });
    }

    pub(super) fn agreement(&mut self, at: Arrival<'a>, new: &'a NewAgreement, names: &mut DayNames) {
        let tools = [names.tool(&new.agreement.tool_a), names.tool(&new.agreement.tool_b)];
        self.agreements.push(AgreementRow { at, new, tools });
    }

    pub(super) fn write(self, conn: &Connection) -> duckdb::Result<()> {
        write_calls(conn, &self.calls)?;
        write_startups(conn, &self.startups)?;
        write_agreements(conn, &self.agreements)
    }
}

fn write_calls(conn: &Connection, rows: &[CallRow<'_>]) -> duckdb::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = conn.appender("calls")?;
    for CallRow { at, new, client, tool } in rows {
        let call = &new.call;
        table.append_row(params![
            at.seq,
            at.received_ms,
            at.key,
            call.session_id,
            client,
            tool,
            new.started_ms,
            call.duration_ms,
            outcome(call.outcome),
            call.response_bytes,
            call.is_empty,
            args_hash(&call.args_hash),
        ])?;
    }
    table.flush()
}

fn write_startups(conn: &Connection, rows: &[StartupRow<'_>]) -> duckdb::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = conn.appender("startups")?;
    for StartupRow { at, new, client, surface } in rows {
        table.append_row(params![
            at.seq,
            at.received_ms,
            at.key,
            new.session_id,
            client,
            surface,
            new.sdk,
            new.mcp_sdk_version,
            new.protocol_version,
            new.transport.map(transport),
            at.producer,
        ])?;
    }
    table.flush()?;
    for row in rows {
        for declared in row.new.agreements.iter().flatten() {
            // The appender takes no lists.
            let places = vec!["?"; declared.tools.len()].join(", ");
            let mut values: Vec<&dyn ToSql> = vec![&row.at.seq, &declared.field];
            values.extend(declared.tools.iter().map(|tool| -> &dyn ToSql { tool }));
            conn.prepare_cached(&format!("INSERT INTO declared_agreements VALUES (?, ?, [{places}])"))?
                .execute(values.as_slice())?;
        }
    }
    Ok(())
}

fn write_agreements(conn: &Connection, rows: &[AgreementRow<'_>]) -> duckdb::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = conn.appender("agreements")?;
    for AgreementRow { at, new, tools: [a, b] } in rows {
        let agreement = &new.agreement;
        table.append_row(params![
            at.seq,
            at.received_ms,
            at.key,
            agreement.session_id,
            agreement.field,
            a,
            b,
            agreement.agreed,
            new.checked_ms,
            agreement.window_ms,
        ])?;
    }
    table.flush()
}

fn outcome(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Ok => 0,
        Outcome::BadArgs => 1,
        Outcome::ToolError => 2,
        Outcome::Crashed => 3,
    }
}

fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Stdio => "stdio",
        Transport::Http => "http",
    }
}

/// Validation let 12 hex digits through; anything else would be arguments that are not representable.
fn args_hash(hex: &str) -> u64 {
    u64::from_str_radix(hex, 16).unwrap_or_default()
}
