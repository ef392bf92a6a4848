//! The cap on names: what is free text from outside cannot make a server's tables grow without bound.

use std::collections::HashSet;

use duckdb::{Connection, params};

/// Stored in place of a name beyond the cap.
pub(crate) const OTHER: &str = "(other)";
/// What the ingest step calls a producer that is not ours; producers beyond the cap join it.
const OTHER_PRODUCER: &str = "other";

const MAX_TOOLS: usize = 2000;
const MAX_CLIENTS: usize = 500;
const MAX_PRODUCERS: usize = 100;
const DAY_MS: i64 = 86_400_000;

/// Names stored on one UTC day of arrival.
#[derive(Default)]
pub(super) struct DayNames {
    day: i64,
    tools: HashSet<Box<str>>,
    clients: HashSet<Box<str>>,
    producers: HashSet<Box<str>>,
}

impl DayNames {
    /// Reads the names of the last day on which anything arrived.
    pub(super) fn load(conn: &Connection) -> duckdb::Result<Self> {
        let newest: Option<i64> = conn.query_row(
            "SELECT max(newest) FROM (SELECT max(received_ms) AS newest FROM calls
             UNION ALL SELECT max(received_ms) FROM startups
             UNION ALL SELECT max(received_ms) FROM agreements
             UNION ALL SELECT max(last_ms) FROM rejections)",
            [],
            |row| row.get(0),
        )?;
        let Some(newest) = newest else { return Ok(Self::default()) };
        let day = newest.div_euclid(DAY_MS);
        let from = day * DAY_MS;
        let names = |sql: &str| -> duckdb::Result<HashSet<Box<str>>> {
            conn.prepare(sql)?
                .query_map(params![from], |row| row.get::<_, String>(0).map(String::into_boxed_str))?
                .filter(|name| name.as_deref().map_or(true, |name| name != OTHER && name != OTHER_PRODUCER))
                .collect()
        };
        Ok(Self {
            day,
            tools: names(
                "SELECT tool_name FROM calls WHERE received_ms >= $1
                 UNION SELECT tool_a FROM agreements WHERE received_ms >= $1
                 UNION SELECT tool_b FROM agreements WHERE received_ms >= $1
                 UNION SELECT tool_name FROM surface_tools JOIN surfaces USING (surface_id) WHERE first_seen_ms >= $1",
            )?,
            clients: names(
                "SELECT client_name FROM calls WHERE received_ms >= $1
                 UNION SELECT client_name FROM startups WHERE received_ms >= $1",
            )?,
            producers: names(
                "SELECT producer FROM startups WHERE received_ms >= $1
                 UNION SELECT producer FROM rejections WHERE last_ms >= $1",
            )?,
        })
    }

    /// Starts a new day when a batch brings one. A batch that waited over midnight counts on the newer day.
    pub(super) fn begin(&mut self, received_ms: i64) {
        let day = received_ms.div_euclid(DAY_MS);
        if day > self.day {
            *self = Self { day, ..Self::default() };
        }
    }

    pub(super) fn tool<'a>(&mut self, name: &'a str) -> &'a str {
        admit(&mut self.tools, MAX_TOOLS, name, OTHER)
    }

    pub(super) fn client<'a>(&mut self, name: &'a str) -> &'a str {
        admit(&mut self.clients, MAX_CLIENTS, name, OTHER)
    }

    pub(super) fn producer<'a>(&mut self, name: &'a str) -> &'a str {
        admit(&mut self.producers, MAX_PRODUCERS, name, OTHER_PRODUCER)
    }
}

fn admit<'a>(known: &mut HashSet<Box<str>>, max: usize, name: &'a str, other: &'static str) -> &'a str {
    if name == other || known.contains(name) {
        return name;
    }
    if known.len() >= max {
        return other;
    }
    known.insert(name.into());
    name
}
