//! What each call is in the light of all the others: its step, its run, what came after it, whether its
//! session is crowded. Worked out over every call of the server; filters come later.

use std::collections::{BTreeMap, BTreeSet};

use crate::definitions::Definitions;
use crate::model::Call;

/// Calls of one tool, session and client that belong together: a fan-out, and the repeats of it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Positions of its calls, repeat by repeat: first those of the first time.
    pub repeats: Vec<Vec<usize>>,
    pub start_ms: i64,
    pub end_ms: i64,
    pub hashes: BTreeSet<u64>,
    /// Whether all calls of its last repeat are good.
    pub good: bool,
}

impl Step {
    /// Positions of all its calls.
    pub fn calls(&self) -> impl Iterator<Item = usize> {
        self.repeats.iter().flatten().copied()
    }
}

/// Steps of one tool, session and client, close to each other in time.
#[derive(Clone, Debug)]
pub struct Run {
    pub tool: String,
    pub steps: Vec<Step>,
    /// Whether its session and client are crowded.
    pub crowded: bool,
}

impl Run {
    /// The run is in a range by the start of its first step.
    pub fn start_ms(&self) -> i64 {
        self.steps[0].start_ms
    }

    /// Whether every step of it is good.
    pub fn is_clean(&self) -> bool {
        self.steps.iter().all(|step| step.good)
    }
}

/// How a step relates to the one before it in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// There is none, or none with other hashes.
    Nothing,
    /// A step with other hashes, after a step that was not good.
    Retry,
    /// A step with other hashes, after a good step.
    FollowUp,
}

/// What one call is in the light of the others.
#[derive(Clone, Debug)]
pub struct Fact {
    /// Position in [`Facts::runs`].
    pub run: usize,
    /// Position in the run's steps.
    pub step: usize,
    /// What this step is to the one before it.
    pub before: Link,
    /// What the step after it is to this one.
    pub behind: Link,
    pub crowded: bool,
    /// Position of the next call of the session and client.
    pub next: Option<usize>,
}

/// Everything worked out over all calls of a server.
pub struct Facts {
    /// One for each call, in the same order.
    pub of_call: Vec<Fact>,
    pub runs: Vec<Run>,
}

/// How two sets of hashes compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Same,
    Other,
    /// A hash of twelve zeros is involved: it equals and differs from nothing.
    Unknown,
}

fn relation(a: &BTreeSet<u64>, b: &BTreeSet<u64>, definitions: &Definitions) -> Relation {
    if !definitions.sentinel_is_a_hash && (a.contains(&0) || b.contains(&0)) {
        Relation::Unknown
    } else if a == b {
        Relation::Same
    } else {
        Relation::Other
    }
}

/// What the later of two neighbouring steps of a run is to the earlier.
fn link(earlier: &Step, later: &Step, definitions: &Definitions) -> Link {
    match relation(&earlier.hashes, &later.hashes, definitions) {
        Relation::Other if earlier.good => Link::FollowUp,
        Relation::Other => Link::Retry,
        Relation::Same | Relation::Unknown => Link::Nothing,
    }
}

impl Facts {
    /// Works out everything.
    pub fn of(calls: &[Call], definitions: &Definitions) -> Self {
        let crowded = crowded_sessions(calls, definitions);
        let mut runs = Vec::new();
        for members in groups(calls, |call| (call.tool.clone(), call.session.clone(), call.client.clone())) {
            let some = &calls[members[0]];
            let crowded = crowded.contains(&(some.session.clone(), some.client.clone()));
            for steps in runs_of(steps_of(calls, &members, definitions), definitions) {
                runs.push(Run { tool: some.tool.clone(), steps, crowded });
            }
        }
        let next = next_calls(calls);
        let mut of_call: Vec<Option<Fact>> = vec![None; calls.len()];
        for (run_at, run) in runs.iter().enumerate() {
            for (step_at, step) in run.steps.iter().enumerate() {
                let earlier = step_at.checked_sub(1).map(|earlier| &run.steps[earlier]);
                let before = earlier.map_or(Link::Nothing, |earlier| link(earlier, step, definitions));
                let later = run.steps.get(step_at + 1);
                let behind = later.map_or(Link::Nothing, |later| link(step, later, definitions));
                for call in step.calls() {
                    of_call[call] = Some(Fact {
                        run: run_at,
                        step: step_at,
                        before,
                        behind,
                        crowded: run.crowded,
                        next: next[call],
                    });
                }
            }
        }
        Self { of_call: of_call.into_iter().map(Option::unwrap).collect(), runs }
    }
}

/// The positions of the calls that share a key, group by group.
fn groups<K: Ord>(calls: &[Call], key: impl Fn(&Call) -> K) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, call) in calls.iter().enumerate() {
        groups.entry(key(call)).or_default().push(at);
    }
    groups.into_values().collect()
}

/// Whether two calls overlap or start together. Intervals are half-open: one that starts as another ends is after it.
fn touch(a: &Call, b: &Call, definitions: &Definitions) -> bool {
    if definitions.closed_intervals {
        return a.started_ms <= b.end_ms() && b.started_ms <= a.end_ms();
    }
    a.started_ms == b.started_ms || (a.started_ms < b.end_ms() && b.started_ms < a.end_ms())
}

/// The steps of one tool, session and client in order of time: connected components, then repeats joined.
fn steps_of(calls: &[Call], members: &[usize], definitions: &Definitions) -> Vec<Step> {
    let mut components: Vec<Vec<usize>> = Vec::new();
    for &call in members {
        // Every component this call touches becomes one with it.
        let (touching, apart): (Vec<_>, Vec<_>) = components.into_iter().partition(|component| {
            component.iter().any(|&other| touch(&calls[call], &calls[other], definitions))
        });
        components = apart;
        components.push(touching.into_iter().flatten().chain([call]).collect());
    }
    let mut fan_outs: Vec<Step> = components
        .into_iter()
        .map(|component| Step {
            start_ms: component.iter().map(|&call| calls[call].started_ms).min().unwrap(),
            end_ms: component.iter().map(|&call| calls[call].end_ms()).max().unwrap(),
            hashes: component.iter().map(|&call| calls[call].hash).collect(),
            good: component.iter().all(|&call| good(&calls[call], definitions)),
            repeats: vec![component],
        })
        .collect();
    fan_outs.sort_by_key(|step| step.start_ms);

    let mut steps: Vec<Step> = Vec::new();
    for fan_out in fan_outs {
        match steps.last_mut() {
            Some(before)
                if !definitions.repeats_stand_alone
                    && follows_on(before, &fan_out, definitions)
                    && relation(&before.hashes, &fan_out.hashes, definitions) == Relation::Same =>
            {
                before.end_ms = before.end_ms.max(fan_out.end_ms);
                if !definitions.first_repeat_decides {
                    before.good = fan_out.good;
                }
                before.repeats.extend(fan_out.repeats);
            }
            _ => steps.push(fan_out),
        }
    }
    steps
}

/// Whether a step begins soon enough after another ended.
fn follows_on(before: &Step, step: &Step, definitions: &Definitions) -> bool {
    step.start_ms - before.end_ms <= definitions.run_gap_ms
}

/// Cuts steps into runs where the pause is too long.
fn runs_of(steps: Vec<Step>, definitions: &Definitions) -> Vec<Vec<Step>> {
    let mut runs: Vec<Vec<Step>> = Vec::new();
    for step in steps {
        match runs.last_mut() {
            Some(run) if follows_on(run.last().unwrap(), &step, definitions) => run.push(step),
            _ => runs.push(vec![step]),
        }
    }
    runs
}

/// Whether a call is good by these definitions.
pub fn good(call: &Call, definitions: &Definitions) -> bool {
    call.is_good() || (definitions.empty_is_good && call.is_empty)
}

/// Sessions and clients busier than one conversation can be.
fn crowded_sessions(calls: &[Call], definitions: &Definitions) -> BTreeSet<(String, String)> {
    let mut crowded = BTreeSet::new();
    for members in groups(calls, |call| (call.session.clone(), call.client.clone())) {
        // A busiest window can be taken to begin as one of its calls starts.
        let most_in = |window_ms: i64| {
            members
                .iter()
                .map(|&first| calls[first].started_ms)
                .map(|from| {
                    members
                        .iter()
                        .filter(|&&call| (from..from + window_ms).contains(&calls[call].started_ms))
                        .count()
                })
                .max()
                .unwrap_or(0)
        };
        if most_in(60_000) > definitions.crowded_minute || most_in(3_600_000) > definitions.crowded_hour {
            let some = &calls[members[0]];
            crowded.insert((some.session.clone(), some.client.clone()));
        }
    }
    crowded
}

/// For each call the next one of its session and client, by start and order of arrival.
fn next_calls(calls: &[Call]) -> Vec<Option<usize>> {
    let mut next = vec![None; calls.len()];
    for mut members in groups(calls, |call| (call.session.clone(), call.client.clone())) {
        members.sort_by_key(|&call| (calls[call].started_ms, calls[call].seq));
        for pair in members.windows(2) {
            next[pair[0]] = Some(pair[1]);
        }
    }
    next
}
