//! Sessions, calls, agreements that are declared, and arrivals by day.

use duckdb::params;

use super::Result;
use super::rows::Columns;
use super::state::DuckSnapshot;
use crate::duckdb::settle::gather::Sessions;
use crate::metrics::snapshot::{
    AcceptedCount, Arrivals, RejectedCount, RunShape, SessionSpan, Slice, TapeRow,
};
use crate::metrics::sql::{file, fill};
use crate::metrics::types::{CallPage, CallRow, Range, SessionStartup, TapePage};

impl DuckSnapshot<'_> {
    pub(super) fn span_of_session(&self, session_id: &str) -> Result<Option<SessionSpan>> {
        self.row(file!("session_span"), [session_id], |row| {
            let mut columns = Columns::new(row);
            let span = SessionSpan {
                first_ms: columns.value()?,
                last_ms: columns.value()?,
                calls: columns.count()?,
            };
            let startups: u64 = columns.count()?;
            Ok((span.calls > 0 || startups > 0).then_some(span))
        })
    }

    pub(super) fn startups_of_session(&self, session_id: &str) -> Result<Vec<SessionStartup>> {
        self.rows(&fill(file!("session_startups"), &[]), [session_id], |row| {
            let mut columns = Columns::new(row);
            Ok(SessionStartup {
                seq: columns.count()?,
                received_ms: columns.value()?,
                client: columns.value()?,
                surface_id: columns.count()?,
                tools: columns.count()?,
                schema_units: columns.value()?,
                sdk: columns.value()?,
                mcp_sdk_version: columns.value()?,
                protocol_version: columns.value()?,
                transport: columns.value()?,
            })
        })
    }

    pub(super) fn page_of_tape(&self, session_id: &str, page: &TapePage) -> Result<Vec<TapeRow>> {
        self.ready()?;
        self.conn
            .execute_batch("CREATE OR REPLACE TEMP TABLE asked_session (session_id VARCHAR NOT NULL)")?;
        self.conn.execute("INSERT INTO asked_session VALUES (?)", [session_id])?;
        Sessions::asked(self.conn, "SELECT session_id FROM asked_session")?;
        let params = params![
            self.scope.settled_as_of_ms(),
            page.after.map(|cursor| cursor.started_ms),
            page.after.map(|cursor| cursor.seq),
            i64::from(page.limit) + 1,
        ];
        let sql = fill(file!("tape"), &[]).replace("affected", "asked");
        self.rows(&sql, params, |row| {
            let mut columns = Columns::new(row);
            Ok(TapeRow {
                call: columns.call()?,
                step: columns.count()?,
                repeat: columns.count()?,
                run: columns.count()?,
                shape: RunShape { steps: columns.count()?, clean: columns.value()? },
                link: columns.link()?,
                link_behind: columns.link()?,
                good: columns.value()?,
                crowded: columns.value()?,
                settled: columns.value()?,
                surface: columns.maybe_count()?,
            })
        })
    }

    pub(super) fn page_of_calls(&self, slice: Slice, page: &CallPage) -> Result<Vec<CallRow>> {
        let (above, below, limit, direction) = match *page {
            CallPage::Before { seq, limit } => (0, seq.unwrap_or(i64::MAX.unsigned_abs()), limit, "DESC"),
            CallPage::After { seq, limit } => (seq, i64::MAX.unsigned_abs(), limit, "ASC"),
        };
        // These are rows as they arrived, with names.
        let [tools, clients] = self.wanted(slice);
        let among = |wanted: Option<usize>, what: &'static str| if wanted.is_some() { what } else { "true" };
        let sql = file!("calls")
            .replace("{direction}", direction)
            .replace("{tools}", among(tools, "c.tool_name IN (SELECT name FROM wanted_tools)"))
            .replace("{clients}", among(clients, "c.client_name IN (SELECT name FROM wanted_clients)"));
        let Range { from_ms, to_ms } = slice.range;
        self.rows(&sql, params![from_ms, to_ms, above, below, i64::from(limit) + 1], |row| {
            Columns::new(row).call()
        })
    }

    pub(super) fn count_arrivals(&self, range: Range) -> Result<Arrivals> {
        self.row(&self.since_added(file!("arrivals"))?, range.utc_days(), |row| {
            let mut columns = Columns::new(row);
            Ok(Arrivals {
                accepted: columns.count()?,
                rejected: columns.count()?,
                newest_ms: columns.value()?,
            })
        })
    }

    /// A text about arrivals, with the `seq` up to which they are added up already.
    fn since_added(&self, text: &str) -> Result<String> {
        let above: i64 = self.row("SELECT upto_seq FROM worked", [], |row| row.get(0))?;
        Ok(fill(text, &[("above", &above.to_string()), ("upto", &i64::MAX.to_string())]))
    }

    pub(super) fn count_accepted_days(&self, range: Range) -> Result<Vec<AcceptedCount>> {
        self.rows(&self.since_added(file!("accepted_days"))?, range.utc_days(), |row| {
            let mut columns = Columns::new(row);
            Ok(AcceptedCount {
                day: columns.value()?,
                key_id: columns.value()?,
                calls: columns.count()?,
                startups: columns.count()?,
                agreements: columns.count()?,
                last_ms: columns.value()?,
            })
        })
    }

    pub(super) fn count_rejected_days(&self, range: Range) -> Result<Vec<RejectedCount>> {
        self.rows(file!("rejected_days"), range.utc_days(), |row| {
            let mut columns = Columns::new(row);
            Ok(RejectedCount {
                day: columns.value()?,
                key_id: columns.value()?,
                producer: columns.value()?,
                rule: columns.value()?,
                count: columns.count()?,
                last_ms: columns.value()?,
            })
        })
    }
}
