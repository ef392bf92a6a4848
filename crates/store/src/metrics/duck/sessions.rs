//! Sessions of matching calls: which, how many, and what is known of them.

use std::collections::HashMap;

use duckdb::params;

use super::Result;
use super::keys::Parts;
use super::rows::Columns;
use super::state::DuckSnapshot;
use crate::duckdb::settle::gather::exists;
use crate::metrics::snapshot::{By, Key, SessionCounts, SessionSchemas, Slice};
use crate::metrics::sql::file;
use crate::metrics::types::SessionPage;

/// How the sessions of a key are counted.
enum Way {
    /// Their first calls (of the tool, of the client) are counted in sums, but for those before the range.
    Begun { tool: bool, client: bool },
    /// One by one.
    Distinct,
}

impl DuckSnapshot<'_> {
    fn way(&self, slice: Slice, by: By) -> Way {
        let [tools, clients] = self.wanted(slice);
        let parts = Parts::of(by);
        let tool = parts.tool || tools == Some(1);
        let client = parts.client || clients == Some(1);
        // Sessions of two tools are not those of the one and those of the other.
        if (!tool && tools.is_some()) || (!client && clients.is_some()) || parts.producer || parts.surface {
            return Way::Distinct;
        }
        Way::Begun { tool, client }
    }

    /// The column that counts sessions where they begin.
    pub(super) fn began(&self, slice: Slice, by: By) -> &'static str {
        match self.way(slice, by) {
            Way::Begun { tool, client } => begins(tool, client).1,
            Way::Distinct => "0",
        }
    }

    /// Different sessions by key; `began` are those that are counted in sums.
    pub(super) fn sessions_by(
        &self,
        slice: Slice,
        by: By,
        began: HashMap<Key, u64>,
    ) -> Result<HashMap<Key, u64>> {
        let mut sessions = began;
        let parts = Parts::of(by);
        let (columns, joins, rows) = (parts.columns(), parts.joins(), self.all_rows()?);
        let values: [(&str, &str); 3] = [("keys", &columns), ("joins", &joins), ("rows", &rows)];
        let sql = match self.way(slice, by) {
            Way::Distinct => self.fill(file!("sessions_distinct"), slice, &values)?,
            Way::Begun { tool, client } => {
                if !self.some_cross(slice.range.from_ms)? {
                    return Ok(sessions);
                }
                let mut entity = "session".to_owned();
                if tool {
                    entity += ", tool";
                }
                if client {
                    entity += ", client";
                }
                let mut values = values.to_vec();
                values.extend([("entity", entity.as_str()), ("begins", begins(tool, client).0)]);
                self.fill(file!("sessions_again"), slice, &values)?
            }
        };
        for (key, count) in self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok((columns.key()?, columns.count::<u64>()?))
        })? {
            *sessions.entry(key).or_default() += count;
        }
        Ok(sessions)
    }

    /// Puts the sessions that began before a moment and went on after it into `crossing`; whether there are such.
    fn some_cross(&self, from_ms: i64) -> Result<bool> {
        if let Some((at, some)) = self.crossing.get()
            && at == from_ms
        {
            return Ok(some);
        }
        let every = Slice { range: self.scope.range, by_tools: false, by_clients: false };
        let sql = format!(
            "CREATE OR REPLACE TEMP TABLE crossing AS
             SELECT session FROM {{session_rows}} WHERE first_ms < {from_ms} AND last_ms >= {from_ms}"
        );
        self.conn.execute_batch(&self.fill(&sql, every, &[])?)?;
        let some = exists(self.conn, "FROM crossing")?;
        self.crossing.set(Some((from_ms, some)));
        Ok(some)
    }

    /// The condition on sessions `s` that they have a matching call.
    fn matched(&self, slice: Slice) -> Result<String> {
        let every = self.wanted(slice) == [None, None];
        let (from, to) = (slice.range.from_ms, slice.range.to_ms);
        let dated = format!("(s.first_ms >= {from} AND s.first_ms < {to})");
        if every && !self.some_cross(from)? {
            return Ok(dated);
        }
        let listed = Some((slice.range, slice.by_tools, slice.by_clients));
        if *self.matched.borrow() != listed {
            let mut sql = self.fill(file!("matched_sessions"), slice, &[("rows", &self.all_rows()?)])?;
            if every {
                sql += " WHERE session IN (SELECT session FROM crossing)";
            }
            self.conn
                .execute_batch("CREATE OR REPLACE TEMP TABLE matched_sessions (session INTEGER NOT NULL)")?;
            self.conn.execute(&format!("INSERT INTO matched_sessions {sql}"), self.slice_params(slice))?;
            *self.matched.borrow_mut() = listed;
        }
        let listed = "s.session IN (SELECT session FROM matched_sessions)";
        Ok(if every { format!("({dated} OR {listed})") } else { listed.to_owned() })
    }

    pub(super) fn count_sessions_started(&self, slice: Slice) -> Result<Vec<(usize, u64)>> {
        if self.wanted(slice) == [None, None] {
            // Each has its first call in the point, which is the one that counts it.
            let counted = self.counted(slice, By::Point, false)?;
            let begun = counted.iter().filter(|row| row.began > 0);
            return Ok(begun.filter_map(|row| row.key().point.map(|point| (point, row.began))).collect());
        }
        self.edges()?;
        let sql = self.fill(file!("sessions_started"), slice, &[("matched", &self.matched(slice)?)])?;
        self.rows(&sql, [], |row| {
            let mut columns = Columns::new(row);
            Ok((columns.count()?, columns.count()?))
        })
    }

    pub(super) fn sum_session_schemas(&self, slice: Slice) -> Result<SessionSchemas> {
        let sql = self.fill(file!("session_schemas"), slice, &[("matched", &self.matched(slice)?)])?;
        self.row(&sql, [], |row| {
            let mut columns = Columns::new(row);
            Ok(SessionSchemas { sessions: columns.count()?, units: columns.value()? })
        })
    }

    pub(super) fn count_sessions_without_startup(&self, slice: Slice) -> Result<u64> {
        let sql =
            self.fill(file!("sessions_without_startup"), slice, &[("matched", &self.matched(slice)?)])?;
        self.row(&sql, [], |row| Columns::new(row).count())
    }

    pub(super) fn page_of_sessions(
        &self,
        slice: Slice,
        page: &SessionPage,
    ) -> Result<(Vec<SessionCounts>, u64)> {
        let matched = self.matched(slice)?;
        let after = page.after.as_ref();
        self.conn.execute_batch(
            "CREATE OR REPLACE TEMP TABLE session_page
             (session INTEGER, session_id VARCHAR, first_ms BIGINT, first_source INTEGER)",
        )?;
        self.conn.execute(
            &format!(
                "INSERT INTO session_page {}",
                self.fill(file!("session_page"), slice, &[("matched", &matched)])?
            ),
            params![
                after.map(|cursor| cursor.first_call_ms),
                after.map(|cursor| cursor.session_id.as_str()),
                i64::from(page.limit) + 1,
            ],
        )?;
        let sql = self.fill(file!("sessions"), slice, &[("rows", &self.all_rows()?)])?;
        let sessions = self.rows(&sql, self.slice_params(slice), |row| {
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
        let total =
            self.row(&self.fill(file!("sessions_total"), slice, &[("matched", &matched)])?, [], |row| {
                Columns::new(row).count()
            })?;
        Ok((sessions, total))
    }
}

/// Of a session (of a tool, of a client in it) the column that marks its first call, and the one that counts these.
fn begins(tool: bool, client: bool) -> (&'static str, &'static str) {
    match (tool, client) {
        (false, false) => ("begins_session", "sessions"),
        (true, false) => ("begins_tool", "tool_sessions"),
        (false, true) => ("begins_client", "client_sessions"),
        (true, true) => ("begins_lane", "lane_sessions"),
    }
}
