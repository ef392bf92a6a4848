//! What a producer must record of what the kit did, worked out from the bytes that were exchanged.

use mcpulse_wire::payload::{Call, Outcome};
use mcpulse_wire::{empty, hash, size, text};

use crate::mcp::Answer;
use crate::verdict::{Fault, fail};

/// What a call must come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// This.
    Outcome(Outcome),
    /// `ok`, unless the MCP SDK rejected what the handler returned: then `crashed`.
    OkUnlessRejected,
    /// This, or nothing: MCP SDKs may refuse the message before anyone sees a call.
    Maybe(Outcome),
}

/// One call the kit made.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) tool: String,
    /// Raw JSON text.
    pub(crate) args: Option<String>,
    pub(crate) client: String,
    pub(crate) expect: Expect,
    pub(crate) answer: Answer,
    /// Milliseconds since 1970, before and after.
    pub(crate) between: (i64, i64),
}

impl Made {
    fn rejected(&self) -> bool {
        self.answer.result().is_none() || self.answer.is_error_result()
    }

    pub(crate) fn outcome(&self) -> Outcome {
        match self.expect {
            Expect::Outcome(outcome) | Expect::Maybe(outcome) => outcome,
            Expect::OkUnlessRejected if self.rejected() => Outcome::Crashed,
            Expect::OkUnlessRejected => Outcome::Ok,
        }
    }

    pub(crate) fn units(&self) -> u32 {
        size::response_units_raw(self.answer.result().map(str::as_bytes))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.outcome() == Outcome::Ok && empty::is_empty_raw(self.answer.result().map(str::as_bytes))
    }

    pub(crate) fn args_hash(&self) -> String {
        hash::args_hash_raw(self.args.as_deref().map(str::as_bytes)).to_string()
    }
}

/// What of a call is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aspect {
    Outcome,
    Units,
    Empty,
    ArgsHash,
    Client,
}

/// Finds for each call that was made the one that was recorded, in the same order.
pub(crate) fn pair<'a>(made: &'a [Made], recorded: &'a [Call]) -> Result<Vec<(&'a Made, &'a Call)>, Fault> {
    let mut pairs = Vec::new();
    let mut rest = recorded.iter().peekable();
    for (at, one) in (1..).zip(made) {
        let name = text::name(&one.tool);
        let fits = |call: &Call| {
            call.tool_name == name
                && (!matches!(one.expect, Expect::Maybe(_)) || call.args_hash.to_string() == one.args_hash())
        };
        match rest.peek() {
            Some(call) if fits(call) => {
                pairs.push((one, *call));
                rest.next();
            }
            _ if matches!(one.expect, Expect::Maybe(_)) => {}
            Some(call) => {
                let seen = cut(&call.tool_name);
                return fail(format!("call {at} was of `{}`, recorded in its place: `{seen}`", cut(&name)));
            }
            None => {
                let total = (made.len(), recorded.len());
                return fail(format!(
                    "call {at} (`{}`) was not recorded: {total:?} made, recorded",
                    cut(&name)
                ));
            }
        }
    }
    match rest.next() {
        None => Ok(pairs),
        Some(call) => fail(format!("a call too many was recorded: `{}`", cut(&call.tool_name))),
    }
}

/// Names may be long.
fn cut(name: &str) -> &str {
    text::cut(name, 30)
}

/// Compares one aspect of every pair.
pub(crate) fn compare(pairs: &[(&Made, &Call)], aspect: Aspect) -> Result<(), Fault> {
    for (at, (made, call)) in (1..).zip(pairs) {
        let (seen, expected) = match aspect {
            Aspect::Outcome => (format!("{:?}", call.outcome), format!("{:?}", made.outcome())),
            Aspect::Units => (call.response_bytes.to_string(), made.units().to_string()),
            Aspect::Empty => (call.is_empty.to_string(), made.is_empty().to_string()),
            Aspect::ArgsHash => (call.args_hash.to_string(), made.args_hash()),
            Aspect::Client => (call.client_name.clone(), made.client.clone()),
        };
        if seen != expected {
            let tool = cut(&made.tool);
            return fail(format!("call {at} (`{tool}`): {aspect:?} is {seen}, expected {expected}"));
        }
    }
    Ok(())
}
