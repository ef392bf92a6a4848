//! Which part of a range comes from sums by the hour (or day), and which from single calls.

use crate::metrics::types::Range;

/// Sums are over hours and days that are counted from 730 000 days before 1970, so that no number is negative.
const ORIGIN_MS: i64 = 730_000 * 86_400_000;

/// What sums are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Hour,
    Day,
}

impl Unit {
    pub(super) const fn ms(self) -> i64 {
        match self {
            Self::Hour => 3_600_000,
            Self::Day => 86_400_000,
        }
    }

    /// The column of a row of sums.
    const fn column(self) -> &'static str {
        match self {
            Self::Hour => "c.hour",
            Self::Day => "c.day",
        }
    }

    /// Of a call.
    pub(super) const fn of_call(self) -> &'static str {
        match self {
            Self::Hour => "{hour}",
            Self::Day => "({hour} // 24)",
        }
    }

    /// The table that says in which point each whole one lies.
    pub(super) const fn whole_table(self) -> &'static str {
        match self {
            Self::Hour => "whole_hours",
            Self::Day => "whole_days",
        }
    }

    /// Whether a moment lies between two of them.
    pub(super) const fn begins_at(self, at_ms: i64) -> bool {
        at_ms.rem_euclid(self.ms()) == 0
    }
}

/// The two parts, as conditions in SQL, and how each gets its point.
#[derive(Clone, Debug)]
pub(super) struct Pieces {
    /// Of settled calls (`c`) that count by themselves, as their hour does not lie within one point of the range.
    pub(super) single: String,
    /// Of sums (`c`) that count.
    pub(super) whole: String,
    pub(super) row_point: &'static str,
    pub(super) row_join: &'static str,
    pub(super) cell_point: &'static str,
    pub(super) cell_join: String,
}

impl Pieces {
    /// A range that is not split.
    pub(super) fn of_range(range: Range, unit: Unit) -> Self {
        let number = |ms: i64| (ms + ORIGIN_MS).div_euclid(unit.ms());
        let first = number(range.from_ms + unit.ms() - 1);
        let end = number(range.to_ms);
        let (single, whole) = if first >= end {
            ("true".to_owned(), "false".to_owned())
        } else {
            let column = unit.column();
            let mut single = "false".to_owned();
            if !unit.begins_at(range.from_ms) {
                single += &format!(" OR c.started_ms < {}", first * unit.ms() - ORIGIN_MS);
            }
            if !unit.begins_at(range.to_ms) {
                single += &format!(" OR c.started_ms >= {}", end * unit.ms() - ORIGIN_MS);
            }
            (single, format!("{column} >= {first} AND {column} < {end}"))
        };
        Self {
            single,
            whole,
            row_point: "NULL::BIGINT",
            row_join: "",
            cell_point: "NULL::BIGINT",
            cell_join: String::new(),
        }
    }

    /// The points of a series, for which the table of whole ones has to be there.
    pub(super) fn of_points(edges: &[i64], unit: Unit) -> Self {
        let table = unit.whole_table();
        let even = edges.iter().all(|&edge| unit.begins_at(edge));
        let single = format!("{} NOT IN (SELECT unit FROM {table})", unit.of_call());
        Self {
            single: if even { "false".to_owned() } else { single },
            whole: "true".to_owned(),
            row_point: "e.position",
            row_join: "ASOF JOIN series_edges e ON m.started_ms >= e.start_ms",
            cell_point: "w.position",
            cell_join: format!("JOIN {table} w ON w.unit = {}", unit.column()),
        }
    }

    /// The same with nothing from sums.
    pub(super) fn single(self) -> Self {
        Self { single: "true".to_owned(), whole: "false".to_owned(), ..self }
    }
}

/// Makes the table of [`Pieces::of_points`] out of `series_edges`.
pub(super) fn whole_table(unit: Unit) -> String {
    let (table, ms) = (unit.whole_table(), unit.ms());
    format!(
        "CREATE OR REPLACE TEMP TABLE {table} AS
         SELECT position, unnest(range((start_ms + {ORIGIN_MS} + {ms} - 1) // {ms}, (end_ms + {ORIGIN_MS}) // {ms})) AS unit
         FROM series_edges"
    )
}
