//! Factors that are taken out of sums: what is inside is a product, and results stay what they are.

use nitro_nest::{Array2, Array3, Mapping, MappingSpace, Nest, nest};

use crate::agreement::{assert_agrees, data};

#[nest(reassoc)]
fn form(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(m, m)] a: &Array2<f32>,
    #[shape(n, m)] y: &Array2<f32>,
    #[shape(n)] result: &mut [f32],
) {
    for i in 0..n {
        result[i] = 1.0;
        for j in 0..m {
            for k in 0..m {
                result[i] += x[[i, j]] * a[[j, k]] * y[[i, k]] * 2.0;
            }
        }
    }
}

#[nest(reassoc)]
fn decomposed(
    n: usize,
    m: usize,
    #[shape(n, m, n)] t: &Array3<f32>,
    #[shape(m, n)] b: &Array2<f32>,
    #[shape(n, n)] c: &Array2<f32>,
    #[shape(n, n)] result: &mut Array2<f32>,
) {
    for i in 0..n {
        for l in 0..n {
            for j in 0..m {
                for k in 0..n {
                    result[[i, l]] += b[[j, l]] * t[[i, j, k]] * c[[k, l]];
                }
            }
        }
    }
}

/// The order of additions is the nest's.
#[nest]
fn in_order(
    n: usize,
    #[shape(n, n)] x: &Array2<f32>,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] y: &Array2<f32>,
    #[shape(n)] result: &mut [f32],
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                result[i] += x[[i, j]] * a[[j, k]] * y[[i, k]];
            }
        }
    }
}

/// No factor is the same along a loop of the sum.
#[nest(reassoc)]
fn plain(
    n: usize,
    #[shape(n, n, n)] x: &Array3<f32>,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n)] result: &mut [f32],
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                result[i] += x[[i, j, k]] * a[[j, k]];
            }
        }
    }
}

/// All terms are scaled alike, in the middle of other factors.
#[nest(reassoc)]
fn scaled(
    n: usize,
    k: usize,
    scale: f32,
    #[shape(n, k)] a: &Array2<f32>,
    #[shape(n, k)] b: &Array2<f32>,
    #[shape(n)] bias: &[f32],
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            c[[i, j]] = bias[j];
            for l in 0..k {
                c[[i, j]] += a[[i, l]] * b[[j, l]] / 4.0 * scale;
            }
            c[[i, j]] = c[[i, j]].max(0.0);
        }
    }
}

fn temporaries(nest: &Nest) -> usize {
    let program = MappingSpace::new(nest).unwrap().map(&Mapping::sane());
    program.nest.arrays().len() - nest.arrays().len()
}

#[test]
fn a_factor_that_is_the_same_along_a_loop_is_taken_out_of_its_sum() {
    let all = [form::nest(), decomposed::nest(), in_order::nest(), plain::nest()];
    assert_eq!(all.each_ref().map(temporaries), [1, 1, 0, 0]);
}

#[test]
fn what_scales_all_terms_of_a_product_is_applied_once_to_their_sum() {
    let program = MappingSpace::new(&scaled::nest()).unwrap().map(&Mapping::sane());
    let text = program.nest.to_string();
    let sum = text.lines().find(|line| line.contains(" * b[")).unwrap();
    assert!(!sum.contains("/ 4") && !sum.contains("scale"), "{text}");
    assert_eq!(text.matches("/ 4").count(), 1, "{text}");
}

#[test]
fn sums_without_their_factors_are_what_they_were() {
    for nest in [form::nest(), decomposed::nest(), scaled::nest()] {
        let space = MappingSpace::new(&nest).unwrap();
        for mapping in [Mapping::naive(), Mapping::sane(), Mapping::split(), Mapping::sliced()] {
            let program = space.map(&mapping);
            for sizes in [[0, 3], [3, 0], [1, 1], [2, 5], [4, 4]] {
                assert_agrees(&nest, &program, &data(&nest, &sizes, 0, 1), 1);
            }
        }
    }
}
