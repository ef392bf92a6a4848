//! Calls: hashes, outcomes, sizes, emptiness, times, names.

use mcpulse_wire::payload::Outcome;
use mcpulse_wire::{text, time};
use serde_json::{Value, json};

use crate::expect::{Aspect, Expect, Made, compare, pair};
use crate::kit::Context;
use crate::mcp::{Client, Protocol, Transport};
use crate::spec;
use crate::tour::{CLIENT, fill, make};
use crate::verdict::{Fault, ensure, fail, same, skip};

const OK: Expect = Expect::Outcome(Outcome::Ok);

/// Makes calls with a watched program, waits until they are recorded, ends it, and hands out both sides.
pub(super) fn record(
    context: &Context<'_>,
    flags: &[&str],
    calls: impl FnOnce(&Client) -> Result<Vec<Made>, Fault>,
    judge: impl FnOnce(&[Made], &[mcpulse_wire::payload::Call]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, flags)?;
    let client = harness.connect(context.link, CLIENT)?;
    let made = calls(&client)?;
    fill(&client)?;
    let least = made.iter().filter(|made| !matches!(made.expect, Expect::Maybe(_))).count();
    context.until(&ingest, "every call to be recorded", |seen| seen.calls().len() >= least)?;
    context.end(&harness)?;
    judge(&made, &ingest.calls())
}

/// Compares the tour's calls.
fn on_tour(context: &Context<'_>, aspects: &[Aspect]) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &[])?;
    let pairs = pair(&tour.watched.calls, &tour.recorded)?;
    aspects.iter().try_for_each(|aspect| compare(&pairs, *aspect))
}

pub(super) fn traffic(context: &Context<'_>) -> Result<(), Fault> {
    let mut all = Vec::new();
    for case in spec::list(&spec::read(spec::CANONICAL)?, "cases") {
        if let Some(input) = case.get("input").filter(|input| input.is_object()) {
            all.push((serde_json::to_string_pretty(input).ok(), hash_of(&case), OK));
        }
    }
    for case in spec::list(&spec::read(spec::CANONICAL_EXTRA)?, "cases") {
        if case.get("traffic") == Some(&Value::Bool(true)) {
            let text = case.get("json").and_then(Value::as_str).map(str::to_owned);
            // Not every MCP SDK lets arguments of null through.
            let expect = if text.as_deref() == Some("null") { Expect::Maybe(Outcome::Ok) } else { OK };
            all.push((text, hash_of(&case), expect));
        }
    }
    let hashes: Vec<String> = all.iter().map(|(_, hash, _)| hash.clone()).collect();
    let calls = |client: &Client| {
        all.into_iter().map(|(args, _, expect)| make(client, "echo", args, expect, CLIENT)).collect()
    };
    record(context, &[], calls, |made, recorded| {
        for (made, hash) in made.iter().zip(hashes) {
            same("the kit itself: a hash", made.args_hash(), hash)?;
        }
        compare(&pair(made, recorded)?, Aspect::ArgsHash)
    })
}

fn hash_of(case: &Value) -> String {
    case.get("args_hash").and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn tour_hashes(context: &Context<'_>) -> Result<(), Fault> {
    on_tour(context, &[Aspect::ArgsHash, Aspect::Client])
}

pub(super) fn outcomes(context: &Context<'_>) -> Result<(), Fault> {
    on_tour(context, &[Aspect::Outcome])
}

pub(super) fn sizes(context: &Context<'_>) -> Result<(), Fault> {
    on_tour(context, &[Aspect::Units])
}

pub(super) fn emptiness(context: &Context<'_>) -> Result<(), Fault> {
    on_tour(context, &[Aspect::Empty])
}

pub(super) fn replies(context: &Context<'_>) -> Result<(), Fault> {
    let empty = spec::list(&spec::read(spec::EMPTY)?, "cases");
    let sizes = spec::list(&spec::read(spec::SIZES)?, "cases");
    let mut results: Vec<String> =
        empty.iter().filter_map(|case| Some(case.get("result")?.to_string())).collect();
    results.extend(sizes.iter().filter_map(|case| Some(case.get("result")?.as_str()?.to_owned())));
    results.retain(|text| {
        let value: Option<Value> = serde_json::from_str(text).ok();
        value.is_some_and(|value| value.get("content").is_some() || value.get("structuredContent").is_some())
    });
    let calls = |client: &Client| {
        let args = results.iter().map(|result| format!(r#"{{"result":{result}}}"#));
        args.map(|args| make(client, "reply", Some(args), Expect::OkUnlessRejected, CLIENT)).collect()
    };
    record(context, &[], calls, |made, recorded| {
        let pairs = pair(made, recorded)?;
        let ok = made.iter().filter(|made| made.outcome() == Outcome::Ok).count();
        ensure(ok * 2 > made.len(), || format!("only {ok} of {} results came through `reply`", made.len()))?;
        compare(&pairs, Aspect::Outcome)?;
        compare(&pairs, Aspect::Units)?;
        compare(&pairs, Aspect::Empty)
    })
}

pub(super) fn times(context: &Context<'_>) -> Result<(), Fault> {
    let calls = |client: &Client| {
        [0, 250]
            .map(|ms| make(client, "slow", Some(format!(r#"{{"ms":{ms}}}"#)), OK, CLIENT))
            .into_iter()
            .collect()
    };
    record(context, &[], calls, |made, recorded| {
        for ((made, call), at_least) in pair(made, recorded)?.iter().zip([0, 240]) {
            let form = call.started_at.len() == 24 && call.started_at.ends_with('Z');
            ensure(form, || "started_at is not UTC with three decimals and `Z`".to_owned())?;
            let Some(started) = time::parse_ms(&call.started_at) else {
                return fail("started_at cannot be read");
            };
            let (begin, end) = made.between;
            ensure((begin..=end).contains(&started), || {
                format!(
                    "started_at is {} ms after the call began, {} before it ended",
                    started - begin,
                    end - started
                )
            })?;
            let took = end - begin;
            ensure(call.duration_ms >= at_least && i64::from(call.duration_ms) <= took + 1, || {
                format!("duration_ms is {} for a call of {at_least} to {took} ms", call.duration_ms)
            })?;
        }
        Ok(())
    })
}

pub(super) fn names(context: &Context<'_>) -> Result<(), Fault> {
    let bad = Expect::Outcome(Outcome::BadArgs);
    let calls = |client: &Client| {
        let long = "🚀".repeat(250);
        let mut made = vec![make(client, "no such tool: é 東京", Some("{}".to_owned()), bad, CLIENT)?];
        made.push(make(client, &long, Some("{}".to_owned()), bad, CLIENT)?);
        // MCP SDKs may refuse a request without a name.
        made.push(make(
            client,
            "",
            Some(r#"{"nameless":1}"#.to_owned()),
            Expect::Maybe(Outcome::BadArgs),
            CLIENT,
        )?);
        Ok(made)
    };
    record(context, &[], calls, |made, recorded| {
        let pairs = pair(made, recorded)?;
        for (made, call) in &pairs {
            same("tool_name", call.tool_name.as_str(), &*text::name(&made.tool))?;
        }
        compare(&pairs, Aspect::Outcome)
    })
}

pub(super) fn cancelled(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let (client, _) = harness.connect_with(0, context.link.protocol, Some(CLIENT), None)?;
    client.call("fast", Some("{}"))?;
    let mut given_up = client.begin_call("slow", Some(r#"{"ms":1500}"#), &[])?;
    // Nothing says that the handler has begun; another call that came later and ended does.
    client.call("slow", Some(r#"{"ms":200}"#))?;
    if context.link.transport == Transport::Stdio || context.link.protocol == Protocol::Initialize {
        client.cancel_previous(2)?;
    }
    given_up.cancel();
    // A handler that was not told has ended by the time this call does.
    client.call("slow", Some(r#"{"ms":2000}"#))?;
    client.call("unicode", Some("{}"))?;
    fill(&client)?;
    context.until(&ingest, "the calls that were not cancelled", |seen| {
        seen.calls().iter().any(|call| call.tool_name == "unicode")
    })?;
    context.end(&harness)?;
    let recorded: Vec<_> =
        ingest.calls().into_iter().map(|call| (call.tool_name, call.args_hash.to_string())).collect();
    let slow = |ms: u32| {
        let args = format!(r#"{{"ms":{ms}}}"#);
        let hash = mcpulse_wire::hash::args_hash_raw(Some(args.as_bytes())).to_string();
        recorded.iter().filter(|(_, seen)| *seen == hash).count()
    };
    same("calls recorded: cancelled, ended, ended", [slow(1500), slow(200), slow(2000)], [0, 1, 1])
}

pub(super) fn input_required(context: &Context<'_>) -> Result<(), Fault> {
    context.kit.demand(context.link)?;
    let tour = context.kit.tour(context.link, &[])?;
    let offered =
        tour.watched.lists.iter().filter_map(|list| list.result()).any(|list| list.contains(r#""ask""#));
    if !offered {
        return skip("the harness has no tool `ask`");
    }
    let calls = |client: &Client| {
        let first = client.call("ask", Some("{}"))?;
        let Some(result) = first.result_value() else { return fail("`ask` was answered with an error") };
        let Some((input, _)) =
            result.get("inputRequests").and_then(Value::as_object).and_then(|map| map.iter().next())
        else {
            return fail("`ask` did not ask");
        };
        let given = json!({ input: { "action": "accept", "content": { "name": "Zoë" } } }).to_string();
        let state = result.get("requestState").map(Value::to_string);
        let mut more = vec![("inputResponses", given.as_str())];
        more.extend(state.as_deref().map(|state| ("requestState", state)));
        let begin = crate::mcp::now_ms();
        let answer = client.call_with("ask", Some("{}"), &more)?;
        same("the final answer", answer.text().as_deref(), Some("hello Zoë"))?;
        let between = (begin, crate::mcp::now_ms());
        let args = Some("{}".to_owned());
        let made =
            Made { tool: "ask".to_owned(), args, client: CLIENT.to_owned(), expect: OK, answer, between };
        Ok(vec![made])
    };
    record(context, &[], calls, |made, recorded| {
        let pairs = pair(made, recorded)?;
        compare(&pairs, Aspect::Outcome)?;
        compare(&pairs, Aspect::Units)
    })
}

pub(super) fn low_level(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &["--api", "low"])?;
    let pairs = pair(&tour.watched.calls, &tour.recorded)?;
    [Aspect::Outcome, Aspect::Units, Aspect::ArgsHash].iter().try_for_each(|aspect| compare(&pairs, *aspect))
}

pub(super) fn late_and_early(context: &Context<'_>) -> Result<(), Fault> {
    let tour = context.kit.tour(context.link, &["--early"])?;
    compare(&pair(&tour.watched.calls, &tour.recorded)?, Aspect::Outcome)?;
    let names = |at: usize| -> Vec<String> {
        let tools = tour.startups.get(at).into_iter().flat_map(|startup| &startup.tools);
        tools.map(|tool| tool.name.clone()).collect()
    };
    for (at, name) in [(0, "echo"), (0, "late"), (1, "grown")] {
        ensure(names(at).iter().any(|one| one == name), || format!("startup {at} does not have `{name}`"))?;
    }
    Ok(())
}

pub(super) fn twice(context: &Context<'_>) -> Result<(), Fault> {
    let calls = |client: &Client| {
        let mut made = vec![make(client, "fast", Some("{}".to_owned()), OK, CLIENT)?];
        made.push(make(client, "strict", Some("{}".to_owned()), Expect::Outcome(Outcome::BadArgs), CLIENT)?);
        made.push(make(client, "late", Some("{}".to_owned()), OK, CLIENT)?);
        Ok(made)
    };
    record(context, &["--twice"], calls, |made, recorded| compare(&pair(made, recorded)?, Aspect::Outcome))
}

pub(super) fn not_representable(context: &Context<'_>) -> Result<(), Fault> {
    let ingest = context.ingest()?;
    let harness = context.watched(&ingest, &[])?;
    let client = harness.connect(context.link, CLIENT)?;
    client.call("fast", Some("{}"))?;
    // Many MCP SDKs cannot read these and answer nothing that could be waited for.
    let sent = [r#"{"s":"\ud800"}"#, r#"{"\udc00":1}"#, r#"{"n":1e400}"#];
    let waiting: Vec<_> = sent.iter().map(|args| client.begin_call("echo", Some(args), &[])).collect();
    client.call("slow", Some(r#"{"ms":300}"#))?;
    client.call("unicode", Some("{}"))?;
    fill(&client)?;
    context.until(&ingest, "the calls that can be read", |seen| {
        seen.calls().iter().any(|call| call.tool_name == "unicode")
    })?;
    context.end(&harness)?;
    drop(waiting);
    if let Some(fault) = ingest.arrived().iter().find_map(|arrived| arrived.faults.first()) {
        return fail(fault.clone());
    }
    let calls = ingest.calls();
    let echoes = calls.iter().filter(|call| call.tool_name == "echo");
    ensure(echoes.clone().count() <= sent.len(), || "calls were recorded more than once".to_owned())?;
    for call in echoes {
        same("args_hash", call.args_hash.to_string().as_str(), "000000000000")?;
    }
    Ok(())
}
