//! Tests and intervals (docs/metrics.md, 9 and 10). Distribution functions come from a kept crate.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Level of every one-sided test.
pub const ALPHA: f64 = 0.01;

/// Where a share is tested to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Above,
    Below,
}

fn normal() -> Normal {
    Normal::new(0.0, 1.0).unwrap()
}

fn upper_tail(z: f64) -> f64 {
    normal().sf(z)
}

/// p value of a share of n lying past a threshold.
pub fn share_p(share: f64, n: f64, threshold: f64, side: Side) -> f64 {
    let z = (share - threshold) / (threshold * (1.0 - threshold) / n).sqrt();
    upper_tail(if side == Side::Above { z } else { -z })
}

/// Wilson's lower and upper bound of a share of n, each z standard errors away.
pub fn wilson(share: f64, n: f64, z: f64) -> (f64, f64) {
    let middle = share + z * z / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - reach) / scale, (middle + reach) / scale)
}

/// The bound of a share that faces the threshold, at α.
pub fn share_bound(share: f64, n: f64, side: Side) -> f64 {
    let (low, high) = wilson(share, n, normal().inverse_cdf(1.0 - ALPHA));
    if side == Side::Above { low } else { high }
}

/// p value of y of m being a larger share than x of n: pooled two-proportion test.
pub fn two_shares_p(x: u64, n: u64, y: u64, m: u64) -> f64 {
    let [x, n, y, m] = [x, n, y, m].map(|count| count as f64);
    let pooled = (x + y) / (n + m);
    if pooled == 0.0 || pooled == 1.0 {
        return 1.0;
    }
    upper_tail((y / m - x / n) / (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt())
}

/// The mean of a log-normal by Cox's method.
pub struct Cox {
    centre: f64,
    error: f64,
    freedom: f64,
}

impl Cox {
    /// From sizes, of which there are at least two.
    pub fn of(sizes: &[u64]) -> Self {
        let n = sizes.len() as f64;
        let logs: Vec<f64> = sizes.iter().map(|&size| (size.max(1) as f64).ln()).collect();
        let mean = logs.iter().sum::<f64>() / n;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self {
            centre: mean + variance / 2.0,
            error: (variance / n + variance.powi(2) / (2.0 * (n - 1.0))).sqrt(),
            freedom: n - 1.0,
        }
    }

    fn student(&self) -> StudentsT {
        StudentsT::new(0.0, 1.0, self.freedom).unwrap()
    }

    /// p value of the mean being above a threshold.
    pub fn p_above(&self, threshold: f64) -> f64 {
        if self.error < 1e-9 {
            return if self.centre > threshold.ln() { 0.0 } else { 1.0 };
        }
        self.student().sf((self.centre - threshold.ln()) / self.error)
    }

    /// Lower bound of the mean at α.
    pub fn bound(&self) -> f64 {
        (self.centre - self.student().inverse_cdf(1.0 - ALPHA) * self.error).exp()
    }
}

/// Which of a family of p values are significant at α: Holm's correction.
pub fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut significant = vec![false; p_values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        if p_values[at] > ALPHA / (p_values.len() - rank) as f64 {
            break;
        }
        significant[at] = true;
    }
    significant
}

/// Newcombe's 99 % interval of a difference of shares, `a` of n less `b` of m.
pub fn newcombe(a: f64, n: f64, b: f64, m: f64) -> (f64, f64) {
    let z = normal().inverse_cdf(0.995);
    let ((low_a, high_a), (low_b, high_b)) = (wilson(a, n, z), wilson(b, m, z));
    let difference = a - b;
    (difference - (a - low_a).hypot(high_b - b), difference + (high_a - a).hypot(b - low_b))
}
