//! The time that a search takes, by what it is for.

use std::fmt;
use std::ops::AddAssign;
use std::time::Instant;

use serde::Serialize;

/// The seconds that the evaluations of a search took in a process, by what they were for.
///
/// ```
/// use nitro_train::measure::Spent;
///
/// let mut spent = Spent { first_runs_s: 2.0, ..Spent::default() };
/// spent += Spent { timed_runs_s: 1.0, preparing_s: 8.25, ..Spent::default() };
/// let text = "3.0 s: 0.0 to propose, 0.0 to wait for the compiler, 0.0 to restore inputs, 2.0 for first runs, 1.0 \
///     for timed runs; 8.2 of threads that compile meanwhile";
/// assert_eq!(spent.to_string(), text);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spent {
    /// Choosing candidates and generating their code, or waiting for those who share the work.
    pub proposing_s: f64,
    /// Waiting until the code of a candidate is ready, where none is.
    pub waiting_s: f64,
    /// Making the input anew before each run.
    pub restoring_s: f64,
    /// First runs of candidates: they compile what was not made ready, and results are compared.
    pub first_runs_s: f64,
    /// Runs whose times count.
    pub timed_runs_s: f64,
    /// Making code ready ahead, e.g. compiling it, beside all that: the sum of all threads.
    pub preparing_s: f64,
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { proposing_s, waiting_s, restoring_s, first_runs_s, timed_runs_s, preparing_s } = self;
        let all_s = proposing_s + waiting_s + restoring_s + first_runs_s + timed_runs_s;
        write!(
            f,
            "{all_s:.1} s: {proposing_s:.1} to propose, {waiting_s:.1} to wait for the compiler, {restoring_s:.1} to \
             restore inputs, {first_runs_s:.1} for first runs, {timed_runs_s:.1} for timed runs; \
             {preparing_s:.1} of threads that compile meanwhile"
        )
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.proposing_s += other.proposing_s;
        self.waiting_s += other.waiting_s;
        self.restoring_s += other.restoring_s;
        self.first_runs_s += other.first_runs_s;
        self.timed_runs_s += other.timed_runs_s;
        self.preparing_s += other.preparing_s;
    }
}

/// Runs something, and returns the seconds that it took beside its result.
pub(crate) fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let begun = Instant::now();
    let result = run();
    (begun.elapsed().as_secs_f64(), result)
}
