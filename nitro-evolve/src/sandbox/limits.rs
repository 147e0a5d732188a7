//! How long a worker may take, and how many may be lost.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What a [`Sandbox`](super::Sandbox) lets its workers do.
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
    /// Until a new worker says what it runs on.
    pub start: Duration,
    /// Until a worker has begun with a workload, whose inputs it makes.
    pub begin: Duration,
    /// What every candidate may take.
    pub least: Duration,
    /// What a candidate may take, in times of what the original takes.
    pub times: u32,
    /// What a candidate may take besides where the driver compiles it, until it is loaded.
    pub loading: Duration,
    /// Until a worker that was killed is gone, and its device free.
    pub end: Duration,
    /// Workers that may be lost without one that begins between them, which is when it runs the original.
    pub restarts_in_a_row: u32,
    /// Workers that may be lost in the same minute.
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
    /// How long a candidate may take, where the original takes `usual`.
    pub(super) fn deadline(&self, usual: Duration, is_assembled: bool) -> Duration {
        let loading = if is_assembled { Duration::ZERO } else { self.loading };
        self.least.max(usual.saturating_mul(self.times)).saturating_add(loading)
    }
}

/// Time, which tests replace.
pub trait Clock: Send {
    /// Time since some moment.
    fn now(&self) -> Duration;

    /// How long to wait really for what may take this long.
    fn patience(&self, deadline: Duration) -> Duration {
        deadline
    }
}

/// The clock of the machine, which never goes back.
///
/// ```
/// use nitro_evolve::sandbox::{Clock, SystemClock};
///
/// let clock = SystemClock::default();
/// assert!(clock.now() <= clock.now());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SystemClock(Instant);

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

/// What became of the workers so far.
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
    /// Time in which workers that were lost were ended, and others started in their place and began.
    pub restarting: Duration,
}

/// When workers were lost.
#[derive(Default)]
pub(super) struct Losses {
    last_minute: VecDeque<Duration>,
    in_a_row: u32,
}

impl Losses {
    pub(super) fn add(&mut self, now: Duration) {
        self.in_a_row += 1;
        self.last_minute.push_back(now);
    }

    /// Something ran.
    pub(super) fn end_row(&mut self) {
        self.in_a_row = 0;
    }

    /// Whether another worker may be started; otherwise why not.
    pub(super) fn check(&mut self, limits: &Limits, now: Duration) -> Result<(), String> {
        while self.last_minute.front().is_some_and(|&then| now.saturating_sub(then) > Duration::from_secs(60))
        {
            self.last_minute.pop_front();
        }
        if self.in_a_row >= limits.restarts_in_a_row.max(1) {
            return Err(format!("{} workers in a row were lost", self.in_a_row));
        }
        match self.last_minute.len() {
            lost if lost >= limits.restarts_per_minute.max(1) as usize => {
                Err(format!("{lost} workers were lost within a minute"))
            }
            _ => Ok(()),
        }
    }
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

    #[test]
    fn too_many_losses_in_a_row_or_a_minute_are_the_end() {
        let limits = Limits { restarts_in_a_row: 3, restarts_per_minute: 5, ..Limits::default() };
        let mut losses = Losses::default();
        (0..2).for_each(|_| losses.add(SECOND));
        assert_eq!(losses.check(&limits, SECOND), Ok(()));
        losses.add(SECOND);
        assert_eq!(losses.check(&limits, SECOND), Err("3 workers in a row were lost".to_owned()));
        losses.end_row();
        assert_eq!(losses.check(&limits, SECOND), Ok(()));
        (0..2).for_each(|_| losses.add(2 * SECOND));
        assert_eq!(losses.check(&limits, 61 * SECOND), Err("5 workers were lost within a minute".to_owned()));
        assert_eq!(losses.check(&limits, 62 * SECOND), Ok(()), "three of them are a minute ago");
    }
}
