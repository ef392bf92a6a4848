//! Surfaces side by side: what differs between two of them, and descriptions that say the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::MetricsError;
use super::snapshot::{Snapshot, SurfaceTool};
use super::types::{Overlap, OverlapReport, Renamed, Scope};

/// Surfaces by number, their tools by name.
pub(super) type Surfaces = HashMap<u32, BTreeMap<String, SurfaceTool>>;

/// Every surface of the server.
pub(super) fn all(snapshot: &dyn Snapshot) -> Result<Surfaces, MetricsError> {
    let mut surfaces = Surfaces::new();
    for tool in snapshot.surface_tools()? {
        surfaces.entry(tool.surface).or_default().insert(tool.tool.clone(), tool);
    }
    Ok(surfaces)
}

/// What makes a tool another one to a model: its schema and its wording.
pub(super) fn version(tool: &SurfaceTool) -> (Option<&str>, Option<&str>) {
    (tool.schema_hash.as_deref(), tool.description_hash.as_deref())
}

/// What differs between two surfaces, by name (`docs/metrics.md`, 10.3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
    pub(super) renamed: Vec<Renamed>,
    pub(super) schema_changed: Vec<String>,
    pub(super) wording_changed: Vec<String>,
    pub(super) policy_changed: Vec<String>,
}

impl Differences {
    pub(super) fn between(old: &BTreeMap<String, SurfaceTool>, new: &BTreeMap<String, SurfaceTool>) -> Self {
        let mut found = Self::default();
        for (name, after) in new {
            let Some(before) = old.get(name) else {
                found.added.push(name.clone());
                continue;
            };
            if before.schema_hash != after.schema_hash {
                found.schema_changed.push(name.clone());
            }
            if before.description_hash != after.description_hash {
                found.wording_changed.push(name.clone());
            }
            if before.policy != after.policy {
                found.policy_changed.push(name.clone());
            }
        }
        for (name, before) in old {
            if new.contains_key(name) {
                continue;
            }
            match found.added.iter().position(|added| is_renamed(before, &new[added])) {
                Some(at) => found.renamed.push(Renamed { from: name.clone(), to: found.added.remove(at) }),
                None => found.removed.push(name.clone()),
            }
        }
        found.renamed.sort_by(|a, b| a.to.cmp(&b.to));
        found
    }

    /// Names with another schema, wording or policy.
    fn changed(&self) -> BTreeSet<&String> {
        self.schema_changed.iter().chain(&self.wording_changed).chain(&self.policy_changed).collect()
    }

    /// How many names differ.
    pub(super) fn count(&self) -> usize {
        self.added.len() + self.removed.len() + self.renamed.len() + self.changed().len()
    }

    /// Whether one of these tools differs; none wanted means all.
    pub(super) fn concern(&self, wanted: &[String]) -> bool {
        let renamed = self.renamed.iter().flat_map(|renamed| [&renamed.from, &renamed.to]);
        let mut names = self.added.iter().chain(&self.removed).chain(renamed).chain(self.changed());
        wanted.is_empty() || names.any(|name| wanted.contains(name))
    }
}

/// The same schema and wording under another name. Without hashes nobody can say so.
fn is_renamed(old: &SurfaceTool, new: &SurfaceTool) -> bool {
    old.schema_hash.is_some() && old.description_hash.is_some() && version(old) == version(new)
}

/// Descriptions that two or more tools of one surface in use share (`docs/metrics.md`, 8.2).
pub(super) fn overlaps(snapshot: &dyn Snapshot, scope: &Scope) -> Result<OverlapReport, MetricsError> {
    let in_use: BTreeSet<u32> =
        snapshot.surfaces_in_use(scope.range)?.into_iter().map(|surface| surface.surface).collect();
    let last_seen: HashMap<u32, i64> =
        snapshot.surfaces()?.into_iter().map(|surface| (surface.surface, surface.last_ms)).collect();
    let mut sharing: BTreeMap<(String, u32), BTreeSet<String>> = BTreeMap::new();
    for tool in snapshot.surface_tools()? {
        if let Some(norm) = tool.description_norm.filter(|_| in_use.contains(&tool.surface)) {
            sharing.entry((norm, tool.surface)).or_default().insert(tool.tool);
        }
    }
    let mut found: BTreeMap<String, (BTreeSet<String>, u64, i64)> = BTreeMap::new();
    for ((norm, surface), tools) in sharing.into_iter().filter(|(_, tools)| tools.len() > 1) {
        let entry = found.entry(norm).or_insert((BTreeSet::new(), 0, i64::MIN));
        entry.0.extend(tools);
        entry.1 += 1;
        entry.2 = entry.2.max(last_seen.get(&surface).copied().unwrap_or(i64::MIN));
    }
    let mut overlaps: Vec<Overlap> = found
        .into_iter()
        .map(|(description_norm, (tools, surfaces, last_seen_ms))| Overlap {
            description_norm,
            tools: tools.into_iter().collect(),
            surfaces,
            last_seen_ms,
        })
        .filter(|overlap| {
            scope.tools.is_empty() || overlap.tools.iter().any(|tool| scope.tools.contains(tool))
        })
        .collect();
    // Stable, and in order of the hash already.
    overlaps.sort_by(|a, b| b.tools.len().cmp(&a.tools.len()).then_with(|| a.tools[0].cmp(&b.tools[0])));
    Ok(OverlapReport { range: scope.range, overlaps })
}
