//! Times of all contenders on all inputs of a mix, in rounds.

use std::time::{Duration, Instant};

use nitro_stats::random::Random;
use nitro_stats::statistics::median_high;

use crate::case::{Call, Case};

/// Rounds below which a median says little.
const LEAST: usize = 7;
/// Rounds above which it hardly changes.
const MOST: usize = 101;
/// The share of the budget in which the oracle learns what is fastest.
const SHARE_OF_ORACLE: f64 = 0.25;

/// What takes its turn on every input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contender {
    /// The same call of every input; a variant where it may run.
    All(Call),
    /// The variant that is chosen for each input, without choosing.
    Chosen,
    /// Dispatched, just after the same choice was made untimed: what a call takes whose model is in caches.
    Warm,
    /// The variant that was fastest for each input, in rounds before these.
    Oracle,
}

/// The median times of the calls of one contender, in nanoseconds: one an input, none where it may not run.
pub struct Times {
    pub contender: Contender,
    pub medians_ns: Vec<Option<f64>>,
}

/// Measures until the budget is spent.
pub fn measure(cases: &mut [Box<dyn Case>], budget: Duration) -> Vec<Times> {
    let variants: Vec<Call> = (0..cases[0].function().variants().len()).map(Call::Variant).collect();
    let alone = rounds(singles(&variants, cases), cases, budget.mul_f64(SHARE_OF_ORACLE));
    let fastest = (0..cases.len()).map(|case| fastest(&variants, &alone, case)).collect();
    let chosen = cases.iter_mut().map(|case| Some(Call::Variant(case.selected().variant))).collect();
    let mut runners = vec![
        Runner::all(Call::Dispatched, cases),
        Runner::all(Call::Features, cases),
        Runner::all(Call::Rule, cases),
        Runner::new(Contender::Warm, vec![Some(Call::Dispatched); cases.len()]),
        Runner::new(Contender::Chosen, chosen),
        Runner::new(Contender::Oracle, fastest),
    ];
    runners.extend(singles(&variants, cases));
    rounds(runners, cases, budget.mul_f64(1.0 - SHARE_OF_ORACLE))
}

fn singles(variants: &[Call], cases: &mut [Box<dyn Case>]) -> Vec<Runner> {
    variants.iter().map(|variant| Runner::all(*variant, cases)).collect()
}

/// Finds the variant that took least for an input.
fn fastest(variants: &[Call], alone: &[Times], case: usize) -> Option<Call> {
    let admitted =
        variants.iter().zip(alone).filter_map(|(call, times)| Some((*call, times.medians_ns[case]?)));
    admitted.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(call, _)| call)
}

/// Lets all take turns until the budget is spent.
fn rounds(mut runners: Vec<Runner>, cases: &mut [Box<dyn Case>], budget: Duration) -> Vec<Times> {
    let (mut random, mut order) = (Random::new(1), (0..runners.len()).collect::<Vec<_>>());
    let begin = Instant::now();
    for round in 0..MOST {
        if round >= LEAST && begin.elapsed() >= budget {
            break;
        }
        // In another order each time: what a turn leaves in caches shows in the one behind it.
        random.shuffle(&mut order);
        order.iter().for_each(|index| runners[*index].turn(cases));
    }
    let clock_ns = clock_ns();
    runners.into_iter().map(|runner| runner.times(clock_ns)).collect()
}

/// One contender and the times of its calls.
struct Runner {
    contender: Contender,
    /// Of each input the call and its times; none where the contender may not run.
    calls: Vec<Option<(Call, Vec<f64>)>>,
}

impl Runner {
    fn new(contender: Contender, calls: Vec<Option<Call>>) -> Self {
        Self { contender, calls: calls.into_iter().map(|call| Some((call?, Vec::new()))).collect() }
    }

    /// The same call for all inputs.
    fn all(call: Call, cases: &mut [Box<dyn Case>]) -> Self {
        let may_run = |case: &mut Box<dyn Case>| match call {
            Call::Variant(variant) => case.admits(variant),
            Call::Dispatched | Call::Features | Call::Rule | Call::Select => true,
        };
        Self::new(Contender::All(call), cases.iter_mut().map(|case| may_run(case).then_some(call)).collect())
    }

    /// Goes through all inputs twice. What ran before has left caches and predictors as it needs them, so that only
    /// the second time counts.
    fn turn(&mut self, cases: &mut [Box<dyn Case>]) {
        for counts in [false, true] {
            for (case, call) in cases.iter_mut().zip(&mut self.calls) {
                let Some((call, times_ns)) = call else { continue };
                case.prepare();
                if self.contender == Contender::Warm {
                    case.call(Call::Select);
                }
                let begin = Instant::now();
                case.call(*call);
                times_ns.extend(counts.then(|| begin.elapsed().as_nanos() as f64));
            }
        }
    }

    fn times(self, clock_ns: f64) -> Times {
        let median = |mut times_ns: Vec<f64>| (median_high(&mut times_ns).unwrap_or(0.0) - clock_ns).max(1.0);
        let medians_ns = self.calls.into_iter().map(|call| Some(median(call?.1))).collect();
        Times { contender: self.contender, medians_ns }
    }
}

/// What reading the clock twice takes.
fn clock_ns() -> f64 {
    let mut times_ns: Vec<f64> = (0..10_001).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
    median_high(&mut times_ns).unwrap_or(0.0)
}
