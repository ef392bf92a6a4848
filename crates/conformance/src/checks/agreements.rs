//! Declared fields that should agree.

use mcpulse_wire::hash::args_hash_raw;
use mcpulse_wire::time;

use crate::kit::Context;
use crate::tour::{CLIENT, fill};
use crate::verdict::{Fault, ensure, fail, same};

pub(super) fn verdicts(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let agreed: Vec<bool> = tour.verdicts.iter().map(|verdict| verdict.agreed).collect();
    same("verdicts", agreed, vec![true, false])?;
    let session = tour.startups.first().map(|startup| startup.session_id.as_str());
    for verdict in &tour.verdicts {
        let names = [verdict.field.as_str(), verdict.tool_a.as_str(), verdict.tool_b.as_str()];
        same("names", names, ["amount", "price_a", "price_b"])?;
        same("window_ms", verdict.window_ms, 300_000)?;
        same("session_id", Some(verdict.session_id.as_str()), session)?;
        ensure(time::parse_ms(&verdict.checked_at).is_some(), || "checked_at cannot be read".to_owned())?;
    }
    Ok(())
}

pub(super) fn values_stay(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    ensure(!tour.verdicts.is_empty(), || "there are no verdicts".to_owned())?;
    let hashes = ["12.5", "77123.25"].map(|value| args_hash_raw(Some(value.as_bytes())).to_string());
    for arrived in &tour.arrived {
        let body = String::from_utf8_lossy(&arrived.text);
        let hash = hashes.iter().any(|hash| body.contains(hash.as_str()));
        ensure(!hash && !body.contains("77123.25"), || "a value that was compared was sent".to_owned())?;
        ensure(!body.contains("/order/amount"), || "the path of a field was sent".to_owned())?;
    }
    Ok(())
}

pub(super) fn conversations(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let one = harness.connect(context.link, CLIENT)?;
    let other = harness.connect(context.link, CLIENT)?;
    let order = |amount: u32| format!(r#"{{"id":"o","amount":{amount}}}"#);
    one.call("price_a", Some(&order(1)))?;
    other.call("price_b", Some(&order(2)))?;
    one.call("price_b", Some(&order(1)))?;
    fill(&one)?;
    context.until(&ingest, "three calls and a verdict", |seen| {
        seen.calls().len() >= 3 && !seen.agreements().is_empty()
    })?;
    context.end(&harness)?;
    match ingest.agreements().as_slice() {
        [verdict] if verdict.agreed => Ok(()),
        verdicts => {
            fail(format!("{} verdicts, expected one, of the conversation that asked twice", verdicts.len()))
        }
    }
}
