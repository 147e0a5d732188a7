//! Random numbers for the order of threads.

use super::warp::lanes;

/// Drawing what a launch needs.
pub(crate) struct Random(nitro_stats::random::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(nitro_stats::random::Random::new(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to below `end`.
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0.below(end as usize) as u32
    }

    /// One of a set of lanes.
    pub(crate) fn lane(&mut self, set: u32) -> Option<usize> {
        let at = self.below(set.count_ones().max(1));
        lanes(set).nth(at as usize)
    }

    /// A step that comes by all numbers below `count` before one comes again.
    pub(crate) fn stride(&mut self, count: u32) -> u32 {
        loop {
            let step = 1 + self.below(count);
            let (mut divisor, mut rest) = (step, count);
            while rest != 0 {
                (divisor, rest) = (rest, divisor % rest);
            }
            if divisor == 1 {
                return step;
            }
        }
    }
}
