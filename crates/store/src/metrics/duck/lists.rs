//! Sessions, calls, agreements that are declared, and arrivals by day.

use duckdb::params;

use super::rows::Columns;
use super::sql::file;
use super::{DuckSnapshot, Result};
use crate::metrics::snapshot::{
    AcceptedCount, RejectedCount, RunShape, SessionCounts, SessionSpan, Slice, TapeRow,
};
use crate::metrics::types::{CallPage, CallRow, Range, SessionPage, SessionStartup, TapePage};

impl DuckSnapshot<'_> {
    pub(super) fn page_of_sessions(
        &self,
        slice: Slice,
        page: &SessionPage,
    ) -> Result<(Vec<SessionCounts>, u64)> {
        self.facts()?;
        let filters = self.filters.of(slice);
        let [from, to, as_of] = self.slice_params(slice);
        let after = page.after.as_ref();
        let params = params![
            from,
            to,
            as_of,
            after.map(|cursor| cursor.first_call_ms),
            after.map(|cursor| cursor.session_id.as_str()),
            i64::from(page.limit) + 1,
        ];
        let sessions = self.rows(&filters.fill(file!("sessions")), params, |row| {
            let mut columns = Columns::new(row);
            Ok(SessionCounts {
                session_id: columns.value()?,
                first_call_ms: columns.value()?,
                last_call_ms: columns.value()?,
                clients: columns.names()?,
                tools: columns.count()?,
                outcomes: columns.outcomes()?,
                retried: columns.count()?,
                followed: columns.count()?,
                units: columns.value()?,
                crowded: columns.value()?,
                sdk: columns.value()?,
            })
        })?;
        let total = self.row(&filters.fill(file!("sessions_total")), [from, to, as_of], |row| {
            Columns::new(row).count()
        })?;
        Ok((sessions, total))
    }

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
        self.rows(&self.filters.fill(file!("session_startups")), [session_id], |row| {
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
        self.facts()?;
        let params = params![
            session_id,
            self.scope.settled_as_of_ms(),
            page.after.map(|cursor| cursor.started_ms),
            page.after.map(|cursor| cursor.seq),
            i64::from(page.limit) + 1,
        ];
        self.rows(&self.filters.fill(file!("tape")), params, |row| {
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
        let sql = self.filters.of(slice).fill(file!("calls")).replace("{direction}", direction);
        let Range { from_ms, to_ms } = slice.range;
        self.rows(&sql, params![from_ms, to_ms, above, below, i64::from(limit) + 1], |row| {
            Columns::new(row).call()
        })
    }

    pub(super) fn list_declared(&self, range: Range) -> Result<Vec<(String, Vec<String>)>> {
        let sql = self.filters.fill(file!("declared"));
        self.rows(&sql, params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok((columns.value()?, columns.names()?))
        })
    }

    pub(super) fn count_accepted_days(&self, range: Range) -> Result<Vec<AcceptedCount>> {
        self.rows(file!("accepted_days"), range.utc_days(), |row| {
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
