//! Random numbers that are the same everywhere, as names of inputs promise.

pub use nitro_stats::random::Random;

/// Returns a size between these two, evenly distributed on a logarithmic scale.
///
/// ```
/// use nitro_everyday::inputs::{Random, size};
///
/// let drawn = size(&mut Random::new(7), 10, 1_000);
/// assert!((10..=1_000).contains(&drawn));
/// assert_eq!(size(&mut Random::new(7), 10, 1_000), drawn);
/// ```
pub fn size(random: &mut Random, least: usize, most: usize) -> usize {
    let (low, high) = ((least as f64).ln(), (most as f64 + 1.0).ln());
    ((low + random.unit() * (high - low)).exp() as usize).clamp(least, most)
}

/// Returns one of these.
///
/// # Panics
/// When there is none.
pub fn one_of<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len())]
}
