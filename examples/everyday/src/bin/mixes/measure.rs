//! Times of all contenders on all inputs of a mix, in rounds.

use std::time::{Duration, Instant};

use nitro_stats::statistics::median_high;

use crate::case::{Case, Contender};

/// Rounds below which a median says little.
const LEAST: usize = 7;
/// Rounds above which it hardly changes.
const MOST: usize = 101;

/// The median times of the calls of one contender, in nanoseconds: one an input, none where it may not run.
pub struct Times {
    pub contender: Contender,
    pub medians_ns: Vec<Option<f64>>,
}

/// Measures until the budget is spent.
pub fn measure(cases: &mut [Box<dyn Case>], budget: Duration) -> Vec<Times> {
    let variants = cases[0].function().variants().len();
    let contenders =
        [Contender::Dispatched, Contender::Features].into_iter().chain((0..variants).map(Contender::Variant));
    let mut runners: Vec<Runner> = contenders.map(|contender| Runner::new(contender, cases)).collect();
    let begin = Instant::now();
    for round in 0..MOST {
        if round >= LEAST && begin.elapsed() >= budget {
            break;
        }
        // Each time another one begins.
        let first = round % runners.len();
        runners.rotate_left(first);
        runners.iter_mut().for_each(|runner| runner.turn(cases));
        runners.rotate_right(first);
    }
    let clock_ns = clock_ns();
    runners.into_iter().map(|runner| runner.times(clock_ns)).collect()
}

/// One contender and the times of its calls.
struct Runner {
    contender: Contender,
    /// Of each input; none where the contender may not run.
    times_ns: Vec<Option<Vec<f64>>>,
}

impl Runner {
    fn new(contender: Contender, cases: &mut [Box<dyn Case>]) -> Self {
        let may_run = |case: &mut Box<dyn Case>| match contender {
            Contender::Dispatched | Contender::Features => true,
            Contender::Variant(variant) => case.admits(variant),
        };
        let times_ns = cases.iter_mut().map(|case| may_run(case).then(Vec::new)).collect();
        Self { contender, times_ns }
    }

    /// Goes through all inputs twice. What ran before has left caches and predictors as it needs them, so that only
    /// the second time counts.
    fn turn(&mut self, cases: &mut [Box<dyn Case>]) {
        for counts in [false, true] {
            for (case, times_ns) in cases.iter_mut().zip(&mut self.times_ns) {
                let Some(times_ns) = times_ns else { continue };
                case.prepare();
                let begin = Instant::now();
                case.call(self.contender);
                times_ns.extend(counts.then(|| begin.elapsed().as_nanos() as f64));
            }
        }
    }

    fn times(self, clock_ns: f64) -> Times {
        let median = |mut times_ns: Vec<f64>| (median_high(&mut times_ns).unwrap_or(0.0) - clock_ns).max(1.0);
        let medians_ns = self.times_ns.into_iter().map(|times_ns| times_ns.map(median)).collect();
        Times { contender: self.contender, medians_ns }
    }
}

/// What reading the clock twice takes.
fn clock_ns() -> f64 {
    let mut times_ns: Vec<f64> = (0..10_001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
    median_high(&mut times_ns).unwrap_or(0.0)
}
