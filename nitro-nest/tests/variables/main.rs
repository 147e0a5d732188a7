//! Nests as one writes them without thinking of nests: sums in variables, constants, and what is left out of loops.

mod changes;
mod nests;

use changes::*;
use nests::*;
use nitro_nest::{Data, Nest, nest};
use nitro_test_support::random::Random;

#[allow(clippy::type_complexity)]
const ALL: &[(fn() -> Nest, fn(&mut Data))] = &[
    (product::nest, product::reference),
    (scaled::nest, scaled::reference),
    (convolution::nest, convolution::reference),
    (softmax::nest, softmax::reference),
    (normalised::nest, normalised::reference),
    (borders::nest, borders::reference),
    (pooled::nest, pooled::reference),
    (polynomials::nest, polynomials::reference),
    (running::nest, running::reference),
    (solved::nest, solved::reference),
    (triangle::nest, triangle::reference),
    (waves::nest, waves::reference),
    (named_alike::nest, named_alike::reference),
    (cases::nest, cases::reference),
    (turned::nest, turned::reference),
    (padded::nest, padded::reference),
    (star::nest, star::reference),
    (nearest::nest, nearest::reference),
];

fn drawn(nest: &Nest, sizes: &[i64], random: &mut Random) -> Data {
    let mut data = Data::new(nest, sizes, &[]).unwrap();
    for value in data.arrays.iter_mut().flatten() {
        *value = random.below(1 << 20) as f32 / 600_000.0 - 0.5;
    }
    data
}

#[test]
fn nests_do_what_their_functions_do() {
    let mut random = Random::new(7);
    for (nest, reference) in ALL {
        let nest = nest();
        for sizes in [[1, 1, 1], [2, 3, 4], [5, 2, 3], [4, 7, 2]] {
            let mut data = drawn(&nest, &sizes, &mut random);
            let mut expected = data.clone();
            reference(&mut expected);
            nest.run(&mut data).unwrap_or_else(|error| panic!("{error}\n{nest}"));
            assert_eq!(data, expected, "{sizes:?}\n{nest}");
        }
    }
}

/// The body of a nest, as it is printed.
fn body(nest: &Nest) -> String {
    nest.to_string().lines().skip(1).map(|line| format!("{}\n", line.trim())).collect()
}

#[test]
fn an_element_stands_for_a_variable_that_it_is_at_the_end() {
    #[nest]
    fn written(
        n: usize,
        m: usize,
        l: usize,
        #[shape(n, l)] a: &[f32],
        #[shape(l, m)] b: &[f32],
        #[shape(n, m)] c: &mut [f32],
    ) {
        for i in 0..n {
            for j in 0..m {
                c[i * m + j] = 0.0;
                for k in 0..l {
                    c[i * m + j] += a[i * l + k] * b[k * m + j];
                }
            }
        }
    }
    assert_eq!(body(&product::nest()), body(&written::nest()));
    for (nest, arrays) in
        [(product::nest(), 3), (convolution::nest(), 3), (scaled::nest(), 3), (running::nest(), 3)]
    {
        assert_eq!(nest.arguments(), arrays);
    }
    let kept =
        |nest: Nest| nest.arrays()[nest.arguments()..].iter().map(|own| own.name.clone()).collect::<Vec<_>>();
    assert_eq!(kept(convolution::nest()), [""; 0]);
    assert_eq!(kept(scaled::nest()), ["sum"], "`y` is read beside the sum");
    assert_eq!(kept(running::nest()), ["total"], "`most` is `z[0]`");
    assert_eq!(kept(turned::nest()), ["turned", "total", "before", "first", "even"], "`odd` is an element");
    assert_eq!(kept(solved::nest()), ["sum"], "`b` is read in the sum, and `part` is a value");
}

#[test]
fn variables_have_names_of_their_own_and_an_element_for_each_iteration() {
    let text = named_alike::nest().to_string();
    let kept = "own_: &mut f32[n, m], s_: &mut f32[n, 2 * n], t: &mut f32[n, 2 * n]) {";
    assert!(text.lines().next().is_some_and(|line| line.ends_with(kept)), "{text}");
}

#[test]
fn cases_are_those_that_there_are() {
    let nest = cases::nest();
    assert_eq!(nest.statements().len(), 4 + 1 + 3, "{nest}");
}

/// A variable that is rounded at its end has an array of its own.
#[cfg(feature = "half")]
#[test]
fn sums_are_not_rounded_before_their_end() {
    use half::f16;

    #[nest]
    fn rounded(n: usize, m: usize, #[shape(n, m)] x: &[f16], #[shape(n)] y: &mut [f16]) {
        for i in 0..n {
            let mut sum = 0.0;
            for j in 0..m {
                sum += x[i * m + j].to_f32();
            }
            y[i] = f16::from_f32(sum);
        }
    }
    let nest = rounded::nest();
    assert!(body(&nest).contains("sum[i] = sum[i] + x[i, j];"), "{nest}");
    let mut data = Data::new(&nest, &[2, 3], &[]).unwrap();
    data.arrays[0] = vec![2048.0, 1.0, 1.0, 0.5, 0.25, 4.0];
    let mut expected = data.clone();
    rounded::reference(&mut expected);
    nest.run(&mut data).unwrap();
    assert_eq!(data, expected);
    assert_eq!(data.arrays[1], [2050.0, 4.75]);
}

#[cfg(feature = "polyhedral")]
#[test]
fn kernels_do_what_their_functions_do() {
    use nitro_nest::Mapping;

    let mut random = Random::new(11);
    let presets = [
        Mapping::naive(),
        Mapping::sane(),
        Mapping::split(),
        Mapping::sliced(),
        Mapping::small(),
        Mapping::temporal(),
        Mapping::ppcg_default(),
    ];
    for (nest, reference) in ALL {
        // As it is, and with sums in another order.
        let mut text = serde_json::to_value(nest()).unwrap();
        for reassociates in [false, true] {
            text["reassociates"] = reassociates.into();
            let nest: Nest = serde_json::from_value(text.clone()).unwrap();
            let dependences = nest.dependences().unwrap();
            for mapping in &presets {
                let program = nest.map(&dependences, mapping);
                let mut data = drawn(&nest, &[5, 7, 3], &mut random);
                let mut expected = data.clone();
                reference(&mut expected);
                program.run(&mut data, |threads| random.below(threads as u64) as usize).unwrap();
                let is_near = |(one, other): (&f32, &f32)| {
                    one == other || reassociates && (one - other).abs() <= 1e-4 * other.abs().max(1.0)
                };
                let mut values = data.arrays.iter().flatten().zip(expected.arrays.iter().flatten());
                assert!(values.all(is_near), "{program}\n{data:?}\n{expected:?}");
            }
        }
    }
}
