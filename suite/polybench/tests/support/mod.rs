//! Sizes and data of the tests, and comparisons.

#![allow(dead_code)] // each test uses a part

use nitro_nest::{Data, Nest, Program, Range, Variable};
use nitro_polybench::{Kernel, kernels, kernels_beyond};
use nitro_test_support::random::Random;

/// The nests of the suite and those beside it.
pub fn all_kernels() -> impl Iterator<Item = Kernel> {
    kernels().into_iter().chain(kernels_beyond())
}

/// The nest of this name.
pub fn nest_of(name: &str) -> Nest {
    let mut nests = all_kernels().map(|kernel| (kernel.nest)());
    nests.find(|nest| nest.name() == name).unwrap_or_else(|| panic!("there is no nest `{name}`"))
}

/// Sizes for as many parameters: all alike, all different, and one that is 0 or 1 where the others are not.
pub fn sizes(parameters: usize, alike: &[i64]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = alike.iter().map(|size| vec![*size; parameters]).collect();
    let different = [5, 2, 7, 3, 4];
    all.extend((0..3).map(|start| (0..parameters).map(|index| different[(start + index) % 5]).collect()));
    for small in [0, 1] {
        let but_one = |one| (0..parameters).map(|index| if index == one { small } else { 3 }).collect();
        all.extend((0..parameters).map(but_one));
    }
    all
}

/// The most instances of a statement at sizes of which there are many: each is interpreted, for each mapping.
const FEW: i64 = 2_000;

/// Sizes for a nest, those of [`sizes`] at which it is small, and one at which its widest stencil has a few points.
pub fn small_sizes(nest: &Nest, alike: &[i64]) -> Vec<Vec<i64>> {
    let mut all = sizes(nest.parameters().len(), alike);
    all.retain(|sizes| instances(nest, *sizes.iter().max().unwrap_or(&1)) <= FEW);
    if nest.name() == "star_3d_r4" {
        all.push(vec![2, 13]);
    }
    all
}

/// Numbers between 1/2 and 3/2, with all bits of the mantissa in use.
pub fn data(nest: &Nest, sizes: &[i64], seed: u64) -> Data {
    let mut random = Random::new(seed);
    let mut number = || 0.5 + random.below(1 << 24) as f32 / (1 << 24) as f32;
    let scalars: Vec<f32> = nest.scalars().iter().map(|_| number()).collect();
    let mut data = Data::new(nest, sizes, &scalars).expect("the sizes are sound");
    data.arrays.iter_mut().flatten().for_each(|element| *element = number());
    data
}

/// The bits of all elements. All that is not a number is alike: which bits it has is left open by IEEE 754.
pub fn bits(data: &Data) -> Vec<Vec<u32>> {
    let of = |element: &f32| if element.is_nan() { f32::NAN.to_bits() } else { element.to_bits() };
    data.arrays.iter().map(|array| array.iter().map(of).collect()).collect()
}

/// But for rounding, where sums were added up in another order.
pub fn assert_agrees_nearly(kernel: &Kernel, program: &Program, sizes: &[i64], seed: u64) {
    let [expected, result] = both(kernel, program, sizes, seed);
    let bounds = bounds(&(kernel.nest)(), sizes, seed);
    assert_near(&result, &expected, &bounds, &format!("{} at {sizes:?}\n{program}", program.nest.name()));
}

/// More instances of a statement than these take seconds to interpret.
const MANY: i64 = 300_000;

/// How far sums in another order may be off, element by element; infinitely far where that takes long to find out.
pub fn bounds(nest: &Nest, sizes: &[i64], seed: u64) -> Vec<Vec<f64>> {
    let mut data = data(nest, sizes, seed);
    if instances(nest, *sizes.iter().max().unwrap_or(&1)) > MANY {
        return data.arrays.iter().map(|array| vec![f64::INFINITY; array.len()]).collect();
    }
    nest.run_with_bounds(&mut data).expect("the sizes are sound")
}

/// About as many instances as a statement has at most where all sizes are this.
pub fn instances(nest: &Nest, size: i64) -> i64 {
    let is_of_sizes = |range: &&Range| {
        let mut terms = range.lower.iter().chain(&range.upper).flat_map(|bound| bound.terms());
        terms.any(|(variable, _)| matches!(variable, Variable::Parameter(_)))
    };
    let statements = nest.statements();
    let loops = statements
        .iter()
        .map(|statement| statement.loops.iter().copied().filter(|range| is_of_sizes(range)).count());
    size.saturating_pow(loops.max().unwrap_or(0) as u32)
}

/// No difference but those of rounding. Where time steps multiply the bound (stencils), differences are of a share
/// of the largest element at most.
pub fn assert_near(result: &Data, expected: &Data, bounds: &[Vec<f64>], what: &str) {
    for ((found, wanted), bounds) in result.arrays.iter().zip(&expected.arrays).zip(bounds) {
        let largest = wanted.iter().fold(1.0_f64, |largest, value| largest.max(f64::from(value.abs())));
        for ((one, other), bound) in found.iter().zip(wanted).zip(bounds) {
            let apart = (f64::from(*one) - f64::from(*other)).abs();
            let bound = bound.min(1e-4 * largest);
            let is_near = apart <= bound || one.is_nan() && other.is_nan() || one == other;
            assert!(is_near, "{one} instead of {other}, at most {bound} apart: {what}");
        }
    }
}

/// What the function gives and what the program gives.
pub fn both(kernel: &Kernel, program: &Program, sizes: &[i64], seed: u64) -> [Data; 2] {
    let input = data(&(kernel.nest)(), sizes, seed);
    let (mut expected, mut result) = (input.clone(), input);
    (kernel.reference)(&mut expected);
    let mut random = Random::new(seed);
    let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{} at {sizes:?}: {error}\n{program}", program.nest.name()));
    [expected, result]
}
