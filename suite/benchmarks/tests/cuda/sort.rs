//! Every variant of sorting on the device gives what the standard library gives.

use crate::support::{compile_for_all_architectures, on_gpu_and_partition};
use nitro_benchmarks::cuda::cuda_sort;
use nitro_benchmarks::cuda::sort::{self, Keys, Word, inputs};
use nitro_benchmarks::variants::sort::Key;
use nitro_cuda::{Buffer, CudaError};
use nitro_test_support::random::Random;

#[test]
fn kernels_compile_for_all_architectures() {
    compile_for_all_architectures(&sort::programs());
}

#[test]
fn there_are_enough_inputs_and_none_twice() {
    let names = inputs::names();
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    assert!(names.iter().filter(|name| name.starts_with("train/")).count() >= 120);
    assert!(names.iter().filter(|name| name.starts_with("test/")).count() >= 200);
    for name in names.iter().filter(|name| name.contains("-n500-") || name.contains("-n1000-")) {
        inputs::load(name).unwrap();
    }
}

/// Compares all variants with the standard library's sort, bit by bit.
fn check<K: Key<Bits: Word>>(keys: &[K], what: &str) {
    let mut expected: Vec<K::Bits> = keys.iter().map(|key| key.ordered()).collect();
    expected.sort_unstable();
    let from = Keys::new(keys).unwrap();
    for &variant in cuda_sort::Variant::ALL {
        let mut to = Buffer::uninit(keys.len()).unwrap();
        to.fill_bytes(0xa5).unwrap();
        cuda_sort::call(variant, &from, &mut to).unwrap();
        assert!(to.to_vec().unwrap() == expected, "{variant} of {what}");
    }
}

/// Random bits, many of them no numbers, and the largest and smallest of the order.
fn random_bits(length: usize, random: &mut Random) -> (Vec<f32>, Vec<f64>) {
    let mut wide: Vec<f64> = (0..length).map(|_| f64::from_bits(random.bits())).collect();
    let mut narrow: Vec<f32> = (0..length).map(|_| f32::from_bits(random.bits() as u32)).collect();
    for index in 0..length / 20 {
        let bits = if index % 2 == 0 { u64::MAX } else { u64::MAX >> 1 };
        wide[random.bits() as usize % length] = f64::from_bits(bits);
        narrow[random.bits() as usize % length] = f32::from_bits((bits >> 32) as u32);
    }
    (narrow, wide)
}

#[test]
#[ignore = "needs a CUDA device"]
fn random_keys_are_sorted_at_all_lengths_around_tiles() {
    on_gpu_and_partition(|| {
        let mut random = Random::new(2);
        for length in [
            0, 1, 2, 3, 31, 32, 33, 2815, 2816, 2817, 3839, 3840, 3841, 5632, 6911, 6912, 6913, 7680, 7681,
            11_520, 50_000, 123_457, 1_000_003,
        ] {
            let (narrow, wide) = random_bits(length, &mut random);
            check(&narrow, &format!("{length} keys of 32 bits"));
            check(&wide, &format!("{length} keys of 64 bits"));
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn every_family_is_sorted() {
    on_gpu_and_partition(|| {
        for name in
            inputs::names().iter().filter(|name| name.contains("-n100000-") || name.contains("-n700000-"))
        {
            match inputs::load(name).unwrap() {
                inputs::Keys::F32(keys) => check(&keys, name),
                inputs::Keys::F64(keys) => check(&keys, name),
            }
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn keys_that_exceed_the_cache_are_sorted() {
    nitro_cuda::device(0).unwrap().enter();
    for name in
        ["test/uniform-n40000001-b32-s9", "test/almost-n40000001-b32-p5-s9", "test/runs-n20000001-b64-k7-s9"]
    {
        match inputs::load(name).unwrap() {
            inputs::Keys::F32(keys) => check(&keys, name),
            inputs::Keys::F64(keys) => check(&keys, name),
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_result_of_another_length_is_refused() {
    nitro_cuda::device(0).unwrap().enter();
    let keys = Keys::new(&[2.0f32, 1.0]).unwrap();
    for &variant in cuda_sort::Variant::ALL {
        let refused = cuda_sort::call(variant, &keys, &mut Buffer::zeroed(3).unwrap());
        assert!(
            matches!(refused, Err(CudaError::Length { expected: 2, found: 3 })),
            "{variant}: {refused:?}"
        );
    }
}
