//! Big integers to multiply.

use super::{Name, NameError, Random, size};
use crate::Natural;

/// The one family.
const FAMILY: &str = "product";

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, [(1, 8_000); 2]))
}

/// Draws what a name says of two numbers of so many 64-bit digits: all but split and seed.
pub fn draw(random: &mut Random, digits: [(usize, usize); 2]) -> String {
    let [one, other] = digits.map(|(least, most)| size(random, least, most));
    format!("{FAMILY}-m{one}-n{other}")
}

/// Makes the two numbers of a name; `instance` numbers those of the same kind.
///
/// ```
/// use nitro_everyday::{big_product, inputs};
///
/// let (a, b) = inputs::big_product::load("train/product-m2-n3-s1", 0)?;
/// assert!((33..=40).contains(&big_product(&a, &b).to_le_bytes().len()));
/// # Ok::<(), inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of numbers.
pub fn load(name: &str, instance: u64) -> Result<(Natural, Natural), NameError> {
    let name = Name::parse(name)?;
    if name.family != FAMILY {
        return Err(name.unknown_family(&[FAMILY]));
    }
    let mut random = name.random(instance)?;
    // The highest digit is not zero.
    let mut number = |digits: usize| Natural::new((0..digits).map(|_| random.next_u64() | 1).collect());
    Ok((number(name.number('m')?), number(name.number('n')?)))
}
