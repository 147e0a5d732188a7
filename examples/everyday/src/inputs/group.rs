//! Rows to group.

use super::{Name, NameError, Random, one_of, size};

/// Keys, and a value to each.
pub type Columns = (Vec<u64>, Vec<u64>);

/// The families of keys, of which there are up to `k` different ones: random 64-bit numbers, each as often as any
/// other; such numbers, some much more often; row identifiers, which begin anywhere; times of days, in order.
pub const FAMILIES: [&str; 4] = ["random", "skewed", "ids", "ordered"];

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, &FAMILIES, (4, 200_000), (1, 200_000)))
}

/// Draws what a name says of rows of these families, so many, with so many different keys: all but split and seed.
pub fn draw(random: &mut Random, families: &[&str], rows: (usize, usize), keys: (usize, usize)) -> String {
    let (family, rows, keys) =
        (one_of(random, families), size(random, rows.0, rows.1), size(random, keys.0, keys.1));
    format!("{family}-n{rows}-k{keys}")
}

/// Makes the columns of a name; `instance` numbers those of the same kind.
///
/// ```
/// let (keys, values) = nitro_everyday::inputs::group::load("train/ids-n100-k3-s1", 0)?;
/// assert_eq!((keys.len(), values.len()), (100, 100));
/// assert!(nitro_everyday::key_width(&keys) < 3);
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of rows.
pub fn load(name: &str, instance: u64) -> Result<Columns, NameError> {
    let name = Name::parse(name)?;
    let (rows, count) = (name.number('n')?, name.number('k')?.max(1));
    let mut random = name.random(instance)?;
    let (first, day) = (random.next_u64() >> 16, random.below(20_000) as u64);
    let keys = match name.family {
        "random" => {
            let all = numbers(&mut random, count);
            (0..rows).map(|_| one_of(&mut random, &all)).collect()
        }
        "skewed" => {
            let all = numbers(&mut random, count);
            (0..rows).map(|_| all[size(&mut random, 1, count) - 1]).collect()
        }
        "ids" => (0..rows).map(|_| first + random.below(count) as u64).collect(),
        "ordered" => (0..rows).map(|row| (day + (row * count / rows) as u64) * 86_400).collect(),
        _ => return Err(name.unknown_family(&FAMILIES)),
    };
    Ok((keys, (0..rows).map(|_| random.next_u64() >> 40).collect()))
}

fn numbers(random: &mut Random, count: usize) -> Vec<u64> {
    (0..count).map(|_| random.next_u64()).collect()
}
