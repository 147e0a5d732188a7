//! The share of a time within which two times count as the same: as small as the device's times permit.

use std::time::{Duration, Instant};

use crate::effort::Effort;
use crate::runner::{Code, RunOutcome, Runner, RunnerError, fitness};
use crate::workload::Set;

/// The measurements of the original that show how far times are apart.
const MEASUREMENTS: usize = 10;
/// The largest times that are left out: a device is slow at first, and something may come between.
const OUTLIERS: usize = 2;
/// The time after which no other measurement begins.
const MOST_TIME: Duration = Duration::from_secs(2);
/// The fewest that say something.
const FEWEST: usize = 6;
/// The margin over the largest distance that was seen, since a few measurements do not show the largest one.
const TIMES: f64 = 2.0;
/// The least margin.
const LEAST: f64 = 0.002;
/// The steps of a margin, which a log keeps.
const STEPS: f64 = 1e4;

/// Measures the original some times, and returns the margin that its times need; `most` where one run is a measurement.
pub(crate) fn measured(
    runner: &mut dyn Runner,
    original: &Code,
    effort: Effort,
    most: f64,
) -> Result<f64, RunnerError> {
    let (began, mut times_ns) = (Instant::now(), Vec::new());
    while effort.runs > 1 && times_ns.len() < MEASUREMENTS && began.elapsed() < MOST_TIME {
        let RunOutcome::Ran(cases) = runner.run(original, Set::Search, effort)? else { break };
        times_ns.extend(fitness(&cases).map(|fitness| fitness.time_ns));
    }
    Ok(margin(&times_ns, most))
}

/// Returns the margin for times that are as far apart as these; `most` where they say nothing.
fn margin(times_ns: &[f64], most: f64) -> f64 {
    let mut ascending = times_ns.to_vec();
    ascending.sort_by(f64::total_cmp);
    if ascending.len() < FEWEST {
        return most;
    }
    let (least_ns, most_ns) = (ascending[0], ascending[ascending.len() - 1 - OUTLIERS]);
    let seen = TIMES * (most_ns - least_ns) / least_ns;
    if seen.is_nan() {
        return most;
    }
    ((seen * STEPS).ceil() / STEPS).max(LEAST).min(most)
}

#[cfg(test)]
mod tests {
    use super::margin;

    #[test]
    fn a_margin_is_twice_what_times_differ_by_between_two_limits() {
        let slow_at_first = [1500.0, 1200.0];
        let with = |others: [f64; 4]| margin(&[&slow_at_first[..], &others].concat(), 0.01);
        assert_eq!(with([1000.0, 1001.0, 1000.5, 1001.5]), 0.003);
        assert_eq!(with([1000.0, 1000.1, 1000.0, 1000.0]), 0.002);
        assert_eq!(with([1000.0, 1400.0, 1000.0, 1000.0]), 0.01);
    }

    #[test]
    fn times_that_say_nothing_have_the_largest_margin() {
        for times_ns in [&[][..], &[1e3; 5], &[0.0; 6], &[1e3, f64::NAN, f64::NAN, f64::NAN, 1e3, 1e3]] {
            assert_eq!(margin(times_ns, 0.01), 0.01, "{times_ns:?}");
        }
    }
}
