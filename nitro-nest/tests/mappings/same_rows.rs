//! What loops do to the same rows one after the other becomes one loop over rows.

use nitro_nest::{Array2, Array3, Instruction, Mapping, MappingSpace, Nest, Schedule, nest};

use crate::agreement::{assert_agrees, assert_same, data};

/// As softmax, with a square in the place of the exponential, each step in loops of its own.
#[nest(reassoc)]
fn softmax(
    n: usize,
    m: usize,
    #[shape(n, m)] x: &Array2<f32>,
    #[shape(n)] most: &mut [f32],
    #[shape(n)] total: &mut [f32],
    #[shape(n, m)] y: &mut Array2<f32>,
) {
    for i in 0..n {
        most[i] = -9.0;
        for j in 0..m {
            most[i] = most[i].max(x[[i, j]]);
        }
    }
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] = (x[[i, j]] - most[i]) * (x[[i, j]] - most[i]);
        }
    }
    for i in 0..n {
        total[i] = 0.0;
        for j in 0..m {
            total[i] += y[[i, j]];
        }
    }
    for i in 0..n {
        for j in 0..m {
            y[[i, j]] *= total[i];
        }
    }
}

/// Channels less their sums, where images are the outer loop of what becomes of each element.
#[nest(reassoc)]
fn channels(
    n: usize,
    c: usize,
    h: usize,
    #[shape(n, c, h)] x: &Array3<f32>,
    #[shape(c)] sum: &mut [f32],
    #[shape(n, c, h)] y: &mut Array3<f32>,
) {
    for l in 0..c {
        sum[l] = 0.0;
    }
    for l in 0..c {
        for i in 0..n {
            for p in 0..h {
                sum[l] += x[[i, l, p]];
            }
        }
    }
    for i in 0..n {
        for l in 0..c {
            for p in 0..h {
                y[[i, l, p]] = x[[i, l, p]] - sum[l];
            }
        }
    }
}

/// Each row is less its mean, of which each term is a part.
#[nest(reassoc)]
fn means(n: usize, m: usize, #[shape(n)] mean: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for i in 0..n {
        mean[i] = 0.0;
    }
    for i in 0..n {
        for j in 0..m {
            mean[i] += x[[i, j]] / m as f32;
        }
    }
    for i in 0..n {
        for j in 0..m {
            x[[i, j]] -= mean[i];
        }
    }
}

/// The same with one quotient for each row.
#[nest(reassoc)]
fn means_in_rows(n: usize, m: usize, #[shape(n)] mean: &mut [f32], #[shape(n, m)] x: &mut Array2<f32>) {
    for i in 0..n {
        mean[i] = 0.0;
        for j in 0..m {
            mean[i] += x[[i, j]];
        }
        mean[i] /= m as f32;
        for j in 0..m {
            x[[i, j]] -= mean[i];
        }
    }
}

/// Each row is less the sum of the next one.
#[nest(reassoc)]
fn of_the_next(n: usize, m: usize, #[shape(n + 1)] sum: &mut [f32], #[shape(n + 1, m)] x: &mut Array2<f32>) {
    for i in 0..n {
        sum[i] = 0.0;
        for j in 0..m {
            sum[i] += x[[i, j]];
        }
    }
    for i in 0..n {
        for j in 0..m {
            x[[i, j]] -= sum[i + 1];
        }
    }
}

/// Two sums of a matrix and a vector, of different matrices.
#[nest(reassoc)]
fn of_two(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] b: &Array2<f32>,
    #[shape(n)] x: &mut [f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..n {
        for j in 0..n {
            x[i] += a[[i, j]];
        }
    }
    for i in 0..n {
        for j in 0..n {
            y[i] += b[[i, j]];
        }
    }
}

/// The rows of a product, which wants tiles, and their sums.
#[nest(reassoc)]
fn product(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
    #[shape(n)] s: &mut [f32],
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += a[[i, k]] * a[[k, j]];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            s[i] += c[[i, j]];
        }
    }
}

fn is_one_loop(nest: &Nest) -> bool {
    nest.to_string().lines().filter(|line| line.starts_with("    for ")).count() == 1
}

#[test]
fn steps_of_rows_are_one_kernel_also_where_loops_of_their_own_do_them() {
    let rows = Mapping::sane().with_schedule(Schedule { rows: true, ..Mapping::sane().schedule() });
    for nest in [softmax::nest(), channels::nest()] {
        let fused = nest.with_fused_loops().unwrap();
        assert!(is_one_loop(&fused), "{fused}");
        let program = fused.map(&fused.dependences().unwrap(), &rows);
        let has_barrier = |all: &[Instruction]| format!("{all:?}").contains("Barrier");
        assert!(program.kernels.len() == 1 && has_barrier(&program.kernels[0].body), "{program}");
        for sizes in [[2, 3, 5], [3, 40, 2], [1, 1, 1], [4, 0, 3], [1, 300, 1]] {
            let sizes = &sizes[..nest.parameters().len()];
            let data = data(&nest, sizes, 0, 1);
            assert_same(&nest, &fused, &data);
            assert_agrees(&nest, &program, &data, 1);
        }
    }
}

#[test]
fn a_divisor_of_all_terms_of_a_row_divides_their_sum() {
    let [fused, plain] = [means::nest().with_fused_loops().unwrap(), means_in_rows::nest()];
    let sane = |nest: &Nest| MappingSpace::new(nest).unwrap().map(&Mapping::sane()).plan().cuda;
    assert_eq!(sane(&fused).replace("means", ""), sane(&plain).replace("means_in_rows", ""));
}

#[test]
fn rows_that_need_others_or_have_nothing_in_common_or_are_of_a_product_stay_apart() {
    for nest in [of_the_next::nest(), of_two::nest(), product::nest()] {
        assert_eq!(nest.with_fused_loops().unwrap(), nest);
    }
}
