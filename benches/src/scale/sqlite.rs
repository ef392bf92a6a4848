//! The peer: SQLite with an index for each question that holds every column it needs. It is asked for counts, sums,
//! percentiles and numbers of sessions only: no steps, runs, links and estimates, which it would need minutes for.

use std::path::{Path, PathBuf};
use std::time::Instant;

use mcpulse_store::events::NewPayload;
use rusqlite::{Connection, params};

use super::Question;
use super::data::{DAY_MS, TOOL, Traffic};

pub(crate) struct Peer {
    conn: Connection,
    path: PathBuf,
}

impl Peer {
    #[allow(clippy::disallowed_methods, reason = "a peer of the store, not the control file")]
    pub(crate) fn fill(path: &Path, calls: u64, begin_ms: i64, end_ms: i64) -> anyhow::Result<Self> {
        let mut conn = Connection::open(path)?;
        conn.execute_batch(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000;
             CREATE TABLE calls (session TEXT, client TEXT, tool TEXT, started INTEGER, duration INTEGER,
                                 outcome INTEGER, empty INTEGER, units INTEGER, hash TEXT);
             CREATE TABLE startups (session TEXT, arrived INTEGER, sdk TEXT)",
        )?;
        let mut traffic = Traffic::new(calls, begin_ms, end_ms);
        let rows = conn.transaction()?;
        {
            let mut call = rows.prepare("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
            let mut startup = rows.prepare("INSERT INTO startups VALUES (?, ?, ?)")?;
            while let Some((at, payload)) = traffic.step() {
                match payload {
                    NewPayload::Call(new) => {
                        let outcome = new.call.outcome as i64;
                        let c = new.call;
                        call.execute(params![
                            c.session_id,
                            c.client_name,
                            c.tool_name,
                            at,
                            c.duration_ms,
                            outcome,
                            c.is_empty,
                            c.response_bytes,
                            c.args_hash.to_string()
                        ])?;
                    }
                    NewPayload::Startup(new) => {
                        startup.execute(params![new.session_id, at, new.sdk])?;
                    }
                    NewPayload::Agreement(_) => {}
                }
            }
        }
        rows.commit()?;
        conn.execute_batch(
            "CREATE INDEX by_time ON calls (started, client, outcome, empty, units, session);
             CREATE INDEX by_duration ON calls (duration, started);
             CREATE INDEX by_tool ON calls (tool, duration, started, client, outcome, empty, units, session);
             CREATE INDEX by_session ON calls (session, started, client, outcome, empty, units);
             CREATE INDEX startups_by_session ON startups (session, sdk, arrived);
             ANALYZE",
        )?;
        Ok(Self { conn, path: path.to_path_buf() })
    }

    pub(crate) fn bytes(&self) -> anyhow::Result<u64> {
        Ok(std::fs::metadata(&self.path)?.len())
    }

    /// Milliseconds one question took.
    pub(crate) fn ask(&self, question: Question, end_ms: i64) -> anyhow::Result<f64> {
        let from = end_ms - 31 * DAY_MS;
        let sums = "count(*), sum(outcome), sum(empty), sum(units), count(DISTINCT session)";
        let queries: Vec<String> = match question {
            Question::Overview => vec![
                format!("SELECT {sums} FROM calls WHERE started >= {from}"),
                format!("SELECT started / {DAY_MS}, count(*), sum(outcome), sum(units) FROM calls WHERE started >= {from} GROUP BY 1"),
                format!("SELECT client, {sums} FROM calls WHERE started >= {from} GROUP BY client"),
                percentiles(&format!("started >= {from}")),
            ],
            Question::Tools => {
                let mut queries = vec![format!("SELECT tool, {sums} FROM calls WHERE started >= {from} GROUP BY tool")];
                queries.extend(
                    (0..20).map(|tool| percentiles(&format!("tool = 'tool_{tool:02}' AND started >= {from}"))),
                );
                queries
            }
            Question::OneTool => vec![
                format!("SELECT started / {DAY_MS}, {sums} FROM calls WHERE tool = '{TOOL}' AND started >= {from} GROUP BY 1"),
                format!("SELECT client, {sums} FROM calls WHERE tool = '{TOOL}' AND started >= {from} GROUP BY client"),
                percentiles(&format!("tool = '{TOOL}' AND started >= {from}")),
            ],
            Question::Sessions => vec![format!(
                "SELECT session, min(started) AS first, count(*), sum(outcome), sum(units) FROM calls
                 WHERE started >= {from} GROUP BY session ORDER BY first DESC, session LIMIT 51"
            )],
            Question::Changes => vec![
                "SELECT sdk, min(arrived), count(DISTINCT session) FROM startups GROUP BY sdk".to_owned(),
                format!(
                    "SELECT c.tool, s.sdk, count(*), sum(c.outcome) FROM calls c JOIN startups s ON s.session = c.session
                     WHERE c.started >= {from} GROUP BY c.tool, s.sdk"
                ),
            ],
        };
        let start = Instant::now();
        for query in queries {
            let mut statement = self.conn.prepare(&query)?;
            let mut rows = statement.query([])?;
            while rows.next()?.is_some() {}
        }
        Ok(start.elapsed().as_secs_f64() * 1_000.0)
    }
}

/// Four of them by an index in order of duration.
fn percentiles(matching: &str) -> String {
    let one = |percent: u32| {
        format!(
            "(SELECT duration FROM calls WHERE {matching} ORDER BY duration
              LIMIT 1 OFFSET (SELECT count(*) * {percent} / 100 FROM calls WHERE {matching}))"
        )
    };
    format!("SELECT {}, {}, {}, {}", one(50), one(90), one(95), one(99))
}
