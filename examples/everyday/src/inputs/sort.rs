//! Keys to sort.

use super::{Name, NameError, Random, one_of, size};

/// The families of keys: uniform 64-bit numbers; times of events that arrive a little late, some sorted ones and
/// some descending ones; one of `k` values; `k` sorted runs; small numbers such as row identifiers, below 2 to the
/// power of `b`.
pub const FAMILIES: [&str; 7] = ["random", "late", "sorted", "descending", "few", "runs", "small"];

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, &FAMILIES, 4, 400_000))
}

/// Draws what a name says of keys of these families and so many: all but split and seed.
pub fn draw(random: &mut Random, families: &[&str], least: usize, most: usize) -> String {
    let (family, length) = (one_of(random, families), size(random, least, most));
    let rest = match family {
        "late" => format!("-p{}-d{}", size(random, 1, 300), size(random, 1, 1_000)),
        "few" => format!("-k{}", size(random, 2, 2_000)),
        "runs" => format!("-k{}", size(random, 2, 60)),
        "small" => format!("-b{}", size(random, 8, 40)),
        _ => String::new(),
    };
    format!("{family}-n{length}{rest}")
}

/// Makes the keys of a name; `instance` numbers keys of the same kind.
///
/// ```
/// let keys = nitro_everyday::inputs::sort::load("train/few-n100-k3-s1", 0)?;
/// assert_eq!(keys.len(), 100);
/// assert!(keys.iter().all(|key| keys.iter().filter(|other| *other == key).count() > 1));
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of keys.
pub fn load(name: &str, instance: u64) -> Result<Vec<u64>, NameError> {
    let name = Name::parse(name)?;
    let length = name.number('n')?;
    let mut random = name.random(instance)?;
    Ok(match name.family {
        "random" => (0..length).map(|_| random.next_u64()).collect(),
        "late" => late(&mut random, length, name.number('p')?, name.number('d')?),
        "sorted" => times(&mut random, length),
        "descending" => times(&mut random, length).into_iter().rev().collect(),
        "few" => few(&mut random, length, name.number('k')?),
        "runs" => runs(&mut random, length, name.number('k')?),
        "small" => small(&mut random, length, name.number('b')?),
        _ => return Err(name.unknown_family(&FAMILIES)),
    })
}

/// Times of events in nanoseconds, some microseconds after each other.
fn times(random: &mut Random, length: usize) -> Vec<u64> {
    let mut time = 1_700_000_000_000_000_000 + random.next_u64() % (1 << 55);
    let mut next = || {
        time += random.next_u64() % 5_000;
        time
    };
    (0..length).map(|_| next()).collect()
}

/// Times of which so many in a thousand arrived late, behind at most so many others.
fn late(random: &mut Random, length: usize, per_mille: usize, most: usize) -> Vec<u64> {
    let mut keys = times(random, length);
    for place in 0..length {
        if random.below(1_000) < per_mille {
            let end = length.min(place + 2 + random.below(most));
            keys[place..end].rotate_left(1);
        }
    }
    keys
}

fn few(random: &mut Random, length: usize, count: usize) -> Vec<u64> {
    let values: Vec<u64> = (0..count.max(1)).map(|_| random.next_u64()).collect();
    (0..length).map(|_| one_of(random, &values)).collect()
}

/// What several sources had sorted, one after the other.
fn runs(random: &mut Random, length: usize, count: usize) -> Vec<u64> {
    let mut keys: Vec<u64> = (0..length).map(|_| random.next_u64()).collect();
    keys.chunks_mut(length.div_ceil(count.max(1)).max(1)).for_each(<[u64]>::sort_unstable);
    keys
}

fn small(random: &mut Random, length: usize, bits: usize) -> Vec<u64> {
    (0..length).map(|_| random.next_u64() >> 64_usize.saturating_sub(bits).min(63)).collect()
}
