//! Kernels of every nest give what its function gives, bit for bit, and compile.

#[path = "../../../nitro-nest/tests/dependences/oracle.rs"]
mod oracle;
mod support;

use nitro_cuda::{Options, Source, Usage, compile, nvrtc_version};
use nitro_nest::{Integers, Mapping, Nest, Program, Tiling};
use nitro_polybench::{Kernel, kernels, kernels_beyond};
use nitro_test_support::tools::NVRTC;
use support::{all_kernels, assert_agrees_nearly, bits, both, data, nest_of, sizes, small_sizes};

/// Mappings that keep the order of every sum.
fn exact_mappings() -> [Mapping; 3] {
    [Mapping::naive(), Mapping::naive().with_register_promotion(), Mapping::ppcg_default()]
}

/// Small tiles of several points, staged: edges are everywhere.
fn tiled(mapping: &Mapping, blocks: [[u32; 3]; 3], points: [u32; 3], inner: u32) -> Mapping {
    let tiling = Tiling { thread_tile: points, tile_k: inner, promotes: true, ..Tiling::default() };
    mapping.clone().with_usual_tilings(blocks.map(|block| Tiling { block, ..tiling.clone() }))
}

fn tiled_mappings(mapping: &Mapping) -> [Mapping; 6] {
    let tiling = Tiling {
        block: [2, 2, 1],
        thread_tile: [2, 1, 1],
        tile_k: 2,
        stages: 2,
        promotes: true,
        ..Tiling::default()
    };
    let of = |tiling: &Tiling| mapping.clone().with_usual_tilings([(); 3].map(|()| tiling.clone()));
    let wide = Tiling {
        thread_tile: [4, 4, 1],
        vector_width: 4,
        tile_k: 4,
        stages: 3,
        transposes: true,
        ..tiling.clone()
    };
    [
        tiled(mapping, [[3, 1, 1], [3, 2, 1], [2, 2, 3]], [2, 3, 1], 2),
        tiled(mapping, [[4, 1, 1], [2, 2, 1], [2, 1, 1]], [1, 2, 2], 3),
        tiled(mapping, [[2, 1, 1], [1, 3, 1], [1, 2, 1]], [3, 1, 2], 0),
        tiled(mapping, [[32, 1, 1], [32, 1, 1], [32, 1, 1]], [1, 2, 1], 2),
        of(&tiling),
        of(&wide),
    ]
}

/// Blocks so small that grids have several and edges are everywhere.
fn with_small_blocks(mapping: &Mapping) -> Mapping {
    mapping.clone().with_blocks([[3, 1, 1], [3, 2, 1], [2, 2, 3]])
}

fn program(nest: &Nest, mapping: &Mapping) -> Program {
    nest.map(&nest.dependences().unwrap(), mapping)
}

fn assert_agrees(kernel: &Kernel, program: &Program, sizes: &[i64], seed: u64) {
    let [expected, result] = both(kernel, program, sizes, seed);
    assert_eq!(bits(&result), bits(&expected), "{} at {sizes:?}\n{program}", program.nest.name());
}

#[test]
fn interpreted_with_random_threads_they_give_what_the_function_gives() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let dependences = nest.dependences().unwrap();
        let sizes = small_sizes(&nest, &[0, 1, 2, 4]);
        for mapping in exact_mappings() {
            let [usual, small] =
                [&mapping, &with_small_blocks(&mapping)].map(|mapping| nest.map(&dependences, mapping));
            for (seed, sizes) in sizes.iter().enumerate() {
                assert_agrees(&kernel, &small, sizes, seed as u64);
            }
            // Nearly all threads of a usual block are beyond such sizes, and each is interpreted.
            assert_agrees(&kernel, &usual, &sizes[2], 2);
        }
    }
}

#[test]
fn tiles_of_every_shape_give_what_the_function_gives() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let dependences = nest.dependences().unwrap();
        let sizes = small_sizes(&nest, &[0, 1, 2, 5]);
        for (tiling, mapping) in tiled_mappings(&Mapping::naive()).iter().enumerate() {
            let program = nest.map(&dependences, mapping);
            for sizes in &sizes {
                assert_agrees(&kernel, &program, sizes, tiling as u64);
            }
        }
    }
}

#[test]
fn sums_of_several_threads_are_those_of_the_function() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let sizes = small_sizes(&nest, &[0, 1, 2, 5]);
        let nest = nest.with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        assert_agrees_nearly(&kernel, &nest.map(&dependences, &Mapping::sane()), &sizes[2], 2);
        for (tiling, mapping) in tiled_mappings(&Mapping::sane()).iter().enumerate() {
            let program = nest.map(&dependences, mapping);
            for sizes in &sizes {
                assert_agrees_nearly(&kernel, &program, sizes, tiling as u64);
            }
        }
    }
}

#[test]
fn dependences_of_every_nest_are_those_of_all_instances() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let dependences = nest.dependences().unwrap();
        oracle::assert_are_those_of(&nest, &dependences, &small_sizes(&nest, &[0, 1, 2, 3, 6]));
    }
}

/// Compiles the kernels of nests as these mappings give them; what is not tiled has registers enough.
fn compile_all(kernels: &[Kernel], plain: &[Mapping], tiled: &[Mapping]) {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for kernel in kernels {
        let nest = (kernel.nest)().with_temporaries().unwrap();
        let dependences = nest.dependences().unwrap();
        // What large tiles spill is a matter of time, which is measured.
        for mapping in plain {
            for usage in compiled(&nest.map(&dependences, mapping)) {
                assert_eq!((usage.spill_bytes, usage.static_shared_bytes), (0, 0), "{}", nest.name());
            }
        }
        for mapping in tiled {
            compiled(&nest.map(&dependences, mapping));
        }
    }
}

#[test]
fn every_kernel_of_the_suite_compiles() {
    let plain = [Mapping::naive(), Mapping::naive().with_register_promotion()];
    compile_all(&kernels(), &plain, &[Mapping::ppcg_default(), Mapping::sane()]);
}

#[test]
fn every_kernel_beside_the_suite_compiles() {
    compile_all(&kernels_beyond(), &[Mapping::naive().with_register_promotion()], &[Mapping::sane()]);
}

#[test]
fn products_compile_however_their_operands_come_to_shared_memory() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    for name in ["gemm", "syr2k", "trmm", "doitgen"] {
        let nest = nest_of(name).with_temporaries().unwrap();
        for (buffers, transposes) in [(1, false), (1, true), (2, false), (3, true)] {
            let tiling = Tiling {
                block: [16, 8, 1],
                thread_tile: [4, 4, 1],
                vector_width: 4,
                tile_k: 8,
                stages: buffers,
                transposes,
                promotes: true,
                min_blocks: 2,
                ..Tiling::default()
            };
            let mapping = Mapping::sane().with_usual_tilings([tiling.clone(), tiling.clone(), tiling]);
            let usages = compiled(&program(&nest, &mapping));
            assert!(usages.iter().any(|usage| usage.static_shared_bytes > 0), "{name} is staged");
        }
    }
}

/// What each kernel takes.
fn compiled(program: &Program) -> Vec<Usage> {
    let text = program.cuda(Integers::Bits64);
    let options = Options::new(90).with_argument("-fmad=false");
    let image =
        compile(&Source::new("nest.cu", &text), &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let usage =
        |kernel: &nitro_nest::Kernel| image.usage(&kernel.name).unwrap_or_else(|| panic!("{}", image.log()));
    program.kernels.iter().map(usage).collect()
}

#[test]
fn a_sum_over_the_innermost_loop_is_promoted() {
    let has_registers = |name: &str| {
        let program = program(&nest_of(name), &Mapping::naive().with_register_promotion());
        program.kernels.iter().map(|kernel| kernel.locals.len()).collect::<Vec<_>>()
    };
    assert_eq!(has_registers("gemm"), [0, 1]);
    assert_eq!(has_registers("gesummv"), [2]);
    assert_eq!(has_registers("convolution_3d"), [1]); // all three loops have a fixed number of steps
    assert_eq!(has_registers("trmm"), [0, 0]); // the column's other elements are read too
    assert_eq!(has_registers("jacobi_2d"), [0, 0]);
}

/// Dimensions of the grids, and loops of the host around each kernel.
fn shape(name: &str) -> Vec<(usize, usize)> {
    let program = program(&nest_of(name), &Mapping::naive());
    let of = |kernel: &nitro_nest::Kernel| {
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

#[test]
fn fused_loops_give_what_the_function_gives() {
    let mut fused = Vec::new();
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let joined = nest.with_fused_loops().unwrap();
        if joined == nest {
            continue;
        }
        fused.push(nest.name().to_owned());
        for (seed, sizes) in sizes(nest.parameters().len(), &[0, 1, 2, 5]).iter().enumerate() {
            let input = data(&nest, sizes, seed as u64);
            let (mut expected, mut result) = (input.clone(), input);
            (kernel.reference)(&mut expected);
            joined.run(&mut result).unwrap();
            assert_eq!(bits(&result), bits(&expected), "{joined} at {sizes:?}");
        }
        let program = program(&joined, &Mapping::sane());
        assert_agrees_nearly(&kernel, &program, &sizes(nest.parameters().len(), &[5])[0], 1);
    }
    // What reads the same matrix, by rows and by columns; and the steps of a row that are loops of their own.
    assert_eq!(fused, ["gemver", "mvt", "covariance", "correlation"]);
}

#[test]
fn wavefronts_run_at_the_same_time_where_no_loop_does() {
    let mut skewed = Vec::new();
    for kernel in kernels() {
        let nest = (kernel.nest)().with_temporaries().unwrap();
        let changed = nest.with_wavefronts().unwrap();
        if changed == nest {
            continue;
        }
        let shape = |nest: &Nest| {
            let program = program(nest, &Mapping::sane());
            (program.kernels[0].threads() > 1, program.kernels[0].grid.len())
        };
        skewed.push((nest.name().to_owned(), shape(&nest), shape(&changed)));
        for mapping in exact_mappings() {
            for (seed, sizes) in sizes(nest.parameters().len(), &[0, 1, 2, 5]).iter().enumerate() {
                assert_agrees(&kernel, &program(&changed, &with_small_blocks(&mapping)), sizes, seed as u64);
            }
        }
    }
    let expected = [("alignment", (false, 1), (true, 1)), ("seidel_2d", (false, 1), (true, 2))];
    assert_eq!(skewed, expected.map(|(name, before, after)| (name.to_owned(), before, after)));
}

#[test]
fn temporaries_take_away_what_memory_used_again_forbids() {
    let program = |name: &str| {
        let nest = nest_of(name).with_temporaries().unwrap();
        (nest.arrays().len() - nest.arguments(), program(&nest, &Mapping::naive()))
    };
    let (temporaries, doitgen) = program("doitgen");
    assert_eq!(temporaries, 1);
    assert!(doitgen.kernels.iter().all(|kernel| kernel.host_iterators.is_empty()), "{doitgen}");
    let (temporaries, trmm) = program("trmm");
    assert_eq!(temporaries, 1);
    assert!(trmm.kernels.iter().all(|kernel| kernel.grid.len() == 2), "{trmm}");
    for name in ["gemm", "syr2k", "atax", "jacobi_2d", "heat_3d", "covariance"] {
        assert_eq!(program(name).0, 0, "{name} has no use for a temporary");
    }
}
