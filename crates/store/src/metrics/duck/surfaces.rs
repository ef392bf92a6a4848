//! Surfaces, the tools on them and the startups that brought them.

use std::collections::HashMap;

use duckdb::params;

use super::Result;
use super::rows::Columns;
use super::state::DuckSnapshot;
use crate::duckdb::settle::gather::{Sessions, exists};
use crate::metrics::snapshot::{
    By, RegisteredTool, SeenBefore, Slice, SurfaceInUse, SurfaceSeen, SurfaceTool, VersionKey, VersionSeen,
};
use crate::metrics::sql::{file, fill};
use crate::metrics::types::Range;

impl DuckSnapshot<'_> {
    /// Puts parts and filters into a text about startups in use in a range.
    fn about_use(&self, text: &str, range: Range) -> Result<String> {
        let slice = Slice::matching(range);
        if self.spanning.get() != Some(range) {
            // What was in use both before and after a range may have rested in it: rare, and looked at call by call.
            let [from, to] = [range.from_ms, range.to_ms].map(|at| at.to_string());
            let literal = |text: &str| text.replace("$1", &from).replace("$2", &to);
            let spanning = self.fill(&literal(file!("spanning")), slice, &[])?;
            let uses = if exists(self.conn, &spanning)? {
                Sessions::asked(self.conn, &spanning)?;
                fill(&literal(file!("spanning_uses")), &[]).replace("affected", "asked")
            } else {
                "SELECT 0::BIGINT AS startup_seq, 0 AS client WHERE false".to_owned()
            };
            self.conn.execute_batch(&format!("CREATE OR REPLACE TEMP TABLE spanning_uses AS {uses}"))?;
            self.spanning.set(Some(range));
        }
        self.fill(text, slice, &[])
    }

    /// Parts and what is kept, in a text that no filter changes.
    fn whatever_asked(&self, text: &str) -> Result<String> {
        self.fill(text, Slice { range: self.scope.range, by_tools: false, by_clients: false }, &[])
    }

    pub(super) fn list_declared(&self, range: Range) -> Result<Vec<(String, Vec<String>)>> {
        let sql = self.about_use(file!("declared"), range)?;
        self.rows(&sql, params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok((columns.value()?, columns.names()?))
        })
    }

    pub(super) fn list_registered(&self, range: Range) -> Result<Vec<RegisteredTool>> {
        let sql = self.about_use(file!("registered"), range)?;
        self.rows(&sql, params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok(RegisteredTool {
                tool: columns.value()?,
                schema_units: columns.value()?,
                policy: columns.value()?,
                sessions: columns.count()?,
            })
        })
    }

    pub(super) fn list_surfaces_in_use(&self, range: Range) -> Result<Vec<SurfaceInUse>> {
        let sql = self.about_use(file!("surfaces_in_use"), range)?;
        self.rows(&sql, params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok(SurfaceInUse { surface: columns.count()?, newest_seq: columns.count()? })
        })
    }

    pub(super) fn list_names_ever_registered(&self) -> Result<Option<Vec<String>>> {
        if !self.row("SELECT count(*) > 0 FROM startups", [], |row| row.get::<_, bool>(0))? {
            return Ok(None);
        }
        self.rows("SELECT DISTINCT tool_name FROM surface_tools", [], |row| row.get(0)).map(Some)
    }

    pub(super) fn count_exposures(&self, range: Range) -> Result<Vec<(String, u64)>> {
        let mut calls: HashMap<u32, u64> = HashMap::new();
        for tally in self.count_tallies(Slice::any_tool(range), By::ToolAndSurface)? {
            if let Some(surface) = tally.key.surface {
                *calls.entry(surface).or_default() += tally.settled.total();
            }
        }
        let mut exposures: HashMap<String, u64> = HashMap::new();
        for entry in self.list_surface_tools()? {
            let calls = calls.get(&entry.surface).copied().unwrap_or_default();
            if calls > 0 {
                *exposures.entry(entry.tool).or_default() += calls;
            }
        }
        Ok(exposures.into_iter().collect())
    }

    pub(super) fn list_surface_tools(&self) -> Result<Vec<SurfaceTool>> {
        self.rows(&fill(file!("surface_tools"), &[]), [], |row| {
            let mut columns = Columns::new(row);
            Ok(SurfaceTool {
                surface: columns.count()?,
                tool: columns.value()?,
                schema_units: columns.value()?,
                schema_hash: columns.value()?,
                description_hash: columns.value()?,
                description_norm: columns.value()?,
                policy: columns.value()?,
            })
        })
    }

    pub(super) fn list_surfaces(&self) -> Result<Vec<SurfaceSeen>> {
        self.rows(&self.whatever_asked(file!("surfaces"))?, [], |row| {
            let mut columns = Columns::new(row);
            Ok(SurfaceSeen {
                surface: columns.count()?,
                first_seq: columns.count()?,
                first_ms: columns.value()?,
                last_ms: columns.value()?,
                schema_units: columns.value()?,
                tools: columns.count()?,
                sessions: columns.count()?,
            })
        })
    }

    pub(super) fn list_surfaces_before(&self, range: Range) -> Result<Vec<SeenBefore<u32>>> {
        self.rows(
            &self.whatever_asked(file!("surfaces_before"))?,
            params![range.from_ms, range.to_ms],
            |row| {
                let mut columns = Columns::new(row);
                Ok(SeenBefore {
                    first_seq: columns.count()?,
                    what: columns.count()?,
                    last_seq: columns.count()?,
                })
            },
        )
    }

    pub(super) fn list_versions(&self) -> Result<Vec<VersionSeen>> {
        self.rows(&self.whatever_asked(file!("versions"))?, [], |row| {
            let mut columns = Columns::new(row);
            Ok(VersionSeen {
                version: VersionKey { sdk: columns.value()?, mcp_sdk_version: columns.value()? },
                first_seq: columns.count()?,
                first_ms: columns.value()?,
                surface: columns.count()?,
            })
        })
    }

    pub(super) fn list_versions_before(&self, range: Range) -> Result<Vec<SeenBefore<VersionKey>>> {
        self.rows(
            &self.whatever_asked(file!("versions_before"))?,
            params![range.from_ms, range.to_ms],
            |row| {
                let mut columns = Columns::new(row);
                let first_seq = columns.count()?;
                let what = VersionKey { sdk: columns.value()?, mcp_sdk_version: columns.value()? };
                Ok(SeenBefore { first_seq, what, last_seq: columns.count()? })
            },
        )
    }
}
