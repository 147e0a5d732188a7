//! The repeats of a variant: until the median is known well enough, or a budget ends.

use nitro_stats::statistics::{interquartile_range, quantile};

/// The rule by which the repeats of one variant on one input end.
///
/// ```
/// use nitro_train::measure::Repeats;
///
/// let repeats = Repeats::default();
/// assert!(!repeats.enough(&[100.0, 101.0]), "two times say little");
/// assert!(repeats.enough(&[1e5; 5]), "these agree");
/// assert!(!repeats.enough(&[1.0e5, 1.2e5, 0.9e5, 1.1e5, 1.3e5]), "these do not");
/// assert!(!repeats.enough(&[100.0; 5]), "a clock's ticks make short times agree");
/// assert!(repeats.enough(&[4e8]), "of so long a run one has to do");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeats {
    /// Number of repeats below which nothing is concluded, unless so many budgets are spent.
    pub least: usize,
    /// Number of repeats above which nothing is gained.
    pub most: usize,
    /// Half the width of the median's 95 % confidence interval that is good enough, as a share of the median.
    pub half_width: f64,
    /// Time for the repeats of one variant, in nanoseconds.
    pub budget_ns: f64,
}

/// The least time, in nanoseconds, that repeats take in all, however well they agree.
///
/// A clock of coarse ticks makes short times agree, and a processor is not itself in the first microseconds.
const LEAST_SPENT_NS: f64 = 1e5;
/// The time, in nanoseconds, below which the mean between the quartiles is kept instead of the median.
///
/// It tells more than the clock's ticks do.
const SHORT_NS: f64 = 2000.0;

impl Default for Repeats {
    fn default() -> Self {
        Self { least: 5, most: 200, half_width: 0.01, budget_ns: 60e6 }
    }
}

impl Repeats {
    /// Returns true if these times of one variant are enough. There has to be one, whatever the limits are.
    #[must_use]
    pub fn enough(&self, times_ns: &[f64]) -> bool {
        if times_ns.is_empty() {
            return false;
        }
        let spent_ns: f64 = times_ns.iter().sum();
        if times_ns.len() < self.least {
            // A run that is this long averages over what makes short ones differ.
            return spent_ns >= self.least as f64 * self.budget_ns;
        }
        times_ns.len() >= self.most
            || spent_ns >= self.budget_ns
            || spent_ns >= LEAST_SPENT_NS.min(self.budget_ns)
                && Summary::of(times_ns).half_width() <= self.half_width
    }
}

/// A summary of the repeats of one variant, in nanoseconds.
///
/// ```
/// use nitro_train::measure::Summary;
///
/// let summary = Summary::of(&[10_400.0, 10_000.0, 10_100.0, 10_300.0, 90_000.0]); // one was disturbed
/// assert_eq!((summary.median_ns, summary.spread_ns), (10_300.0, 300.0));
/// assert!(summary.interval_ns.0 < 10_300.0 && summary.interval_ns.1 > 10_300.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median; below two microseconds the mean of what lies between the quartiles.
    pub median_ns: f64,
    /// The distance between the quartiles.
    pub spread_ns: f64,
    /// The ends of the median's 95 % confidence interval.
    pub interval_ns: (f64, f64),
}

impl Summary {
    /// Summarises at least one time.
    ///
    /// The interval is the distribution-free one between order statistics: the number of times below the median is
    /// binomial, here by its normal approximation (Conover, "Practical Nonparametric Statistics", section 3.2).
    ///
    /// # Panics
    /// When there is no time.
    #[must_use]
    pub fn of(times_ns: &[f64]) -> Self {
        let mut sorted = times_ns.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (count, last) = (sorted.len() as f64, sorted.len() - 1);
        // 0.98 is half of 1.96 standard deviations, which are sqrt(count) / 2.
        let reach = 0.98 * count.sqrt();
        let lower = (count / 2.0 - reach).floor().max(0.0) as usize;
        let upper = ((count / 2.0 + reach).ceil() as usize).min(last);
        let median_ns = quantile(&sorted, 0.5);
        let middle = &sorted[sorted.len() / 4..sorted.len() - sorted.len() / 4];
        Self {
            median_ns: match median_ns < SHORT_NS {
                true => middle.iter().sum::<f64>() / middle.len() as f64,
                false => median_ns,
            },
            spread_ns: interquartile_range(&sorted),
            interval_ns: (sorted[lower], sorted[upper]),
        }
    }

    /// Returns half the width of the interval as a share of the median.
    fn half_width(&self) -> f64 {
        (self.interval_ns.1 - self.interval_ns.0) / 2.0 / self.median_ns.max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPEATS: Repeats = Repeats { least: 5, most: 20, half_width: 0.01, budget_ns: 1e6 };

    #[test]
    fn a_steady_variant_ends_early() {
        assert!(!REPEATS.enough(&[1e5; 4]));
        assert!(REPEATS.enough(&[1e5; 5]));
    }

    #[test]
    fn short_runs_go_on_although_they_agree_and_are_told_finer_than_the_clock_ticks() {
        let repeats = Repeats { most: 5000, ..REPEATS };
        assert!(!repeats.enough(&[100.0; 999]));
        assert!(repeats.enough(&[100.0; 1000]));
        let ticks: Vec<f64> = (0..100).map(|run| if run % 5 == 0 { 20.0 } else { 10.0 }).collect();
        assert!((Summary::of(&ticks).median_ns - 10.0).abs() < 2.0);
        let between: Vec<f64> = (0..100).map(|run| if run % 2 == 0 { 20.0 } else { 10.0 }).collect();
        assert_eq!(Summary::of(&between).median_ns, 15.0);
    }

    #[test]
    fn a_noisy_variant_goes_on_until_it_may_not() {
        let noisy: Vec<f64> = (0..20).map(|n| 100.0 + f64::from(n)).collect();
        assert!(!REPEATS.enough(&noisy[..19]));
        assert!(REPEATS.enough(&noisy), "the most repeats are made");
        assert!(
            REPEATS.enough(&noisy[..6].iter().map(|t| t * 1e4).collect::<Vec<_>>()),
            "the budget is spent"
        );
    }

    #[test]
    fn very_long_runs_are_not_repeated() {
        assert!(!REPEATS.enough(&[4.9e6]));
        assert!(REPEATS.enough(&[5.1e6]), "five budgets are spent");
        assert!(!REPEATS.enough(&[]));
    }

    #[test]
    fn one_run_is_made_whatever_the_limits() {
        let nothing = Repeats { least: 0, most: 0, half_width: 0.0, budget_ns: 0.0 };
        assert!(!nothing.enough(&[]) && nothing.enough(&[5.0]));
    }

    #[test]
    fn one_outlier_moves_neither_median_nor_spread() {
        let summary = Summary::of(&[10.0, 11.0, 12.0, 13.0, 1e9]);
        assert_eq!(summary.median_ns, 12.0);
        assert_eq!(summary.spread_ns, 2.0);
    }

    #[test]
    fn the_interval_narrows_with_the_number_of_times() {
        let times =
            |count: u32| (0..count).map(|n| f64::from(n * 37 % count) / f64::from(count)).collect::<Vec<_>>();
        let width = |count| {
            let (low, high) = Summary::of(&times(count)).interval_ns;
            high - low
        };
        assert!(width(1000) < 0.5 * width(100));
    }
}
