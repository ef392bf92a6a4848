//! The conformance kit: it runs a producer's harness (`docs/harness.md`), drives it with real MCP traffic, keeps
//! every byte that it sends, and checks the rules of `spec/protocol.md`, each check by its number.
//!
//! The truth is `spec/`. Nothing here looks into a producer: whatever language it is written in, a command line is
//! all the kit knows of it.

mod checks;
mod documents;
mod expect;
mod harness;
pub mod http1;
mod ingest;
mod kit;
pub mod known;
mod mcp;
mod remote;
mod report;
mod spec;
mod tour;
mod verdict;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use checks::{Check, NO_LINK};
use kit::{Context, Kit};
use mcp::Link;
use verdict::{Fault, fail, skip};

pub use kit::Options;
pub use known::Known;
pub use mcp::Transport;
pub use remote::Remote;
pub use report::{Outcome, Report, Verdict};

/// A check, for people: number, what must be so, rules.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str, &'static [&'static str])> {
    checks::ALL.iter().map(|check| (check.id, check.title, check.rules))
}

/// The numbers of all checks.
pub fn ids() -> impl Iterator<Item = &'static str> {
    checks::ALL.iter().map(|check| check.id)
}

/// Makes the checks; `done` is told of each as it ends, in no order.
///
/// # Errors
/// When the kit itself cannot begin, or is asked for a check that there is not.
pub fn run(options: Options, known: &[Known], done: impl Fn(&Outcome) + Sync) -> Result<Report, String> {
    if let Some(id) = options.only.iter().find(|id| !ids().any(|one| one == id.as_str())) {
        return Err(format!("there is no check {id}"));
    }
    let (command, seed) = (options.command.clone(), options.seed);
    // Those who share a server take turns.
    let jobs = if options.remote.is_some() { 1 } else { options.jobs.max(1) };
    let (waiting, working) = plan(&options);
    let kit = Kit::new(options).map_err(|fault| format!("{fault:?}"))?;
    let outcomes = Mutex::new(Vec::new());
    let go_through = |queue: &Queue| {
        while let Some((check, link)) = queue.next() {
            let known = known::reason(known, check.id, link);
            let begin = Instant::now();
            let result = make(&kit, check, link);
            let outcome = Outcome::new(check, link, result, known, begin.elapsed());
            done(&outcome);
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        }
    };
    thread::scope(|scope| {
        for _ in 0..jobs {
            // Beside each that works there is one that waits, as long as there are any.
            scope.spawn(|| go_through(&waiting));
            scope.spawn(|| [&working, &waiting].into_iter().for_each(go_through));
        }
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by(|one, other| (one.id, &one.link).cmp(&(other.id, &other.link)));
    Ok(Report::new(command, seed, outcomes))
}

/// A check and where it is made.
type Step = (&'static Check, Option<Link>);

/// Checks that several threads take from.
struct Queue {
    steps: Vec<Step>,
    taken: AtomicUsize,
}

impl Queue {
    fn next(&self) -> Option<Step> {
        self.steps.get(self.taken.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

/// What is to be done, check by check and link by link: those that mostly wait, and those that work.
fn plan(options: &Options) -> (Queue, Queue) {
    let queue = |steps| Queue { steps, taken: AtomicUsize::new(0) };
    let wanted = |check: &&Check| options.only.is_empty() || options.only.iter().any(|id| id == check.id);
    let mut plan: Vec<Step> = Vec::new();
    for check in checks::ALL.iter().filter(wanted) {
        if check.links.is_empty() {
            plan.push((check, None));
        }
        let links = check.links.iter().filter(|link| options.transports.contains(&link.transport));
        plan.extend(links.map(|link| (check, Some(*link))));
    }
    if options.remote.is_some() {
        plan.sort_by_key(|(check, _)| remote::place(check));
        return (queue(Vec::new()), queue(plan));
    }
    let (waiting, working) = plan.into_iter().partition(|(check, _)| checks::WAITING.contains(&check.id));
    (queue(waiting), queue(working))
}

fn make(kit: &Kit, check: &Check, link: Option<Link>) -> Result<(), Fault> {
    if kit.options.remote.is_some()
        && let Some(reason) = remote::reason(check, link)
    {
        return skip(reason);
    }
    let context = Context { kit, link: link.unwrap_or(NO_LINK) };
    // A mistake in one check must not cost the others.
    match catch_unwind(AssertUnwindSafe(|| (check.run)(&context))) {
        Ok(result) => result,
        Err(_) => fail("the kit itself panicked"),
    }
}
