//! Signals to transform.

use rustfft::num_complex::Complex;

use super::{Name, NameError, Random, one_of, size};

/// A signal of complex numbers.
pub type Signal = Vec<Complex<f32>>;

/// Drawn are lengths of these kinds: any; powers of two; products of 2, 3 and 5, as who may choose takes; primes.
pub const KINDS: [&str; 4] = ["any", "power", "smooth", "prime"];

/// The one family.
const FAMILY: &str = "signal";

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, &KINDS, 2, 200_000))
}

/// Draws what a name says of a signal of a length between these and of one of these kinds: all but split and seed.
pub fn draw(random: &mut Random, kinds: &[&str], least: usize, most: usize) -> String {
    let (kind, length) = (one_of(random, kinds), size(random, least, most));
    let suits = |length: &usize| match kind {
        "power" => length.is_power_of_two(),
        "smooth" => crate::largest_factor(*length) <= 5,
        "prime" => crate::largest_factor(*length) == *length,
        _ => true,
    };
    // The nearest one below, else above.
    let found = (least..=length).rev().chain(length..=most).find(suits);
    format!("{FAMILY}-n{}", found.unwrap_or(length))
}

/// Makes the signal of a name; `instance` numbers those of the same kind.
///
/// ```
/// let signal = nitro_everyday::inputs::transform::load("train/signal-n12-s1", 0)?;
/// assert_eq!(signal.len(), 12);
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of a signal.
pub fn load(name: &str, instance: u64) -> Result<Signal, NameError> {
    let name = Name::parse(name)?;
    if name.family != FAMILY {
        return Err(name.unknown_family(&[FAMILY]));
    }
    let mut random = name.random(instance)?;
    let mut part = || random.unit() as f32 - 0.5;
    Ok((0..name.number('n')?).map(|_| Complex::new(part(), part())).collect())
}
