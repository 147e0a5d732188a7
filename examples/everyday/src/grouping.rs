//! Sums by key.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use nitro::code_variant;
use nitro::features::{distinct, sortedness, span};
use rustc_hash::FxHashMap;

/// Adds up the values of each key, modulo 2 to the power of 64. The groups come in any order.
///
/// The keys are a column of their own, as a data frame or a column store has them. The features look at some of them.
/// The constraint looks at all, where the dense table is what is chosen.
///
/// ```
/// let mut sums = nitro_everyday::group(&[7, 5, 7], &[1, 10, 100]);
/// sums.sort();
/// assert_eq!(sums, [(5, 10), (7, 101)]);
/// ```
///
/// # Panics
/// When there are not as many values as keys.
#[code_variant(
    name = "everyday::group",
    features(
        rows = keys.len(),
        distinct = distinct(keys),
        sortedness = sortedness(keys),
        span = span(keys),
    ),
    variants(std_table, hash_brown, fx_table, tree, sorted, dense if key_width(keys) <= WIDEST),
    default = std_table,
    model = nitro::embedded_model!("models/everyday.group.model"),
)]
pub fn group(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)>;

/// The most keys that the dense table has room for: 9 MB.
const WIDEST: u64 = 1 << 20;

/// Returns the largest less the smallest key: what a table indexed by keys has to span.
///
/// ```
/// assert_eq!(nitro_everyday::key_width(&[1_000, 1_007, 1_002]), 7);
/// ```
#[must_use]
pub fn key_width(keys: &[u64]) -> u64 {
    let (least, most) =
        keys.iter().fold((u64::MAX, 0), |(least, most): (u64, u64), key| (least.min(*key), most.max(*key)));
    most.saturating_sub(least)
}

fn rows<'r>(keys: &'r [u64], values: &'r [u64]) -> impl Iterator<Item = (u64, u64)> + 'r {
    assert_eq!(keys.len(), values.len(), "keys and values are columns of one table");
    keys.iter().copied().zip(values.iter().copied())
}

/// By the table and the hash function of the standard library.
fn std_table(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    by_table(HashMap::new(), keys, values)
}

/// By the same table with a hash function of one multiplication.
fn fx_table(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    by_table(FxHashMap::default(), keys, values)
}

fn by_table<S: BuildHasher>(mut sums: HashMap<u64, u64, S>, keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    for (key, value) in rows(keys, values) {
        add(sums.entry(key).or_default(), value);
    }
    sums.into_iter().collect()
}

fn hash_brown(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    let mut sums = hashbrown::HashMap::new();
    for (key, value) in rows(keys, values) {
        add(sums.entry(key).or_default(), value);
    }
    sums.into_iter().collect()
}

fn add(sum: &mut u64, value: u64) {
    *sum = sum.wrapping_add(value);
}

fn tree(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    let mut sums = BTreeMap::new();
    for (key, value) in rows(keys, values) {
        add(sums.entry(key).or_default(), value);
    }
    sums.into_iter().collect()
}

/// Sorts the rows, then adds up neighbours.
fn sorted(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    let mut rows: Vec<(u64, u64)> = rows(keys, values).collect();
    rows.sort_unstable_by_key(|row| row.0);
    rows.dedup_by(|row, kept| {
        let same = row.0 == kept.0;
        add(&mut kept.1, if same { row.1 } else { 0 });
        same
    });
    rows
}

/// A sum for every key that there could be between the smallest and the largest.
fn dense(keys: &[u64], values: &[u64]) -> Vec<(u64, u64)> {
    let least = keys.iter().copied().min().unwrap_or_default();
    let width = key_width(keys) as usize + 1;
    let (mut sums, mut met) = (vec![0; width], vec![false; width]);
    for (key, value) in rows(keys, values) {
        let place = (key - least) as usize;
        met[place] = true;
        add(&mut sums[place], value);
    }
    let groups = (0..).zip(sums).zip(met).filter(|(_, met)| *met);
    groups.map(|((place, sum), _)| (least + place, sum)).collect()
}
