//! Kernels of whole rows: they compile, and stay within the bounds of rounding, also on a GPU.

mod support;

use nitro_cuda::{Buffer, Executable, Options, Source, compile, device, nvrtc_version};
use nitro_nest::{
    Affine, Array2, Data, Integers, Mapping, MappingSpace, Nest, Program, Schedule, Tiling, Variable, nest,
};
use nitro_polybench::{beyond, kernels, kernels_beyond};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;
use support::{assert_near, data};

#[nest(reassoc)]
fn layer_normalisation(
    n: usize,
    m: usize,
    epsilon: f32,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m)] scale: &[f32],
    #[shape(m)] shift: &[f32],
    #[shape(n)] mean: &mut [f32],
    #[shape(n)] deviation: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        mean[i] = 0.0;
        for j in 0..m {
            mean[i] += x[[i, j]];
        }
        mean[i] /= m as f32;
        deviation[i] = 0.0;
        for j in 0..m {
            deviation[i] += (x[[i, j]] - mean[i]) * (x[[i, j]] - mean[i]);
        }
        deviation[i] = (deviation[i] / m as f32 + epsilon).sqrt();
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - mean[i]) / deviation[i] * scale[j] + shift[j];
        }
    }
}

#[nest(reassoc)]
fn log_sum_exp(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] largest: &mut [f32],
    #[shape(n)] result: &mut [f32],
) {
    for i in 0..n {
        largest[i] = x[[i, 0]];
        for j in 0..m {
            largest[i] = largest[i].max(x[[i, j]]);
        }
        result[i] = 0.0;
        for j in 0..m {
            result[i] += (x[[i, j]] - largest[i]).exp();
        }
        result[i] = largest[i] + result[i].ln();
    }
}

/// All rows share the one element, until each has its own.
#[nest(reassoc)]
fn unit_length(n: usize, m: usize, #[shape(1)] length: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for i in 0..n {
        length[0] = 0.0;
        for j in 0..m {
            length[0] += x[[i, j]] * x[[i, j]];
        }
        for j in 0..m {
            x[[i, j]] /= length[0].sqrt();
        }
    }
}

fn nests() -> [Nest; 4] {
    [beyond::softmax::nest(), log_sum_exp::nest(), layer_normalisation::nest(), unit_length::nest()]
        .map(|nest| nest.with_temporaries().unwrap())
}

fn programs(nest: &Nest) -> Vec<Program> {
    let dependences = nest.dependences().unwrap();
    let mut programs = vec![nest.map(&dependences, &Mapping::sane())];
    let mapping = Mapping::sane().with_schedule(Schedule { rows: true, ..Schedule::default() });
    for (block, points) in [([32, 8, 1], 32), ([128, 2, 1], 8), ([1024, 1, 1], 16), ([64, 1, 1], 1)] {
        let tiling = Tiling { block, thread_tile: [points, 1, 1], unroll: 4, ..Tiling::default() };
        let of_rows = programs[0].kernels[0].statements.clone();
        programs.push(nest.map(&dependences, &mapping.clone().with_tiling(&of_rows, tiling)));
    }
    programs
}

#[test]
fn a_sane_normalisation_is_one_kernel_of_blocks_that_share_rows() {
    for nest in nests() {
        let program = &programs(&nest)[0];
        let kernel = &program.kernels[0];
        // Along x a row takes as many values as it has threads.
        let rows = Affine::from(Variable::Parameter(0)) * 256;
        assert_eq!((kernel.block, &kernel.grid[0].upper[..]), ([256, 1, 1], &[rows][..]), "{program}");
        assert!(program.to_string().contains("combine part_0 of 32 lanes by "), "{program}");
    }
}

#[test]
fn sane_normalisations_beyond_the_suite_have_row_kernels() {
    let mut with_rows = Vec::new();
    for kernel in kernels_beyond() {
        let nest = (kernel.nest)();
        let program = MappingSpace::new(&nest).unwrap().map(&Mapping::sane());
        if program.to_string().contains("combine part_") {
            with_rows.push((nest.name().to_owned(), program.kernels.len()));
        }
    }
    assert_eq!(
        with_rows,
        [("softmax", 1), ("layer_norm", 1)].map(|(name, kernels)| (name.to_owned(), kernels))
    );
}

#[test]
fn nests_of_the_suite_go_once_over_their_rows_and_have_no_row_kernels() {
    for kernel in kernels() {
        let space = MappingSpace::new(&(kernel.nest)()).unwrap();
        for (name, mapping) in Mapping::presets() {
            let has_rows = |program: &Program| program.to_string().contains("combine part_");
            let programs = [space.map(&mapping), space.map_with_fused_loops(&mapping)];
            assert!(!programs.iter().any(has_rows), "{name}: {}", programs[0]);
        }
    }
}

#[test]
fn rows_compile_and_have_registers() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for nest in nests() {
        for program in programs(&nest) {
            let text = program.cuda(Integers::Bits32);
            let image = compile(&Source::new("rows.cu", &text), &Options::new(90));
            let image = image.unwrap_or_else(|error| panic!("{error}\n{text}"));
            for kernel in &program.kernels {
                let usage = image.usage(&kernel.name).unwrap_or_else(|| panic!("{}", image.log()));
                // A quotient of extreme numbers is a call, around which a few are saved.
                assert!(usage.registers <= 128 && usage.spill_bytes <= 64, "{usage:?}\n{program}");
            }
        }
    }
}

/// Sizes of rows below, at and above what registers have room for.
fn sizes() -> Vec<Vec<i64>> {
    [[3, 1], [2, 31], [5, 33], [1, 300], [2, 1000]].map(Vec::from).into()
}

#[test]
fn rows_stay_within_the_bounds_of_rounding() {
    for nest in nests() {
        for (seed, program) in programs(&nest).iter().enumerate() {
            for sizes in sizes() {
                let mut random = Random::new(seed as u64);
                assert_stays_near(&nest, &sizes, program, |result| {
                    program.run(result, |threads| random.below(threads as u64) as usize).unwrap();
                });
            }
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn rows_stay_within_the_bounds_of_rounding_on_a_gpu() {
    for nest in nests() {
        for program in programs(&nest) {
            let executable = Executable::new(program.plan(), device(0).unwrap()).unwrap();
            for sizes in [sizes(), vec![vec![70_000, 40], vec![40, 5000], vec![3, 40_000]]].concat() {
                assert_stays_near(&nest, &sizes, &program, |result| {
                    let buffers = result.arrays.iter().map(|array| Buffer::from_slice(array).unwrap());
                    let buffers: Vec<Buffer<f32>> = buffers.collect();
                    // SAFETY: the arrays are those of the nest, and the interpreter finds no access out of bounds.
                    unsafe { executable.run(&result.parameters, &result.scalars, &buffers) }.unwrap();
                    for (array, buffer) in result.arrays.iter_mut().zip(&buffers) {
                        *array = buffer.to_vec().unwrap();
                    }
                });
            }
        }
    }
}

fn assert_stays_near(nest: &Nest, sizes: &[i64], program: &Program, run: impl FnOnce(&mut Data)) {
    let (mut expected, mut result) = (data(nest, sizes, 1), data(nest, sizes, 1));
    let bounds = nest.run_with_bounds(&mut expected).unwrap();
    assert!(bounds.iter().flatten().all(|bound| bound.is_finite()), "{sizes:?}");
    run(&mut result);
    assert_near(&result, &expected, &bounds, &format!("{sizes:?}\n{program}"));
}
