//! Keys to sort.

use super::name::Name;
use super::random::{Random, normal};
use super::{InputError, NameProblem};

/// Largest number of built-in keys.
const MAX_KEYS: u64 = 1 << 28;

/// The families of built-in keys.
const FAMILIES: [&str; 7] = ["uniform", "normal", "sorted", "reversed", "almost", "few", "runs"];

/// Keys of one of the two sizes.
#[derive(Debug, Clone, PartialEq)]
pub enum Keys {
    /// 32-bit keys.
    F32(Vec<f32>),
    /// 64-bit keys.
    F64(Vec<f64>),
}

/// The names of the built-in keys, those for training first.
pub fn names() -> Vec<String> {
    let train = [
        "uniform",
        "normal",
        "sorted",
        "reversed",
        "almost-p3",
        "almost-p30",
        "almost-p120",
        "few-k8",
        "few-k300",
        "runs-k2",
        "runs-k4",
        "runs-k50",
    ];
    let test = ["uniform", "sorted", "almost-p10", "almost-p60", "few-k20", "runs-k3", "runs-k20"];
    let (train_sizes, test_sizes) = ([500, 4_000, 20_000, 80_000, 300_000], [1_200, 9_000, 45_000, 150_000]);
    let name = |split: &str, family: &str, n: u64, bits: u32, seed: u64| {
        let (family, rest) =
            family.split_once('-').map_or((family, String::new()), |(f, rest)| (f, format!("-{rest}")));
        format!("{split}/{family}-n{n}-b{bits}{rest}-s{seed}")
    };
    let mut names = Vec::new();
    for (split, sizes, families, seed) in
        [("train", &train_sizes[..], &train[..], 1), ("test", &test_sizes, &test, 2)]
    {
        for &n in sizes {
            for bits in [32, 64] {
                names.extend(families.iter().map(|family| name(split, family, n, bits, seed)));
            }
        }
    }
    names
}

/// Makes built-in keys.
///
/// # Errors
/// A name that is not one of a built-in input; this function reads no files.
pub fn load(name: &str) -> Result<Keys, InputError> {
    let mut name = Name::parse(name, "sort")?;
    let bits = name.take('b', 0, u64::MAX)?;
    let keys = generate(&mut name)?;
    name.finish()?;
    match bits {
        32 => Ok(Keys::F32(keys.into_iter().map(|key| key as f32).collect())),
        64 => Ok(Keys::F64(keys)),
        bits => Err(name.error(NameProblem::KeyBits { bits })),
    }
}

/// Makes the keys of a family.
fn generate(name: &mut Name<'_>) -> Result<Vec<f64>, InputError> {
    let n = name.take('n', 0, MAX_KEYS)? as usize;
    let mut random = Random::new(name.take('s', 0, u64::MAX)?);
    let sorted = |i: usize, random: &mut Random| (i as f64 + random.unit()) / 16.0 - n as f64 / 40.0;
    Ok(match name.family {
        "uniform" => (0..n).map(|_| random.unit() * 2.0 - 1.0).collect(),
        "normal" => (0..n).map(|_| normal(&mut random) * 1e3).collect(),
        "sorted" => (0..n).map(|i| sorted(i, &mut random)).collect(),
        "reversed" => (0..n).rev().map(|i| sorted(i, &mut random)).collect(),
        "almost" => {
            let misplaced_per_mille = name.take('p', 1, 1000)?;
            let mut keys: Vec<f64> = (0..n).map(|i| sorted(i, &mut random)).collect();
            for _ in 0..n as u64 * misplaced_per_mille / 2000 {
                keys.swap(random.below_u64(n as u64) as usize, random.below_u64(n as u64) as usize);
            }
            keys
        }
        "few" => {
            let values = name.take('k', 1, 1 << 20)?;
            (0..n).map(|_| random.below_u64(values) as f64 - values as f64 / 2.0).collect()
        }
        "runs" => {
            let runs = name.take('k', 1, 1 << 20)? as usize;
            let length = n.div_ceil(runs).max(1);
            (0..n).map(|i| sorted(i % length * runs, &mut random)).collect()
        }
        _ => return Err(name.unknown_family(&FAMILIES)),
    })
}
