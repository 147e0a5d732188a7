//! The host's stopwatch.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::filler::fill_last_level_cache;
use crate::{Regime, Stopwatch, order};

/// Times by the clock, less the time of looking at the clock: calls may be no longer than that.
pub(super) struct Clock {
    begin: Instant,
    regime: Regime,
}

impl Clock {
    /// A clock for calls in a regime.
    pub(super) fn new(regime: Regime) -> Self {
        clock_ns(); // not in the first call that is timed
        Self { begin: Instant::now(), regime }
    }
}

impl Stopwatch for Clock {
    fn start(&mut self) {
        if self.regime == Regime::Cold {
            fill_last_level_cache();
        }
        self.begin = Instant::now();
    }

    fn stop(&mut self) -> f64 {
        (self.begin.elapsed().as_nanos() as f64 - clock_ns()).max(0.0)
    }
}

/// The usual time of looking at the clock twice, in nanoseconds.
pub(crate) fn clock_ns() -> f64 {
    const LOOKS: usize = 100;
    const UNKNOWN: u64 = f64::NAN.to_bits();
    /// Bits of the number. Threads that look at once each measure it, which is no harm.
    static CLOCK_NS: AtomicU64 = AtomicU64::new(UNKNOWN);
    match CLOCK_NS.load(Ordering::Relaxed) {
        UNKNOWN => {
            let looks: Vec<f64> = (0..LOOKS).map(|_| Instant::now().elapsed().as_nanos() as f64).collect();
            let clock_ns = order::ascending(&looks)[LOOKS / 2];
            CLOCK_NS.store(clock_ns.to_bits(), Ordering::Relaxed);
            clock_ns
        }
        bits => f64::from_bits(bits),
    }
}
