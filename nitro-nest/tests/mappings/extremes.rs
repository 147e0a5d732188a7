//! Maxima and minima that are written as choices.

use nitro_nest::{Array2, Data, Mapping, Nest, Program, nest};

use crate::agreement::{assert_agrees, data};

/// A softmax as C has it.
#[nest(reassoc)]
fn softmax(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n, m)] y: &mut Array2<f32>) {
    for i in 0..n {
        let mut most = f32::NEG_INFINITY;
        for j in 0..m {
            if x[[i, j]] > most {
                most = x[[i, j]];
            }
        }
        for j in 0..m {
            y[[i, j]] = x[[i, j]] - most;
        }
    }
}

/// From the first element on, the other way round, and with a name for what is compared.
#[nest]
fn range(n: usize, m: usize, #[shape(n, m + 1)] x: &Array2<f32>, #[shape(n, 2)] y: &mut Array2<f32>) {
    for i in 0..n {
        let mut least = x[[i, 0]];
        for j in 1..m + 1 {
            let own = x[[i, j]];
            if least >= own {
                least = own;
            }
        }
        y[[i, 0]] = least;
        y[[i, 1]] = 0.0;
        for j in 0..m {
            let own = (x[[i, j]] - x[[i, j + 1]]).abs();
            y[[i, 1]] = if y[[i, 1]] < own { own } else { y[[i, 1]] };
        }
    }
}

/// What is no number is taken here.
#[nest]
fn else_taken(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        y[i] = -100.0;
        for j in 0..m {
            y[i] = if y[i] >= x[[i, j]] { y[i] } else { x[[i, j]] };
        }
    }
}

/// Nobody knows what this begins with.
#[nest]
fn from_before(n: usize, m: usize, #[shape(n, m)] x: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            if x[[i, j]] > y[i] {
                y[i] = x[[i, j]];
            }
        }
    }
}

fn sane(nest: &Nest) -> Program {
    nest.lower_with(&Mapping::sane(), &mut |_, _| {}).unwrap()
}

/// Some numbers, some of which are none, or zeros of both signs.
fn given(nest: &Nest, sizes: [i64; 2]) -> Data {
    let mut data = data(nest, &sizes, 0, 3);
    for (at, number) in data.arrays[0].iter_mut().enumerate() {
        match at % 7 {
            1 => *number = f32::NAN,
            2 => *number = -0.0,
            3 => *number = 0.0,
            _ => {}
        }
    }
    data
}

const SIZES: [[i64; 2]; 6] = [[7, 40], [3, 2], [1, 1], [2, 0], [0, 3], [5, 300]];

#[test]
fn choices_of_the_larger_are_maxima_and_keep_what_is_no_number() {
    for nest in [softmax::nest(), range::nest()] {
        let program = sane(&nest);
        let text = program.to_string();
        assert!(text.contains("max("), "{text}");
        for sizes in SIZES {
            assert_agrees(&nest, &program, &given(&nest, sizes), 5);
        }
    }
    // One kernel for each row is of no use for a chain of choices.
    assert_eq!(sane(&softmax::nest()).kernels.len(), 1, "{}", sane(&softmax::nest()));
}

#[test]
fn choices_that_take_what_is_no_number_stay_choices() {
    for nest in [else_taken::nest(), from_before::nest()] {
        let program = sane(&nest);
        let text = program.to_string();
        assert!(!text.contains("max("), "{text}");
        for sizes in SIZES {
            let mut data = given(&nest, sizes);
            assert_agrees(&nest, &program, &data, 5);
            data.arrays[1].iter_mut().for_each(|number| *number = f32::NAN);
            assert_agrees(&nest, &program, &data, 5);
        }
    }
}
