//! What a program gives, beside what its nest gives.

use nitro_nest::{Data, Nest, Program};
use nitro_test_support::random::Random;

/// Random numbers from -8 to below 8 with `bits` bits after the point; 0 bits are integers, whose sums are exact in
/// any order.
pub fn data(nest: &Nest, sizes: &[i64], bits: u32, seed: u64) -> Data {
    let mut random = Random::new(seed);
    let scale = f32::from(1_u16 << bits);
    let scalars = vec![3.0 / 2.0; nest.scalars().len()];
    let mut data = Data::new(nest, sizes, &scalars).unwrap_or_else(|error| panic!("{error}\n{nest}"));
    let number = |random: &mut Random| (random.below(16 << bits) as f32) / scale - 8.0;
    data.arrays.iter_mut().flatten().for_each(|element| *element = number(&mut random));
    data
}

/// Runs a nest and what it was mapped to on the same data, threads in random order: both give the same, bit for bit.
pub fn assert_agrees(nest: &Nest, program: &Program, data: &Data, seed: u64) {
    let (mut expected, mut result) = (data.clone(), data.clone());
    nest.run(&mut expected).unwrap_or_else(|error| panic!("{error}\n{nest}"));
    let mut random = Random::new(seed);
    let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{error}\n{:?}\n{nest}\n{program}", data.parameters));
    assert_eq!(bits(&result), bits(&expected), "{:?}\n{nest}\n{program}", data.parameters);
}

/// Runs a nest and what it was changed to on the same data: both give the same, bit for bit.
pub fn assert_same(nest: &Nest, changed: &Nest, data: &Data) {
    let (mut expected, mut result) = (data.clone(), data.clone());
    nest.run(&mut expected).unwrap_or_else(|error| panic!("{error}\n{nest}"));
    let run = changed.run(&mut result);
    run.unwrap_or_else(|error| panic!("{error}\n{:?}\n{nest}\n{changed}", data.parameters));
    assert_eq!(bits(&result), bits(&expected), "{:?}\n{nest}\n{changed}", data.parameters);
}

/// Zeros of both signs are one number.
pub fn bits(data: &Data) -> Vec<Vec<u32>> {
    data.arrays.iter().map(|array| array.iter().map(|one| (one + 0.0).to_bits()).collect()).collect()
}
