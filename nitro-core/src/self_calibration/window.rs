//! The windows in which calls are compared. Outside of them nobody observes a call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use once_cell::race::OnceBox;

use crate::epoch;

/// The longest pause because nothing was compared in the last windows.
const LONGEST_IDLE: Duration = Duration::from_secs(10);

/// The end of the open window, in nanoseconds since [`elapsed_ns`] was first asked; 0 while none is open.
static ENDS_NS: AtomicU64 = AtomicU64::new(0);

/// Opens a window of this length.
pub(super) fn open(length: Duration) {
    epoch::observe();
    ENDS_NS.store(elapsed_ns() + length.as_nanos() as u64, Ordering::Relaxed);
}

/// Closes the window, if one is open.
pub(super) fn close() {
    if ENDS_NS.swap(0, Ordering::Relaxed) != 0 {
        epoch::unobserve();
    }
}

/// Returns true while a window is open. Whoever finds one whose time is over closes it: in a process that was forked
/// meanwhile, the thread that opened it is not there.
pub(super) fn is_open() -> bool {
    let ends_ns = ENDS_NS.load(Ordering::Relaxed);
    let is_over = ends_ns != 0 && elapsed_ns() >= ends_ns;
    if is_over {
        close();
    }
    ends_ns != 0 && !is_over
}

fn elapsed_ns() -> u64 {
    static ORIGIN: OnceBox<Instant> = OnceBox::new();
    ORIGIN.get_or_init(|| Box::new(Instant::now())).elapsed().as_nanos() as u64
}

/// Returns the time until the next window, after one that took so long with all that came of it. It is so long that the
/// given share of the time is spent, and twice as long for each window in a row that brought nothing, within limits.
pub(super) fn pause(spent: Duration, share_of_time: f64, idle_windows: u32) -> Duration {
    let pause = spent.mul_f64(1.0 / share_of_time.max(1e-6) - 1.0);
    pause.max(pause.saturating_mul(1 << idle_windows.min(20)).min(LONGEST_IDLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_share_is_spent() {
        let spent = Duration::from_millis(3);
        assert_eq!(pause(spent, 0.25, 0), Duration::from_millis(9));
        assert_eq!(pause(spent, 1.0, 0), Duration::ZERO);
        assert!(pause(spent, f64::MIN_POSITIVE, 0) > Duration::from_secs(1000));
    }

    #[test]
    fn windows_that_bring_nothing_become_rare_up_to_a_limit() {
        let spent = Duration::from_millis(3);
        assert_eq!(pause(spent, 0.25, 3), Duration::from_millis(72));
        assert_eq!(pause(spent, 0.25, u32::MAX), LONGEST_IDLE);
        // A pause that the share asks for is not shortened.
        assert_eq!(pause(Duration::from_secs(30), 0.25, 5), Duration::from_secs(90));
    }
}
