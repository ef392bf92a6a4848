//! What a command says: tables for people, JSON for machines.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Writes to standard output.
pub(crate) struct Output {
    json: bool,
    out: io::StdoutLock<'static>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, out: io::stdout().lock() }
    }

    /// One answer: as JSON, or as lines for people.
    pub(crate) fn say(&mut self, value: &impl Serialize, lines: &[String]) -> io::Result<()> {
        if self.json {
            self.object(value)?;
        } else {
            for line in lines {
                writeln!(self.out, "{line}")?;
            }
        }
        self.out.flush()
    }

    /// Rows: as JSON objects, one a line, or as a table.
    pub(crate) fn rows<T: Serialize, const N: usize>(
        &mut self,
        head: [&str; N],
        rows: &[T],
        cells: impl Fn(&T) -> [String; N],
    ) -> io::Result<()> {
        if self.json {
            for row in rows {
                self.object(row)?;
            }
            return self.out.flush();
        }
        let cells: Vec<[String; N]> = rows.iter().map(cells).collect();
        let widths: [usize; N] = std::array::from_fn(|column| {
            let widest = cells.iter().map(|row| width(&row[column])).max().unwrap_or(0);
            widest.max(width(head[column]))
        });
        self.line(&widths, &head.map(str::to_owned))?;
        for row in &cells {
            self.line(&widths, row)?;
        }
        self.out.flush()
    }

    fn object(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }

    fn line<const N: usize>(&mut self, widths: &[usize; N], cells: &[String; N]) -> io::Result<()> {
        let mut line = String::new();
        for (cell, width_) in cells.iter().zip(widths) {
            line.push_str(&plain(cell));
            line.extend(std::iter::repeat_n(' ', width_ + 2 - width(cell)));
        }
        writeln!(self.out, "{}", line.trim_end())
    }
}

/// Says on a terminal how far a long work is.
pub(crate) struct Progress {
    what: &'static str,
    bytes: u64,
    said: u64,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, bytes: 0, said: 0, terminal: io::stderr().is_terminal() }
    }

    pub(crate) fn add(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if self.terminal && self.bytes - self.said >= 4 << 20 {
            self.said = self.bytes;
            // A word on the way; nobody misses it.
            let _ = write!(io::stderr(), "\r{} MiB {}", self.bytes >> 20, self.what);
        }
    }

    /// Ends the line. The bytes of all.
    pub(crate) fn end(self) -> u64 {
        if self.said > 0 {
            let _ = writeln!(io::stderr());
        }
        self.bytes
    }
}

/// The clock, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Names come from outside: a control character must not reach the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

/// A time for people, in UTC.
pub(crate) fn time(ms: i64) -> String {
    let text = mcpulse_wire::time::format_ms(ms);
    text.get(..16).map_or_else(|| text.clone(), |minute| format!("{} UTC", minute.replace('T', " ")))
}
