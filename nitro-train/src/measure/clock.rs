//! The clock of a recording, which tests can replace, and time that was lost.

use std::fmt::Debug;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A clock that decides when a recording ends, and what it repeats. Variants are timed by their device.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use std::time::Duration;
/// use nitro_train::measure::{Clock, Inputs, Plan, Repeats, Share, Silent, record_inputs};
///
/// /// A clock of a test, by which it is late.
/// #[derive(Debug)]
/// struct Late;
///
/// impl Clock for Late {
///     fn now(&self) -> Duration {
///         Duration::from_secs(60)
///     }
/// }
///
/// let names = ["10".to_owned()];
/// let plan = Plan::new(Inputs::Generated(&names), Repeats::default(), Share::default());
/// let plan = Plan { until: Some(Duration::from_secs(30)), clock: &Late, ..plan };
/// let mut store = nitro_train::store::memory()?;
/// assert_eq!(record_inputs(sort::function(), &Desk, &plan, &mut *store, &Silent, keys)?.measured, 0);
/// # Ok::<(), BoxError>(())
/// ```
pub trait Clock: Debug + Sync {
    /// Returns the time since some moment, the same for the life of the process.
    fn now(&self) -> Duration;
}

/// The clock of the machine, which never goes back.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

/// The periods after which a look is so late that the process, or its machine, was stopped.
const LATE_PERIODS: u32 = 10;

/// A detector of time in which nothing ran, since this process or its machine was stopped.
#[derive(Debug)]
pub(crate) struct StopDetector {
    period: Duration,
    looked: Duration,
}

/// The time between two looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    /// The part of it in which the process ran.
    pub(crate) watched: Duration,
    /// The part of it in which it was stopped.
    pub(crate) lost: Duration,
}

impl StopDetector {
    /// Creates a detector that is to look at the clock once a period.
    pub(crate) fn new(period: Duration, now: Duration) -> Self {
        Self { period, looked: now }
    }

    /// Looks at the clock, and returns the time since the last look.
    pub(crate) fn look(&mut self, now: Duration) -> Interval {
        let passed = now.saturating_sub(self.looked);
        self.looked = now;
        let is_late = passed > LATE_PERIODS * self.period;
        let watched = if is_late { self.period } else { passed };
        Interval { watched, lost: passed - watched }
    }
}

/// A sum of the time that was lost, as far as one looks once a period.
pub(super) struct LostTime<'a> {
    clock: &'a dyn Clock,
    detector: Mutex<(StopDetector, Duration)>,
}

impl<'a> LostTime<'a> {
    pub(super) const PERIOD: Duration = Duration::from_millis(20);

    pub(super) fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, detector: Mutex::new((StopDetector::new(Self::PERIOD, clock.now()), Duration::ZERO)) }
    }

    /// Looks at the clock, and returns the time that was lost until now.
    pub(super) fn look(&self) -> Duration {
        let mut detector = self.detector.lock().unwrap_or_else(PoisonError::into_inner);
        let (detector, lost) = &mut *detector;
        *lost += detector.look(self.clock.now()).lost;
        *lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_between_looks_that_are_far_apart_is_lost() {
        let period = Duration::from_millis(20);
        let mut detector = StopDetector::new(period, Duration::ZERO);
        let mut look = |ms| detector.look(Duration::from_millis(ms));
        assert_eq!(look(20), Interval { watched: period, lost: Duration::ZERO });
        assert_eq!(look(120), Interval { watched: 5 * period, lost: Duration::ZERO }, "a busy machine");
        assert_eq!(look(9120), Interval { watched: period, lost: Duration::from_millis(8980) });
        assert_eq!(look(9130).watched, Duration::from_millis(10), "the next look is an ordinary one");
    }
}
