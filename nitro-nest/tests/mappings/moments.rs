//! Variances: squares about a mean are added up while the mean is, where a row would be read again from memory.

use nitro_nest::{Array3, Data, Mapping, Nest, Program, Schedule, Tiling, nest};

use crate::agreement::data;

#[nest(reassoc)]
fn variances(
    n: usize,
    h: usize,
    w: usize,
    #[shape(h, n, w)] x: &Array3<f32>,
    #[shape(n)] mean: &mut [f32],
    #[shape(n)] variance: &mut [f32],
) {
    for i in 0..n {
        mean[i] = 0.0;
        for k in 0..h {
            for j in 0..w {
                mean[i] += x[[k, i, j]];
            }
        }
        mean[i] /= h as f32 * w as f32;
        variance[i] = 0.0;
        for k in 0..h {
            for j in 0..w {
                variance[i] += (x[[k, i, j]] - mean[i]).powi(2);
            }
        }
        variance[i] /= h as f32 * w as f32;
    }
}

/// As `variances`, over the rows of a matrix, of which all but the first terms are squared.
#[nest(reassoc)]
fn others(
    n: usize,
    m: usize,
    #[shape(n, 1, m)] x: &Array3<f32>,
    #[shape(n)] mean: &mut [f32],
    #[shape(n)] rest: &mut [f32],
) {
    for i in 0..n {
        mean[i] = 0.0;
        for j in 0..m {
            mean[i] += x[[i, 0, j]];
        }
        rest[i] = 0.0;
        for j in 1..m {
            rest[i] += (x[[i, 0, j]] - mean[i]).powi(2);
        }
    }
}

/// The nest in rows of 32 threads, of which each keeps so many values.
fn in_rows(nest: &Nest, points: u32) -> Program {
    let mapping = Mapping::naive().with_schedule(Schedule { rows: true, ..Schedule::default() });
    let tiling = Tiling { block: [32, 1, 1], thread_tile: [points, 1, 1], ..Tiling::default() };
    let dependences = nest.dependences().unwrap();
    let all: Vec<usize> = (0..nest.statements().len()).collect();
    nest.map(&dependences, &mapping.with_tiling(&all, tiling))
}

fn is_read_once(program: &Program) -> bool {
    program.to_string().contains("mean_of_terms")
}

#[test]
fn terms_are_read_once_where_registers_do_not_have_them() {
    assert!(is_read_once(&in_rows(&variances::nest(), 1)));
    assert!(!is_read_once(&in_rows(&others::nest(), 1)), "those are other terms");
}

/// A row whose first term is far from all others, which are far from zero beside their distances.
fn far_from_zero(sizes: &[i64]) -> Data {
    let mut data = data(&variances::nest(), sizes, 4, 1);
    data.arrays[0].iter_mut().for_each(|one| *one = 1000.0 + *one / 16.0);
    data.arrays[0][0] = 990.0;
    data
}

#[test]
fn nothing_cancels_that_does_not_where_terms_are_read_twice() {
    let nest = variances::nest();
    let program = in_rows(&nest, 1);
    for sizes in [[1, 7, 70], [3, 2, 31], [2, 5, 1]] {
        let before = far_from_zero(&sizes);
        let (mut expected, mut found) = (before.clone(), before);
        let bounds = nest.run_with_bounds(&mut expected).unwrap();
        program.run(&mut found, |_| 0).unwrap_or_else(|error| panic!("{error}\n{program}"));
        for array in 1..3 {
            for ((one, other), bound) in
                found.arrays[array].iter().zip(&expected.arrays[array]).zip(&bounds[array])
            {
                let apart = f64::from((one - other).abs());
                assert!(
                    apart <= *bound && apart <= 1e-3 * f64::from(*other),
                    "{one}, {other}: {sizes:?}\n{program}"
                );
            }
        }
    }
}
