//! Whether tools agree about a field that they are declared to share. Values are compared in memory and never
//! leave it, not even as hashes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use mcpulse_wire::hash::{Hash12, UNREPRESENTABLE, canonical_hash};
use mcpulse_wire::payload::DeclaredAgreement;
use serde_json::Value;

use crate::bounded::BoundedMap;
use crate::event::AgreementEvent;
use crate::guard::lock;

const NAME_MAX: usize = 200;
const WINDOW_MAX_MS: u32 = 86_400_000;
/// Pairs of conversation and field whose latest values are kept.
const BOUND: usize = 10_000;

/// How one field is found in the structured content of several tools, and compared.
///
/// ```
/// use mcpulse::AgreementOptions;
///
/// let total = AgreementOptions::new().tool("get_order", "/total").tool("get_invoice", "/amount/total").tolerance(0.005);
/// ```
#[derive(Clone, Debug)]
pub struct AgreementOptions {
    tools: BTreeMap<String, String>,
    window_ms: u32,
    tolerance: f64,
}

impl Default for AgreementOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl AgreementOptions {
    /// No tools yet, a window of 300 000 ms and no tolerance.
    #[must_use]
    pub fn new() -> Self {
        Self { tools: BTreeMap::new(), window_ms: 300_000, tolerance: 0.0 }
    }

    /// Where `tool` has the field: a JSON Pointer (RFC 6901) into its structured content.
    #[must_use]
    pub fn tool(mut self, tool: impl Into<String>, pointer: impl Into<String>) -> Self {
        self.tools.insert(tool.into(), pointer.into());
        self
    }

    /// How old a value may be to be compared, in milliseconds: 1 to 86 400 000.
    #[must_use]
    pub fn window_ms(mut self, window_ms: u32) -> Self {
        self.window_ms = window_ms;
        self
    }

    /// How far two numbers may be apart and still agree.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Names the broken rule.
    pub(crate) fn check(&self, field: &str) -> Result<(), &'static str> {
        let fits = |name: &str| !name.is_empty() && name.chars().count() <= NAME_MAX;
        if !fits(field) {
            return Err("field: 1 to 200 characters");
        }
        if !(2..=20).contains(&self.tools.len()) {
            return Err("tools: 2 to 20");
        }
        if !self.tools.keys().all(|tool| fits(tool)) {
            return Err("tools: names of 1 to 200 characters");
        }
        if !self.tools.values().all(|pointer| is_pointer(pointer)) {
            return Err("tools: each path is a JSON Pointer (RFC 6901)");
        }
        if !(1..=WINDOW_MAX_MS).contains(&self.window_ms) {
            return Err("window_ms: 1 to 86400000");
        }
        if !(self.tolerance.is_finite() && self.tolerance >= 0.0) {
            return Err("tolerance: a number that is not negative");
        }
        Ok(())
    }
}

fn is_pointer(text: &str) -> bool {
    let escapes = text.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
    escapes && (text.is_empty() || text.starts_with('/'))
}

/// The declarations of one producer, by tool.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    name: Arc<str>,
    tools: BTreeMap<Arc<str>, String>,
    window_ms: u32,
    tolerance: f64,
}

impl Declared {
    pub(crate) fn new(options: BTreeMap<String, AgreementOptions>) -> Self {
        let fields = options
            .into_iter()
            .map(|(name, options)| Field {
                name: name.into(),
                tools: options.tools.into_iter().map(|(tool, path)| (tool.into(), path)).collect(),
                window_ms: options.window_ms,
                tolerance: options.tolerance,
            })
            .collect();
        Self { fields }
    }

    /// What a startup says of them: names only. `None` when there are none.
    pub(crate) fn for_startup(&self) -> Option<Vec<DeclaredAgreement>> {
        let declared = |field: &Field| DeclaredAgreement {
            field: field.name.as_ref().to_owned(),
            tools: field.tools.keys().map(|tool| tool.as_ref().to_owned()).collect(),
        };
        (!self.fields.is_empty()).then(|| self.fields.iter().map(declared).collect())
    }
}

#[derive(Clone, Debug)]
struct Seen {
    at: Instant,
    hash: Hash12,
    number: Option<f64>,
}

/// Conversation (if the protocol names one) and field.
type Scope = (Option<Box<str>>, Arc<str>);

/// The latest value of each declared tool.
#[derive(Debug)]
pub(crate) struct Latest {
    seen: Mutex<BoundedMap<Scope, HashMap<Arc<str>, Seen>>>,
}

impl Default for Latest {
    fn default() -> Self {
        Self { seen: Mutex::new(BoundedMap::new(BOUND)) }
    }
}

impl Latest {
    /// Compares what `tool` returned with what the other tools of its fields returned, and remembers it.
    pub(crate) fn compare(
        &self,
        declared: &Declared,
        session: &Arc<str>,
        conversation: Option<&str>,
        tool: &str,
        structured: &Value,
        now: Instant,
    ) -> Vec<AgreementEvent> {
        let mut verdicts = Vec::new();
        for field in &declared.fields {
            let Some((tool, path)) = field.tools.get_key_value(tool) else { continue };
            let Some(value) = structured.pointer(path) else { continue };
            let hash = canonical_hash(value);
            // It equals and differs from nothing.
            if hash == UNREPRESENTABLE {
                continue;
            }
            let value = Seen { at: now, hash, number: value.as_f64() };
            let window = Duration::from_millis(field.window_ms.into());
            let scope = (conversation.map(Into::into), Arc::clone(&field.name));
            let mut seen = lock(&self.seen);
            let others = match seen.get_mut(&scope) {
                Some(others) => others,
                None => {
                    seen.insert(scope.clone(), HashMap::new());
                    match seen.get_mut(&scope) {
                        Some(others) => others,
                        None => continue,
                    }
                }
            };
            for (other, theirs) in others.iter() {
                let fresh = now.saturating_duration_since(theirs.at) < window;
                if other != tool && fresh {
                    let (tool_a, tool_b) = in_order(tool, other);
                    verdicts.push(AgreementEvent {
                        session: Arc::clone(session),
                        field: Arc::clone(&field.name),
                        tool_a,
                        tool_b,
                        agreed: value.agrees(theirs, field.tolerance),
                        checked_at: SystemTime::now(),
                        window_ms: field.window_ms,
                    });
                }
            }
            others.insert(Arc::clone(tool), value);
        }
        verdicts
    }
}

impl Seen {
    fn agrees(&self, other: &Self, tolerance: f64) -> bool {
        let near = |(a, b): (f64, f64)| (a - b).abs() <= tolerance;
        self.hash == other.hash || self.number.zip(other.number).is_some_and(near)
    }
}

/// The pair in UTF-16 order.
fn in_order(one: &Arc<str>, other: &Arc<str>) -> (Arc<str>, Arc<str>) {
    let (one, other) = (Arc::clone(one), Arc::clone(other));
    if one.encode_utf16().cmp(other.encode_utf16()).is_le() { (one, other) } else { (other, one) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn declared(tolerance: f64) -> Declared {
        let total = AgreementOptions::new().tool("b", "/total").tool("a", "/sum").tolerance(tolerance);
        Declared::new(BTreeMap::from([("total".to_owned(), total)]))
    }

    fn verdicts(tolerance: f64, a: &Value, b: &Value) -> Vec<bool> {
        let (latest, declared, session) = (Latest::default(), declared(tolerance), Arc::from("s"));
        let now = Instant::now();
        assert!(latest.compare(&declared, &session, None, "a", a, now).is_empty());
        let events = latest.compare(&declared, &session, None, "b", b, now);
        events.iter().map(|event| event.agreed).collect()
    }

    #[test]
    fn equal_canonical_forms_agree() {
        assert_eq!(verdicts(0.0, &json!({"sum": 1.0}), &json!({"total": 1})), [true]);
        assert_eq!(
            verdicts(0.0, &json!({"sum": {"a": 1, "b": 2}}), &json!({"total": {"b": 2, "a": 1}})),
            [true]
        );
        assert_eq!(verdicts(0.0, &json!({"sum": "1"}), &json!({"total": 1})), [false]);
        assert_eq!(verdicts(0.0, &json!({"sum": null}), &json!({"total": null})), [true]);
    }

    #[test]
    fn numbers_agree_within_the_tolerance() {
        assert_eq!(verdicts(0.5, &json!({"sum": 1}), &json!({"total": 1.5})), [true]);
        assert_eq!(verdicts(0.5, &json!({"sum": 1}), &json!({"total": 1.6})), [false]);
    }

    #[test]
    fn a_missing_field_is_compared_with_nothing() {
        assert!(verdicts(0.0, &json!({"sum": 1}), &json!({"other": 1})).is_empty());
        assert!(verdicts(0.0, &json!({}), &json!({"total": 1})).is_empty());
    }

    #[test]
    fn the_pair_is_in_utf16_order_and_the_window_closes() {
        let (latest, declared, session) = (Latest::default(), declared(0.0), Arc::from("s"));
        let start = Instant::now();
        let value = json!({"total": 1, "sum": 1});
        latest.compare(&declared, &session, None, "b", &value, start);
        let inside = start + Duration::from_millis(299_999);
        let events = latest.compare(&declared, &session, None, "a", &value, inside);
        assert_eq!(events.len(), 1);
        assert!(events.iter().all(|event| (event.tool_a.as_ref(), event.tool_b.as_ref()) == ("a", "b")));
        let outside = inside + Duration::from_millis(300_000);
        assert!(latest.compare(&declared, &session, None, "b", &value, outside).is_empty());
    }

    #[test]
    fn conversations_are_not_compared_with_each_other() {
        let (latest, declared, session) = (Latest::default(), declared(0.0), Arc::from("s"));
        let (now, value) = (Instant::now(), json!({"total": 1, "sum": 1}));
        latest.compare(&declared, &session, Some("one"), "a", &value, now);
        assert!(latest.compare(&declared, &session, Some("two"), "b", &value, now).is_empty());
        assert_eq!(latest.compare(&declared, &session, Some("one"), "b", &value, now).len(), 1);
    }

    #[test]
    fn declarations_that_cannot_work_are_named() {
        let two = AgreementOptions::new().tool("a", "/x").tool("b", "");
        assert_eq!(two.check("f"), Ok(()));
        assert!(two.check("").is_err());
        assert!(AgreementOptions::new().tool("a", "/x").check("f").is_err());
        assert!(two.clone().tool("c", "x").check("f").is_err());
        assert!(two.clone().tool("c", "/~2").check("f").is_err());
        assert!(two.clone().window_ms(0).check("f").is_err());
        assert!(two.clone().tolerance(f64::NAN).check("f").is_err());
    }
}
