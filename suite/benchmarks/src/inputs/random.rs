//! Random numbers that are the same everywhere and for ever, as names of inputs promise.

pub(crate) use nitro_stats::random::Random;

/// Returns a number of mean 0 and standard deviation 1, nearly normal: the sum of four uniform ones.
pub(crate) fn normal(random: &mut Random) -> f64 {
    let bits = random.next_u64();
    let sum: u64 = (0..4).map(|part| (bits >> (16 * part)) & 0xffff).sum();
    (sum as f64 / 65536.0 - 2.0) * 3f64.sqrt()
}
