//! Nests that were written after the rules of the generator: what they are mapped to gives what their functions give.
//!
//! Each nest has tests of its own, which run side by side.

mod support;

use nitro_nest::{Mapping, MappingSpace};
use nitro_polybench::{Kernel, kernels_of_strangers, sizes};
use nitro_search::Generator;
use support::{assert_agrees_nearly, small_sizes};

fn kernel(name: &str) -> Kernel {
    let mut all = kernels_of_strangers().into_iter();
    all.find(|kernel| (kernel.nest)().name() == name).unwrap_or_else(|| panic!("there is no nest `{name}`"))
}

fn assert_mapped_as_its_function(name: &str) {
    let kernel = kernel(name);
    let space = MappingSpace::new(&(kernel.nest)()).unwrap();
    // Tiles as large as those of products are interpreted at each of their points: `sane` has small ones here.
    let sane = Mapping::sane().with_blocks([[32, 1, 1], [4, 2, 1], [2, 2, 2]]);
    let all = small_sizes(&(kernel.nest)(), &[5, 4]);
    assert_agrees_nearly(&kernel, &space.map(&sane), &all[0], 1);
}

fn assert_guessed(name: &'static str) {
    let space = MappingSpace::new(&(kernel(name).nest)()).unwrap();
    let space = space.with_sizes(move |size| sizes(name, size));
    assert_eq!(space.guesses("large", &|_| Some(132.0)).len(), 5);
}

macro_rules! tests_of {
    ($($name:ident)+) => {
        const TESTED: &[&str] = &[$(stringify!($name)),+];
        $(mod $name {
            #[test]
            fn a_mapping_gives_what_its_function_gives() {
                super::assert_mapped_as_its_function(stringify!($name));
            }

            #[test]
            fn a_search_begins_with_guesses() {
                super::assert_guessed(stringify!($name));
            }
        })+
    };
}

tests_of! {
    strided_convolution grouped_convolution convolution_1d depthwise_nhwc rms_norm column_softmax batch_statistics
    bilinear mttkrp manhattan column_products overlapping_pool linear_tanh total log_softmax two_layers cumulative_sums
    group_norm largest_magnitude log_sum_exp padded_convolution layer_norm_in_loops blurred_colours
}

#[test]
fn every_nest_has_tests() {
    let all = kernels_of_strangers().map(|kernel| (kernel.nest)().name().to_owned());
    assert_eq!(all.iter().map(String::as_str).collect::<Vec<_>>(), TESTED);
}
