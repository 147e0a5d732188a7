//! Nests whose arrays are stored in 16 bits.

use half::{bf16, f16};
use nitro_nest::{
    Array2, Builder, Data, Expression, Form, Integers, LaunchPlan, Mapping, Nest, RunError, Storage, nest,
};
use nitro_test_support::random::Random;

use crate::agreement::bits;

/// c ← a·b with operands of half precision, and the row sums of it, rounded.
#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    l: usize,
    #[shape(n, l)] a: &Array2<f16>,
    #[shape(l, m)] b: &Array2<half::bf16>,
    #[shape(n, m)] c: &mut Array2<f32>,
    #[shape(n, m)] rounded: &mut Array2<f16>,
) {
    for i in 0..n {
        for j in 0..m {
            c[[i, j]] = 0.0;
            for k in 0..l {
                c[[i, j]] += a[[i, k]].to_f32() * b[[k, j]].to_f32();
            }
            rounded[[i, j]] = f16::from_f32(c[[i, j]]);
        }
    }
}

/// Sums that are rounded at each step, in an order that has to stay.
#[nest(reassoc)]
fn prefix(n: usize, m: usize, _l: usize, #[shape(n, m)] x: &Array2<bf16>, #[shape(n)] y: &mut [bf16]) {
    for i in 0..n {
        for j in 0..m {
            y[i] = half::bf16::from_f32(y[i].to_f32() + x[[i, j]].to_f32() * 0.3);
        }
    }
}

/// Rows by their largest element, with a temporary that is rounded, and a table.
#[nest(reassoc)]
fn rows(
    n: usize,
    m: usize,
    _l: usize,
    #[shape(m)] ids: &[u32],
    #[shape(n)] most: &mut [f16],
    #[shape(n, m)] x: &Array2<f16>,
    #[shape(n, m)] y: &mut Array2<f16>,
) {
    for i in 0..n {
        most[i] = f16::from_f32(f32::NEG_INFINITY);
        for j in 0..m {
            most[i] = f16::from_f32(most[i].to_f32().max(y[[i, j]].to_f32()));
        }
        for j in 0..m {
            let value = f16::from_f32(x[[i, ids[j] as usize]].to_f32() / 3.0).to_f32();
            y[[i, j]] = f16::from_f32(y[[i, j]].to_f32() - most[i].to_f32() + value);
        }
    }
}

/// A nest and its function.
type Function = (Nest, fn(&mut Data));

fn nests() -> [Function; 3] {
    [
        (product::nest(), product::reference),
        (prefix::nest(), prefix::reference),
        (rows::nest(), rows::reference),
    ]
}

/// Whole numbers that 16 bits have, whose products and sums are exact in single precision.
fn data(nest: &Nest, sizes: &[i64; 3]) -> Data {
    let mut random = Random::new(1);
    let mut data = Data::new(nest, sizes, &[]).unwrap();
    data.arrays.iter_mut().flatten().for_each(|element| *element = random.below(129) as f32 - 64.0);
    data.indices.iter_mut().flatten().for_each(|index| *index = random.below(sizes[1] as u64) as u32);
    data
}

#[test]
fn nests_and_their_kernels_give_what_the_function_gives() {
    for (nest, reference) in nests() {
        let dependences = nest.dependences().unwrap();
        for sizes in [[5, 7, 3], [1, 1, 1], [33, 20, 18]] {
            let before = data(&nest, &sizes);
            let (mut expected, mut interpreted) = (before.clone(), before.clone());
            reference(&mut expected);
            nest.run(&mut interpreted).unwrap();
            assert_eq!(interpreted, expected);
            assert!(nest.run_with_bounds(&mut before.clone()).is_ok());
            for (_, mapping) in Mapping::presets() {
                let program = nest.map(&dependences, &mapping.with_form(Form::default()));
                let mut result = before.clone();
                let mut random = Random::new(2);
                let run = program.run(&mut result, |threads| random.below(threads as u64) as usize);
                run.unwrap_or_else(|error| panic!("{error}\n{program}"));
                assert_eq!(bits(&result), bits(&expected), "{program}");
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
        let before = data(&nest, &[9, 10, 11]);
        let mut expected = before.clone();
        nest.run(&mut expected).unwrap();
        for path in paths {
            let (program, mut result) = (space.program(&path), before.clone());
            let mut random = Random::new(4);
            program.run(&mut result, |threads| random.below(threads as u64) as usize).unwrap();
            assert_eq!(bits(&result), bits(&expected), "{program}");
        }
    }
}

#[test]
fn texts_convert_and_copy_element_by_element() {
    let nest = product::nest();
    let text = nest.map(&nest.dependences().unwrap(), &Mapping::sane()).cuda(Integers::Bits32);
    for part in
        ["const unsigned short* __restrict__ a", "= from_f16(a[", "= from_bf16(b[", "= to_f16(round_f16("]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("fetch") && !text.contains("(const float4*)&a["), "{text}");
    let plan = nest.map(&nest.dependences().unwrap(), &Mapping::naive()).plan();
    let stored: Vec<Storage> = plan.arrays.iter().map(|array| array.storage).collect();
    assert_eq!(stored, [Storage::F16, Storage::Bf16, Storage::Number, Storage::F16]);
    assert_eq!(LaunchPlan::from_json(&plan.to_json()), Ok(plan));
}

/// Half of the distance of two neighbours is the most that rounding adds.
#[test]
fn bounds_have_the_rounding_of_16_bits() {
    let nest = rows::nest();
    let mut data = data(&nest, &[1, 1, 1]);
    data.arrays = vec![vec![0.0], vec![1.0], vec![3.0]];
    let bounds = nest.run_with_bounds(&mut data).unwrap();
    let found = f64::from(data.arrays[2][0]);
    assert!(bounds[2][0] >= 2.0 * (found - 1.0 / 3.0).abs() && bounds[2][0] < 0.1, "{found}: {bounds:?}");
}

#[test]
fn what_16_bits_do_not_have_is_refused() {
    let nest = prefix::nest();
    let mut data = data(&nest, &[1, 1, 1]);
    data.arrays[0][0] = 1.0 + 1.0 / 1024.0;
    let error = nest.run(&mut data).unwrap_err();
    assert!(matches!(error, RunError::Storage { .. }));
    assert_eq!(
        error.to_string(),
        "the array `x` is stored in `bf16`, which has no 1.0009765625: round it first"
    );
    let mut builder = Builder::new("unrounded");
    let x = builder.in_out("x", []);
    builder.store_as(x, Storage::F16);
    builder.assign(x.at::<i64>([]), Expression::from(1.0));
    let error = builder.finish().unwrap_err().to_string();
    assert!(error.contains("`x` is stored in `f16`: round what it becomes by `round_f16`"), "{error}");
}

/// All numbers of 16 bits are themselves, and what is between two of them becomes what the crate `half` says.
#[test]
fn rounding_is_that_of_the_types() {
    let mut builder = Builder::new("round");
    let n = builder.parameter("n");
    let x = builder.input("x", [n.into()]);
    let [halves, upper] = ["halves", "upper"].map(|name| builder.in_out(name, [n.into()]));
    builder.repeat("i", nitro_nest::Bounds::new(0, n), |builder, i| {
        builder.assign(halves.at([i]), Expression::from(x.at([i])).round_f16());
        builder.assign(upper.at([i]), Expression::from(x.at([i])).round_bf16());
    });
    let nest = builder.finish().unwrap();
    let mut random = Random::new(1);
    let mut values: Vec<f32> = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32()).collect();
    values.extend((0..=u16::MAX).map(|bits| bf16::from_bits(bits).to_f32()));
    values.extend((0..200_000).map(|_| f32::from_bits(random.below(1 << 32) as u32)));
    values.extend((0..100_000).map(|_| f32::from_bits(0x3300_0000 + random.below(0x1500_0000) as u32)));
    values.extend((0..=u16::MAX).map(|bits| f32::from_bits(u32::from(bits) << 16 | 0x8000)));
    let mut data = Data::new(&nest, &[values.len() as i64], &[]).unwrap();
    data.arrays[0].clone_from(&values);
    nest.run(&mut data).unwrap();
    for (at, value) in values.iter().enumerate() {
        let expected = [f16::from_f32(*value).to_f32(), bf16::from_f32(*value).to_f32()];
        for (found, expected) in [data.arrays[1][at], data.arrays[2][at]].iter().zip(expected) {
            assert!(
                *found == expected || found.is_nan() && expected.is_nan(),
                "{found} of {value:e}, not {expected}"
            );
        }
    }
}
