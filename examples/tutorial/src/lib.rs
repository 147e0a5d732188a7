//! Sets of numbers, kept as sorted lists.

use nitro::code_variant;

/// The numbers that are in both lists. Each is sorted and has no number twice.
#[code_variant(
    name = "intersect",
    features(
        shorter = a.len().min(b.len()),
        ratio = a.len().max(b.len()) as f64 / a.len().min(b.len()).max(1) as f64,
        span = span(a, b),
    ),
    variants(
        merge,
        gallop,
        bitmap if span <= BITMAP_BITS, // takes a bit for every number of the span
    ),
    default = merge,
    model = nitro::embedded_model!("models/intersect.model"),
)]
pub fn intersect(a: &[u32], b: &[u32]) -> Vec<u32>;

/// The most bits that `bitmap` may take: 2 MiB.
const BITMAP_BITS: f64 = (1 << 24) as f64;

/// How many numbers there are from the smallest to the largest of both lists.
fn span(a: &[u32], b: &[u32]) -> f64 {
    let first = a.first().into_iter().chain(b.first()).min();
    let last = a.last().into_iter().chain(b.last()).max();
    first.zip(last).map_or(0.0, |(&first, &last)| f64::from(last - first) + 1.0)
}

/// Walks through both lists side by side.
fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut i, mut j, mut both) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            both.push(a[i]);
        }
        let (step_a, step_b) = (a[i] <= b[j], b[j] <= a[i]);
        i += usize::from(step_a);
        j += usize::from(step_b);
    }
    both
}

/// Looks for each number of the shorter list in the longer one, in steps that double (Bentley and Yao 1976).
fn gallop(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (shorter, mut longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut both = Vec::new();
    for number in shorter {
        let mut step = 1;
        while step < longer.len() && longer[step] < *number {
            step *= 2;
        }
        let window = &longer[step / 2..longer.len().min(step + 1)];
        longer = &longer[step / 2 + window.partition_point(|other| other < number)..];
        match longer.first() {
            Some(found) if found == number => both.push(*number),
            Some(_) => {}
            None => break,
        }
    }
    both
}

/// Sets a bit for each number of one list, and asks it for each number of the other.
fn bitmap(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (Some(&first), Some(&last)) = (b.first(), b.last()) else { return Vec::new() };
    let mut bits = vec![0_u64; (last - first) as usize / 64 + 1];
    for number in b {
        bits[(number - first) as usize / 64] |= 1 << ((number - first) % 64);
    }
    let is_set = |number: &&u32| {
        let place = number.wrapping_sub(first);
        **number >= first && **number <= last && bits[place as usize / 64] >> (place % 64) & 1 == 1
    };
    a.iter().filter(is_set).copied().collect()
}

/// A list of so many numbers with random gaps of this mean (splitmix64, Steele, Lea and Flood 2014).
pub fn random_list(length: usize, mean_gap: u32, seed: u64) -> Vec<u32> {
    let (mut state, mut number) = (seed, 0);
    let next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number += 1 + (mixed ^ (mixed >> 31)) as u32 % (2 * mean_gap - 1);
        number
    };
    std::iter::repeat_with(next).take(length).collect()
}
