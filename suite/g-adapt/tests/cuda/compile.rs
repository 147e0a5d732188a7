//! Every configuration of every kernel compiles, each for one architecture that NVRTC knows, in turn, so that all
//! have their share; with `NITRO_EVERY_ARCHITECTURE` set for every one of them, which takes minutes.

use nitro::{Function, VariantInfo};
use nitro_cuda::Program;
use nitro_g_adapt::cuda::{
    COLUMN_THREADS, CONVOLUTION, MATRIX_MUL, MV_MUL, RADIUS, REDUCTION, SCALAR_PROD, TRANSPOSE_COALESCED,
    TRANSPOSE_NAIVE, VALUES, convolution, matrix_mul, mv_mul, reduction, scalar_prod, transpose_coalesced,
    transpose_naive,
};
use nitro_test_support::tools::NVRTC;

/// The definitions of each configuration of a variant: those of its parameters that the kernel has, under its
/// names, each combination once.
fn definitions(info: &VariantInfo, names: &[(&str, &'static str)]) -> Vec<Vec<(&'static str, i64)>> {
    let parameters = info.parameters();
    let of_configuration = |configuration| {
        let values = parameters.values(configuration);
        let value_of = |name: &str| {
            let at = parameters.list().iter().position(|own| own.name() == name).expect("it is a parameter");
            parameters.list()[at].number(values[at]) as i64
        };
        names.iter().map(|(parameter, definition)| (*definition, value_of(parameter))).collect()
    };
    let mut all: Vec<Vec<_>> = info.configurations().map(of_configuration).collect();
    all.sort();
    all.dedup();
    all
}

/// Compiles all configurations of a variant.
fn check(
    program: &'static Program,
    function: &Function,
    variant: &str,
    names: &[(&str, &'static str)],
    given: &[(&'static str, i64)],
) {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    let info = function.variants().iter().find(|own| own.name() == variant).expect("it is a variant");
    let architectures = nitro_cuda::nvrtc_architectures().unwrap();
    for (index, definitions) in definitions(info, names).iter().enumerate() {
        let definitions: Vec<_> = definitions.iter().chain(given).copied().collect();
        let in_turn = &architectures[index % architectures.len()..][..1];
        let is_every = std::env::var_os("NITRO_EVERY_ARCHITECTURE").is_some();
        for &architecture in if is_every { &architectures } else { in_turn } {
            let image = program.compile(architecture, &definitions).unwrap_or_else(|error| panic!("{error}"));
            assert!(image.cubin().unwrap().starts_with(b"\x7fELF"), "{definitions:?} for sm_{architecture}");
        }
    }
}

#[test]
fn reduction_compiles() {
    let names = [("block", "BLOCK"), ("unroll", "UNROLL"), ("wide", "WIDE")];
    check(&REDUCTION, reduction::function(), "blocks", &names, &[]);
}

#[test]
fn scalar_prod_compiles() {
    check(&SCALAR_PROD, scalar_prod::function(), "per_vector", &[("block", "BLOCK")], &[]);
    let names = [("block", "BLOCK"), ("split", "SPLIT")];
    check(&SCALAR_PROD, scalar_prod::function(), "per_part", &names, &[]);
}

#[test]
fn mv_mul_compiles() {
    let names = [("block", "BLOCK"), ("lanes", "LANES"), ("unroll", "UNROLL")];
    check(&MV_MUL, mv_mul::function(), "by_rows", &names, &[]);
}

#[test]
fn matrix_mul_compiles() {
    let names = [("tile", "TILE"), ("per_thread", "PER"), ("step", "DEPTH"), ("unroll", "UNROLL")];
    check(&MATRIX_MUL, matrix_mul::function(), "tiled", &names, &[]);
}

#[test]
fn convolution_compiles() {
    let names = [
        ("row_tile", "ROW_TILE"),
        ("row_per_thread", "ROW_PER"),
        ("column_width", "COLUMN_WIDTH"),
        ("column_height", "COLUMN_HEIGHT"),
    ];
    let given = [("RADIUS", RADIUS.into()), ("COLUMN_THREADS", COLUMN_THREADS.into())];
    check(&CONVOLUTION, convolution::function(), "tiled", &names, &given);
}

#[test]
fn transposes_compile() {
    let names = [("block_x", "BLOCK_X"), ("block_y", "BLOCK_Y")];
    check(&TRANSPOSE_NAIVE, transpose_naive::function(), "naive", &names, &[]);
    let names = [("tile", "TILE"), ("block_rows", "ROWS"), ("padded", "PADDED")];
    check(&TRANSPOSE_COALESCED, transpose_coalesced::function(), "tiled", &names, &[]);
}

#[test]
fn what_fills_and_compares_compiles() {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    for architecture in nitro_cuda::nvrtc_architectures().unwrap() {
        VALUES.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Spaces that are small enough to be measured exhaustively, and of more than one parameter.
#[test]
fn spaces_are_of_the_sizes_that_the_guide_says() {
    let count = |function: &Function| -> usize {
        function.variants().iter().map(|info| info.configurations().count()).sum()
    };
    assert_eq!(count(convolution::function()), 77);
    assert_eq!(count(matrix_mul::function()), 60);
    assert_eq!(count(mv_mul::function()), 54);
    assert_eq!(count(reduction::function()), 72);
    assert_eq!(count(scalar_prod::function()), 72);
    assert_eq!(count(transpose_naive::function()), 30);
    assert_eq!(count(transpose_coalesced::function()), 30);
}
