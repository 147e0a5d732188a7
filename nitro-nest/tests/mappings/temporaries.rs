//! Temporaries: what is computed stays the same, and only what gains by them gets them.

use nitro_nest::{Array2, Mapping, Nest, nest};
use nitro_test_support::random::Random;

use crate::agreement::{assert_agrees, assert_same, data};
use crate::reused::reused;

#[nest]
fn row_sums(n: usize, m: usize, #[shape(n, m)] a: &mut Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    for i in 0..n {
        sum[0] = 0.0;
        for j in 0..m {
            sum[0] += a[[i, j]];
        }
        for j in 0..m {
            a[[i, j]] -= sum[0];
        }
    }
}

/// The first row reads what `sum` held before.
#[nest]
fn carried(n: usize, m: usize, #[shape(n, m)] a: &mut Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    for i in 0..n {
        for j in 0..m {
            a[[i, j]] += sum[0];
        }
        sum[0] = 0.5;
    }
}

/// What is read is overwritten by the next iteration.
/// The last of three statements reads what the first overwrites, and so does the one before.
#[nest]
fn shifted_twice(
    n: usize,
    #[shape(n + 1)] a: &mut [f32],
    #[shape(n)] once: &mut [f32],
    #[shape(n)] twice: &mut [f32],
) {
    for i in 0..n {
        a[i] = 1.0;
        once[i] = a[i + 1];
        twice[i] = 2.0 * a[i + 1];
    }
}

#[nest]
fn shifted(n: usize, #[shape(n + 1)] x: &mut [f32]) {
    for i in 0..n {
        x[i] = x[i + 1] * 0.5;
    }
}

#[nest]
fn prefix(n: usize, #[shape(n)] x: &mut [f32]) {
    for i in 1..n {
        x[i] += x[i - 1];
    }
}

/// Each iteration writes another element, but for the last what it holds in the end is that of an earlier one.
#[nest]
fn filled(n: usize, #[shape(1)] one: &mut [f32], #[shape(n)] row: &mut [f32]) {
    for i in 1..n {
        one[0] = 2.0;
        row[i] = one[0];
    }
}

#[nest]
fn under_a_condition(n: usize, #[shape(1)] last: &mut [f32], #[shape(n)] x: &[f32]) {
    for i in 0..n {
        for j in 0..n {
            if i + j == 2 {
                last[0] = x[j];
            }
        }
    }
}

/// The nest with temporaries, run beside the nest as it is and mapped, at all small sizes.
fn changed(nest: &Nest) -> Nest {
    let changed = nest.with_temporaries().unwrap();
    let program = changed.map(&changed.dependences().unwrap(), &Mapping::sane());
    for n in 0..5 {
        for m in [0, 1, 3] {
            let sizes: Vec<i64> = [n, m].into_iter().take(nest.parameters().len()).collect();
            let before = data(nest, &sizes, 0, 1);
            assert_same(nest, &changed, &before);
            assert_agrees(nest, &program, &before, 1);
        }
    }
    changed
}

fn temporaries(nest: &Nest) -> Vec<String> {
    let text = changed(nest).to_string();
    let found = ["_of_each", "_before"].iter().filter(|name| text.contains(**name));
    found.map(|name| (*name).to_owned()).collect()
}

#[test]
fn what_each_row_writes_before_it_reads_is_expanded_and_the_last_is_copied_back() {
    assert_eq!(temporaries(&row_sums::nest()), ["_of_each"]);
}

#[test]
fn what_the_last_iteration_does_not_write_again_is_not_expanded_and_no_iteration_is_no_element() {
    let text = changed(&filled::nest()).to_string();
    assert!(text.contains("one_of_each: &mut f32[n - 1, 1]") && !text.contains("row_of_each"), "{text}");
    assert_eq!(temporaries(&under_a_condition::nest()), [""; 0]);
}

#[test]
fn what_is_read_before_it_is_written_is_not_expanded() {
    assert!(!temporaries(&carried::nest()).contains(&"_of_each".to_owned()));
}

#[test]
fn what_others_overwrite_is_read_from_a_copy() {
    let nest = shifted::nest();
    assert_eq!(temporaries(&nest), ["_before"]);
    assert!(changed(&nest).dependences().unwrap().is_parallel(&[1], 0));
}

#[test]
fn each_statement_that_needs_a_copy_reads_one() {
    let nest = shifted_twice::nest();
    assert_eq!(changed(&nest).arrays().len() - nest.arrays().len(), 2);
    assert!(changed(&nest).dependences().unwrap().is_parallel(&[2, 3, 4], 0));
}

#[test]
fn where_each_iteration_needs_the_one_before_there_is_no_copy() {
    let nest = prefix::nest();
    assert_eq!(changed(&nest), nest);
}

#[test]
fn drawn_nests_that_use_memory_again_compute_the_same_with_temporaries() {
    let mut expanded = 0;
    for seed in 0..12 {
        let nest = reused(seed);
        let changed = nest.with_temporaries().unwrap();
        expanded += usize::from(changed.to_string().contains("_of_each"));
        let mut random = Random::new(seed);
        for _ in 0..4 {
            let sizes = [random.below(5) as i64, random.below(5) as i64];
            assert_same(&nest, &changed, &data(&nest, &sizes, 6, seed));
        }
    }
    assert!(expanded > 1, "{expanded} of the nests drawn have something to expand");
}

/// Sums of rows in a loop in time: `sum` is written before it is read, in each of its iterations too.
#[nest]
fn centred(steps: usize, n: usize, #[shape(n, n)] a: &mut Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    for _t in 0..steps {
        for i in 0..n {
            sum[0] = 0.0;
            for j in 0..n {
                sum[0] += a[[i, j]];
            }
            for j in 0..n {
                a[[i, j]] -= sum[0];
            }
        }
    }
}

#[nest]
fn smoothed(steps: usize, n: usize, #[shape(n)] a: &mut [f32], #[shape(n)] b: &mut [f32]) {
    for _t in 0..steps {
        for i in 1..n.saturating_sub(1) {
            b[i] = 0.5 * (a[i - 1] + a[i + 1]);
        }
        for i in 1..n.saturating_sub(1) {
            a[i] = b[i];
        }
    }
}

#[test]
fn a_loop_that_stays_in_order_needs_no_memory_for_each_iteration() {
    assert_eq!(smoothed::nest().with_temporaries().unwrap(), smoothed::nest());
    let nest = centred::nest();
    let changed = nest.with_temporaries().unwrap();
    let shapes: Vec<usize> = changed.arrays().iter().map(|array| array.shape.len()).collect();
    assert_eq!(shapes, [2, 1, 2], "a sum for each row, and not for each step: {changed}");
    for sizes in [[0, 3], [1, 4], [3, 5]] {
        let data = data(&nest, &sizes, 0, 1);
        assert_same(&nest, &changed, &data);
        let program = changed.map(&changed.dependences().unwrap(), &Mapping::sane());
        assert_agrees(&changed, &program, &data, 1);
    }
}
