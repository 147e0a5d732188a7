//! Nests of double precision.

use nitro_nest::{
    Array2, Bounds, Builder, Data, Element, Expression, Form, Integers, LaunchPlan, Mapping, Nest, Number,
    Program, RunError, Space, nest,
};
use nitro_test_support::random::Random;

/// c ← beta·c + alpha·a·b
#[nest(reassoc)]
fn gemm(
    ni: usize,
    nj: usize,
    nk: usize,
    alpha: f64,
    beta: f64,
    #[shape(ni, nk)] a: &Array2<f64>,
    #[shape(nk, nj)] b: &Array2<f64>,
    #[shape(ni, nj)] c: &mut Array2<f64>,
) {
    for i in 0..ni {
        for j in 0..nj {
            c[[i, j]] *= beta;
            for k in 0..nk {
                c[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
            }
        }
    }
}

/// Each row relative to its largest element and its sum, as a softmax without its function of a library.
#[nest(reassoc)]
fn rows(n: usize, m: usize, _l: usize, #[shape(n)] most: &mut [f64], #[shape(n, m)] x: &mut Array2<f64>) {
    for i in 0..n {
        most[i] = f64::NEG_INFINITY;
        for j in 0..m {
            most[i] = most[i].max(x[[i, j]]);
        }
        for j in 0..m {
            x[[i, j]] = (x[[i, j]] - most[i]).mul_add(0.5, 3.0);
        }
    }
}

/// Numbers that single precision does not have, and all functions that are exact.
#[nest]
fn pointwise(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(n, m)] x: &Array2<f64>,
    #[shape(m)] ids: &[u32],
    #[shape(n, m)] y: &mut Array2<f64>,
) {
    for i in 0..n {
        for j in 0..m {
            let largest = x[[i, ids[j] as usize]].abs().max(1e-300);
            y[[i, j]] = if x[[i, j]] < 0.1 {
                largest.sqrt() * (i + 2 * j) as f64
            } else {
                1.0000000000000002 / x[[i, j]].min(f64::MAX) + x[[i, j]].powi(3)
            };
        }
    }
}

/// Waves on a membrane, whose speed is read from a table.
#[nest]
fn waves(
    n: usize,
    m: usize,
    steps: usize,
    #[shape(m)] speeds: &[f64],
    #[shape(m)] ids: &[u32],
    #[shape(n, m)] now: &mut Array2<f64>,
    #[shape(n, m)] before: &mut Array2<f64>,
    #[shape(n, m)] next: &mut Array2<f64>,
) {
    for _t in 0..steps {
        for i in 1..n.saturating_sub(1) {
            for j in 1..m.saturating_sub(1) {
                let around = now[[i - 1, j]] + now[[i + 1, j]] + now[[i, j - 1]] + now[[i, j + 1]];
                next[[i, j]] = 2.0 * now[[i, j]] - before[[i, j]] + 0.25 * (around - 4.0 * now[[i, j]]);
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..m.saturating_sub(1) {
                before[[i, j]] = now[[i, j]] * speeds[ids[j] as usize];
            }
        }
        for i in 1..n.saturating_sub(1) {
            for j in 1..m.saturating_sub(1) {
                now[[i, j]] = next[[i, j]];
            }
        }
    }
}

/// A nest and its function.
type Function = (Nest, fn(&mut Data<f64>));

fn nests() -> [Function; 4] {
    [
        (waves::nest(), waves::reference),
        (gemm::nest(), gemm::reference),
        (rows::nest(), rows::reference),
        (pointwise::nest(), pointwise::reference),
    ]
}

/// Whole numbers whose products single precision does not have, and whose sums are exact in double.
fn data(nest: &Nest, sizes: &[i64; 3], seed: u64) -> Data<f64> {
    let mut random = Random::new(seed);
    let scalars = vec![3.0; nest.scalars().len()];
    let mut data = Data::in_double(nest, sizes, &scalars).unwrap();
    let mut number = || random.below(1 << 20) as f64 - f64::from(1 << 19);
    data.arrays.iter_mut().flatten().for_each(|element| *element = number());
    data.indices.iter_mut().flatten().for_each(|index| *index = (sizes[1] - 1) as u32);
    data
}

fn bits(data: &Data<f64>) -> Vec<Vec<u64>> {
    data.arrays.iter().map(|array| array.iter().map(|one| (one + 0.0).to_bits()).collect()).collect()
}

fn assert_agrees(program: &Program, data: &Data<f64>, expected: &Data<f64>) {
    let mut result = data.clone();
    let mut random = Random::new(5);
    let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
    run.unwrap_or_else(|error| panic!("{error}\n{program}"));
    assert_eq!(bits(&result), bits(expected), "{program}");
}

const SIZES: [[i64; 3]; 3] = [[5, 7, 3], [1, 1, 1], [33, 4, 18]];

#[test]
fn stencils_have_tiles_in_time_of_half_the_numbers() {
    let nest = waves::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::temporal());
    let tiled: Vec<_> = program.kernels.iter().filter(|kernel| kernel.statements == [0, 1, 2]).collect();
    assert_eq!(tiled.len(), 2, "{program}");
    for kernel in tiled {
        let shared = kernel.locals.iter().filter(|local| local.space == Space::Shared);
        let numbers: i64 = shared.map(|local| local.shape.iter().product::<i64>()).sum();
        assert!(8 * numbers <= 48 << 10, "{kernel:?}");
    }
}

#[test]
fn nests_and_their_kernels_give_what_the_function_gives() {
    for (nest, reference) in nests() {
        let dependences = nest.dependences().unwrap();
        for sizes in &SIZES {
            let before = data(&nest, sizes, 1);
            let (mut expected, mut interpreted) = (before.clone(), before.clone());
            reference(&mut expected);
            nest.run(&mut interpreted).unwrap();
            assert_eq!(interpreted, expected);
            for (_, mapping) in Mapping::presets() {
                assert_agrees(
                    &nest.map(&dependences, &mapping.with_form(Form::default())),
                    &before,
                    &expected,
                );
            }
        }
    }
}

#[cfg(feature = "search")]
#[test]
fn drawn_mappings_give_what_the_nest_gives() {
    use nitro_search::{Ask, Budget, Engine, Paths, RandomPaths};
    for (nest, _) in nests() {
        let space = nitro_nest::MappingSpace::new(&nest).unwrap();
        let mut search = Engine::new(Paths::new(&space, RandomPaths::new(3)), Budget::evaluations(6));
        let Ask::Evaluate(paths) = search.ask(6).unwrap() else { panic!() };
        let before = data(&nest, &[9, 10, 11], 2);
        let mut expected = before.clone();
        nest.run(&mut expected).unwrap();
        for path in paths {
            assert_agrees(&space.program(&path), &before, &expected);
        }
    }
}

/// What threads share takes no more memory than a block is granted.
#[test]
fn staged_tiles_have_room_for_numbers_of_eight_bytes() {
    let nest = gemm::nest();
    let program = nest.with_joined_sums().unwrap();
    let program = program.map(&program.dependences().unwrap(), &Mapping::sane().with_form(Form::default()));
    let mut staged = 0;
    for local in program.kernels.iter().flat_map(|kernel| &kernel.locals) {
        if local.space == nitro_nest::Space::Shared {
            staged += 8 * local.shape.iter().product::<i64>();
        }
    }
    assert!((16 << 10..=48 << 10).contains(&staged), "{staged} bytes: {program}");
}

#[test]
fn texts_and_plans_say_the_type() {
    let text = |nest: &Nest, mapping: Mapping| {
        nest.map(&nest.dependences().unwrap(), &mapping).cuda(Integers::Bits32)
    };
    let found = text(&pointwise::nest(), Mapping::naive());
    for part in [
        "const double* __restrict__ x",
        "fmax(fabs(x[",
        "fmin(x[",
        "sqrt(",
        "(double)(i + 2 * j)",
        "1.0000000000000002 /",
        "< (0.1) ?",
        "1e-300",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    let found = text(&rows::nest(), Mapping::sane());
    assert!(
        found.contains("fma(") && found.contains("fmax(") && found.contains("__longlong_as_double("),
        "{found}"
    );
    let found = text(&gemm::nest(), Mapping::sane());
    assert!(!found.contains("float") && found.contains("__shared__ __align__(16) double a_tile"), "{found}");
    let nest = pointwise::nest();
    assert_eq!((nest.element(), nest.to_string().contains("x: &f64[n, m]")), (Element::F64, true), "{nest}");
    assert!(nest.to_string().contains("(i + 2 * j) as f64"), "{nest}");
    let plan = nest.map(&nest.dependences().unwrap(), &Mapping::naive()).plan();
    assert_eq!(plan.element, Element::F64);
    assert_eq!(LaunchPlan::from_json(&plan.to_json()), Ok(plan));
}

#[test]
fn names_of_functions_in_double_precision_are_taken() {
    let mut builder = Builder::new("names");
    builder.element(Element::F64);
    let n = builder.parameter("n");
    let x = builder.in_out("exp", [n.into()]);
    builder.repeat("fma", Bounds::new(0, n), |builder, i| {
        builder.assign(x.at([i]), Expression::from(x.at([i])).exp());
    });
    let nest = builder.finish().unwrap();
    let text = nest.map(&nest.dependences().unwrap(), &Mapping::naive()).cuda(Integers::Bits32);
    assert!(text.contains("exp_[fma_] = exp(exp_[fma_]);"), "{text}");
}

/// Errors of single precision are as many times larger as its unit.
fn bound_of<T: Number>(element: Element, mut data: Data<T>) -> f64 {
    let mut builder = Builder::new("sum");
    builder.element(element);
    let n = builder.parameter("n");
    let x = builder.input("x", [n.into()]);
    let sum = builder.in_out("sum", []);
    let all = || sum.at::<i64>([]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(all(), all() + x.at([i])));
    builder.finish().unwrap().run_with_bounds(&mut data).unwrap()[1][0]
}

#[test]
fn bounds_are_those_of_the_precision() {
    let (parameters, indices) = (vec![3], vec![]);
    let of = |values: &[f64]| vec![values.to_vec(), vec![0.0]];
    let double = Data {
        parameters: parameters.clone(),
        scalars: vec![],
        arrays: of(&[1.0, -2.0, 3.0]),
        indices: vec![],
    };
    let arrays = vec![vec![1.0_f32, -2.0, 3.0], vec![0.0]];
    let single = Data { parameters, scalars: vec![], arrays, indices };
    let unit = 0.5_f64.powi(53);
    let double = bound_of(Element::F64, double);
    assert!((double / (2.0 * 3.0 * unit * 6.0) - 1.0).abs() < 1e-9, "{double:e}");
    let ratio = bound_of(Element::F32, single) / double;
    assert!((ratio / 2.0_f64.powi(29) - 1.0).abs() < 1e-6, "{ratio}");
}

#[test]
fn numbers_of_the_other_type_are_refused() {
    let nest = gemm::nest();
    let error = Data::new(&nest, &[1, 1, 1], &[1.0, 1.0]).unwrap_err();
    assert_eq!(error.to_string(), "the nest `gemm` computes in `f64` and was given data of `f32`");
    let data = Data {
        parameters: vec![1, 1, 1],
        scalars: vec![1.0; 2],
        arrays: vec![vec![1.0_f32]; 3],
        indices: vec![],
    };
    assert!(matches!(nest.run(&mut data.clone()), Err(RunError::Element { .. })));
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::naive());
    assert!(matches!(program.run(&mut data.clone(), |_| 0), Err(RunError::Element { .. })));
    let mut builder = Builder::new("tenth");
    let x = builder.in_out("x", []);
    builder.assign(x.at::<i64>([]), Expression::double(0.1));
    let error = builder.finish().unwrap_err().to_string();
    assert_eq!(error, "the nest `tenth` is wrong: 0.1 is no number of single precision");
}
