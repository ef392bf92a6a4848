//! Whether tools agreed about declared fields (`docs/metrics.md`, 8.1).

use std::collections::BTreeMap;

use super::snapshot::Snapshot;
use super::types::{AgreementReport, AgreementRow, Scope};
use super::{MetricsError, ratio};

pub(super) fn agreements(snapshot: &dyn Snapshot, scope: &Scope) -> Result<AgreementReport, MetricsError> {
    type Pair = (String, String, String);
    let mut rows: BTreeMap<Pair, AgreementRow> = BTreeMap::new();
    for verdict in snapshot.verdicts(scope.range)? {
        let key = (verdict.field.clone(), verdict.tool_a.clone(), verdict.tool_b.clone());
        rows.insert(
            key,
            AgreementRow {
                agreed_share: ratio(verdict.agreed, verdict.checked),
                field: verdict.field,
                tool_a: verdict.tool_a,
                tool_b: verdict.tool_b,
                checked: verdict.checked,
                agreed: verdict.agreed,
                last_disagreement_ms: verdict.last_disagreement_ms,
            },
        );
    }
    for (field, tools) in snapshot.declared(scope.range)? {
        for (tool_a, tool_b) in pairs(&tools) {
            if !wanted(scope, tool_a, tool_b) {
                continue;
            }
            let key = (field.clone(), tool_a.to_owned(), tool_b.to_owned());
            rows.entry(key).or_insert_with(|| AgreementRow {
                field: field.clone(),
                tool_a: tool_a.to_owned(),
                tool_b: tool_b.to_owned(),
                checked: 0,
                agreed: 0,
                agreed_share: None,
                last_disagreement_ms: None,
            });
        }
    }
    Ok(AgreementReport { range: scope.range, agreements: rows.into_values().collect() })
}

fn wanted(scope: &Scope, tool_a: &str, tool_b: &str) -> bool {
    scope.tools.is_empty() || scope.tools.iter().any(|tool| tool == tool_a || tool == tool_b)
}

/// Each two different tools, the first in UTF-16 order first, as producers name them.
fn pairs(tools: &[String]) -> impl Iterator<Item = (&str, &str)> {
    tools.iter().enumerate().flat_map(move |(at, one)| {
        tools[at + 1..].iter().filter(move |other| *other != one).map(move |other| {
            if one.encode_utf16().lt(other.encode_utf16()) {
                (one.as_str(), other.as_str())
            } else {
                (other.as_str(), one.as_str())
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn pairs_are_in_utf16_order() {
        // U+FF61 is above U+1F680 in UTF-16 order, and below it by code point.
        let tools = ["\u{ff61}".to_owned(), "\u{1f680}".to_owned(), "a".to_owned(), "a".to_owned()];
        let got: Vec<_> = pairs(&tools).collect();
        assert_eq!(got[0], ("\u{1f680}", "\u{ff61}"));
        assert_eq!(got[1..3], [("a", "\u{ff61}"), ("a", "\u{ff61}")]);
        assert_eq!(got.len(), 5);
    }
}
