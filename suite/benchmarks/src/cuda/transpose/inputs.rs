//! Shapes for the device, from a few thousand elements to several times the size of its cache.

pub use crate::inputs::transpose::{Dense, load};

use crate::variants::transpose::is_coprime;

const FAMILIES: [&str; 5] = ["square", "rectangular", "coprime", "tall", "wide"];
/// Shapes of each family for training.
const TRAIN_SHAPES: usize = 26;
/// Shapes of each family for testing.
const TEST_SHAPES: usize = 42;
/// log2 of the smallest and the largest number of elements: 2^25 of them are 256 MiB.
const ELEMENTS_LOG2: (f64, f64) = (11.0, 25.0);

/// The names of the shapes, those for training first.
pub fn names() -> Vec<String> {
    let mut taken = Vec::new();
    let mut names = Vec::new();
    for (split, count, offset) in [("train", TRAIN_SHAPES, 0.0), ("test", TEST_SHAPES, 0.37)] {
        for family in FAMILIES {
            for index in 0..count {
                let scale = (index as f64 + 0.5) / count as f64;
                let (m, n) = new_shape(family, scale, spread(index, offset), &taken);
                taken.push((m, n));
                names.push(format!("{split}/{family}-m{m}-n{n}"));
            }
        }
    }
    names
}

/// Numbers from 0 to below 1 that lie evenly however many are taken: multiples of the golden ratio.
fn spread(index: usize, offset: f64) -> f64 {
    (index as f64 * 0.618_033_988_749_894_9 + offset).fract()
}

/// A shape of a family that is not taken; larger with `scale`, and narrower or less so with `spread`, both from 0 to 1.
fn new_shape(family: &str, scale: f64, spread: f64, taken: &[(u64, u64)]) -> (u64, u64) {
    let elements = power_of_two(ELEMENTS_LOG2.0 + (ELEMENTS_LOG2.1 - ELEMENTS_LOG2.0) * scale);
    // Between the skinny shapes and their like, on a logarithmic scale.
    let rows = (elements * power_of_two(8.0 * spread - 4.0)).sqrt() as u64;
    let narrow = power_of_two(1.0 + 4.0 * spread).round() as u64;
    let long = (elements / narrow as f64) as u64;
    let shape = |step: u64| match family {
        "square" => (elements.sqrt() as u64 + step, elements.sqrt() as u64 + step),
        "rectangular" => (8 * (rows / 8 + 1 + step), 8 * ((elements / rows as f64) as u64 / 8 + 1)),
        "coprime" => (rows.max(2), (elements / rows.max(2) as f64) as u64 + step),
        "tall" => (long + step, narrow),
        _ => (narrow, long + step),
    };
    let fits = |&(m, n): &(u64, u64)| {
        !taken.contains(&(m, n)) && (family != "coprime" || is_coprime(m as usize, n as usize))
    };
    (0..).map(shape).find(fits).expect("there are as many shapes as numbers")
}

/// About 2 to the power of `exponent`, exact for whole numbers and straight between them: the library's power may
/// differ from machine to machine in its last bit, and names must not.
fn power_of_two(exponent: f64) -> f64 {
    let whole = exponent.floor();
    2f64.powi(whole as i32) * (1.0 + exponent - whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_within_bounds_and_of_their_family() {
        let mut skinny = 0;
        for name in names() {
            let numbers: Vec<usize> =
                name.split(['m', 'n']).filter_map(|part| part.trim_end_matches('-').parse().ok()).collect();
            let [m, n] = numbers[..] else { panic!("{name}") };
            assert!(m > 1 && n > 1 && (1 << 10..1 << 26).contains(&(m * n)), "{name}");
            skinny += usize::from(crate::cuda::transpose::is_skinny(m, n));
        }
        assert!(skinny >= 2 * (TRAIN_SHAPES + TEST_SHAPES), "tall and wide shapes are skinny");
    }
}
