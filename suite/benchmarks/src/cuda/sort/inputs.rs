//! Keys for the device, from a few hundred to several times the size of its cache.

pub use crate::inputs::sort::{Keys, load};

/// Families and numbers of keys that are combined.
struct Part {
    split: &'static str,
    families: &'static [&'static str],
    keys: &'static [u64],
    bits: &'static [u32],
}

/// Large inputs come in fewer families: making them and sorting them on the CPU takes longer than measuring.
const PARTS: [Part; 8] = [
    Part {
        split: "train",
        families: &[
            "uniform",
            "normal",
            "sorted",
            "reversed",
            "almost-p2",
            "almost-p30",
            "almost-p120",
            "few-k8",
            "few-k300",
            "runs-k4",
            "runs-k50",
        ],
        keys: &[1_000, 6_000, 30_000, 150_000, 700_000, 3_000_000],
        bits: &[32, 64],
    },
    Part {
        split: "train",
        families: &["uniform", "sorted", "almost-p2", "almost-p30", "runs-k4"],
        keys: &[12_000_000],
        bits: &[32, 64],
    },
    Part { split: "train", families: &["uniform", "almost-p2", "runs-k4"], keys: &[64_000_000], bits: &[32] },
    Part { split: "train", families: &["uniform", "almost-p2", "runs-k4"], keys: &[32_000_000], bits: &[64] },
    Part {
        split: "test",
        families: &[
            "uniform",
            "normal",
            "sorted",
            "reversed",
            "almost-p1",
            "almost-p10",
            "almost-p60",
            "few-k20",
            "few-k1000",
            "runs-k3",
            "runs-k20",
        ],
        keys: &[500, 2_500, 4_500, 10_000, 45_000, 100_000, 350_000, 1_500_000, 5_000_000],
        bits: &[32, 64],
    },
    Part {
        split: "test",
        families: &["uniform", "sorted", "almost-p1", "almost-p10", "runs-k3"],
        keys: &[20_000_000],
        bits: &[32, 64],
    },
    Part { split: "test", families: &["uniform", "almost-p1", "runs-k3"], keys: &[50_000_000], bits: &[32] },
    Part { split: "test", families: &["uniform", "almost-p1", "runs-k3"], keys: &[25_000_000], bits: &[64] },
];

/// The names of the keys, those for training first.
pub fn names() -> Vec<String> {
    let mut names = Vec::new();
    for part in PARTS {
        let seed = if part.split == "train" { 1 } else { 2 };
        for n in part.keys {
            for bits in part.bits {
                for family in part.families {
                    let (family, rest) =
                        family.split_once('-').map_or((*family, None), |(f, rest)| (f, Some(rest)));
                    let rest = rest.map_or_else(String::new, |rest| format!("-{rest}"));
                    names.push(format!("{}/{family}-n{n}-b{bits}{rest}-s{seed}", part.split));
                }
            }
        }
    }
    names
}
