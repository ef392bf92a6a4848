//! Surfaces, the tools on them and the startups that brought them.

use duckdb::params;

use super::rows::Columns;
use super::sql::file;
use super::{DuckSnapshot, Result};
use crate::metrics::snapshot::{
    RegisteredTool, SeenBefore, Slice, SurfaceInUse, SurfaceSeen, SurfaceTool, VersionKey, VersionSeen,
};
use crate::metrics::types::Range;

impl DuckSnapshot<'_> {
    pub(super) fn list_registered(&self, range: Range) -> Result<Vec<RegisteredTool>> {
        let sql = self.filters.fill(file!("registered"));
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
        let sql = self.filters.fill(file!("surfaces_in_use"));
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
        self.facts()?;
        let slice = Slice::any_tool(range);
        let sql = self.filters.of(slice).fill(file!("exposures"));
        self.rows(&sql, self.slice_params(slice), |row| {
            let mut columns = Columns::new(row);
            Ok((columns.value()?, columns.count()?))
        })
    }

    pub(super) fn list_surface_tools(&self) -> Result<Vec<SurfaceTool>> {
        self.rows(&self.filters.fill(file!("surface_tools")), [], |row| {
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
        self.rows(&self.filters.fill(file!("surfaces")), [], |row| {
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
        self.rows(file!("surfaces_before"), params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            Ok(SeenBefore { first_seq: columns.count()?, what: columns.count()?, last_seq: columns.count()? })
        })
    }

    pub(super) fn list_versions(&self) -> Result<Vec<VersionSeen>> {
        self.rows(file!("versions"), [], |row| {
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
        self.rows(file!("versions_before"), params![range.from_ms, range.to_ms], |row| {
            let mut columns = Columns::new(row);
            let first_seq = columns.count()?;
            let what = VersionKey { sdk: columns.value()?, mcp_sdk_version: columns.value()? };
            Ok(SeenBefore { first_seq, what, last_seq: columns.count()? })
        })
    }
}
