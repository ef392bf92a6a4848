//! Reading columns: counts are never negative, and what is not there is `None`.

use duckdb::types::{FromSql, Type, Value};
use duckdb::{Error, Row};

use crate::metrics::snapshot::{Key, ProducerKey};
use crate::metrics::types::{CallRow, LinkKind, Outcome, Outcomes};

/// Reads columns from left to right.
pub(super) struct Columns<'a, 'stmt> {
    row: &'a Row<'stmt>,
    next: usize,
}

impl<'a, 'stmt> Columns<'a, 'stmt> {
    pub(super) fn new(row: &'a Row<'stmt>) -> Self {
        Self { row, next: 0 }
    }

    pub(super) fn value<T: FromSql>(&mut self) -> duckdb::Result<T> {
        self.next += 1;
        self.row.get(self.next - 1)
    }

    /// A count or a size.
    pub(super) fn count<T: TryFrom<i64>>(&mut self) -> duckdb::Result<T> {
        let value: i64 = self.value()?;
        T::try_from(value).map_err(|_| self.out_of_range(value))
    }

    pub(super) fn maybe_count<T: TryFrom<i64>>(&mut self) -> duckdb::Result<Option<T>> {
        let value: Option<i64> = self.value()?;
        value.map(|value| T::try_from(value).map_err(|_| self.out_of_range(value))).transpose()
    }

    pub(super) fn key(&mut self) -> duckdb::Result<Key> {
        Ok(Key {
            point: self.maybe_count()?,
            tool: self.value()?,
            client: self.value()?,
            surface: self.maybe_count()?,
            producer: ProducerKey {
                sdk: self.value()?,
                mcp_sdk_version: self.value()?,
                protocol_version: self.value()?,
                transport: self.value()?,
            },
        })
    }

    pub(super) fn outcomes(&mut self) -> duckdb::Result<Outcomes> {
        Ok(Outcomes {
            ok: self.count()?,
            empty: self.count()?,
            bad_args: self.count()?,
            tool_error: self.count()?,
            crashed: self.count()?,
        })
    }

    /// 1 retry, 2 follow-up.
    pub(super) fn link(&mut self) -> duckdb::Result<Option<LinkKind>> {
        let link: Option<i64> = self.value()?;
        link.map(|kind| match kind {
            1 => Ok(LinkKind::Retry),
            2 => Ok(LinkKind::FollowUp),
            other => Err(self.out_of_range(other)),
        })
        .transpose()
    }

    pub(super) fn names(&mut self) -> duckdb::Result<Vec<String>> {
        let (Value::List(values) | Value::Array(values)) = self.value()? else {
            return Err(Error::InvalidColumnType(self.next - 1, "names".to_owned(), Type::Any));
        };
        values
            .into_iter()
            .map(|value| match value {
                Value::Text(name) => Ok(name),
                _ => Err(Error::InvalidColumnType(self.next - 1, "names".to_owned(), Type::Any)),
            })
            .collect()
    }

    /// The columns of a call as every list of calls has them.
    pub(super) fn call(&mut self) -> duckdb::Result<CallRow> {
        Ok(CallRow {
            seq: self.count()?,
            received_ms: self.value()?,
            session_id: self.value()?,
            client: self.value()?,
            tool: self.value()?,
            started_ms: self.value()?,
            duration_ms: self.value()?,
            outcome: self.outcome()?,
            is_empty: self.value()?,
            response_units: self.value()?,
            args_hash: format!("{:012x}", self.value::<u64>()?),
        })
    }

    fn outcome(&mut self) -> duckdb::Result<Outcome> {
        match self.value::<u8>()? {
            0 => Ok(Outcome::Ok),
            1 => Ok(Outcome::BadArgs),
            2 => Ok(Outcome::ToolError),
            3 => Ok(Outcome::Crashed),
            other => Err(self.out_of_range(i64::from(other))),
        }
    }

    fn out_of_range(&self, value: i64) -> Error {
        Error::IntegralValueOutOfRange(self.next - 1, i128::from(value))
    }
}
