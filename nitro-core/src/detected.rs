//! What the processor has, found out once.

use std::sync::atomic::{AtomicU8, Ordering};

/// An answer of the processor, which stays the same: one load and one branch after the first time.
#[derive(Debug, Default)]
pub struct Detected(AtomicU8);

impl Detected {
    /// Nothing was asked yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU8::new(UNKNOWN))
    }

    /// The answer; only the first call asks.
    #[inline]
    pub fn get(&self, detect: fn() -> bool) -> bool {
        match self.0.load(Ordering::Relaxed) {
            UNKNOWN => self.ask(detect),
            known => known == YES,
        }
    }

    #[cold]
    fn ask(&self, detect: fn() -> bool) -> bool {
        let is_there = detect();
        self.0.store(if is_there { YES } else { NO }, Ordering::Relaxed);
        is_there
    }
}

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_call_asks() {
        for is_there in [false, true] {
            let detected = Detected::new();
            let first = if is_there { detected.get(|| true) } else { detected.get(|| false) };
            assert_eq!((first, detected.get(|| unreachable!("it is known"))), (is_there, is_there));
        }
    }
}
