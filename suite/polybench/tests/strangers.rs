//! Nests on which nothing was decided: what any of their mappings give is what their functions give.

mod support;

use nitro_nest::{Mapping, MappingSpace, Program};
use nitro_polybench::{kernels_of_strangers, sizes};
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths};
use support::{assert_agrees_nearly, small_sizes};

/// Paths that are drawn of each space.
const DRAWN: usize = 1;

#[test]
fn mappings_of_strangers_give_what_their_functions_give() {
    for kernel in kernels_of_strangers() {
        let space = MappingSpace::new(&(kernel.nest)()).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(0)), Budget::evaluations(DRAWN));
        let Ask::Evaluate(paths) = search.ask(DRAWN).unwrap() else { panic!() };
        let presets = [Mapping::sane(), Mapping::split(), Mapping::sliced()];
        let mut programs: Vec<Program> = presets.iter().map(|preset| space.map(preset)).collect();
        programs.dedup();
        programs.extend(paths.iter().map(|path| space.program(path)));
        let all = small_sizes(&(kernel.nest)(), &[5, 4]);
        for (at, program) in programs.iter().enumerate() {
            assert_agrees_nearly(&kernel, program, &all[at % all.len()], 1);
        }
    }
}

#[test]
fn a_search_for_sums_products_and_normalisations_begins_with_guesses() {
    let mut without = Vec::new();
    for kernel in kernels_of_strangers() {
        let name = (kernel.nest)().name().to_owned();
        let space = MappingSpace::new(&(kernel.nest)()).unwrap();
        let own = name.clone();
        let space = space.with_sizes(move |size| sizes(&own, size));
        if space.guesses("large", &|_| Some(132.0)).is_empty() {
            without.push(name);
        }
    }
    // Windows of a channel alone have nothing to stage and add up few terms.
    assert_eq!(without, ["depthwise_nhwc", "overlapping_pool"]);
}
