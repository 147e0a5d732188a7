//! Every variant of the histogram on the device counts what the CPU counts.

use crate::support::{compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::cuda_histogram;
use nitro_benchmarks::cuda::histogram::{self, Image, inputs, reference};
use nitro_cuda::{Buffer, CudaError};
use nitro_test_support::random::Random;

#[test]
fn kernels_compile_for_all_architectures() {
    compile_for_all_architectures(&histogram::programs());
}

#[test]
fn there_are_enough_inputs_and_none_twice() {
    let names = inputs::names();
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert!(names.iter().filter(|name| name.starts_with("train/")).count() >= 120);
    assert!(names.iter().filter(|name| name.starts_with("test/")).count() >= 200);
    for name in names.iter().filter(|name| name.contains("-n2500-") || name.contains("-n4000-")) {
        inputs::load(name).unwrap();
    }
}

/// Compares all variants with the CPU.
fn check(pixels: &[u8], what: &str) {
    let expected = reference(pixels);
    let image = Image::new(pixels).unwrap();
    for &variant in cuda_histogram::Variant::ALL {
        let mut bins = Buffer::uninit(256).unwrap();
        bins.fill_bytes(0xa5).unwrap();
        cuda_histogram::call(variant, &image, &mut bins).unwrap();
        assert!(bins.to_vec().unwrap() == expected, "{variant} of {what}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn counts_match_at_all_lengths_around_vectors_and_tiles() {
    on_gpu_and_partition(|| {
        let mut random = Random::new(1);
        let pixels: Vec<u8> = (0..100_000).map(|_| random.bits() as u8).collect();
        for length in
            [0, 1, 2, 15, 16, 17, 255, 256, 4095, 4096, 4097, 8192, 16_383, 16_384, 16_385, 65_537, 100_000]
        {
            check(&pixels[..length], &format!("{length} random pixels"));
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn counts_match_for_every_family() {
    on_gpu_and_partition(|| {
        for name in
            inputs::names().iter().filter(|name| name.contains("-n80000") || name.contains("-n5500000"))
        {
            check(&inputs::load(name).unwrap(), name);
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn counts_match_for_images_larger_than_the_cache() {
    nitro_cuda::device(0).unwrap().enter();
    for name in ["test/photo-n130000001-d4-s9", "test/few-n130000001-k3-s9", "test/constant-n130000001-s9"] {
        check(&inputs::load(name).unwrap(), name);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn another_number_of_bins_is_refused() {
    nitro_cuda::device(0).unwrap().enter();
    let image = Image::new(&[1, 2, 3]).unwrap();
    let refused = cuda_histogram(&image, &mut Buffer::zeroed(255).unwrap());
    assert!(matches!(refused, Err(CudaError::Length { expected: 256, found: 255 })), "{refused:?}");
}
