//! Nests that were written after the rules of the generator: what they are mapped to gives what their functions give.

mod support;

use nitro_nest::{Mapping, MappingSpace};
use nitro_polybench::{kernels_of_strangers, sizes};
use nitro_search::Generator;
use support::{assert_agrees_nearly, small_sizes};

#[test]
fn mappings_of_strangers_give_what_their_functions_give() {
    for kernel in kernels_of_strangers() {
        let space = MappingSpace::new(&(kernel.nest)()).unwrap();
        // Tiles as large as those of products are interpreted at each of their points: `sane` has small ones here.
        let sane = Mapping::sane().with_blocks([[32, 1, 1], [4, 2, 1], [2, 2, 2]]);
        let all = small_sizes(&(kernel.nest)(), &[5, 4]);
        assert_agrees_nearly(&kernel, &space.map(&sane), &all[0], 1);
    }
}

#[test]
fn a_search_begins_with_guesses() {
    for kernel in kernels_of_strangers() {
        let name = (kernel.nest)().name().to_owned();
        let space = MappingSpace::new(&(kernel.nest)()).unwrap();
        let own = name.clone();
        let space = space.with_sizes(move |size| sizes(&own, size));
        assert_eq!(space.guesses("large", &|_| Some(132.0)).len(), 5, "{name}");
    }
}
