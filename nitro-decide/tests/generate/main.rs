//! Code from decisions: every point of a space does what its plain loops do, with threads in any order.

mod ahead;
mod bounds;
mod points;
mod products;
mod prover;
mod vectors;
mod warps;

use nitro_decide::{Candidate, DecidedSpace};
use nitro_nest::Data;
use nitro_test_support::random::Random;

/// A point drawn from a state: each choice in turn one of what is open; from the start again where nothing is left.
fn drawn(root: &Candidate, random: &mut Random) -> Vec<usize> {
    let mut walk = || root.draw(|count| random.below(count as u64) as usize)?.solution();
    (0..1000).find_map(|_| walk()).expect("of a thousand walks one comes to an end")
}

/// The arrays of the nest with numbers whose sums are rounded, so that their order shows, and what plain loops make
/// of them.
fn reference(space: &DecidedSpace, random: &mut Random) -> (Data, Data) {
    let nest = space.nest();
    let scalars: Vec<f32> = nest.scalars().iter().enumerate().map(|(at, _)| 0.7 + at as f32).collect();
    let mut data = Data::new(nest, &[], &scalars).unwrap();
    for element in data.arrays.iter_mut().flatten() {
        *element = random.below(1 << 20) as f32 / 1e6 - 0.3;
    }
    let mut expected = data.clone();
    nest.run(&mut expected).unwrap();
    (data, expected)
}

/// Runs a point with threads in any order, which finds races and what is out of bounds, and compares every bit.
fn agrees(space: &DecidedSpace, values: &[usize], random: &mut Random) {
    let (mut data, expected) = reference(space, random);
    let program = space.program(values);
    let run = program.run(&mut data, |threads| random.below(threads as u64) as usize);
    let told = || format!("{}\n{program}", space.show(values));
    run.unwrap_or_else(|error| panic!("{error}\n{}", told()));
    assert!(data == expected, "it gives something else\n{}", told());
}

/// So many points of a space agree with its plain loops.
fn agree(space: &DecidedSpace, points: usize, seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..points {
        agrees(space, &drawn(space.root(), &mut random), &mut random);
    }
}
