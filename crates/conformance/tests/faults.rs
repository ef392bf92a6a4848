//! Every check can fail: a fault that is planted in a small producer is caught by the check meant for it, and
//! without a fault everything passes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use mcpulse_conformance::{Options, Report, Verdict, ids, run};

/// A fault, and the checks meant for it.
const FAULTS: &[(&str, &[&str])] = &[
    ("canonical-naive", &["K-101", "K-109"]),
    ("canonical-first-key", &["K-102"]),
    ("size-in-bytes", &["K-103"]),
    ("blank-in-unicode", &["K-104"]),
    ("schema-without-output", &["K-105"]),
    ("norm-without-repeats", &["K-106"]),
    ("stem-plurals-only", &["K-107"]),
    ("result-whole", &["K-108"]),
    ("hash-of-naive", &["K-201", "K-214"]),
    ("hash-absent-as-null", &["K-202"]),
    ("bad-args-as-tool-error", &["K-203"]),
    ("size-of-the-message", &["K-204"]),
    ("never-empty", &["K-205"]),
    ("empty-by-text", &["K-206"]),
    ("time-of-the-end", &["K-207"]),
    ("names-cut-early", &["K-208"]),
    ("cancelled-recorded", &["K-209"]),
    ("question-recorded", &["K-210"]),
    ("low-level-as-crashed", &["K-211"]),
    ("late-as-bad-args", &["K-212"]),
    ("twice-recorded-twice", &["K-213"]),
    ("task-recorded-at-once", &["K-215"]),
    ("client-of-the-last", &["K-301", "K-302"]),
    ("clients-cut-early", &["K-303"]),
    ("result-changed", &["K-401", "K-406"]),
    ("list-changed", &["K-402"]),
    ("notifies-twice", &["K-403"]),
    ("prints", &["K-404"]),
    ("low-level-changed", &["K-405"]),
    ("sends-canary", &["K-501"]),
    ("debug-prints-arguments", &["K-502"]),
    ("extra-field", &["K-503"]),
    ("debug-prints-key", &["K-504"]),
    ("no-report", &["K-505"]),
    ("refused-uncounted", &["K-505"]),
    ("cancelled-uncounted", &["K-505"]),
    ("schema-in-bytes", &["K-601"]),
    ("startup-without-transport", &["K-602"]),
    ("startup-each-list", &["K-603"]),
    ("startup-when-listed", &["K-604"]),
    ("no-policies", &["K-605"]),
    ("startup-in-ring", &["K-606"]),
    ("startup-of-a-page", &["K-607"]),
    ("fails-with-the-ingest", &["K-701", "K-704", "K-705"]),
    ("blocks", &["K-702", "K-703"]),
    ("tries-refused-again", &["K-704"]),
    ("drops-what-failed", &["K-706"]),
    ("new-key-each-try", &["K-707"]),
    ("tries-at-once", &["K-707"]),
    ("ignores-retry-after", &["K-708"]),
    ("ring-without-end", &["K-709"]),
    ("waits-for-age", &["K-710"]),
    ("sends-each", &["K-710"]),
    ("follows-redirects", &["K-711"]),
    ("gives-up-early", &["K-712"]),
    ("session-per-conversation", &["K-801"]),
    ("session-per-request", &["K-802"]),
    ("conversation-derived", &["K-803"]),
    ("conversation-per-request", &["K-804"]),
    ("session-per-server", &["K-805"]),
    ("session-constant", &["K-806"]),
    ("fork-shares-session", &["K-807"]),
    ("no-flush", &["K-901", "K-902", "K-903", "K-905"]),
    ("changes-the-code", &["K-901", "K-902", "K-903"]),
    ("handles-signals", &["K-904"]),
    ("swallows-errors", &["K-905"]),
    ("keeps-alive", &["K-906"]),
    ("waits-at-exit", &["K-907"]),
    ("client-of-the-last", &["K-910"]),
    ("recorded-twice-at-once", &["K-910"]),
    ("keeps-servers", &["K-911"]),
    ("keeps-arguments", &["K-912"]),
    ("agreements-always", &["K-921"]),
    ("agreements-with-hash", &["K-922"]),
    ("agreements-across", &["K-923"]),
    ("sends-without-key", &["K-931"]),
    ("slashes-kept", &["K-932"]),
    ("dies-of-nonsense", &["K-933"]),
];

/// Checks of what happens over time, which need the protocol's own times.
const TIMED: &[&str] = &["K-606", "K-706", "K-707", "K-708", "K-709", "K-710", "K-712"];

fn conform(fault: &str, only: &[&str], patience: u64) -> Report {
    let mut command =
        vec![env!("CARGO_BIN_EXE_fake-harness").to_owned(), "--fault".to_owned(), fault.to_owned()];
    if !only.iter().any(|id| TIMED.contains(id)) {
        // Batches go out sooner, so that most checks need not wait.
        command.extend(["--age".to_owned(), "500".to_owned()]);
    }
    let mut options = Options::new(command);
    options.only = only.iter().map(|id| (*id).to_owned()).collect();
    options.patience = Duration::from_secs(patience);
    options.documents = 1_000;
    options.jobs = 6;
    run(options, &[], |_| {}).unwrap()
}

fn is_caught(report: &Report, id: &str) -> bool {
    report.checks.iter().any(|check| check.id == id && check.verdict == Verdict::Failed)
}

#[test]
fn every_check_has_a_fault() {
    let meant: BTreeSet<_> = FAULTS.iter().flat_map(|(_, checks)| checks.iter().copied()).collect();
    assert_eq!(meant, ids().collect());
}

#[test]
fn without_a_fault_everything_passes() {
    let (timed, others): (Vec<_>, Vec<_>) = ids().partition(|id| TIMED.contains(id));
    for only in [timed, others] {
        let report = conform("none", &only, 60);
        let bad: Vec<_> = report
            .checks
            .iter()
            .filter(|check| check.verdict != Verdict::Passed)
            .map(|check| check.line())
            .collect();
        assert!(bad.is_empty(), "{}", bad.join("\n"));
    }
}

/// Plants the faults of a topic, by the first digit of the checks meant for them; several at a time, since most of it
/// is waiting.
fn every_fault_is_caught(topic: &str) {
    const AT_ONCE: usize = 4;
    let planted: Vec<(&str, Vec<&str>)> = FAULTS
        .iter()
        .map(|(fault, checks)| {
            (*fault, checks.iter().copied().filter(|id| id.starts_with(topic)).collect::<Vec<_>>())
        })
        .filter(|(_, checks)| !checks.is_empty())
        .collect();
    assert!(!planted.is_empty());
    let (next, missed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((fault, checks)) = planted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = conform(fault, checks, 12);
                    let misses = checks.iter().filter(|id| !is_caught(&report, id));
                    missed.lock().unwrap().extend(misses.map(|id| format!("{id} misses {fault}")));
                }
            });
        }
    });
    let missed = missed.into_inner().unwrap();
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn faults_of_text_are_caught() {
    every_fault_is_caught("K-1");
}

#[test]
fn faults_of_calls_are_caught() {
    every_fault_is_caught("K-2");
}

#[test]
fn faults_of_clients_are_caught() {
    every_fault_is_caught("K-3");
}

#[test]
fn faults_beside_the_twin_are_caught() {
    every_fault_is_caught("K-4");
}

#[test]
fn faults_of_what_is_sent_are_caught() {
    every_fault_is_caught("K-5");
}

#[test]
fn faults_of_startups_are_caught() {
    every_fault_is_caught("K-6");
}

#[test]
fn faults_with_a_bad_ingest_are_caught() {
    every_fault_is_caught("K-7");
}

#[test]
fn faults_of_sessions_are_caught() {
    every_fault_is_caught("K-8");
}

#[test]
fn faults_at_the_end_are_caught() {
    every_fault_is_caught("K-90");
}

#[test]
fn faults_of_many_calls_and_options_are_caught() {
    for topic in ["K-91", "K-92", "K-93"] {
        every_fault_is_caught(topic);
    }
}
