//! Dense matrices to transpose.

use super::InputError;
use super::name::Name;
use super::random::Random;
use crate::variants::transpose::is_coprime;

/// Largest number of rows, and of columns, of a built-in matrix.
const MAX_SIDE: u64 = 1 << 24;
/// Largest number of elements of a built-in matrix.
const MAX_ELEMENTS: u64 = 1 << 28;

/// The families of shapes. They say what a shape is an example of; its parameters alone make the matrix.
const FAMILIES: [&str; 5] = ["square", "rectangular", "coprime", "tall", "wide"];

/// A dense matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The elements.
    pub values: Vec<f64>,
}

/// The names of the built-in shapes, those for training first.
pub fn names() -> Vec<String> {
    let mut taken = Vec::new();
    for (split, each, seed) in [("train", 23, 1), ("test", 11, 2)] {
        let mut random = Random::new(seed);
        for family in FAMILIES {
            for index in 0..each {
                let (rows, columns) = loop {
                    let shape = shape(family, index as f64 / each as f64, &mut random);
                    // Test shapes must be new, and so must the shapes of each part.
                    if !taken.iter().any(|(_, _, other)| *other == shape) {
                        break shape;
                    }
                };
                taken.push((split, family, (rows, columns)));
            }
        }
    }
    taken.into_iter().map(|(split, family, (m, n))| format!("{split}/{family}-m{m}-n{n}")).collect()
}

/// A random shape; its size goes from a small to a large one as `scale` goes from 0 to 1.
fn shape(family: &str, scale: f64, random: &mut Random) -> (u64, u64) {
    let elements = power_of_two(10.6 + 9.8 * scale + random.unit() / 2.0);
    let mut log_uniform = |from: f64, to: f64| power_of_two(from + (to - from) * random.unit());
    match family {
        "square" => (elements.sqrt() as u64, elements.sqrt() as u64),
        "rectangular" => {
            // Multiples of 4, so that there is a common divisor.
            let rows = ((elements * log_uniform(-3.6, 3.6)).sqrt() / 4.0).ceil();
            (4 * rows as u64, 4 * (elements / rows / 16.0).ceil() as u64)
        }
        "coprime" => {
            let rows = (elements * log_uniform(-3.6, 3.6)).sqrt().ceil();
            let columns = (elements / rows).ceil() as u64;
            let coprime = (columns..).find(|&columns| is_coprime(rows as usize, columns as usize));
            (rows as u64, coprime.unwrap_or(columns))
        }
        tall_or_wide => {
            let narrow = log_uniform(1.0, 6.0).round();
            let (narrow, long) = (narrow as u64, (elements / narrow).ceil() as u64);
            if tall_or_wide == "tall" { (long, narrow) } else { (narrow, long) }
        }
    }
}

/// About 2 to the power of `exponent`, exact for whole numbers and straight between them: the library's power may
/// differ from machine to machine in its last bit, and names must not.
fn power_of_two(exponent: f64) -> f64 {
    let whole = exponent.floor();
    2f64.powi(whole as i32) * (1.0 + exponent - whole)
}

/// Makes the matrix of a built-in shape: its elements count up.
///
/// # Errors
/// A name that is not one of a built-in input; this function reads no files.
pub fn load(name: &str) -> Result<Dense, InputError> {
    let mut name = Name::parse(name, "transpose")?;
    if !FAMILIES.contains(&name.family) {
        return Err(name.unknown_family(&FAMILIES));
    }
    let rows = name.take('m', 1, MAX_SIDE)?;
    let columns = name.take('n', 1, MAX_SIDE.min(MAX_ELEMENTS / rows))?;
    name.finish()?;
    let values = (0..rows * columns).map(|index| index as f64).collect();
    Ok(Dense { rows: rows as usize, columns: columns as usize, values })
}
