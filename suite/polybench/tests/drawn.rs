//! Whatever a search draws gives what the function gives.

mod support;

use nitro_cuda::{Executable, Options, nvrtc_version};
use nitro_nest::{Form, Integers, Mapping, MappingSpace};
use nitro_polybench::gpu::COMPARE;
use nitro_polybench::kernels;
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;
use support::{all_kernels, assert_agrees_nearly, nest_of, small_sizes};

const DRAWN: usize = 2;

#[test]
fn drawn_mappings_give_what_the_function_gives() {
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let space = MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(0)), Budget::evaluations(DRAWN));
        let Ask::Evaluate(paths) = search.ask(DRAWN).unwrap() else { panic!() };
        let all = small_sizes(&nest, &[6]);
        let mut random = Random::new(7);
        for path in paths {
            let sizes = &all[random.below(all.len() as u64) as usize];
            assert_agrees_nearly(&kernel, &space.program(&path), sizes, 1);
        }
    }
}

/// All that presets but the first ones do otherwise than `sane` with a nest as it is written.
#[test]
fn presets_in_their_form_give_what_the_function_gives_and_compile() {
    let mut of_another_form = Vec::new();
    for kernel in kernels() {
        let nest = (kernel.nest)();
        let space = MappingSpace::new(&nest).unwrap();
        let as_written = space.map(&Mapping::sane().with_form(Form::default()));
        if space.map(&Mapping::sane()) != as_written {
            of_another_form.push(nest.name().to_owned());
        }
        for mapping in [Mapping::sane(), Mapping::split(), Mapping::sliced()] {
            let program = space.map(&mapping);
            if program == as_written {
                continue;
            }
            for sizes in [[5; 5], [2, 0, 3, 1, 4], [3, 7, 1, 2, 5]] {
                let sizes = &sizes[..nest.parameters().len()];
                assert_agrees_nearly(&kernel, &program, sizes, 1);
            }
            if NVRTC.found(nvrtc_version()).is_some() {
                Executable::image(&program.plan(), Integers::Bits32, Options::new(90))
                    .unwrap_or_else(|error| panic!("{error}\n{program}"));
            }
        }
    }
    assert_eq!(of_another_form, ["gemm", "syrk", "syr2k", "doitgen"]);
}

#[test]
fn fewer_kernels_run_where_what_sets_an_element_is_next_to_its_sum() {
    for (name, as_written, sane, split, sliced) in
        [("gemm", 2, 1, 2, 1), ("syrk", 2, 1, 2, 1), ("two_mm", 2, 2, 4, 2), ("three_mm", 3, 3, 6, 3)]
    {
        let space = MappingSpace::new(&nest_of(name)).unwrap();
        let kernels = |mapping| space.map(&mapping).kernels.len();
        let found = [
            Mapping::sane().with_form(Form::default()),
            Mapping::sane(),
            Mapping::split(),
            Mapping::sliced(),
        ];
        assert_eq!(found.map(kernels), [as_written, sane, split, sliced], "{name}");
    }
}

/// NVRTC cannot be interrupted: what would take it minutes is refused before, and the search is told so.
#[test]
fn what_a_compiler_would_be_at_for_minutes_gives_no_text() {
    let space = MappingSpace::new(&nest_of("star_3d_r4")).unwrap();
    let mut search = Engine::new(Paths::new(&space, RandomPaths::new(0)), Budget::evaluations(20));
    let Ask::Evaluate(paths) = search.ask(20).unwrap() else { panic!() };
    let texts: Vec<_> = paths.iter().map(|path| space.artifact(path)).collect();
    assert!(texts.iter().any(Result::is_ok), "{texts:?}");
    let refused = texts.iter().filter_map(|text| text.as_ref().err()).map(ToString::to_string);
    let refused: Vec<String> = refused.collect();
    assert!(
        !refused.is_empty() && refused.iter().all(|why| why.contains("a compiler would write out")),
        "{refused:?}"
    );
    let begins_with: Vec<String> = space.presets().into_iter().map(|(name, _)| name).collect();
    assert_eq!(begins_with, ["naive"]);
}

#[test]
fn what_compares_on_the_gpu_compiles() {
    if NVRTC.found(nvrtc_version()).is_some() {
        COMPARE.compile(90, &[]).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn spaces_are_large_and_begin_with_the_schedule() {
    for (name, schedules) in [("gemm", 2), ("bicg", 3), ("jacobi_2d", 5)] {
        let space = MappingSpace::new(&nest_of(name)).unwrap();
        let nitro_search::Step::Choose(first) = nitro_search::Decisions::next(&space, &[]) else { panic!() };
        let found = if first.key.to_string() == "schedule" { first.allowed.len() } else { 1 };
        assert_eq!(found, schedules, "{name}");
    }
}

#[test]
fn stencils_go_through_memory_once_for_several_iterations() {
    // Tiles of a star that reaches four cells in space would compute most of their cells twice.
    let stencils = ["jacobi_2d", "fdtd_2d", "heat_3d", "star_2d_r1", "star_2d_r2", "star_3d_r1"];
    for kernel in all_kernels() {
        let nest = (kernel.nest)();
        let program = MappingSpace::new(&nest).unwrap().map(&Mapping::temporal());
        let statements = program.nest.statements().len();
        let tiled = program.kernels.iter().filter(|one| one.statements.len() == statements && statements > 1);
        let is_tiled = program.kernels.len() > 2 && tiled.count() == 2;
        assert_eq!(is_tiled, stencils.contains(&nest.name()), "{program}");
    }
}
