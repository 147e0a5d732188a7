//! Matrices to multiply.

use super::{Name, NameError, Random, size};
use crate::Matrix;

/// The one family.
const FAMILY: &str = "product";

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, [(1, 700); 3]))
}

/// Draws what a name says of matrices whose rows, inner dimension and columns are between these: all but split and
/// seed.
pub fn draw(random: &mut Random, sizes: [(usize, usize); 3]) -> String {
    let [rows, inner, columns] = sizes.map(|(least, most)| size(random, least, most));
    format!("{FAMILY}-m{rows}-k{inner}-n{columns}")
}

/// Makes the two matrices of a name. Their values are small whole numbers, whose products add up without rounding
/// in any order.
///
/// ```
/// let (a, b) = nitro_everyday::inputs::matmul::load("train/product-m2-k3-n4-s1", 0)?;
/// assert_eq!((a.rows(), a.columns(), b.rows(), b.columns()), (2, 3, 3, 4));
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of matrices.
pub fn load(name: &str, instance: u64) -> Result<(Matrix, Matrix), NameError> {
    let name = Name::parse(name)?;
    if name.family != FAMILY {
        return Err(name.unknown_family(&[FAMILY]));
    }
    let (rows, inner, columns) = (name.number('m')?, name.number('k')?, name.number('n')?);
    let mut random = name.random(instance)?;
    let mut matrix = |rows: usize, columns: usize| {
        let value = |_| random.below(17) as f32 - 8.0;
        Matrix::new(rows, columns, (0..rows * columns).map(value).collect())
    };
    Ok((matrix(rows, inner), matrix(inner, columns)))
}
