//! Nests that read where arrays of integers say: kernels give what the function gives, and compile.

#[path = "support/emulated.rs"]
mod emulated;
mod support;

use emulated::emulated;
use nitro_cuda::{Buffer, Executable, Options, PlanArray, device, nvrtc_version};
use nitro_nest::{Data, Integers, Mapping, MappingSpace, Nest, Program};
use nitro_polybench::{Kernel, kernels_with_gathers};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;
use support::{assert_near, data};

/// Numbers of [`data`], and places below the second size.
fn data_and_places(nest: &Nest, sizes: &[i64]) -> Data {
    let mut data = data(nest, sizes, 1);
    let mut random = Random::new(2);
    data.indices.iter_mut().flatten().for_each(|place| *place = random.below(sizes[1] as u64) as u32);
    data
}

/// All presets, in the form that they ask for.
fn programs(kernel: &Kernel) -> Vec<Program> {
    let space = MappingSpace::new(&(kernel.nest)()).unwrap();
    Mapping::presets().iter().map(|(_, mapping)| space.map(mapping)).collect()
}

#[test]
fn kernels_give_what_the_function_gives() {
    for kernel in kernels_with_gathers() {
        let nest = (kernel.nest)();
        for sizes in [[9, 5, 4, 7], [34, 3, 18, 33]] {
            let before = data_and_places(&nest, &sizes[..nest.parameters().len()]);
            let (mut expected, mut bounded) = (before.clone(), before.clone());
            (kernel.reference)(&mut expected);
            let bounds = nest.run_with_bounds(&mut bounded).unwrap();
            assert_eq!(bounded, expected);
            for program in programs(&kernel) {
                let mut result = before.clone();
                let mut random = Random::new(3);
                let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
                run.unwrap_or_else(|error| panic!("{error}\n{program}"));
                assert_near(&result, &expected, &bounds, &format!("{program}"));
            }
        }
    }
}

#[test]
fn kernels_compile_in_either_integers() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for program in kernels_with_gathers().iter().flat_map(programs) {
        for integers in [Integers::Bits32, Integers::Bits64] {
            Executable::image(&program.plan(), integers, Options::new(90))
                .unwrap_or_else(|error| panic!("{error}\n{program}"));
        }
    }
}

#[test]
fn texts_of_kernels_give_what_the_function_gives() {
    for kernel in kernels_with_gathers() {
        let nest = (kernel.nest)();
        let sizes = &[9, 5, 4, 35][..nest.parameters().len()];
        let before = data_and_places(&nest, sizes);
        let mut expected = before.clone();
        let bounds = nest.run_with_bounds(&mut expected).unwrap();
        for program in programs(&kernel) {
            let numbers =
                before.arrays.iter().map(|array| array.iter().flat_map(|one| one.to_le_bytes()).collect());
            let places =
                before.indices.iter().map(|array| array.iter().flat_map(|one| one.to_le_bytes()).collect());
            let arrays = numbers.chain(places).collect();
            let Some(mut found) = emulated(&program.plan(), sizes, &[], arrays) else { return };
            found.truncate(nest.arguments());
            let of = |array: &Vec<u8>| {
                let numbers =
                    array.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
                numbers.collect()
            };
            let result = Data { arrays: found.iter().map(of).collect(), ..before.clone() };
            assert_near(&result, &expected, &bounds, &format!("{program}"));
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_on_a_gpu_give_what_the_function_gives() {
    let device = device(0).unwrap();
    device.enter();
    for kernel in kernels_with_gathers() {
        let nest = (kernel.nest)();
        for sizes in [[9, 5, 4, 7], [340, 77, 130, 65]] {
            let sizes = &sizes[..nest.parameters().len()];
            let before = data_and_places(&nest, sizes);
            let (mut expected, mut bounded) = (before.clone(), before.clone());
            (kernel.reference)(&mut expected);
            let bounds = nest.run_with_bounds(&mut bounded).unwrap();
            for program in programs(&kernel) {
                let plan = program.plan();
                (0..plan.indices.len())
                    .try_for_each(|array| plan.check_indices(sizes, array, &before.indices[array]))
                    .unwrap();
                let executable = Executable::new(plan, device).unwrap();
                let arrays: Vec<_> =
                    before.arrays.iter().map(|array| Buffer::from_slice(array).unwrap()).collect();
                let indices: Vec<_> =
                    before.indices.iter().map(|array| Buffer::from_slice(array).unwrap()).collect();
                let mut all: Vec<&dyn PlanArray<f32>> = Vec::new();
                all.extend(arrays.iter().map(|array| array as &dyn PlanArray<f32>));
                all.extend(indices.iter().map(|array| array as &dyn PlanArray<f32>));
                // SAFETY: the kernels stay within the arrays, as all subscripts were checked.
                unsafe { executable.run(sizes, &before.scalars, &all) }.unwrap();
                let mut result = before.clone();
                result.arrays = arrays.iter().map(|array| array.to_vec().unwrap()).collect();
                assert_near(&result, &expected, &bounds, &format!("{program}"));
            }
        }
    }
}
