//! Where the time of an evolution goes.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// Where the time of a search went, in this session: whether more cores would help, or a faster device.
///
/// ```
/// use std::time::Duration;
///
/// use nitro_evolve::Spent;
///
/// let spent = Spent { benches: 1, idle: Duration::from_secs(6), threads: 16, ..Spent::default() };
/// assert!(spent.to_string().contains("idle for 6.0 s"), "it waited for what was not assembled yet");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spent {
    /// Until the candidates of a generation are drawn, on all cores, while nothing else goes on.
    pub breeding: Duration,
    /// Of all threads together, with making the texts.
    pub assembling: Duration,
    /// Of all threads together, with looking for what is wrong with small inputs.
    pub checking: Duration,
    /// How many threads assemble and look.
    pub threads: usize,
    /// First runs, of all devices together.
    pub first_runs: Duration,
    /// Runs that are timed, with what is checked beside.
    pub timed_runs: Duration,
    /// Until workers that were lost have been replaced.
    pub restarts: Duration,
    /// How many were.
    pub workers: u64,
    /// While candidates were evaluated, and none was ready to run.
    pub idle: Duration,
    /// How many devices run candidates.
    pub benches: usize,
}

impl Spent {
    /// Adds what another part of the work took.
    pub(crate) fn add(&mut self, other: &Self) {
        for (own, other) in [
            (&mut self.breeding, other.breeding),
            (&mut self.assembling, other.assembling),
            (&mut self.checking, other.checking),
            (&mut self.first_runs, other.first_runs),
            (&mut self.timed_runs, other.timed_runs),
            (&mut self.restarts, other.restarts),
            (&mut self.idle, other.idle),
        ] {
            *own += other;
        }
        self.workers += other.workers;
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let devices =
            if self.benches == 1 { "the device".to_owned() } else { format!("{} devices", self.benches) };
        let [breeding, assembling, checking, first, timed, restarts, idle] = [
            self.breeding,
            self.assembling,
            self.checking,
            self.first_runs,
            self.timed_runs,
            self.restarts,
            self.idle,
        ]
        .map(|time| time.as_secs_f64());
        write!(
            formatter,
            "on {devices} first runs took {first:.1} s, timed runs {timed:.1} s, {} new workers {restarts:.1} s, idle for {idle:.1} s; \
             {} threads assembled for {assembling:.1} s together and emulated small inputs for {checking:.1} s, breeding took {breeding:.1} s",
            self.workers, self.threads
        )
    }
}
