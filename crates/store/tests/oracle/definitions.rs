//! The numbers and rules of the metrics in one place, so that a test can bend one and see the suite notice.

/// The rules the oracle computes by. [`Definitions::default`] is the design; every other value is wrong on purpose.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// A step joins the run when it starts at most this long after the one before ended.
    pub run_gap_ms: i64,
    /// Whether the hash of twelve zeros equals and differs like any other.
    pub sentinel_is_a_hash: bool,
    /// Whether calls are closed intervals, so that one that starts as another ends overlaps it.
    pub closed_intervals: bool,
    /// A call is settled when the clock is this far past the later of its end and its arrival.
    pub settle_ms: i64,
    /// A session and client are crowded with more calls than this in a minute…
    pub crowded_minute: usize,
    /// …or than this in an hour.
    pub crowded_hour: usize,
    /// Whether an empty answer counts as a good one.
    pub empty_is_good: bool,
    /// Whether a step with the hashes of the one before is a step of its own instead of joining it.
    pub repeats_stand_alone: bool,
    /// Whether only the calls that pass the filters make steps, runs and pairs.
    pub filter_before_facts: bool,
    /// Whether the end of a range belongs to it.
    pub closed_ranges: bool,
    /// How many runs the prior of the estimate's fit is worth.
    pub prior_runs: f64,
    /// Whether follow-ups of runs that hold a failure are open like those of clean ones.
    pub unclean_runs_are_open: bool,
    /// Whether a step with repeats is good as its first one was.
    pub first_repeat_decides: bool,
    /// Whether the rank of a percentile is rounded down.
    pub ranks_rounded_down: bool,
    /// Whether the window before is a day long, whatever the range.
    pub day_before: bool,
}

impl Default for Definitions {
    fn default() -> Self {
        Self {
            run_gap_ms: 30_000,
            sentinel_is_a_hash: false,
            closed_intervals: false,
            settle_ms: 40_000,
            crowded_minute: 60,
            crowded_hour: 600,
            empty_is_good: false,
            repeats_stand_alone: false,
            filter_before_facts: false,
            closed_ranges: false,
            prior_runs: 20.0,
            unclean_runs_are_open: false,
            first_repeat_decides: false,
            ranks_rounded_down: false,
            day_before: false,
        }
    }
}

/// Definitions that are wrong in one way each, with what is wrong.
pub fn bent() -> Vec<(&'static str, Definitions)> {
    let good = Definitions::default;
    vec![
        ("a run may pause for 31 s", Definitions { run_gap_ms: 31_000, ..good() }),
        ("a run may pause for 1 ms less", Definitions { run_gap_ms: 29_999, ..good() }),
        ("twelve zeros are a hash like any other", Definitions { sentinel_is_a_hash: true, ..good() }),
        ("calls are closed intervals", Definitions { closed_intervals: true, ..good() }),
        ("calls settle 1 ms late", Definitions { settle_ms: 40_001, ..good() }),
        ("60 calls in a minute are crowded", Definitions { crowded_minute: 59, ..good() }),
        ("600 calls in an hour are crowded", Definitions { crowded_hour: 599, ..good() }),
        ("an empty answer is good", Definitions { empty_is_good: true, ..good() }),
        ("a repeat is a step", Definitions { repeats_stand_alone: true, ..good() }),
        ("filters choose which calls make runs", Definitions { filter_before_facts: true, ..good() }),
        ("the end of a range belongs to it", Definitions { closed_ranges: true, ..good() }),
        ("the prior is worth 21 runs", Definitions { prior_runs: 21.0, ..good() }),
        ("a failure in a run proves nothing", Definitions { unclean_runs_are_open: true, ..good() }),
        ("the first repeat decides", Definitions { first_repeat_decides: true, ..good() }),
        ("ranks are rounded down", Definitions { ranks_rounded_down: true, ..good() }),
        ("the window before is a day", Definitions { day_before: true, ..good() }),
    ]
}
