//! Sorting 64-bit keys.

use nitro::code_variant;
use voracious_radix_sort::RadixSort;

/// Sorts 64-bit keys in place.
///
/// ```
/// let mut keys = [30, 10, 20];
/// nitro_everyday::sort(&mut keys);
/// assert_eq!(keys, [10, 20, 30]);
/// ```
#[code_variant(
    name = "everyday::sort",
    features(
        length = keys.len(),
        sortedness = sortedness(keys),
        repeats = sampled_repeats(keys),
        bits = sampled_bits(keys),
    ),
    variants(unstable, stable, glide, radix, voracious),
    default = unstable,
    model = nitro::embedded_model!("models/everyday.sort.model"),
)]
pub fn sort(keys: &mut [u64]);

fn unstable(keys: &mut [u64]) {
    keys.sort_unstable();
}

fn stable(keys: &mut [u64]) {
    keys.sort();
}

fn glide(keys: &mut [u64]) {
    glidesort::sort(keys);
}

fn radix(keys: &mut [u64]) {
    radsort::sort(keys);
}

fn voracious(keys: &mut [u64]) {
    keys.voracious_sort();
}

/// Keys that a feature looks at: some hundred nanoseconds.
const SAMPLE: usize = 64;

/// Evenly spaced keys.
fn spaced(keys: &[u64]) -> impl Iterator<Item = u64> {
    keys.iter().step_by((keys.len() / SAMPLE).max(1)).take(SAMPLE).copied()
}

/// Pairs of neighbours that are looked at in long lists, at most: one of [`PAIRS_APART`].
const MOST_PAIRS: usize = 512;
const PAIRS_APART: usize = 128;

/// The share of sampled neighbours that are in order: 1 of ascending keys, 0.5 of random ones, 0 of descending ones.
/// A few keys out of order make what is fastest for sorted keys several times slower, so that a long list has more
/// pairs looked at than [`nitro::features::sortedness`] does.
///
/// ```
/// assert_eq!(nitro_everyday::sortedness(&[1, 2, 3, 2, 4]), 0.75);
/// ```
#[must_use]
pub fn sortedness(keys: &[u64]) -> f64 {
    let most = (keys.len() / PAIRS_APART).clamp(SAMPLE, MOST_PAIRS);
    let pairs = keys.windows(2).step_by((keys.len() / most).max(1)).take(most);
    let (count, descents) =
        pairs.fold((0, 0), |(count, descents), pair| (count + 1, descents + u32::from(pair[1] < pair[0])));
    1.0 - f64::from(descents) / f64::from(count.max(1))
}

/// The share of sampled keys that repeat another one of the sample.
///
/// ```
/// assert_eq!(nitro_everyday::sampled_repeats(&[7, 5, 7, 7]), 0.5);
/// ```
#[must_use]
pub fn sampled_repeats(keys: &[u64]) -> f64 {
    let mut sample = [0; SAMPLE];
    let count = spaced(keys).zip(&mut sample).map(|(key, place)| *place = key).count();
    let sample = &mut sample[..count];
    sample.sort_unstable();
    let repeats = sample.windows(2).filter(|pair| pair[0] == pair[1]).count();
    repeats as f64 / count.max(1) as f64
}

/// How many low bits tell the sampled keys apart, which is how many digits a radix sort has to look at.
///
/// ```
/// assert_eq!(nitro_everyday::sampled_bits(&[0xab01, 0xab07, 0xab02]), 3);
/// ```
#[must_use]
pub fn sampled_bits(keys: &[u64]) -> u32 {
    let first = keys.first().copied().unwrap_or_default();
    u64::BITS - spaced(keys).fold(0, |bits, key| bits | (key ^ first)).leading_zeros()
}
