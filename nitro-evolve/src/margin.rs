//! The share of a time within which two times count as the same: as small as the device's times permit.

use std::time::{Duration, Instant};

use crate::effort::Effort;
use crate::runner::{Code, RunOutcome, Runner, RunnerError, fitness};
use crate::workload::Set;

/// The measurements of the original that show how far times are apart.
const MEASUREMENTS: usize = 8;
/// The time after which no other measurement begins.
const MOST_TIME: Duration = Duration::from_secs(2);
/// The fewest that say something.
const FEWEST: usize = 4;
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
    let least_ns = times_ns.iter().copied().fold(f64::INFINITY, f64::min);
    let most_ns = times_ns.iter().copied().fold(0.0, f64::max);
    let seen = TIMES * (most_ns - least_ns) / least_ns;
    if times_ns.len() < FEWEST || seen.is_nan() {
        return most;
    }
    ((seen * STEPS).ceil() / STEPS).max(LEAST).min(most)
}

#[cfg(test)]
mod tests {
    use super::margin;

    #[test]
    fn a_margin_is_twice_what_times_differ_by_between_two_limits() {
        assert_eq!(margin(&[1000.0, 1001.0, 1000.5, 1001.5], 0.01), 0.003);
        assert_eq!(margin(&[1000.0, 1000.1, 1000.0, 1000.0], 0.01), 0.002);
        assert_eq!(margin(&[1000.0, 1400.0, 1000.0, 1000.0], 0.01), 0.01);
    }

    #[test]
    fn times_that_say_nothing_have_the_largest_margin() {
        for times_ns in [&[][..], &[1e3; 3], &[0.0; 4], &[1e3, f64::NAN, 1e3, f64::INFINITY]] {
            assert_eq!(margin(times_ns, 0.01), 0.01, "{times_ns:?}");
        }
    }
}
