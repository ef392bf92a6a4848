//! One state of one event file: what is kept worked out, and what a question has to work out itself.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

use duckdb::{Connection, Params, Row};

use super::Result;
use super::counts::Counted;
use super::pieces::{Pieces, Unit, whole_table};
use crate::duckdb::settle::gather::Sessions;
use crate::metrics::snapshot::{By, Slice};
use crate::metrics::sql::fill;
use crate::metrics::types::{Range, Scope};

/// What counts are kept by while a snapshot lasts.
type CountKey = (Range, bool, bool, By, bool);

/// One state of one event file.
pub(super) struct DuckSnapshot<'a> {
    pub(super) conn: &'a Connection,
    pub(super) scope: &'a Scope,
    /// Calls in a range up to which percentiles are exact.
    pub(super) exact_calls: u64,
    ready: OnceCell<Ready>,
    has_edges: Cell<bool>,
    whole: [Cell<bool>; 2],
    /// Which sessions `crossing` and `matched_sessions` hold.
    pub(super) crossing: Cell<Option<(i64, bool)>>,
    pub(super) matched: RefCell<Option<(Range, bool, bool)>>,
    pub(super) spanning: Cell<Option<Range>>,
    pub(super) counts: RefCell<HashMap<CountKey, Rc<Vec<Counted>>>>,
}

/// What is known once new sessions are gathered.
pub(super) struct Ready {
    /// Whether what is kept may be used: not by a question that looks at a time when some of it was not settled.
    kept: bool,
    /// Whether any session is affected.
    any: bool,
    /// Whether one of them is taken back from the sums.
    gone: bool,
    /// Numbers of the wanted tools and clients, as a condition on `c`.
    tools: String,
    clients: String,
}

impl<'a> DuckSnapshot<'a> {
    /// Loads the scope's filters into temporary tables of the connection.
    pub(super) fn new(conn: &'a Connection, scope: &'a Scope, exact_calls: u64) -> Result<Self> {
        for (table, names) in [("wanted_tools", &scope.tools), ("wanted_clients", &scope.clients)] {
            conn.execute_batch(&format!("CREATE OR REPLACE TEMP TABLE {table} (name VARCHAR NOT NULL)"))?;
            if names.is_empty() {
                continue;
            }
            let mut insert = conn.prepare(&format!("INSERT INTO {table} VALUES (?)"))?;
            for name in names {
                insert.execute([name])?;
            }
        }
        Ok(Self {
            conn,
            scope,
            exact_calls,
            ready: OnceCell::new(),
            has_edges: Cell::new(false),
            whole: [Cell::new(false), Cell::new(false)],
            crossing: Cell::new(None),
            matched: RefCell::new(None),
            spanning: Cell::new(None),
            counts: RefCell::default(),
        })
    }

    /// Works out what came since the last pass, once per snapshot.
    pub(super) fn ready(&self) -> Result<&Ready> {
        if let Some(ready) = self.ready.get() {
            return Ok(ready);
        }
        let ready = self.gather()?;
        Ok(self.ready.get_or_init(|| ready))
    }

    fn gather(&self) -> Result<Ready> {
        let (upto, latest_ms): (i64, i64) =
            self.conn.query_row("SELECT upto_seq, latest_ms FROM worked", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let kept = self.scope.settled_as_of_ms() >= latest_ms;
        let affected = Sessions::new_since(self.conn, if kept { upto } else { 0 }, i64::MAX)?;
        let any = affected.count > 0;
        let gone = if any || !kept {
            affected.work_out(self.conn)?;
            kept && affected.taken_back(self.conn)?
        } else {
            false
        };
        if any && kept {
            self.conn.execute_batch(
                "CREATE OR REPLACE TEMP TABLE current_calls AS
                 SELECT * FROM open_calls WHERE session NOT IN (SELECT session FROM affected WHERE known)
                 UNION ALL SELECT * FROM fresh_calls",
            )?;
        }
        Ok(Ready {
            kept,
            any,
            gone,
            tools: self.numbers("tool", !self.scope.tools.is_empty())?,
            clients: self.numbers("client", !self.scope.clients.is_empty())?,
        })
    }

    /// The condition that lets wanted names through, by their numbers.
    fn numbers(&self, what: &str, some: bool) -> Result<String> {
        if !some {
            return Ok("true".to_owned());
        }
        let sql = format!("SELECT {what} FROM {what}s_now WHERE name IN (SELECT name FROM wanted_{what}s)");
        let numbers = self.rows(&sql, [], |row| row.get::<_, i64>(0))?;
        let mut list = String::from("false");
        if !numbers.is_empty() {
            let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
            list.clear();
            // Writing to a String cannot fail.
            let _ = write!(list, "c.{what} IN ({})", numbers.join(", "));
        }
        Ok(list)
    }

    /// Loads the edges of the series, once per snapshot.
    pub(super) fn edges(&self) -> Result<()> {
        if !self.has_edges.replace(true) {
            self.conn.execute_batch(
                "CREATE OR REPLACE TEMP TABLE series_edges (position BIGINT, start_ms BIGINT, end_ms BIGINT)",
            )?;
            let mut table = self.conn.appender_to_catalog_and_db("series_edges", "temp", "main")?;
            for (position, edge) in (0_i64..).zip(self.scope.edges.windows(2)) {
                table.append_row(duckdb::params![position, edge[0], edge[1]])?;
            }
            table.flush()?;
        }
        Ok(())
    }

    /// Which part of a slice comes from sums.
    pub(super) fn pieces(&self, slice: Slice, by_point: bool, unit: Unit) -> Result<Pieces> {
        let kept = self.ready()?.kept;
        let pieces = if by_point {
            self.edges()?;
            if !self.whole[usize::from(unit == Unit::Day)].replace(true) {
                self.conn.execute_batch(&whole_table(unit))?;
            }
            Pieces::of_points(&self.scope.edges, unit)
        } else {
            Pieces::of_range(slice.range, unit)
        };
        Ok(if kept { pieces } else { pieces.single() })
    }

    /// Calls that no sum holds.
    fn current(&self) -> Result<&'static str> {
        let ready = self.ready()?;
        Ok(match (ready.kept, ready.any) {
            (true, false) => "open_calls",
            (true, true) => "current_calls",
            (false, _) => "fresh_calls",
        })
    }

    /// The rows that count besides sums: those of no sum, those whose sum is not wanted, and what is taken back.
    pub(super) fn rows_beside(&self, pieces: &Pieces) -> Result<String> {
        let (ready, current, single) = (self.ready()?, self.current()?, &pieces.single);
        let mut rows = format!("(SELECT *, 1 AS n FROM {current}");
        if ready.kept && single != "false" {
            rows += &format!(" UNION ALL SELECT *, 1 FROM worked_calls c WHERE ({single})");
            if ready.gone {
                rows += " AND session NOT IN (SELECT session FROM affected WHERE known)";
            }
        }
        if ready.gone {
            rows += &format!(" UNION ALL SELECT *, -1 FROM gone_calls c WHERE NOT ({single})");
        }
        Ok(rows + ")")
    }

    /// All calls, each as a row.
    pub(super) fn all_rows(&self) -> Result<String> {
        self.rows_beside(&Pieces::of_range(Range { from_ms: 0, to_ms: 0 }, Unit::Hour))
    }

    /// All sessions.
    fn session_rows(&self) -> Result<&'static str> {
        let ready = self.ready()?;
        Ok(match (ready.kept, ready.any) {
            (true, false) => "worked_sessions",
            (true, true) => {
                "(SELECT * FROM worked_sessions WHERE session NOT IN (SELECT session FROM affected WHERE known)
                  UNION ALL SELECT * EXCLUDE (latest_ms) FROM fresh_sessions)"
            }
            (false, _) => "fresh_sessions",
        })
    }

    /// All uses of startups.
    fn use_rows(&self) -> Result<&'static str> {
        let ready = self.ready()?;
        Ok(match (ready.kept, ready.any) {
            (true, false) => "uses",
            (true, true) => {
                "(SELECT * FROM uses WHERE session NOT IN (SELECT session FROM affected WHERE known)
                  UNION ALL SELECT * FROM fresh_uses)"
            }
            (false, _) => "fresh_uses",
        })
    }

    /// Whether calls whose key by startup changes are taken back from sums.
    pub(super) fn sourceless_gone(&self) -> Result<bool> {
        Ok(self.ready()?.gone
            && crate::duckdb::settle::gather::exists(self.conn, "SELECT 1 FROM gone_calls WHERE source = 0")?)
    }

    /// Puts parts, the filters of a slice and other values into a text.
    pub(super) fn fill(&self, text: &str, slice: Slice, values: &[(&str, &str)]) -> Result<String> {
        let ready = self.ready()?;
        let mut all = values.to_vec();
        all.extend([
            ("session_rows", self.session_rows()?),
            ("use_rows", self.use_rows()?),
            ("named_tools", self.named_tools(slice)),
            ("tools", if slice.by_tools { &ready.tools } else { "true" }),
            ("clients", if slice.by_clients { &ready.clients } else { "true" }),
        ]);
        Ok(fill(text, &all))
    }

    fn named_tools(&self, slice: Slice) -> &'static str {
        if slice.by_tools && !self.scope.tools.is_empty() {
            "c.tool_name IN (SELECT name FROM wanted_tools)"
        } else {
            "true"
        }
    }

    /// The condition on two names of tools of which either may be wanted.
    pub(super) fn either(&self, first: &str, second: &str) -> String {
        if self.scope.tools.is_empty() {
            return "true".to_owned();
        }
        format!("({first} IN (SELECT name FROM wanted_tools) OR {second} IN (SELECT name FROM wanted_tools))")
    }

    /// How many names a slice lets through: `None` for all.
    pub(super) fn wanted(&self, slice: Slice) -> [Option<usize>; 2] {
        let wanted = |applies: bool, names: &[String]| (applies && !names.is_empty()).then_some(names.len());
        [wanted(slice.by_tools, &self.scope.tools), wanted(slice.by_clients, &self.scope.clients)]
    }

    /// All rows of a query.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnMut(&Row<'_>) -> duckdb::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.conn.prepare(sql)?;
        let rows = statement.query_map(params, read)?;
        Ok(rows.collect::<duckdb::Result<Vec<T>>>()?)
    }

    /// The only row of a query.
    pub(super) fn row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> duckdb::Result<T>,
    ) -> Result<T> {
        Ok(self.conn.query_row(sql, params, read)?)
    }

    /// `$1`, `$2`, `$3` of every query over matching calls.
    pub(super) fn slice_params(&self, slice: Slice) -> [i64; 3] {
        [slice.range.from_ms, slice.range.to_ms, self.scope.settled_as_of_ms()]
    }
}
