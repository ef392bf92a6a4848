//! Surfaces: a set of tools, stored once by content.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use duckdb::{Connection, params};
use mcpulse_wire::payload::{Policy, Tool};
use sha2::{Digest, Sha256};

use super::names::DayNames;

/// The surfaces of one server, by content.
#[derive(Default)]
pub(super) struct Surfaces {
    ids: HashMap<[u8; 32], i32>,
    /// The highest id that is taken.
    last: i32,
    /// First and last time that a surface was seen in the group at hand.
    seen: HashMap<i32, (i64, i64)>,
    new: Vec<NewSurface>,
}

struct NewSurface {
    id: i32,
    content: [u8; 32],
    tools: Vec<Tool>,
}

impl Surfaces {
    pub(super) fn load(conn: &Connection) -> duckdb::Result<Self> {
        let ids: HashMap<_, i32> = conn
            .prepare("SELECT content_hash, surface_id FROM surfaces")?
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?
            .map(|row| row.map(|(content, id)| (unhex(&content), id)))
            .collect::<duckdb::Result<_>>()?;
        let last = ids.values().copied().max().unwrap_or_default();
        Ok(Self { ids, last, ..Self::default() })
    }

    /// The id of the surface with these tools, in any order. Names of a new surface count towards the day's cap.
    pub(super) fn see(&mut self, tools: &[Tool], at_ms: i64, names: &mut DayNames) -> i32 {
        let (content, sorted) = content(tools);
        // Surfaces may have been deleted, so their number says nothing about the ids.
        let next = self.last.saturating_add(1);
        let id = match self.ids.entry(content) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let tools = sorted
                    .into_iter()
                    .map(|tool| Tool { name: names.tool(&tool.name).to_owned(), ..tool.clone() })
                    .collect();
                self.new.push(NewSurface { id: next, content, tools });
                self.last = next;
                *place.insert(next)
            }
        };
        let (first, last) = self.seen.entry(id).or_insert((at_ms, at_ms));
        *first = at_ms.min(*first);
        *last = at_ms.max(*last);
        id
    }

    /// Writes what the group brought.
    pub(super) fn write(&mut self, conn: &Connection) -> duckdb::Result<()> {
        let mut seen = std::mem::take(&mut self.seen);
        let new = std::mem::take(&mut self.new);
        if !new.is_empty() {
            let mut surfaces = conn.appender("surfaces")?;
            let mut tools = conn.appender("surface_tools")?;
            for surface in &new {
                if let Some((first, last)) = seen.remove(&surface.id) {
                    surfaces.append_row(params![surface.id, hex(&surface.content), first, last])?;
                }
                for (tool, position) in surface.tools.iter().zip(0_i32..) {
                    tools.append_row(params![
                        surface.id,
                        position,
                        tool.name,
                        tool.schema_bytes,
                        tool.schema_hash.as_deref(),
                        tool.description_hash.as_deref(),
                        tool.description_norm.as_deref(),
                        tool.policy.map(policy),
                    ])?;
                }
            }
            surfaces.flush()?;
            tools.flush()?;
        }
        for (id, (first, last)) in seen {
            conn.prepare_cached(
                "UPDATE surfaces SET first_seen_ms = least(first_seen_ms, ?), last_seen_ms = greatest(last_seen_ms, ?)
                 WHERE surface_id = ?",
            )?
            .execute(params![first, last, id])?;
        }
        Ok(())
    }
}

/// SHA-256 over the tools sorted by name, with all their fields; and the tools in that order.
fn content(tools: &[Tool]) -> ([u8; 32], Vec<&Tool>) {
    let mut keyed: Vec<_> = tools.iter().map(|tool| (fields(tool), tool)).collect();
    keyed.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut hash = Sha256::new();
    for ((name, rest), _) in &keyed {
        // Lengths keep neighbouring fields apart.
        for field in [name.as_bytes(), rest.as_bytes()] {
            hash.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(field);
        }
    }
    (hash.finalize().into(), keyed.into_iter().map(|(_, tool)| tool).collect())
}

/// The name, then everything else in one text. The optional fields are 12 hex or a word, so commas keep them apart.
fn fields(tool: &Tool) -> (&str, String) {
    let rest = format!(
        "{},{},{},{},{}",
        tool.schema_bytes,
        tool.schema_hash.as_deref().unwrap_or_default(),
        tool.description_hash.as_deref().unwrap_or_default(),
        tool.description_norm.as_deref().unwrap_or_default(),
        tool.policy.map_or("", policy),
    );
    (&tool.name, rest)
}

fn policy(policy: Policy) -> &'static str {
    match policy {
        Policy::None => "none",
        Policy::Authorization => "authorization",
        Policy::Identity => "identity",
    }
}

fn hex(bytes: &[u8; 32]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = text.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or_default();
    }
    bytes
}
