//! Recording calls of any framework.

#![cfg(feature = "test")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use mcpulse::testing::{TestTransport, payloads_of};
use mcpulse::{AgreementOptions, Ending, Mcpulse, Options, Outcome, Policy, Sessions, SurfaceContext};
use serde_json::{Value, json};

fn producer_with(options: Options) -> (Mcpulse, Arc<TestTransport>) {
    let sent = Arc::new(TestTransport::new());
    (Mcpulse::with_transport(options.key("mp_live_test"), sent.clone()), sent)
}

fn producer() -> (Mcpulse, Arc<TestTransport>) {
    producer_with(Options::new())
}

fn flush(pulse: &Mcpulse) {
    assert!(pulse.flush(Duration::from_secs(60)));
}

/// Polls a future that never waits.
fn ready<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future waits"),
    }
}

#[test]
fn outcomes() {
    let (pulse, sent) = producer();
    let ok = json!({"content": [{"type": "text", "text": "hi"}]});
    let failed = json!({"content": [], "isError": true});
    pulse.call("ok").record(|| ok.clone());
    pulse.call("tool_error").record(|| failed.clone());
    let _ = pulse.call("crashed").record(|| Err::<Value, _>("no"));
    pulse.call("bad_args").record_as(|_| Ending::bad_args(), || ());
    ready(pulse.call("ok").record_async(async { ok.clone() }));
    flush(&pulse);
    let calls = sent.calls();
    assert_eq!(calls.len(), 5);
    for call in calls {
        assert_eq!(serde_json::to_value(call.outcome).unwrap(), json!(call.tool_name));
        assert_eq!(call.client_name, "unknown");
        assert!(call.started_at.ends_with('Z'));
    }
}

#[test]
fn a_panic_is_recorded_and_goes_on_unchanged() {
    let (pulse, sent) = producer();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        pulse.call("sync").record(|| -> Value { std::panic::panic_any(7u8) });
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<u8>(), Some(&7));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        ready(pulse.call("async").record_async(async {
            if true {
                std::panic::panic_any(8u8)
            }
        }));
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<u8>(), Some(&8));
    flush(&pulse);
    assert_eq!(sent.calls().iter().map(|call| call.outcome).collect::<Vec<_>>(), [Outcome::Crashed; 2]);
}

#[test]
fn a_panic_in_the_judge_is_ours_and_stays_ours() {
    let (pulse, _) = producer();
    let result = pulse.call("t").record_as(|_: &u8| panic!("ours"), || 5u8);
    assert_eq!(result, 5);
    assert_eq!(pulse.losses().failed, 1);
}

#[test]
fn a_cancelled_call_is_counted_and_not_recorded() {
    let (pulse, _) = producer();
    drop(pulse.call("t").record_async(std::future::pending::<()>()));
    assert_eq!((pulse.losses().cancelled, pulse.losses().recorded), (1, 0));
    pulse.call("t").start().forget();
    assert_eq!((pulse.losses().cancelled, pulse.losses().recorded), (1, 0));
}

#[test]
fn names_are_made_to_fit() {
    let (pulse, sent) = producer();
    let long = "é".repeat(300);
    pulse.call(&long).client(&long).record(|| ());
    pulse.call("").client("").record(|| ());
    flush(&pulse);
    let calls = sent.calls();
    assert_eq!((calls[0].tool_name.chars().count(), calls[0].client_name.chars().count()), (200, 128));
    assert_eq!((calls[1].tool_name.as_str(), calls[1].client_name.as_str()), ("unknown", "unknown"));
}

#[test]
fn everything_to_one_destination_shares_a_session() {
    let sent: Arc<TestTransport> = Arc::new(TestTransport::new());
    let options = || Options::new().key("k").endpoint("http://a.example");
    let one = Mcpulse::with_transport(options(), sent.clone());
    let other = Mcpulse::with_transport(options(), sent.clone());
    let elsewhere = Mcpulse::with_transport(options().key("k2"), sent);
    assert_eq!(one.session_id(), other.session_id());
    assert_ne!(one.session_id(), elsewhere.session_id());
    let id = one.session_id().unwrap();
    assert!(id.len() == 14 && id.starts_with("s_") && id[2..].bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn conversations_have_ids_of_their_own_only_when_asked_for() {
    let (pulse, sent) = producer_with(Options::new().sessions(Sessions::Conversation));
    for conversation in ["secret-a", "secret-a", "secret-b"] {
        pulse.call("t").conversation(conversation).record(|| ());
    }
    pulse.call("t").record(|| ());
    flush(&pulse);
    let ids: Vec<_> = sent.calls().into_iter().map(|call| call.session_id).collect();
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[0], ids[2]);
    assert_eq!(Some(&ids[3]), pulse.session_id().as_ref());
    assert!(
        !sent.requests().iter().any(|request| String::from_utf8_lossy(request.body()).contains("secret"))
    );

    let (pulse, sent) = producer();
    pulse.call("t").conversation("a").record(|| ());
    flush(&pulse);
    assert_eq!(Some(&sent.calls()[0].session_id), pulse.session_id().as_ref());
}

#[test]
fn agreements_send_verdicts_and_names_only() {
    let total = AgreementOptions::new().tool("order", "/total").tool("invoice", "/sum").window_ms(60_000);
    let (pulse, sent) = producer_with(Options::new().agreement("total", total));
    pulse.tools([&json!({"name": "order"})], &SurfaceContext::default());
    let answer = |value: Value| move || json!({"content": [], "structuredContent": value});
    pulse.call("order").record(answer(json!({"total": 123_456_789})));
    pulse.call("invoice").record(answer(json!({"sum": 123_456_789.0})));
    pulse.call("invoice").record(answer(json!({"sum": 5})));
    flush(&pulse);
    let verdicts: Vec<_> =
        sent.agreements().into_iter().map(|a| (a.tool_a, a.tool_b, a.agreed, a.window_ms)).collect();
    let pair = |agreed| ("invoice".to_owned(), "order".to_owned(), agreed, 60_000);
    assert_eq!(verdicts, [pair(true), pair(false)]);
    assert_eq!(sent.startups()[0].agreements.as_ref().unwrap()[0].tools, ["invoice", "order"]);
    let everything: String =
        sent.requests().iter().map(|r| String::from_utf8_lossy(r.body()).into_owned()).collect();
    assert!(!everything.contains("123456789") && !everything.contains("/total"));
}

#[test]
fn policies_come_from_the_option_or_from_the_tool() {
    let (pulse, sent) = producer_with(Options::new().policy("a", Policy::Identity));
    let tool = |name: &str, schemes: Value| json!({"name": name, "_meta": {"securitySchemes": schemes}});
    let oauth = json!({"type": "oauth2"});
    pulse.tools(
        [
            &tool("a", json!([oauth])),
            &tool("b", json!([oauth])),
            &tool("c", json!([oauth, {"type": "noauth"}])),
            &tool("d", json!([{"type": "apiKey"}])),
        ],
        &SurfaceContext::default(),
    );
    flush(&pulse);
    let policies: Vec<_> = sent.startups()[0].tools.iter().map(|tool| tool.policy).collect();
    assert_eq!(policies, [Some(Policy::Identity), Some(Policy::Authorization), Some(Policy::None), None]);
}

#[test]
fn a_surface_is_told_once() {
    let (pulse, sent) = producer();
    let (a, b) = (json!({"name": "a"}), json!({"name": "b"}));
    for tools in [vec![&a, &b], vec![&b, &a], vec![&a], vec![&a, &b]] {
        pulse.tools(tools, &SurfaceContext::default());
    }
    flush(&pulse);
    assert_eq!(sent.startups().len(), 2);
}

#[test]
fn without_a_key_nothing_happens() {
    let pulse = Mcpulse::new(Options::new().key(" "));
    assert!(!pulse.is_on());
    assert_eq!(pulse.call("t").record(|| json!(1)), json!(1));
    assert!(pulse.flush(Duration::ZERO));
    assert_eq!(pulse.losses(), mcpulse::Losses::default());
    assert_eq!(pulse.session_id(), None);
}

#[test]
fn a_try_that_fails_is_repeated_with_the_same_bytes() {
    let (pulse, sent) = producer();
    sent.answer_nothing();
    pulse.call("t").record(|| ());
    assert!(!pulse.flush(Duration::from_secs(60)), "nothing may be tried before five seconds have passed");
    assert_eq!(pulse.losses().waiting, 1);
    let requests = sent.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(payloads_of(&requests[0]).len(), 1);
    assert_eq!(requests[0].idempotency_key().len(), 32);
    let headers = requests[0].headers();
    assert!(headers.contains(&("authorization", "Bearer mp_live_test")));
    assert!(headers.contains(&("content-type", "application/json")));
    assert!(headers.iter().any(|(name, value)| *name == "user-agent" && value.starts_with("mcpulse-rust/")));
}

#[test]
fn a_transport_that_panics_is_no_answer() {
    struct Broken;
    impl mcpulse::Transport for Broken {
        fn send(&self, _: &mcpulse::Request) -> Result<mcpulse::Response, mcpulse::TransportError> {
            panic!("the user's own");
        }
    }
    let pulse = Mcpulse::with_transport(Options::new().key("k"), Arc::new(Broken));
    pulse.call("t").record(|| ());
    assert!(!pulse.flush(Duration::from_secs(60)));
    assert_eq!(pulse.losses().waiting, 1);
}
