//! Whether tools agreed about declared fields, and whether their descriptions say the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use mcpulse_store::metrics::types::{AgreementReport, AgreementRow, Overlap, OverlapReport};

use crate::rates::{count, share};
use crate::view::{View, within};

impl View<'_> {
    /// Every declared or compared pair.
    pub fn agreements(&self) -> AgreementReport {
        let by_client = |session: &str| {
            self.scope.clients.is_empty()
                || self
                    .history
                    .calls
                    .iter()
                    .any(|call| call.session == session && self.passes_client(&call.client))
        };
        let verdicts: Vec<_> = self
            .history
            .agreements
            .iter()
            .filter(|verdict| within(self.scope.range, verdict.checked_ms) && by_client(&verdict.session))
            .collect();
        let mut pairs: BTreeSet<(String, String, String)> = BTreeSet::new();
        for verdict in &verdicts {
            pairs.insert((verdict.field.clone(), verdict.tool_a.clone(), verdict.tool_b.clone()));
        }
        pairs.extend(self.declared_pairs());
        let agreements = pairs
            .into_iter()
            .filter(|(_, a, b)| self.passes_tool(a) || self.passes_tool(b))
            .map(|(field, tool_a, tool_b)| {
                let own = || {
                    verdicts.iter().filter(|verdict| {
                        (&verdict.field, &verdict.tool_a, &verdict.tool_b) == (&field, &tool_a, &tool_b)
                    })
                };
                let checked = count(own());
                let agreed = count(own().filter(|verdict| verdict.agreed));
                let last_disagreement_ms =
                    own().filter(|verdict| !verdict.agreed).map(|verdict| verdict.checked_ms).max();
                AgreementRow {
                    checked,
                    agreed,
                    agreed_share: share(agreed, checked),
                    last_disagreement_ms,
                    field,
                    tool_a,
                    tool_b,
                }
            })
            .collect();
        AgreementReport { range: self.scope.range, agreements }
    }

    /// Every two tools that a startup in use declares to agree about a field.
    fn declared_pairs(&self) -> BTreeSet<(String, String, String)> {
        let mut pairs = BTreeSet::new();
        for startup in self.startups_in_use() {
            for (field, tools) in &startup.declared {
                for a in tools {
                    for b in tools {
                        if a.encode_utf16().lt(b.encode_utf16()) {
                            pairs.insert((field.clone(), a.clone(), b.clone()));
                        }
                    }
                }
            }
        }
        pairs
    }

    /// Tools of one surface with one normalised description.
    pub fn overlaps(&self) -> OverlapReport {
        let mut found: BTreeMap<String, (BTreeSet<String>, BTreeSet<usize>)> = BTreeMap::new();
        for at in self.surfaces_in_use() {
            let surface = &self.history.surfaces[at];
            for norm in surface.tools.iter().filter_map(|tool| tool.description_norm.as_ref()) {
                let same: BTreeSet<String> = surface
                    .tools
                    .iter()
                    .filter(|tool| tool.description_norm.as_ref() == Some(norm))
                    .map(|tool| tool.name.clone())
                    .collect();
                if same.len() >= 2 {
                    let (tools, surfaces) = found.entry(norm.to_string()).or_default();
                    tools.extend(same);
                    surfaces.insert(at);
                }
            }
        }
        let mut overlaps: Vec<Overlap> = found
            .into_iter()
            .map(|(description_norm, (tools, surfaces))| Overlap {
                description_norm,
                tools: tools.into_iter().collect(),
                surfaces: surfaces.len() as u64,
                last_seen_ms: surfaces
                    .iter()
                    .map(|&at| self.history.surfaces[at].last_seen_ms)
                    .max()
                    .unwrap(),
            })
            .filter(|overlap| overlap.tools.iter().any(|tool| self.passes_tool(tool)))
            .collect();
        overlaps.sort_by(|a, b| {
            (Reverse(a.tools.len()), &a.tools[0]).cmp(&(Reverse(b.tools.len()), &b.tools[0]))
        });
        OverlapReport { range: self.scope.range, overlaps }
    }
}
