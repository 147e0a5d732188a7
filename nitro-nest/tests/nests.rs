//! Nests: what they accept, how they read, what they do.

use nitro_nest::{Affine, Array2, Bounds, Builder, Data, Expression, Nest, RunError, Variable, nest};
use nitro_test_support::random::Random;

/// Everything of the grammar at once.
#[nest(reassoc)]
#[allow(clippy::identity_op)]
fn everything(
    n: usize,
    r#m: usize,
    alpha: f32,
    #[shape(2 * n + m, m)] a: &mut Array2<f32>,
    #[shape(n + 5)] x: &[f32],
) {
    for i in (0..n).rev() {
        for j in (i + 1).max(2)..m.saturating_sub(2).min(2 * (n - 0)).min(9) {
            if i + 1 < n && j >= 1 && 3 * i == j {
                a[[2 * i, j]] -= -x[i].abs().sqrt() / 2.0;
            }
        }
    }
    for i in (1..n).step_by(3) {
        let both = alpha.max(x[i]) * x[i + 4].min(0.5);
        for j in i.saturating_sub(1)..=m - 1 {
            a[[i, j]] = if both <= x[i - 1] { both } else { 1f32 } + (2 * j + i) as f32;
            a[[i, j]] *= 0.5;
        }
    }
}

const EVERYTHING: &str = "\
nest everything(n: usize, m: usize, alpha: f32, a: &mut f32[2 * n + m, m], x: &f32[n + 5]) {
    for i in (0..n).rev() {
        for j in max(i + 1, 2)..min(m - 2, 2 * n, 9) {
            if i + 1 < n && j >= 1 && 3 * i == j {
                a[2 * i, j] = a[2 * i, j] - ((-sqrt(abs(x[i]))) / 2.0);
            }
        }
    }
    for i in (1..n).step_by(3) {
        for j in max(i - 1, 0)..m {
            a[i, j] = (if max(alpha, x[i]) * min(x[i + 4], 0.5) <= x[i - 1] { max(alpha, x[i]) * min(x[i + 4], 0.5) } else { 1.0 }) + (i + 2 * j) as f32;
            a[i, j] = a[i, j] * 0.5;
        }
    }
}";

#[test]
fn a_nest_reads_like_its_function() {
    assert_eq!(everything::nest().to_string(), EVERYTHING);
}

#[test]
fn a_nest_does_what_its_function_does() {
    let nest = everything::nest();
    for (n, m) in [(0, 3), (1, 2), (2, 7), (7, 2), (6, 11)] {
        let mut data = Data::new(&nest, &[n, m], &[0.75]).unwrap();
        let values = data.arrays.iter_mut().flatten().enumerate();
        values.for_each(|(index, value)| *value = (index * 37 % 11) as f32 / 7.0);
        let mut expected = data.clone();
        everything::reference(&mut expected);
        nest.run(&mut data).unwrap();
        assert_eq!(data, expected, "{n} {m}");
    }
}

/// Conditions of values with all that joins comparisons.
#[nest]
#[allow(clippy::nonminimal_bool)]
fn joined(n: usize, low: f32, #[shape(n)] x: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = if x[i] > low && x[i] < 1.0 || x[i] == -1.0 { x[i] } else { 0.0 };
        y[i] += if x[i] != 0.5 && !(x[i] <= low || y[i] == 0.0) { 2.0 } else { 4.0 };
    }
}

#[test]
fn comparisons_of_a_value_are_joined() {
    let nest = joined::nest();
    let mut data = Data::new(&nest, &[7], &[0.25]).unwrap();
    data.arrays[0] = vec![-1.0, 0.0, 0.25, 0.5, 0.75, 1.0, f32::NAN];
    let mut expected = data.clone();
    joined::reference(&mut expected);
    nest.run(&mut data).unwrap();
    assert_eq!(data.arrays[1], expected.arrays[1]);
    assert_eq!(data.arrays[1], [3.0, 4.0, 4.0, 4.5, 2.75, 4.0, 4.0]);
}

/// Integers that values are made of and chosen by
#[nest]
fn of_integers(
    n: usize,
    m: usize,
    k: usize,
    #[shape(n, m + 1)] x: &mut Array2<f32>,
    #[shape(1)] n_m: &mut [f32],
) {
    n_m[0] = (n * m * k) as f32;
    for i in 0..n {
        for j in 0..m {
            x[[i, j]] = if j <= i && i != 2 * j { x[[i, j]] } else { 0.0 };
            x[[i, j]] += if j >= 1 || n > 3 { x[[i, j + 1]] / (n * m) as f32 } else { (m * n) as f32 };
        }
    }
}

#[test]
fn values_are_made_of_products_of_sizes_and_chosen_by_integers() {
    let nest = of_integers::nest();
    assert_eq!(nest.parameters(), ["n", "m", "k"]);
    for sizes in [[0, 2, 3], [3, 4, 5], [5, 3, 1], [1 << 13, 1, (1 << 13) + 1]] {
        let mut data = Data::new(&nest, &sizes, &[]).unwrap();
        let values = data.arrays.iter_mut().flatten().enumerate();
        values.for_each(|(index, value)| *value = (index * 37 % 11) as f32 / 7.0);
        let mut expected = data.clone();
        of_integers::reference(&mut expected);
        nest.run(&mut data).unwrap();
        assert_eq!(data, expected, "{sizes:?}");
    }
}

/// What a macro hands on is one operand: in the function and in the nest.
macro_rules! handed_on {
    ($name:ident, $n:ident, $i:ident, $extent:expr, $low:expr, $range:expr, $at:expr, $value:expr, $below:expr,
     $size:ty, $vector:ty, $number:ty) => {
        #[nest(reassoc)]
        fn $name($n: $size, #[shape(2 * $extent)] x: $vector, #[shape(9 - $low)] y: &[$number]) {
            for $i in ($range).rev() {
                for j in 4 - $low..=$extent * 2 - 1 {
                    if $below && 2 * ($at) > $i {
                        x[9 - $low - 2 * $at] += y[$at] * $value - $value;
                    }
                    x[j] = -$value * if y[0] < $value { $value } else { 0.5 };
                }
            }
        }
    };
}

handed_on!(
    through_macro,
    n,
    i,
    n + 1,
    2 - 1,
    0..n + 1,
    i + 1 - 1,
    1.0 - 0.25,
    i < 3 && i < n,
    usize,
    &mut [f32],
    f32
);

#[test]
fn a_macros_expression_is_one_operand() {
    let text = "\
nest through_macro(n: usize, x: &mut f32[2 * n + 2], y: &f32[8]) {
    for i in (0..n + 1).rev() {
        for j in 3..2 * n + 2 {
            if i < 3 && i < n && 2 * i > i {
                x[-2 * i + 8] = x[-2 * i + 8] + ((y[i] * (1.0 - 0.25)) - (1.0 - 0.25));
            }
            x[j] = (-(1.0 - 0.25)) * (if y[0] < 1.0 - 0.25 { 1.0 - 0.25 } else { 0.5 });
        }
    }
}";
    let nest = through_macro::nest();
    assert_eq!(nest.to_string(), text);
    let mut data = Data::new(&nest, &[4], &[]).unwrap();
    let values = data.arrays.iter_mut().flatten().enumerate();
    values.for_each(|(index, value)| *value = index as f32 / 7.0);
    let mut expected = data.clone();
    through_macro::reference(&mut expected);
    nest.run(&mut data).unwrap();
    assert_eq!(data, expected);
}

#[nest]
fn literals(n: usize, #[shape(n)] x: &mut [f32]) {
    for i in 0x0..n {
        x[i] = (-3 + 1_i32) as f32 + 2e-1_f32 + 7_f32;
    }
}

#[test]
fn literals_are_what_rust_takes_them_for() {
    let nest = literals::nest();
    let mut data = Data::new(&nest, &[2], &[]).unwrap();
    let mut expected = data.clone();
    literals::reference(&mut expected);
    nest.run(&mut data).unwrap();
    assert_eq!(data, expected);
    assert_eq!(data.arrays[0], [-2.0 + 0.2 + 7.0; 2]);
}

/// Functions, lists and cases.
#[nest]
#[allow(clippy::excessive_precision)]
fn functions(
    n: usize,
    alpha: f32,
    #[shape(n)] x: &[f32],
    #[shape(n + 4)] y: &mut [f32],
    #[shape(2)] most: &mut [f32],
) {
    most[0] = f32::NEG_INFINITY;
    most[1] = f32::MAX.min(f32::INFINITY);
    for i in 0..n {
        most[0] = most[0].max(x[i]);
        if i == 0 {
            y[i] = (x[i] - alpha).exp() + x[i].ln().tanh();
        } else if i < 3 && 2 * i > 2 {
            y[i] = x[i].sin() * x[i].cos();
        } else {
            y[i] = x[i].mul_add(alpha, x[i].recip());
            y[i] += x[i].powi(-3) + (alpha + x[i]).powi(13) - alpha.powi(0);
        }
        for s in [1, 3] {
            y[i + s] += s as f32 * x[i];
        }
    }
}

#[test]
fn functions_lists_and_cases_read_and_do_what_rust_does() {
    let nest = functions::nest();
    let text = nest.to_string();
    for line in [
        "most[0] = f32::NEG_INFINITY;",
        "y[i] = exp(x[i] - alpha) + tanh(ln(x[i]));",
        "if i > 0 {\n            if i < 3 && 2 * i > 2 {\n                y[i] = sin(x[i]) * cos(x[i]);",
        "y[i] = mul_add(x[i], alpha, 1.0 / x[i]);",
        "y[i + 3] = y[i + 3] + ((3) as f32 * x[i]);",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(serde_json::from_str::<Nest>(&serde_json::to_string(&nest).unwrap()).unwrap(), nest);
    let mut random = Random::new(39);
    for n in [0, 1, 2, 3, 40] {
        let mut data = Data::new(&nest, &[n], &[0.75]).unwrap();
        for value in data.arrays.iter_mut().flatten() {
            *value = 0.25 + random.below(1 << 20) as f32 / 300_000.0;
        }
        let mut expected = data.clone();
        functions::reference(&mut expected);
        nest.run(&mut data).unwrap();
        assert_eq!(data, expected, "{n}");
    }
}

#[test]
fn powers_are_products_in_the_order_of_the_function() {
    let mut random = Random::new(7);
    for exponent in -32..=32 {
        let mut builder = Builder::new("power");
        let x = builder.in_out("x", []);
        builder.assign(x.at::<i64>([]), Expression::from(x.at::<i64>([])).powi(exponent));
        let nest = builder.finish().unwrap();
        for _ in 0..20 {
            let mut data = Data::new(&nest, &[], &[]).unwrap();
            let base = 0.3 + random.below(1 << 20) as f32 / 700_000.0;
            data.arrays[0] = vec![base];
            nest.run(&mut data).unwrap();
            let exponent = std::hint::black_box(exponent);
            assert_eq!(data.arrays[0], [base.powi(exponent)], "{base} to the power of {exponent}");
        }
    }
}

type OfNests = fn(Expression) -> Expression;
type OfDoubles = fn(f64) -> f64;

/// Each function beside double precision: no result is further off than the bound says, also where operands are
/// sums.
#[test]
fn bounds_of_functions_hold_what_other_libraries_may_give() {
    let exact: [(OfNests, OfDoubles); 5] = [
        (Expression::exp, f64::exp),
        (Expression::ln, f64::ln),
        (Expression::tanh, f64::tanh),
        (Expression::sin, f64::sin),
        (Expression::cos, f64::cos),
    ];
    let mut random = Random::new(3);
    for (function, of_double) in exact {
        let mut builder = Builder::new("function");
        let [x, y] = [builder.scalar("x"), builder.scalar("y")];
        let z = builder.in_out("z", []);
        builder.assign(z.at::<i64>([]), function(x + y));
        let nest = builder.finish().unwrap();
        for _ in 0..200 {
            let [x, y] = [(); 2].map(|()| 0.01 + random.below(1 << 22) as f32 / 100_000.0);
            let mut data = Data::new(&nest, &[], &[x, y]).unwrap();
            let bound = nest.run_with_bounds(&mut data).unwrap()[0][0];
            let found = f64::from(data.arrays[0][0]);
            let expected = of_double(f64::from(x) + f64::from(y));
            assert!((found - expected).abs() <= bound / 2.0, "{x} + {y}: {found} and {expected}, {bound}");
            assert!(bound < 1e-3 * expected.abs().max(1.0), "{bound} says nothing");
        }
    }
}

#[test]
fn a_nest_survives_being_written_and_read() {
    let nest = everything::nest();
    let text = serde_json::to_string(&nest).unwrap();
    assert_eq!(serde_json::from_str::<Nest>(&text).unwrap(), nest);
}

#[test]
fn an_access_that_is_out_of_bounds_is_an_error_with_statement_and_element() {
    let mut builder = Builder::new("beyond");
    let n = builder.parameter("n");
    let x = builder.in_out("x", [n.into()]);
    builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(x.at([i]), x.at([i + 1]) + 1.0));
    let nest = builder.finish().unwrap();
    let mut data = Data::new(&nest, &[3], &[]).unwrap();
    let error = nest.run(&mut data).unwrap_err();
    assert_eq!(error.to_string(), "`x[i] = x[i + 1] + 1.0;` touches x[3], which has the shape [3]");
    assert_eq!(data.arrays[0], [1.0, 1.0, 0.0], "the data are half done");
}

#[test]
fn data_of_another_nest_are_refused() {
    let nest = everything::nest();
    let message = |error: RunError| error.to_string();
    let refused = |sizes: &[i64], scalars: &[f32]| message(Data::new(&nest, sizes, scalars).unwrap_err());
    assert_eq!(refused(&[1], &[0.0]), "the nest `everything` takes 2 sizes and was given 1");
    assert_eq!(refused(&[1, 1], &[]), "the nest `everything` takes 1 scalars and was given 0");
    assert_eq!(refused(&[1, -1], &[0.0]), "the array `a` cannot have the shape [1, -1]");
    assert!(refused(&[1 << 30, 1 << 30], &[0.0]).starts_with("the array `a` cannot have the shape"));
    let mut data = Data::new(&nest, &[1, 1], &[0.0]).unwrap();
    data.arrays[1].pop();
    assert_eq!(
        message(nest.run(&mut data).unwrap_err()),
        "the nest `everything` takes 6 elements of `x` and was given 5"
    );
}

/// What a builder with this content says.
fn refused(build: impl FnOnce(&mut Builder, Variable)) -> String {
    let mut builder = Builder::new("wrong");
    let n = builder.parameter("n");
    build(&mut builder, n);
    builder.finish().unwrap_err().to_string()
}

#[test]
fn what_is_no_nest_is_refused_with_its_reason() {
    let cases = [
        (refused(|builder, _| drop(builder.scalar("n"))), "two arguments are called `n`"),
        (
            refused(|builder, _| drop(builder.scalar("π"))),
            "\"π\" is no name: write it with the letters a to z, digits and `_`",
        ),
        (
            refused(|builder, n| {
                builder.temporary("kept", [n.into()]);
                builder.input("x", [n.into()]);
                builder.temporary("last", [n.into()]);
            }),
            "the temporary `kept` is declared before an argument: declare temporaries last",
        ),
        (
            refused(|builder, n| {
                let x = builder.input("x", [n.into()]);
                builder.assign(x.at([0]), 1.0);
            }),
            "`x` is an input and is written",
        ),
        (
            refused(|builder, n| {
                let x = builder.in_out("x", [n.into()]);
                builder.assign(x.at([0, 0]), 1.0);
            }),
            "`x` has 1 dimensions and is given 2 subscripts",
        ),
        (
            refused(|builder, n| {
                let x = builder.in_out("x", [n.into()]);
                let mut outside = n;
                builder.repeat("i", Bounds::new(0, n), |_, i| outside = i);
                builder.assign(x.at([outside]), Expression::from(outside));
            }),
            "the iterator `i` is used outside of its loop",
        ),
        (
            refused(|builder, n| {
                builder.repeat("i", Bounds::new(0, n), |builder, i| {
                    builder.repeat("i", Bounds::new(i, n), |_, _| {});
                });
            }),
            "two loops around one another have the iterator `i`",
        ),
        (
            refused(|builder, n| builder.repeat("n", Bounds::new(0, n), |_, _| {})),
            "the iterator `n` has the name of an argument",
        ),
        (
            refused(|builder, n| builder.repeat("i", Bounds::new(0, n).reversed().step_by(2), |_, _| {})),
            "the step of the loop over `i` is 2: it is 1, or more with one lower bound and forwards",
        ),
        (
            refused(|builder, n| _ = builder.input("x", [n + Variable::Iterator(0)])),
            "the shape of `x` is not of parameters alone",
        ),
        (
            refused(|builder, _| {
                builder.repeat("i", Bounds::new(0, Affine::from(Variable::Thread(0))), |_, _| {})
            }),
            "Thread(0) is no variable of this nest",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, format!("the nest `wrong` is wrong: {expected}"));
    }
}
