//! Every variant of the transposition on the device gives what its definition says.

use crate::support::{compile_all_configurations, compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::cuda_transpose::{self, Variant};
use nitro_benchmarks::cuda::transpose::{self, BLOCK_ROWS, SKINNY_COLUMNS, TILES, inputs, reference};
use nitro_cuda::{Buffer, CudaError};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;

#[test]
fn kernels_compile_for_all_architectures() {
    compile_for_all_architectures(&transpose::programs());
}

/// All pairs of a tile and the rows that a block moves at once, of which `is_tiling` is as given.
fn tilings(legal: bool) -> Vec<(u32, u32)> {
    let pairs = TILES.into_iter().flat_map(|tile| BLOCK_ROWS.map(|block_rows| (tile, block_rows)));
    pairs.filter(|&(tile, block_rows)| transpose::is_tiling(tile, block_rows) == legal).collect()
}

fn definitions((tile, block_rows): (u32, u32)) -> Vec<(&'static str, i64)> {
    vec![("TILE", tile.into()), ("BLOCK_ROWS", block_rows.into())]
}

#[test]
fn every_tiling_compiles_for_all_architectures() {
    let configurations: Vec<_> = tilings(true).into_iter().map(definitions).collect();
    assert_eq!(configurations.len(), 16);
    compile_all_configurations(&transpose::TILED, &configurations);
}

#[test]
fn what_is_no_tiling_does_not_compile() {
    let Some(_) = NVRTC.found(nitro_cuda::nvrtc_version()) else { return };
    for tiling in tilings(false) {
        let error = transpose::TILED.compile(90, &definitions(tiling)).unwrap_err();
        assert!(error.to_string().contains("tiled.cu("), "{tiling:?}: {error}");
    }
}

#[test]
fn there_are_enough_inputs_and_none_twice() {
    let names = inputs::names();
    let parts = |name: &String| name.split_once("-m").map(|(_, shape)| shape.to_owned());
    let distinct: std::collections::HashSet<Option<String>> = names.iter().map(parts).collect();
    assert_eq!(distinct.len(), names.len());
    assert!(names.iter().filter(|name| name.starts_with("train/")).count() >= 120);
    assert!(names.iter().filter(|name| name.starts_with("test/")).count() >= 200);
    for name in names.iter().step_by(26) {
        inputs::load(name).unwrap();
    }
}

#[test]
fn the_reference_follows_the_definition() {
    assert_eq!(reference(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    assert!(reference(&[], 0, 3).is_empty());
}

fn is_admissible(variant: Variant, rows: usize, columns: usize) -> bool {
    match variant {
        Variant::C2rSkinny => columns <= SKINNY_COLUMNS,
        Variant::R2cSkinny => rows <= SKINNY_COLUMNS,
        _ => true,
    }
}

/// A matrix of random elements, and its transpose.
fn random_matrix(rows: usize, columns: usize) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new((rows * 1_000_003 + columns) as u64);
    let values: Vec<f64> = (0..rows * columns).map(|_| random.bits() as f64).collect();
    let transposed = reference(&values, rows, columns);
    (values, transposed)
}

/// Compares all admissible variants with the CPU on random elements.
fn check(rows: usize, columns: usize) {
    let (values, expected) = random_matrix(rows, columns);
    for &variant in Variant::ALL {
        if is_admissible(variant, rows, columns) {
            let mut found = Buffer::from_slice(&values).unwrap();
            cuda_transpose::call(variant, &mut found, rows, columns).unwrap();
            assert!(found.to_vec().unwrap() == expected, "{variant} of {rows} x {columns}");
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn all_small_shapes_are_transposed() {
    on_gpu_and_partition(|| {
        for rows in 0..18 {
            for columns in 0..18 {
                check(rows, columns);
            }
        }
    });
}

/// Shapes of whole tiles and of parts of them, with fewer rows than a tile has, and with more tiles than a block
/// number in y may be.
#[test]
#[ignore = "needs a CUDA device"]
fn every_tiling_transposes_shapes_of_every_kind() {
    let whole = [(64, 64), (16, 48), (4096, 1024)];
    let in_part = [(1, 5), (3, 2), (65, 63), (200, 33), (1000, 777), (2_100_000, 2), (7, 300_001)];
    on_gpu_and_partition(|| {
        for (rows, columns) in whole.into_iter().chain(in_part) {
            let (values, expected) = random_matrix(rows, columns);
            for (tile, block_rows) in tilings(true) {
                let mut found = Buffer::from_slice(&values).unwrap();
                transpose::tiled(tile, block_rows, &mut found, rows, columns).unwrap();
                assert!(found.to_vec().unwrap() == expected, "{tile} {block_rows} of {rows} x {columns}");
            }
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn shapes_of_every_kind_are_transposed() {
    // Squares, common divisors and none, around what fits shared memory both ways (1536 rows, about 29 000
    // columns), and skinny shapes on both sides of what fits the memory aside.
    let shapes = [
        (64, 64),
        (100, 60),
        (97, 101),
        (1000, 1000),
        (1536, 1537),
        (1537, 1536),
        (1600, 2400),
        (2400, 1600),
        (3, 50_000),
        (50_000, 3),
        (60, 40_000),
        (40_000, 60),
        (48, 40_009),
        (40_009, 48),
        (31, 31),
        (32, 12_345),
        (12_345, 32),
        (4_096, 32),
        (33, 4_096),
        (200_000, 24),
        (24, 200_000),
        (2_100_000, 2),
        (2, 2_100_001),
        (3_000_000, 7),
        (7, 3_000_000),
    ];
    on_gpu_and_partition(|| shapes.iter().for_each(|&(rows, columns)| check(rows, columns)));
}

#[test]
#[ignore = "needs a CUDA device"]
fn matrices_larger_than_the_memory_aside_are_transposed() {
    nitro_cuda::device(0).unwrap().enter();
    for (rows, columns) in
        [(4096, 4096), (5001, 4003), (3000, 6000), (6000, 3000), (2_000_000, 10), (10, 2_000_000)]
    {
        check(rows, columns);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn too_few_elements_are_refused() {
    nitro_cuda::device(0).unwrap().enter();
    for &variant in Variant::ALL {
        let refused = cuda_transpose::call(variant, &mut Buffer::zeroed(5).unwrap(), 2, 3);
        assert!(
            matches!(refused, Err(CudaError::Length { expected: 6, found: 5 })),
            "{variant}: {refused:?}"
        );
    }
}
