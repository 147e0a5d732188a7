//! Kernels that were written by hand and tuned, of the suite and the examples: compiled from where they lie.

use crate::Subject;

macro_rules! ours {
    ($name:literal, [$($file:literal),+], $definitions:expr) => {
        Subject {
            name: $name,
            file: concat!($name, ".cu"),
            source: concat!($(include_str!(concat!("../../../", $file))),+),
            definitions: &$definitions,
            workload: include_str!(concat!("../ours/", $name, ".toml")),
        }
    };
}

/// Returns the kernels of this project's own functions, in which there is little left to find.
///
/// ```
/// let names: Vec<&str> = nitro_evolve_subjects::ours().iter().map(|subject| subject.name).collect();
/// assert!(names.contains(&"spmv") && names.contains(&"sort"));
/// ```
#[must_use]
pub fn ours() -> &'static [Subject] {
    &OURS
}

static OURS: [Subject; 6] = [
    ours!("gemm_tiled", ["examples/gemm/src/tiled.cu"], [("TILE", 64)]),
    ours!("histogram", ["suite/benchmarks/src/cuda/histogram/kernels.cu"], []),
    ours!("mv_mul", ["suite/g-adapt/src/cuda/mv_mul.cu"], [("BLOCK", 128), ("LANES", 32), ("UNROLL", 4)]),
    ours!("sort", ["suite/benchmarks/src/cuda/sort/tile.cu", "suite/benchmarks/src/cuda/sort/merge.cu"], []),
    ours!("spmv", ["suite/benchmarks/src/cuda/spmv/kernels.cu"], []),
    ours!("transpose", ["suite/benchmarks/src/cuda/transpose/tiled.cu"], [("TILE", 32), ("BLOCK_ROWS", 8)]),
];
