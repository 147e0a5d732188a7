//! The limits of workers.

use std::time::{Duration, Instant};

/// The limits that a [`Sandbox`](super::Sandbox) sets to its workers.
///
/// ```
/// use std::time::Duration;
///
/// use nitro_evolve::sandbox::Limits;
///
/// let limits = Limits { restarts_in_a_row: 5, ..Limits::default() };
/// assert_eq!(limits.least, Duration::from_millis(500));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The time until a new worker says what it runs on.
    pub start: Duration,
    /// The time until a worker has begun with a workload, whose inputs it makes.
    pub begin: Duration,
    /// The time that every candidate may take.
    pub least: Duration,
    /// The most times the original's time that a candidate may take.
    pub times: u32,
    /// The time for loading, where the driver compiles a candidate.
    pub loading: Duration,
    /// The time until a worker that was killed is gone, and its device free.
    pub end: Duration,
    /// The most workers that are lost in a row, without one that begins between them and so runs the original.
    pub restarts_in_a_row: u32,
    /// The most workers that are lost in the same minute.
    pub restarts_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(60),
            begin: Duration::from_secs(600),
            least: Duration::from_millis(500),
            times: 20,
            loading: Duration::from_secs(1),
            end: Duration::from_secs(60),
            restarts_in_a_row: 20,
            restarts_per_minute: 1000,
        }
    }
}

impl Limits {
    /// Returns the time that a candidate may take, where the original takes `usual`.
    pub(super) fn deadline(&self, usual: Duration, is_assembled: bool) -> Duration {
        let loading = if is_assembled { Duration::ZERO } else { self.loading };
        self.least.max(usual.saturating_mul(self.times)).saturating_add(loading)
    }
}

/// A clock, which tests replace.
pub trait Clock: Send {
    /// Returns the time since some moment.
    fn now(&self) -> Duration;

    /// Returns the time to wait really for what may take this long.
    fn patience(&self, deadline: Duration) -> Duration {
        deadline
    }
}

/// The clock of the machine, which never goes back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The numbers of workers by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Workers that were started.
    pub workers: u64,
    /// Candidates that ended a worker, or lost its device.
    pub crashes: u64,
    /// Candidates that did not end in time.
    pub timeouts: u64,
    /// Candidates that were not run, since their code had cost a worker before.
    pub quarantined: u64,
    /// The time in which lost workers were ended, and others started in their place and began.
    pub restarting: Duration,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_candidate_has_many_times_the_original_s_time_and_a_least_one() {
        let limits = Limits::default();
        assert_eq!(limits.deadline(Duration::ZERO, false), Duration::from_millis(1500));
        assert_eq!(limits.deadline(SECOND, false), 21 * SECOND);
        assert_eq!(limits.deadline(SECOND, true), 20 * SECOND, "nothing has to be compiled");
        assert_eq!(limits.deadline(Duration::MAX / 2, false), Duration::MAX, "and no overflow");
    }
}
