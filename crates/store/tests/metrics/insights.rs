//! Insights fire with enough calls and enough evidence, and not without.

use mcpulse_store::events::{NewCall, NewPayload};
use mcpulse_store::metrics::Metrics;
use mcpulse_store::metrics::types::{Insight, InsightKind, Scope, Severity};
use mcpulse_store::testing::{agreement, call, startup};
use mcpulse_wire::payload::Outcome;

use crate::help::{DAY, HOUR, NOON, Tweak, calls, days, described, store_of};

/// Calls of a tool a minute apart, the first so many changed.
fn some(tool: &str, count: i64, changed: i64, change: impl Fn(NewCall) -> NewCall) -> Vec<NewPayload> {
    (0..count)
        .map(|at| {
            let made =
                call(&format!("{tool} {}", at / 40), tool, NOON + at * 60_000).hash(at.unsigned_abs() + 1);
            NewPayload::Call(if at < changed { change(made) } else { made })
        })
        .collect()
}

async fn insights(payloads: Vec<NewPayload>) -> Vec<Insight> {
    let events = store_of(NOON, payloads).await;
    events.store.insights(events.server, &days("2026-03-01", "2026-03-01")).await.unwrap().insights
}

/// Kind, severity and tool.
fn brief(insights: &[Insight]) -> Vec<(InsightKind, Severity, &str)> {
    insights.iter().map(|insight| (insight.kind, insight.severity, insight.tool.as_str())).collect()
}

fn failing(made: NewCall) -> NewCall {
    made.outcome(Outcome::ToolError)
}

#[tokio::test]
async fn nineteen_calls_are_not_enough() {
    assert!(insights(some("get", 19, 19, failing)).await.is_empty());
    let found = insights(some("get", 20, 20, failing)).await;
    assert_eq!(brief(&found), [(InsightKind::LowFirstCallSuccess, Severity::High, "get")]);
    assert_eq!((found[0].value, found[0].evidence, found[0].threshold), (0.0, 20, 0.7));
}

#[tokio::test]
async fn a_figure_beyond_the_threshold_needs_evidence() {
    // 13 of 20 is below 70 % and might be chance; 650 of 1 000 is not.
    assert!(insights(some("get", 20, 7, failing)).await.is_empty());
    let found = insights(some("get", 700, 245, failing)).await;
    assert_eq!(brief(&found), [(InsightKind::LowFirstCallSuccess, Severity::Medium, "get")]);
    // Upper bound of Wilson at one-sided 1 % for 455 of 700.
    let bound = found[0].bound.unwrap();
    assert!((bound - 0.6907).abs() < 5e-4, "{bound}");
    assert!(found[0].message.contains("get") && found[0].message.contains("65.0%"), "{}", found[0].message);
}

#[tokio::test]
async fn heavy_empty_and_slow() {
    let mut all = some("heavy", 30, 30, |made| made.units(12_000));
    all.extend(some("huge", 30, 30, |made| made.units(40_000)));
    all.extend(some("hollow", 100, 30, NewCall::empty));
    all.extend(some("slow", 100, 25, |made| made.lasting(2_001)));
    all.extend(some("fine", 100, 25, |made| made.lasting(2_000)));
    assert_eq!(
        brief(&insights(all).await),
        [
            (InsightKind::HeavyAnswers, Severity::High, "huge"),
            (InsightKind::HeavyAnswers, Severity::Medium, "heavy"),
            (InsightKind::SilentEmpties, Severity::Medium, "hollow"),
            (InsightKind::Slow, Severity::Medium, "slow"),
        ]
    );
}

#[tokio::test]
async fn dead_phantom_and_described_alike() {
    let mut listed = described("get 0", &[("find", 1, 7), ("get", 2, 7), ("never", 3, 9), ("rare", 4, 8)]);
    listed.tools[3].policy = Some(mcpulse_wire::payload::Policy::Authorization);
    let mut all = vec![NewPayload::Startup(listed)];
    all.extend(some("get", 30, 0, failing));
    all.extend(some("ghost", 25, 0, failing));
    let found = insights(all.clone()).await;
    assert_eq!(
        brief(&found),
        [
            (InsightKind::PhantomTool, Severity::Medium, "ghost"),
            (InsightKind::DeadTool, Severity::Low, "find"),
            (InsightKind::DeadTool, Severity::Low, "never"),
            (InsightKind::SameDescription, Severity::Low, "find"),
        ]
    );
    assert_eq!((found[3].other_tool.as_deref(), found[3].evidence), (Some("get"), 30));
    assert_eq!((found[2].evidence, found[2].value), (30, 100.0 * 3.0 / 1e6));
    // A tool that was hardly on offer is not dead yet.
    let mut early = vec![NewPayload::Startup(startup("get 0", &["get", "never"]))];
    early.extend(some("get", 19, 0, failing));
    assert!(insights(early).await.is_empty());
}

#[tokio::test]
async fn one_client_far_below_the_others() {
    let mut all = some("get", 100, 50, |made| failing(made).client("weak"));
    all.extend(some("put", 100, 50, |made| made.client("weak")));
    // 50 of weak's calls of get failed; nobody else's did. 0 of 50 against 50 of 50.
    let found = insights(all).await;
    let behind: Vec<_> = found.iter().filter(|insight| insight.kind == InsightKind::ClientBehind).collect();
    assert_eq!(behind.len(), 1);
    assert_eq!(
        (behind[0].client.as_deref(), behind[0].tool.as_str(), behind[0].severity),
        (Some("weak"), "get", Severity::High)
    );
    assert_eq!((behind[0].value, behind[0].threshold, behind[0].evidence), (0.0, 1.0, 50));
}

#[tokio::test]
async fn tools_that_contradict_each_other() {
    let verdicts = |wrong: i64| -> Vec<NewPayload> {
        (0..100)
            .map(|at| NewPayload::Agreement(agreement("s", "total", ["a", "b"], at >= wrong, NOON + at)))
            .collect()
    };
    let found = insights(verdicts(30)).await;
    assert_eq!(brief(&found), [(InsightKind::Disagreement, Severity::High, "a")]);
    assert_eq!((found[0].other_tool.as_deref(), found[0].field.as_deref()), (Some("b"), Some("total")));
    assert_eq!(brief(&insights(verdicts(5)).await), [(InsightKind::Disagreement, Severity::Medium, "a")]);
    assert!(insights(verdicts(1)).await.is_empty());
}

#[tokio::test]
async fn an_hour_worse_than_its_week() {
    let at = |tool: &str, from: i64, count: i64, wrong: i64| -> Vec<NewPayload> {
        let made = (0..count).map(|n| {
            let made = call(&format!("{tool} {from}"), tool, from + n * 40_000).hash(n.unsigned_abs() + 1);
            if n < wrong { failing(made) } else { made }
        });
        calls(made.collect())
    };
    // The last hour begins at NOON.
    let mut all = at("get", NOON, 40, 20);
    all.extend(at("get", NOON - 3 * DAY, 400, 8));
    all.extend(at("fine", NOON, 40, 2));
    all.extend(at("fine", NOON - 3 * DAY, 400, 20));
    all.extend(at("young", NOON, 40, 40));
    let events = store_of(NOON + HOUR / 2, all).await;
    // Whatever range is asked for.
    let scope = Scope { now_ms: NOON + HOUR, ..days("2026-01-01", "2026-01-01") };
    let found = events.store.insights(events.server, &scope).await.unwrap().insights;
    assert_eq!(brief(&found), [(InsightKind::ErrorBurst, Severity::High, "get")]);
    assert_eq!((found[0].value, found[0].threshold), (0.5, 0.02));
}
