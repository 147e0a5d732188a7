//! Bytes to compress.

use super::{Name, NameError, Random, find, one_of, size};

/// The families: text of words; lines of a log; records in JSON; counters in binary, as a column has them; letters
/// that only their frequencies tell from noise, as of genes; noise, as of what is compressed already.
pub const FAMILIES: [&str; 6] = ["prose", "log", "records", "counters", "letters", "noise"];

/// The names of the recorded inputs, those for training first.
#[must_use]
pub fn names() -> Vec<String> {
    super::names(|random| draw(random, &FAMILIES, (256, 250_000), (100, 500)))
}

/// Draws what a name says of bytes of these families, so many, and of the least ratio in percent: all but split and
/// seed.
pub fn draw(
    random: &mut Random,
    families: &[&str],
    bytes: (usize, usize),
    percent: (usize, usize),
) -> String {
    let (family, bytes) = (one_of(random, families), size(random, bytes.0, bytes.1));
    format!("{family}-n{bytes}-r{}", size(random, percent.0, percent.1))
}

/// Makes the bytes of a name, and the least ratio; `instance` numbers those of the same kind.
///
/// ```
/// let (data, least_ratio) = nitro_everyday::inputs::compress::load("train/log-n500-r150-s1", 0)?;
/// assert_eq!((data.len(), least_ratio), (500, 1.5));
/// # Ok::<(), nitro_everyday::inputs::NameError>(())
/// ```
///
/// # Errors
/// When the name is not one of bytes.
pub fn load(name: &str, instance: u64) -> Result<(Vec<u8>, f64), NameError> {
    let name = Name::parse(name)?;
    let bytes = name.number('n')?;
    let mut random = name.random(instance)?;
    let data = match name.family {
        "prose" | "log" => find::text(name.family, &mut random, bytes).into_bytes(),
        "records" => records(&mut random, bytes),
        "counters" => counters(&mut random, bytes),
        "letters" => (0..bytes).map(|_| one_of(&mut random, b"ACGT")).collect(),
        "noise" => (0..bytes).map(|_| random.next_u64() as u8).collect(),
        _ => return Err(name.unknown_family(&FAMILIES)),
    };
    Ok((data, name.number('r')? as f64 / 100.0))
}

fn records(random: &mut Random, bytes: usize) -> Vec<u8> {
    let mut text = String::with_capacity(bytes + 128);
    let mut id = random.below(1_000_000);
    while text.len() < bytes {
        id += 1 + random.below(3);
        let (state, price) = (one_of(random, &["open", "paid", "sent", "lost"]), random.below(100_000));
        text += &format!("{{\"id\":{id},\"state\":\"{state}\",\"price\":{price},\"tax\":0.19}},\n");
    }
    text.truncate(bytes);
    text.into_bytes()
}

/// 32-bit numbers, each a little above the one before.
fn counters(random: &mut Random, bytes: usize) -> Vec<u8> {
    let mut count = random.below(1 << 24) as u32;
    let mut next = || {
        count += random.below(50) as u32;
        count.to_le_bytes()
    };
    (0..bytes.div_ceil(4)).flat_map(|_| next()).take(bytes).collect()
}
