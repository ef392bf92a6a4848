//! Peers take turns in rounds that are short beside a scheduler's slice, so that whatever else the machine does
//! falls on all of them alike and most turns are left in peace. What counts is the median of the ratios within
//! each round.

use std::time::{Duration, Instant};

const TURN: Duration = Duration::from_micros(200);
const FEWEST_ROUNDS: usize = 41;
const MOST_ROUNDS: usize = 401;
/// About what one comparison may take.
const BUDGET: Duration = Duration::from_millis(1500);

/// Something to be timed.
pub(crate) struct Peer<'a> {
    name: &'a str,
    run: Box<dyn Fn() + 'a>,
}

/// A peer: `work` is done over and over, and its result kept from being optimised away.
pub(crate) fn peer<'a, T>(name: &'a str, work: impl Fn() -> T + 'a) -> Peer<'a> {
    Peer { name, run: Box::new(move || drop(std::hint::black_box(work()))) }
}

/// What a comparison came to.
pub(crate) struct Outcome {
    ratios: Vec<f64>,
}

impl Outcome {
    /// How many times as long as the first peer the one at `index` took.
    pub(crate) fn ratio(&self, index: usize) -> f64 {
        self.ratios.get(index).copied().unwrap_or(f64::NAN)
    }
}

/// Times the peers in turns and prints a line for each: its median time, and its time over that of the first.
pub(crate) fn compare(title: &str, peers: &[Peer<'_>]) -> Outcome {
    let repeats: Vec<u32> = peers.iter().map(calibrate).collect();
    let mut times = vec![Vec::new(); peers.len()];
    let start = Instant::now();
    for round in 0..MOST_ROUNDS {
        if round >= FEWEST_ROUNDS && start.elapsed() > BUDGET {
            break;
        }
        for turn in 0..peers.len() {
            let index = (round + turn) % peers.len();
            if let (Some(peer), Some(&repeat), Some(times)) =
                (peers.get(index), repeats.get(index), times.get_mut(index))
            {
                times.push(time(peer, repeat));
            }
        }
    }
    let first = times.first().cloned().unwrap_or_default();
    println!("{title}");
    let mut ratios = Vec::new();
    for (peer, times) in peers.iter().zip(&times) {
        let mut rounds: Vec<f64> = times.iter().zip(&first).map(|(own, first)| own / first).collect();
        let ratio = median(&mut rounds);
        println!("  {:<46} {:>14}  {ratio:>7.2}×", peer.name, show(median(&mut times.clone())));
        ratios.push(ratio);
    }
    println!();
    Outcome { ratios }
}

/// How often a peer runs in one turn.
fn calibrate(peer: &Peer<'_>) -> u32 {
    let mut repeat = 1;
    loop {
        // The quicker of two, lest an interruption be taken for slowness.
        let took = time(peer, repeat).min(time(peer, repeat)) * f64::from(repeat);
        if took >= TURN.as_secs_f64() || repeat >= 1 << 24 {
            return repeat;
        }
        repeat *= 2;
    }
}

/// Seconds for each of `repeat` runs.
fn time(peer: &Peer<'_>, repeat: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..repeat {
        (peer.run)();
    }
    start.elapsed().as_secs_f64() / f64::from(repeat)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn show(seconds: f64) -> String {
    if seconds < 1e-6 {
        format!("{:.0} ns", seconds * 1e9)
    } else if seconds < 1e-3 {
        format!("{:.2} µs", seconds * 1e6)
    } else {
        format!("{:.2} ms", seconds * 1e3)
    }
}
