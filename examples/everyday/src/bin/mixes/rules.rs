//! What a thoughtful developer would write instead: an `if` a function, from what the crates say of themselves. All
//! were written before they were measured, and are not changed for what was. Those of `sort`, `find` and `matmul` are
//! younger than a table of the variants' times.

use nitro_everyday::inputs::transform::Signal;
use nitro_everyday::{self as everyday, Matrix, Natural, key_width};

pub fn sort(keys: &[u64]) -> everyday::sort::Variant {
    if keys.len() < 1_000 { everyday::sort::Variant::Unstable } else { everyday::sort::Variant::Voracious }
}

pub fn find(text: &str, needles: &[&str]) -> everyday::find::Variant {
    let one_by_one = needles.len() <= 1 || text.len() < 1_000;
    if one_by_one { everyday::find::Variant::OneByOneVectorised } else { everyday::find::Variant::Automaton }
}

pub fn matmul(a: &Matrix, b: &Matrix) -> everyday::matmul::Variant {
    let small = a.rows() * a.columns() * b.columns() <= 32 * 32 * 32;
    if small { everyday::matmul::Variant::Small } else { everyday::matmul::Variant::Packed }
}

pub fn group(keys: &[u64]) -> everyday::group::Variant {
    let dense = key_width(keys) <= 2 * keys.len() as u64;
    if dense && keys.len() < 1 << 19 {
        everyday::group::Variant::Dense
    } else {
        everyday::group::Variant::FxTable
    }
}

pub fn big_product(a: &Natural, b: &Natural) -> everyday::big_product::Variant {
    let short = a.digits().min(b.digits()) <= 2;
    if short { everyday::big_product::Variant::Schoolbook } else { everyday::big_product::Variant::Dashu }
}

pub fn compress(least_ratio: f64) -> everyday::compress::Variant {
    if least_ratio <= 1.5 { everyday::compress::Variant::Lz4 } else { everyday::compress::Variant::Strongest }
}

pub fn transform(signal: &Signal) -> everyday::transform::Variant {
    let tiny = signal.len().is_power_of_two() && (2..=16).contains(&signal.len());
    if tiny { everyday::transform::Variant::Fixed } else { everyday::transform::Variant::Planned }
}
