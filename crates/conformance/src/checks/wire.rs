//! Requests and payloads as such.

use std::collections::HashMap;

use crate::kit::Context;
use crate::verdict::{Fault, ensure, fail};

pub(super) fn requests(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    ensure(!tour.arrived.is_empty(), || "nothing was sent".to_owned())?;
    let mut keys = HashMap::new();
    for (at, arrived) in (1..).zip(&tour.arrived) {
        if let Some(fault) = arrived.faults.first() {
            return fail(format!("request {at}: {fault}"));
        }
        if let Some(before) = keys.insert(arrived.idempotency_key(), at) {
            return fail(format!("requests {before} and {at} have one idempotency key"));
        }
    }
    Ok(())
}

pub(super) fn key(context: &Context<'_>) -> Result<(), Fault> {
    let key = &context.kit.key;
    let debug = context.kit.tour(context.link, &["--debug"])?;
    for arrived in &debug.arrived {
        let header = arrived.head.header("authorization");
        ensure(header == Some(&format!("Bearer {key}")), || {
            "`Authorization` is not `Bearer` and the key".to_owned()
        })?;
        let head = String::from_utf8_lossy(&arrived.head.raw);
        ensure(head.matches(key.as_str()).count() == 1, || {
            "the key is in the head more than once".to_owned()
        })?;
        ensure(!String::from_utf8_lossy(&arrived.text).contains(key), || {
            "the key is in the body".to_owned()
        })?;
    }
    ensure(!debug.watched.stderr.contains(key), || "the key is on standard error".to_owned())
}
