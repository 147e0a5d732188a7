//! Random numbers of the tests, the same on every machine.

/// The generator of Nitro, as tests call it.
#[derive(Clone, Debug)]
pub struct Random(nitro_stats::random::Random);

impl Random {
    /// Creates the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(nitro_stats::random::Random::new(seed))
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a number from 0 to below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0.below_u64(end)
    }
}
