//! Random numbers that are the same everywhere, as names of inputs promise.

/// The SplitMix64 generator of Steele, Lea and Flood (2014).
///
/// ```
/// use nitro_everyday::inputs::Random;
///
/// let mut random = Random::new(7);
/// let size = random.size(10, 1_000);
/// assert!((10..=1_000).contains(&size));
/// assert_eq!(Random::new(7).size(10, 1_000), size);
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts a sequence.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A size between these two, on a logarithmic scale.
    pub fn size(&mut self, least: usize, most: usize) -> usize {
        let (low, high) = ((least as f64).ln(), (most as f64 + 1.0).ln());
        ((low + self.unit() * (high - low)).exp() as usize).clamp(least, most)
    }

    /// One of these.
    ///
    /// # Panics
    /// When there is none.
    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
