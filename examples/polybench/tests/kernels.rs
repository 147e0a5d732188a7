//! Kernels of every nest give what its function gives, bit for bit, and compile.

#[path = "../../../nitro-codegen/tests/dependences/oracle.rs"]
mod oracle;
mod support;

use nitro_codegen::{Mapping, Nest, Program};
use nitro_cuda::{Options, Source, compile, nvrtc_version};
use nitro_polybench::{Kernel, kernels};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;
use support::{bits, data, sizes};

/// The preset, and with register promotion.
fn mappings() -> [Mapping; 2] {
    [Mapping::naive(), Mapping::naive().with_register_promotion()]
}

/// Blocks so small that grids have several and edges are everywhere.
fn with_small_blocks(mapping: &Mapping) -> Mapping {
    mapping.clone().with_blocks([[3, 1, 1], [3, 2, 1], [2, 2, 3]])
}

fn program(nest: &Nest, mapping: &Mapping) -> Program {
    nest.map(&nest.dependences().unwrap(), mapping)
}

fn assert_agrees(kernel: &Kernel, program: &Program, sizes: &[i64], seed: u64) {
    let input = data(&program.nest, sizes, seed);
    let (mut expected, mut result) = (input.clone(), input);
    (kernel.reference)(&mut expected);
    let mut random = Random::new(seed);
    let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{error}\n{program}"));
    assert_eq!(bits(&result), bits(&expected), "{} at {sizes:?}\n{program}", program.nest.name());
}

#[test]
fn interpreted_with_random_threads_they_give_what_the_function_gives() {
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let sizes = sizes(nest.parameters().len(), &[0, 1, 2, 4]);
        for mapping in mappings() {
            let (usual, small) = (program(&nest, &mapping), program(&nest, &with_small_blocks(&mapping)));
            for (seed, sizes) in sizes.iter().enumerate() {
                assert_agrees(&kernel, &small, sizes, seed as u64);
            }
            // Nearly all threads of a usual block are beyond such sizes, and each is interpreted.
            assert_agrees(&kernel, &usual, &sizes[2], 2);
        }
    }
}

#[test]
fn dependences_of_every_nest_are_those_of_all_instances() {
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let dependences = nest.dependences().unwrap();
        oracle::assert_are_those_of(&nest, &dependences, &sizes(nest.parameters().len(), &[0, 1, 2, 3, 6]));
    }
}

#[test]
fn every_kernel_compiles() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for kernel in kernels() {
        for mapping in mappings() {
            assert_compiles(&program(&(kernel.nest)(), &mapping));
        }
    }
}

fn assert_compiles(program: &Program) {
    let text = program.cuda();
    let options = Options::new(90).with_argument("-fmad=false");
    let image =
        compile(&Source::new("nest.cu", &text), &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for kernel in &program.kernels {
        let usage = image.usage(&kernel.name).unwrap_or_else(|| panic!("{}", image.log()));
        assert_eq!((usage.spill_bytes, usage.static_shared_bytes), (0, 0), "{}", kernel.name);
    }
}

#[test]
fn a_sum_over_the_innermost_loop_is_promoted() {
    let has_registers = |name: &str| {
        let nest = kernels().iter().map(|kernel| (kernel.nest)()).find(|nest| nest.name() == name).unwrap();
        let program = program(&nest, &Mapping::naive().with_register_promotion());
        program.kernels.iter().map(|kernel| kernel.locals.len()).collect::<Vec<_>>()
    };
    assert_eq!(has_registers("gemm"), [0, 1]);
    assert_eq!(has_registers("gesummv"), [2]);
    assert_eq!(has_registers("convolution_3d"), [3]); // one a loop: all three have a fixed number of steps
    assert_eq!(has_registers("trmm"), [0, 0]); // the column's other elements are read too
    assert_eq!(has_registers("jacobi_2d"), [0, 0]);
}

/// Dimensions of the grids, and loops of the host around each kernel.
fn shape(name: &str) -> Vec<(usize, usize)> {
    let nest = kernels().iter().map(|kernel| (kernel.nest)()).find(|nest| nest.name() == name).unwrap();
    let program = program(&nest, &Mapping::naive());
    let of = |kernel: &nitro_codegen::Kernel| {
        let parallel = if kernel.threads() == 1 { 0 } else { kernel.grid.len() };
        (parallel, kernel.host_iterators.len())
    };
    program.kernels.iter().map(of).collect()
}

#[test]
fn parallel_loops_become_the_grid() {
    assert_eq!(shape("gemm"), [(2, 0), (2, 0)]);
    assert_eq!(shape("trmm"), [(1, 0), (2, 0)]); // rows wait for each other, columns do not
    assert_eq!(shape("gesummv"), [(1, 0)]); // all statements in one
    assert_eq!(shape("bicg"), [(1, 0), (1, 0), (1, 0), (1, 0)]); // distributed: a row product and a column product
    assert_eq!(shape("jacobi_2d"), [(2, 1), (2, 1)]); // time is the host's
    assert_eq!(shape("heat_3d"), [(3, 1), (3, 1)]);
    assert_eq!(shape("convolution_3d"), [(3, 0)]);
    assert_eq!(shape("doitgen"), [(1, 2), (1, 2)]); // `sum` is shared by all rows
}
