//! A constant parameter: one instance of the variant for each of its values.

use nitro::code_variant;

/// The sum of the values. Variants round differently.
#[code_variant(
    name = "sum",
    features(length = values.len()),
    variants(in_order, blocked { const LANES in pow2(2..=32) = 8 } if length >= 32),
    default = in_order,
)]
pub fn sum(values: &[f64]) -> f64;

fn in_order(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// So many sums at once, which the compiler keeps in registers.
fn blocked<const LANES: usize>(values: &[f64]) -> f64 {
    let (blocks, rest) = values.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for block in blocks {
        sums.iter_mut().zip(block).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}
