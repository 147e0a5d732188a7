//! The matrices that `cuda_spmv` is measured on.

use crate::inputs::name::Name;
use crate::inputs::{self, InputError};

use super::{Csr, generators};

/// Entries that the generated matrices have, about; the largest are several times as large as a GPU's caches.
const TRAIN: [u64; 4] = [30_000, 300_000, 2_400_000, 12_000_000];
/// As above.
const TEST: [u64; 6] = [12_000, 100_000, 700_000, 1_500_000, 5_000_000, 16_000_000];

/// Family, parameters besides the size, and entries of a row.
const SHAPES: [(&str, &str, u64); 31] = [
    ("stencil2d", "", 5),
    ("stencil3d", "", 7),
    ("box2d", "", 9),
    ("box3d", "", 27),
    ("banded", "-w1-p100", 3),
    ("banded", "-w2-p100", 5),
    ("banded", "-w4-p60", 6),
    ("banded", "-w8-p100", 17),
    ("banded", "-w16-p30", 11),
    ("banded", "-w32-p15", 11),
    ("blocks", "-k3-d5", 18),
    ("blocks", "-k4-d2", 12),
    ("blocks", "-k8-d3", 32),
    ("regular", "-k2", 2),
    ("regular", "-k4", 4),
    ("regular", "-k8", 8),
    ("regular", "-k16", 16),
    ("regular", "-k32", 32),
    ("regular", "-k64", 64),
    ("power", "-k3", 3),
    ("power", "-k6", 6),
    ("power", "-k12", 12),
    ("power", "-k30", 30),
    ("rmat", "-k8", 8),
    ("rmat", "-k20", 20),
    ("outliers", "-k1", 1),
    ("outliers", "-k4", 3),
    ("random", "-k5", 5),
    ("random", "-k15", 15),
    ("long", "-m8", 8),
    ("long", "-m100", 100),
];

/// The names of the built-in matrices: generated ones for training, generated and real ones for testing.
#[must_use]
pub fn names() -> Vec<String> {
    let of = |split: &'static str, seed: u64, sizes: &'static [u64]| {
        let name = move |nonzeros: &u64, (family, shape, per_row): (&str, &str, u64)| {
            format!("{split}/{family}{}{shape}-s{seed}", size(family, *nonzeros, per_row))
        };
        SHAPES.into_iter().flat_map(move |shape| sizes.iter().map(move |nonzeros| name(nonzeros, shape)))
    };
    let shipped = inputs::spmv::names().into_iter().filter(|name| name.starts_with("test/suitesparse/"));
    of("train", 1, &TRAIN).chain(of("test", 2, &TEST)).chain(shipped).collect()
}

/// The parameters of a family that give a matrix of about so many entries.
fn size(family: &str, nonzeros: u64, per_row: u64) -> String {
    let rows = (nonzeros / per_row).max(1);
    match family {
        "stencil2d" | "box2d" => format!("-g{}", (rows as f64).sqrt() as u64),
        "stencil3d" | "box3d" => format!("-g{}", (rows as f64).cbrt() as u64),
        "rmat" => format!("-n{}", rows.ilog2()),
        "random" => format!("-m{rows}-n{rows}"),
        "long" => format!("-k{}", nonzeros / per_row),
        _ => format!("-n{rows}"),
    }
}

/// Makes a built-in matrix, or reads a shipped one or a file in Matrix Market form.
///
/// # Errors
/// A name that is neither a built-in one nor a file's, or a file that is no usable matrix.
pub fn load(name: &str) -> Result<Csr, InputError> {
    let is_generated =
        Name::parse(name, "cuda_spmv").is_ok_and(|name| generators::FAMILIES.contains(&name.family));
    if !is_generated {
        return inputs::spmv::load(name).map(|matrix| Csr::from(&matrix));
    }
    let mut name = Name::parse(name, "cuda_spmv")?;
    let seed = name.take('s', 0, u64::MAX)?;
    let pattern = generators::generate(&mut name, seed).expect("the family is one of the generated ones")?;
    name.finish()?;
    Ok(Csr::with_values(pattern, |row, _, values| {
        let mut random = generators::random_of(!seed, row as u64);
        values.iter_mut().for_each(|value| *value = random.unit() + 0.5);
    }))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_enough_inputs_and_no_two_alike() {
        let names = names();
        let of = |split: &str| names.iter().filter(|name| name.starts_with(split)).count();
        assert!(of("train/") >= 120 && of("test/") >= 200, "{} and {}", of("train/"), of("test/"));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }

    #[test]
    fn small_inputs_of_every_shape_have_the_size_they_should() {
        let small = names().into_iter().filter(|name| name.starts_with("test/")).collect::<Vec<_>>();
        for name in small.iter().step_by(TEST.len()).take(SHAPES.len()) {
            let matrix = load(name).unwrap_or_else(|error| panic!("{name}: {error}"));
            let nonzeros = matrix.pattern().nonzeros() as u64;
            assert!((TEST[0] / 3..TEST[0] * 2).contains(&nonzeros), "{name} has {nonzeros} entries");
        }
    }

    #[test]
    fn a_matrix_is_the_same_each_time() {
        let name = "test/power-n5000-k6-s3";
        assert_eq!(load(name).unwrap(), load(name).unwrap());
        assert_ne!(load(name).unwrap(), load("test/power-n5000-k6-s4").unwrap());
    }
}
