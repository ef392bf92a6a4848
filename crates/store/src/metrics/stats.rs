//! The statistics that judgements rest on (`docs/metrics.md`, 9 and 10.6). Distributions come from `statrs`.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::real;
use super::types::Interval;

/// One-sided level of significance.
pub(crate) const ALPHA: f64 = 0.01;
/// Fewer calls than this say nothing.
pub(crate) const ENOUGH: u64 = 20;

/// Part of a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    /// Between 0 and `of`; not whole where it is an expectation.
    pub(crate) part: f64,
    /// More than 0.
    pub(crate) of: f64,
}

impl Share {
    /// `None` of nothing.
    pub(crate) fn new(part: f64, of: u64) -> Option<Self> {
        (of > 0).then(|| Self { part, of: real(of) })
    }

    pub(crate) fn value(self) -> f64 {
        self.part / self.of
    }

    /// Wilson's score interval with a normal quantile.
    pub(crate) fn wilson(self, z: f64) -> Interval {
        let (s, n) = (self.value(), self.of);
        let middle = s + z * z / (2.0 * n);
        let half = z * (s * (1.0 - s) / n + z * z / (4.0 * n * n)).max(0.0).sqrt();
        let scale = 1.0 + z * z / n;
        Interval { low: (middle - half) / scale, high: (middle + half) / scale }
    }

    /// One-sided p value of the share being above a threshold between 0 and 1: the score test, whose inverse is
    /// Wilson's interval.
    pub(crate) fn above(self, threshold: f64) -> f64 {
        upper_tail((self.value() - threshold) / (threshold * (1.0 - threshold) / self.of).sqrt())
    }

    /// One-sided p value of the share being below a threshold.
    pub(crate) fn below(self, threshold: f64) -> f64 {
        upper_tail((threshold - self.value()) / (threshold * (1.0 - threshold) / self.of).sqrt())
    }

    /// One-sided p value of this share being above another: two proportions, pooled.
    pub(crate) fn above_share(self, other: Self) -> f64 {
        let pooled = (self.part + other.part) / (self.of + other.of);
        let variance = pooled * (1.0 - pooled) * (1.0 / self.of + 1.0 / other.of);
        // All or nothing on both sides: there is no difference to test.
        if variance > 0.0 { upper_tail((self.value() - other.value()) / variance.sqrt()) } else { 1.0 }
    }

    /// Newcombe's interval of this share less another.
    pub(crate) fn less(self, other: Self, z: f64) -> Interval {
        let (a, b) = (self.value(), other.value());
        let (wide_a, wide_b) = (self.wilson(z), other.wilson(z));
        let difference = a - b;
        Interval {
            low: difference - (a - wide_a.low).hypot(wide_b.high - b),
            high: difference + (wide_a.high - a).hypot(b - wide_b.low),
        }
    }
}

/// Sizes on the scale of logarithms, taken to be log-normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LogSizes {
    /// How many.
    pub(crate) count: u64,
    /// Mean of the logarithms.
    pub(crate) mean: f64,
    /// Their sample variance.
    pub(crate) variance: f64,
}

/// A standard error below this is none.
const NO_ERROR: f64 = 1e-9;

impl LogSizes {
    /// Logarithm of the mean size, and its standard error (Cox).
    fn mean_and_error(self) -> (f64, f64) {
        let n = real(self.count);
        let error = self.variance / n + self.variance.powi(2) / (2.0 * (n - 1.0));
        (self.mean + self.variance / 2.0, error.sqrt())
    }

    fn distribution(self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, real(self.count.saturating_sub(1))).ok()
    }

    /// One-sided p value of the mean being above a threshold.
    pub(crate) fn above(self, threshold: f64) -> f64 {
        let (mean, error) = self.mean_and_error();
        let beyond = mean - threshold.ln();
        if error < NO_ERROR {
            return if beyond > 0.0 { 0.0 } else { 1.0 };
        }
        self.distribution().map_or(1.0, |t| t.sf(beyond / error))
    }

    /// Lower bound of the mean at one-sided α.
    pub(crate) fn at_least(self) -> f64 {
        let (mean, error) = self.mean_and_error();
        if error < NO_ERROR {
            return mean.exp();
        }
        self.distribution().map_or(0.0, |t| (mean - t.inverse_cdf(1.0 - ALPHA) * error).exp())
    }
}

/// Which of a family of tests are significant, by Holm.
pub(crate) fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut significant = vec![false; p_values.len()];
    for (rank, &test) in order.iter().enumerate() {
        let left = p_values.len() - rank;
        #[allow(clippy::cast_precision_loss, reason = "a report never makes 2^53 tests")]
        if p_values[test] > ALPHA / left as f64 {
            break;
        }
        significant[test] = true;
    }
    significant
}

/// Quantile that leaves α on one side.
pub(crate) fn one_sided_z() -> f64 {
    Normal::standard().inverse_cdf(1.0 - ALPHA)
}

/// Quantile that leaves α on both sides together.
pub(crate) fn two_sided_z() -> f64 {
    Normal::standard().inverse_cdf(1.0 - ALPHA / 2.0)
}

fn upper_tail(z: f64) -> f64 {
    Normal::standard().sf(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f64, want: f64) {
        assert!((got - want).abs() < 5e-5, "{got} is not {want}");
    }

    #[test]
    fn wilson_as_tabulated() {
        // Newcombe 1998: 81 of 263 at 95 % is 0.2553 to 0.3662; 0 of 20 is 0 to 0.1611.
        let z = Normal::standard().inverse_cdf(0.975);
        let wide = Share { part: 81.0, of: 263.0 }.wilson(z);
        near(wide.low, 0.2553);
        near(wide.high, 0.3662);
        let none = Share { part: 0.0, of: 20.0 }.wilson(z);
        near(none.low, 0.0);
        near(none.high, 0.1611);
    }

    #[test]
    fn newcombe_as_tabulated() {
        // Newcombe 1998, method 10: 56 of 70 less 48 of 80 at 95 % is 0.0524 to 0.3339.
        let z = Normal::standard().inverse_cdf(0.975);
        let difference = Share { part: 56.0, of: 70.0 }.less(Share { part: 48.0, of: 80.0 }, z);
        near(difference.low, 0.0524);
        near(difference.high, 0.3339);
    }

    #[test]
    fn the_score_test_is_the_inverse_of_wilson() {
        let share = Share { part: 40.0, of: 100.0 };
        let p = share.below(0.5);
        near(p, 0.02275);
        let z = Normal::standard().inverse_cdf(1.0 - p);
        near(share.wilson(z).high, 0.5);
        near(share.above(0.5) + p, 1.0);
    }

    #[test]
    fn two_proportions_by_hand() {
        // 30 of 50 against 20 of 50: pooled 0.5, z = 0.2 ÷ 0.1.
        let (a, b) = (Share { part: 30.0, of: 50.0 }, Share { part: 20.0, of: 50.0 });
        near(a.above_share(b), 0.02275);
        near(b.above_share(a), 0.97725);
        let all = Share { part: 50.0, of: 50.0 };
        near(all.above_share(all), 1.0);
    }

    #[test]
    fn sizes_without_spread_are_what_they_are() {
        let sizes = LogSizes { count: 30, mean: 20_000_f64.ln(), variance: 0.0 };
        assert_eq!((sizes.above(10_000.0), sizes.above(30_000.0)), (0.0, 1.0));
        near(sizes.at_least() / 20_000.0, 1.0);
    }

    #[test]
    fn sizes_with_spread_by_hand() {
        // m = ln 10000, s² = 0.5, n = 25: c = m + 0.25, e = √(0.02 + 0.25 ÷ 48).
        let sizes = LogSizes { count: 25, mean: 10_000_f64.ln(), variance: 0.5 };
        let t = 0.25 / (0.02 + 0.25 / 48.0_f64).sqrt();
        let want = StudentsT::new(0.0, 1.0, 24.0).map_or(f64::NAN, |d| 1.0 - d.cdf(t));
        near(sizes.above(10_000.0), want);
        assert!(sizes.at_least() < 10_000.0 * 0.25_f64.exp());
    }

    #[test]
    fn holm_stops_at_the_first_that_is_not() {
        assert_eq!(holm(&[0.02, 0.001, 0.004, 0.0034]), [false, true, false, false]);
        assert_eq!(holm(&[0.004, 0.001, 0.002]), [true, true, true]);
        assert_eq!(holm(&[]), Vec::<bool>::new());
    }
}
