//! A kernel's guards are those of the nest's domain, wherever its loops and sums end up.

use nitro_nest::{Array2, Array3, Data, Mapping, MappingSpace, Nest, Program, Schedule, Tiling, nest};
use nitro_test_support::random::Random;

use crate::agreement::{self, assert_agrees};

/// The loop around the one that is staged is bounded by the grid's.
#[nest]
fn rows_from(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        for j in i..n {
            for k in 0..n {
                x[i] += a[[j, k]];
            }
        }
    }
}

/// The loop over results is bounded by the one that is summed up.
#[nest(reassoc)]
fn columns(n: usize, #[shape(n, n)] l: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..i {
            y[j + 1] += l[[i, j]];
        }
    }
}

/// Of the results only a condition knows where they end.
#[nest(reassoc)]
fn conditional_columns(n: usize, #[shape(n, n)] l: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..n {
            if j + 3 < i {
                y[j + 4] += l[[i, j]];
            }
        }
    }
}

/// Of the two loops over results neither has the bound of their sum; the loop that is summed up has it with each of
/// them.
#[nest(reassoc)]
fn anti_diagonals(n: usize, #[shape(n, n)] a: &Array2<f32>, #[shape(n)] y: &mut [f32]) {
    for k in 0..n {
        for i in 0..n - k {
            for j in 0..k {
                y[i + j] += a[[i, k]];
            }
        }
    }
}

/// Each second element has a result: a bound of the sum says less than the instances.
#[nest(reassoc)]
fn every_second(n: usize, #[shape(n)] a: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..n {
            if 2 * j + 1 < i && i < 2 * j + 4 {
                y[j + j + 1] += a[i];
            }
        }
    }
}

/// In blocks whose points are all within the loops' bounds, a condition on what is summed up still leaves out results.
#[nest(reassoc)]
fn first_half(n: usize, #[shape(n)] a: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        if i < n - i + 1 {
            for j in 0..2 * i {
                for k in 0..n {
                    y[j] += a[k];
                }
            }
        }
    }
}

/// The same from the other end: without the first loops the others have as many results less.
#[nest(reassoc)]
fn without_the_first(n: usize, #[shape(n)] a: &[f32], #[shape(n)] y: &mut [f32]) {
    for i in 0..n {
        for j in 0..n - 2 * i {
            if i > 1 {
                for k in 0..n {
                    y[j + 4] += a[k];
                }
            }
        }
    }
}

/// What holds all over a block is of two loops that are summed up: without one of them it says nothing of the other.
#[nest(reassoc)]
fn from_the_end(n: usize, #[shape(n)] a: &[f32], #[shape(n)] x: &mut [f32]) {
    for i in 0..n {
        if i < n - i - 1 {
            for j in 0..n {
                for k in n - i - 1..n {
                    x[j] += a[k];
                }
            }
        }
    }
}

/// A statement that runs once is no sum, though one beside it adds up along the loop.
#[nest(reassoc)]
fn doubled_once(n: usize, #[shape(n)] a: &[f32], #[shape(n)] x: &mut [f32], #[shape(n)] y: &mut [f32]) {
    for i in 2..n {
        for j in i..n {
            y[j] += a[j];
            if j <= 2 {
                x[j] = x[j] + x[j];
            }
        }
    }
}

/// Where the loops are skewed, a block's first tile begins before the array does.
#[nest]
fn over_the_rest(
    n: usize,
    #[shape(n)] a: &[f32],
    #[shape(n, n)] b: &Array2<f32>,
    #[shape(n, n)] y: &mut Array2<f32>,
    #[shape(n, n)] z: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            z[[i, i]] += b[[i, i]];
            for k in i + 1..n {
                y[[j, j]] = a[k] * b[[j, k]];
            }
        }
    }
}

/// What is staged is there only where a condition inside of the loop holds.
#[nest]
fn conditional_reads(n: usize, #[shape(n)] a: &[f32], #[shape(n, n)] c: &mut Array2<f32>) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                if k + 2 < n {
                    c[[i, j]] += a[k + 2];
                }
            }
        }
    }
}

/// Neighbours along a diagonal are no neighbours in memory.
#[nest]
fn diagonal(n: usize, #[shape(n)] a: &[f32], #[shape(n, n)] c: &mut Array2<f32>) {
    for i in 0..n {
        for k in 0..n {
            c[[i, i]] += a[k];
        }
    }
}

/// The second loops begin like the first one, in another order, around more than a sum.
#[nest(reassoc)]
fn set_and_more(
    n: usize,
    m: usize,
    #[shape(m, n)] a: &Array2<f32>,
    #[shape(m)] x: &mut [f32],
    #[shape(n)] y: &mut [f32],
) {
    for i in 0..m {
        x[i] = 0.0;
    }
    for j in 0..n {
        for i in 0..m {
            for k in 0..n {
                x[i] += a[[i, k]];
            }
            y[j] += a[[i, j]];
        }
    }
}

fn tilings() -> [Tiling; 4] {
    let of = |block, points, inner| Tiling {
        block,
        thread_tile: points,
        tile_k: inner,
        promotes: true,
        ..Tiling::default()
    };
    [
        of([4, 2, 1], [2, 2, 1], 3),
        of([4, 2, 1], [4, 1, 1], 0),
        Tiling { vector_width: 4, stages: 2, transposes: true, ..of([2, 2, 1], [4, 4, 1], 4) },
        Tiling { sliced_k: 2, split_k: 4, ..of([2, 2, 1], [2, 1, 2], 2) },
    ]
}

/// Drawn integers, whose sums are exact in any order.
fn data(nest: &Nest, size: i64) -> Data {
    crate::agreement::data(nest, &vec![size; nest.parameters().len()], 0, size.unsigned_abs())
}

fn assert_all_agree(nest: &Nest) {
    let dependences = nest.dependences().unwrap();
    let mut programs: Vec<Program> =
        Mapping::presets().iter().map(|(_, mapping)| nest.map(&dependences, mapping)).collect();
    for sums_in_parallel in [false, true] {
        let schedule =
            Schedule { sums_in_parallel, splits_sums: sums_in_parallel, fuses: true, ..Schedule::default() };
        let mapping = Mapping::naive().with_schedule(schedule);
        for tiling in tilings() {
            let usual = [(); 3].map(|()| tiling.clone());
            programs.push(nest.map(&dependences, &mapping.clone().with_usual_tilings(usual)));
        }
    }
    let mut random = Random::new(7);
    for size in [0, 1, 4, 8, 9] {
        programs.iter().for_each(|program| assert_agrees(nest, program, &data(nest, size), random.bits()));
    }
}

#[test]
fn bounds_of_loops_around_a_staged_one_stay() {
    assert_all_agree(&rows_from::nest());
}

#[test]
fn sums_are_added_where_the_domain_has_results() {
    for nest in [columns::nest(), conditional_columns::nest(), anti_diagonals::nest(), every_second::nest()] {
        assert_all_agree(&nest);
    }
}

#[test]
fn bounds_that_hold_all_over_a_block_still_say_where_results_are() {
    assert_all_agree(&first_half::nest());
    assert_all_agree(&without_the_first::nest());
    assert_all_agree(&from_the_end::nest());
}

#[test]
fn a_tile_that_begins_before_its_array_stages_what_there_is() {
    assert_all_agree(&over_the_rest::nest());
}

#[test]
fn what_runs_once_beside_a_sum_is_no_sum() {
    assert_all_agree(&doubled_once::nest());
}

#[test]
fn what_a_condition_keeps_inside_an_array_is_staged_under_it() {
    assert_all_agree(&conditional_reads::nest());
}

#[test]
fn a_diagonal_is_moved_element_by_element() {
    assert_all_agree(&diagonal::nest());
}

#[test]
fn loops_around_more_than_a_sum_are_not_joined() {
    let nest = set_and_more::nest();
    assert_eq!(nest.with_joined_sums().unwrap(), nest);
    assert_all_agree(&nest);
}

#[test]
fn bounds_that_the_grid_has_anyway_are_in_no_kernel_twice() {
    let nest = columns::nest();
    let program = nest.map(&nest.dependences().unwrap(), &Mapping::sane()).to_string();
    assert!(program.contains("n - j - 2 >= 0"), "results end where the last row does:\n{program}");
    assert!(!program.contains("n - 1 >= 0"), "that there is a row is known:\n{program}");
}

/// A convolution whose border is left out by a condition around its terms.
#[nest(reassoc)]
fn padded(
    n: usize,
    c: usize,
    k: usize,
    w: usize,
    #[shape(n, c, w)] x: &Array3<f32>,
    #[shape(k, c, 3)] weights: &Array3<f32>,
    #[shape(n, k, w)] y: &mut Array3<f32>,
) {
    for i in 0..n {
        for o in 0..k {
            for s in 0..w {
                y[[i, o, s]] = 0.0;
                for l in 0..c {
                    for v in 0..3 {
                        if s + v >= 1 && s + v <= w {
                            y[[i, o, s]] += x[[i, l, s + v - 1]] * weights[[o, l, v]];
                        }
                    }
                }
            }
        }
    }
}

/// Asserts that a program of such a convolution gives what the nest does, at several sizes.
fn assert_agrees_as_convolution(nest: &Nest, program: &Program) {
    for sizes in [[1, 2, 3, 5], [2, 7, 9, 33], [1, 1, 8, 16]] {
        assert_agrees(nest, program, &agreement::data(nest, &sizes, 0, 1), 1);
    }
}

#[test]
fn what_is_made_of_shared_memory_is_computed_before_a_condition_is_asked() {
    let nest = padded::nest();
    let tiling =
        Tiling { block: [8, 4, 1], thread_tile: [2, 2, 1], tile_k: 6, promotes: true, ..Tiling::default() };
    let program = nest.map(
        &nest.dependences().unwrap(),
        &Mapping::naive().with_usual_tilings([tiling.clone(), tiling.clone(), tiling]),
    );
    let text = program.to_string();
    let computed = text.find("chosen = own_0[").expect("a term is added");
    let chosen = text.find("= chosen where s + v >= 1 && s + v <= w;").expect("the border is left out");
    assert!(computed < chosen && !text.contains("if s + v >= 1"), "{text}");
    assert_agrees_as_convolution(&nest, &program);
}

/// The same, where a term is zero on the border.
#[nest(reassoc)]
fn zero_outside(
    n: usize,
    c: usize,
    k: usize,
    w: usize,
    #[shape(n, c, w)] x: &Array3<f32>,
    #[shape(k, c, 3)] weights: &Array3<f32>,
    #[shape(n, k, w)] y: &mut Array3<f32>,
) {
    for i in 0..n {
        for o in 0..k {
            for s in 0..w {
                y[[i, o, s]] = 0.0;
                for l in 0..c {
                    for v in 0..3 {
                        y[[i, o, s]] += if s + v < 1 || s + v > w {
                            0.0
                        } else {
                            x[[i, l, s + v - 1]] * weights[[o, l, v]]
                        };
                    }
                }
            }
        }
    }
}

/// The same with a factor that is zero.
#[nest(reassoc)]
fn zero_factor(
    n: usize,
    c: usize,
    k: usize,
    w: usize,
    #[shape(n, c, w)] x: &Array3<f32>,
    #[shape(k, c, 3)] weights: &Array3<f32>,
    #[shape(n, k, w)] y: &mut Array3<f32>,
) {
    for i in 0..n {
        for o in 0..k {
            for s in 0..w {
                y[[i, o, s]] = 0.0;
                for l in 0..c {
                    for v in 0..3 {
                        let inside = if s + v >= 1 && s + v <= w { x[[i, l, s + v - 1]] } else { 0.0 };
                        y[[i, o, s]] += inside * weights[[o, l, v]];
                    }
                }
            }
        }
    }
}

#[test]
fn terms_that_are_zero_by_integers_are_left_out_by_a_condition() {
    for nest in [zero_outside::nest(), zero_factor::nest()] {
        let program = MappingSpace::new(&nest).unwrap().map(&Mapping::sane());
        let text = program.nest.to_string();
        assert!(text.contains("if s + v - 1 >= 0 && -w + s + v <= 0 {"), "{text}");
        assert_agrees_as_convolution(&nest, &program);
    }
}
