//! Nests of double precision: their kernels compile, and give what the functions give on a GPU.

#[path = "support/emulated.rs"]
mod emulated;

use emulated::emulated;
use nitro_cuda::{Buffer, CudaError, Executable, LaunchError, Options, PlanError, device, nvrtc_version};
use nitro_nest::{Array2, Array3, Data, Integers, Mapping, MappingSpace, Nest, Program, nest};
use nitro_search::{Ask, Budget, Engine, Generator, Paths, RandomPaths};
use nitro_test_support::random::Random;
use nitro_test_support::tools::NVRTC;

/// c ← c + a·b
#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f64>,
    #[shape(l, m)] b: &Array2<f64>,
    #[shape(n, m)] c: &mut Array2<f64>,
) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..l {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

/// The softmax of each row.
#[nest(reassoc)]
fn softmax(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(n)] most: &mut [f64],
    #[shape(n)] sum: &mut [f64],
    #[shape(n, m)] x: &mut Array2<f64>,
) {
    for i in 0..n {
        most[i] = f64::NEG_INFINITY;
        for j in 0..m {
            most[i] = most[i].max(x[[i, j]]);
        }
        sum[i] = 0.0;
        for j in 0..m {
            x[[i, j]] = (x[[i, j]] - most[i]).exp();
            sum[i] += x[[i, j]];
        }
        for j in 0..m {
            x[[i, j]] /= sum[i];
        }
    }
}

/// A 7-point star in space, a weight for each point.
#[nest]
fn star(
    n: usize,
    m: usize,
    l: usize,
    c: f64,
    #[shape(n, m, l)] a: &Array3<f64>,
    #[shape(n, m, l)] b: &mut Array3<f64>,
) {
    for i in 1..n.saturating_sub(1) {
        for j in 1..m.saturating_sub(1) {
            for k in 1..l.saturating_sub(1) {
                b[[i, j, k]] = c * a[[i, j, k]]
                    + 0.1 * (a[[i - 1, j, k]] + a[[i + 1, j, k]])
                    + 0.2 * (a[[i, j - 1, k]] + a[[i, j + 1, k]])
                    + 0.3 * (a[[i, j, k - 1]] + a[[i, j, k + 1]]).abs().sqrt().tanh();
            }
        }
    }
}

/// A nest and its function.
type Function = (Nest, fn(&mut Data<f64>));

fn nests() -> [Function; 3] {
    [
        (product::nest(), product::reference),
        (softmax::nest(), softmax::reference),
        (star::nest(), star::reference),
    ]
}

/// Those of all presets, and some that are drawn, as far as searches have no kernel of them refused as too long.
fn programs(nest: &Nest) -> Vec<Program> {
    let space = MappingSpace::new(nest).unwrap();
    let mut search = Engine::new(Paths::new(&space, RandomPaths::new(1)), Budget::evaluations(6));
    let Ask::Evaluate(mut paths) = search.ask(6).unwrap() else { panic!() };
    let presets = Mapping::presets();
    let presets = presets.iter().map(|(_, mapping)| space.map(mapping));
    paths.retain(|path| space.artifact(path).is_ok());
    presets.chain(paths.iter().map(|path| space.program(path))).collect()
}

/// Numbers between 1/2 and 3/2, with all bits of the mantissa in use.
fn data(nest: &Nest, sizes: &[i64]) -> Data<f64> {
    let mut random = Random::new(1);
    let mut number = || 0.5 + random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
    let scalars: Vec<f64> = nest.scalars().iter().map(|_| number()).collect();
    let mut data = Data::in_double(nest, sizes, &scalars).unwrap();
    data.arrays.iter_mut().flatten().for_each(|element| *element = number());
    data
}

/// The result is as near as double precision is: an error of single precision would be a million times larger.
fn assert_near(result: &Data<f64>, expected: &Data<f64>, bounds: &[Vec<f64>], what: &Program) {
    for ((found, wanted), bounds) in result.arrays.iter().zip(&expected.arrays).zip(bounds) {
        for ((one, other), bound) in found.iter().zip(wanted).zip(bounds) {
            let bound = bound.min(1e-11);
            assert!((one - other).abs() <= bound, "{one} instead of {other}, at most {bound} apart: {what}");
        }
    }
}

#[test]
fn programs_give_what_the_function_gives() {
    for (nest, reference) in nests() {
        let before = data(&nest, &[9, 35, 10]);
        let (mut expected, mut bounded) = (before.clone(), before.clone());
        reference(&mut expected);
        let bounds = nest.run_with_bounds(&mut bounded).unwrap();
        assert_eq!(bounded, expected);
        for program in programs(&nest) {
            let mut result = before.clone();
            let mut random = Random::new(2);
            let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
            run.unwrap_or_else(|error| panic!("{error}\n{program}"));
            assert_near(&result, &expected, &bounds, &program);
        }
    }
}

#[test]
fn kernels_compile_in_either_integers() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let mut copies = [0; 3];
    for program in nests().iter().flat_map(|(nest, _)| programs(nest)) {
        let plan = program.plan();
        for (count, helper) in copies.iter_mut().zip(["void fetch_wide(double*", "(double2*)&", "atomicAdd("])
        {
            *count += usize::from(plan.cuda.contains(helper));
        }
        for integers in [Integers::Bits32, Integers::Bits64] {
            Executable::image(&plan, integers, Options::new(90))
                .unwrap_or_else(|error| panic!("{error}\n{program}"));
        }
    }
    assert!(copies.iter().all(|count| *count > 0), "{copies:?}: all ways of copies are compiled");
}

/// As a GPU does it: the text of the kernels, with products and sums in one operation.
#[test]
fn texts_of_kernels_give_what_the_function_gives() {
    let bytes = |array: &Vec<f64>| array.iter().flat_map(|one| one.to_le_bytes()).collect();
    for (nest, _) in nests() {
        // Whole tiles of a product come several elements at once, and some while threads compute.
        let sizes = if nest.name() == "product" { [64, 64, 32] } else { [9, 35, 10] };
        let before = data(&nest, &sizes);
        let mut expected = before.clone();
        let bounds = nest.run_with_bounds(&mut expected).unwrap();
        let scalars: Vec<Vec<u8>> =
            before.scalars.iter().map(|scalar| scalar.to_le_bytes().to_vec()).collect();
        for program in programs(&nest) {
            let arrays = before.arrays.iter().map(bytes).collect();
            let Some(found) = emulated(&program.plan(), &sizes, &scalars, arrays) else { return };
            let of = |array: &Vec<u8>| {
                let numbers =
                    array.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()));
                numbers.collect()
            };
            let result = Data { arrays: found.iter().map(of).collect(), ..before.clone() };
            assert_near(&result, &expected, &bounds, &program);
        }
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_on_a_gpu_give_what_the_function_gives() {
    let device = device(0).unwrap();
    device.enter();
    for (nest, reference) in nests() {
        for sizes in [[9, 35, 10], [132, 260, 64], [129, 33, 131]] {
            let before = data(&nest, &sizes);
            let (mut expected, mut bounded) = (before.clone(), before.clone());
            reference(&mut expected);
            let bounds = nest.run_with_bounds(&mut bounded).unwrap();
            for program in programs(&nest) {
                let executable = Executable::new(program.plan(), device).unwrap();
                let arrays: Result<Vec<_>, CudaError> =
                    before.arrays.iter().map(|array| Buffer::from_slice(array)).collect();
                let arrays = arrays.unwrap();
                // SAFETY: the kernels stay within the arrays.
                unsafe { executable.run(&sizes, &before.scalars, &arrays) }.unwrap();
                let mut result = before.clone();
                result.arrays = arrays.iter().map(|array| array.to_vec().unwrap()).collect();
                assert_near(&result, &expected, &bounds, &program);
                let single = [Buffer::<f32>::zeroed(1).unwrap()];
                // SAFETY: nothing is launched.
                let refused = unsafe { executable.run(&sizes, &[], &single) };
                assert!(matches!(refused, Err(LaunchError::Plan(PlanError::Element { .. }))), "{refused:?}");
            }
        }
    }
}
