//! The host's stopwatch.

use std::sync::OnceLock;
use std::time::Instant;

use crate::Stopwatch;

/// Times by the clock, less what looking at the clock takes: calls may be no longer than that.
pub(super) struct Clock {
    begin: Instant,
}

impl Clock {
    pub(super) fn new() -> Self {
        clock_ns(); // not in the first call that is timed
        Self { begin: Instant::now() }
    }
}

impl Stopwatch for Clock {
    fn start(&mut self) {
        self.begin = Instant::now();
    }

    fn stop(&mut self) -> f64 {
        (self.begin.elapsed().as_nanos() as f64 - clock_ns()).max(0.0)
    }
}

/// What looking at the clock twice takes, in nanoseconds, as a rule.
pub(crate) fn clock_ns() -> f64 {
    const LOOKS: usize = 100;
    static CLOCK_NS: OnceLock<f64> = OnceLock::new();
    *CLOCK_NS.get_or_init(|| {
        let mut looks: Vec<u128> = (0..LOOKS).map(|_| Instant::now().elapsed().as_nanos()).collect();
        looks.sort_unstable();
        looks[LOOKS / 2] as f64
    })
}
