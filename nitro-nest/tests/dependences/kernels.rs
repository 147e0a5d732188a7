//! Kernels of drawn nests.

use nitro_nest::{Data, Mapping, Nest, Program};
use nitro_test_support::random::Random;

use crate::drawn::drawn;

/// Different numbers, few enough that sums of them are exact up to some depth and then round.
fn data(nest: &Nest, n: i64) -> Data {
    let mut data = Data::new(nest, &[n], &[]).unwrap();
    let elements = data.arrays.iter_mut().flatten().enumerate();
    elements.for_each(|(index, element)| *element = (index * 37 % 101) as f32 / 7.0);
    data
}

fn assert_agrees(nest: &Nest, program: &Program, n: i64, seed: u64) {
    let (mut expected, mut result) = (data(nest, n), data(nest, n));
    nest.run(&mut expected).unwrap_or_else(|error| panic!("{error}\n{nest}"));
    let mut random = Random::new(seed);
    let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{error}\n{nest}\n{program}"));
    assert_eq!(result, expected, "{n}\n{nest}\n{program}");
}

#[test]
fn of_drawn_nests_they_give_what_the_nests_give() {
    let small = Mapping::naive().with_blocks([[3, 1, 1], [2, 3, 1], [2, 2, 1]]);
    let (mut parallel, mut promoted, mut kernels) = (0, 0, 0);
    for seed in 0..300 {
        let nest = drawn(seed);
        let dependences = nest.dependences().unwrap();
        for mapping in [small.clone(), small.clone().with_register_promotion()] {
            let program = nest.map(&dependences, &mapping);
            [0, 1, 2, 5].into_iter().for_each(|n| assert_agrees(&nest, &program, n, seed));
            parallel += program.kernels.iter().filter(|kernel| kernel.threads() > 1).count();
            promoted += program.kernels.iter().filter(|kernel| !kernel.locals.is_empty()).count();
            kernels += program.kernels.len();
        }
    }
    let counts = (parallel, promoted, kernels);
    assert!(
        parallel > 300 && parallel < kernels && promoted > 20,
        "all kinds of kernels are drawn: {counts:?}"
    );
}
