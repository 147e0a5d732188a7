//! The least work of a nest is never more than what its instances do, counted one by one.

#[path = "mappings/drawn.rs"]
mod drawn;
#[path = "dependences/drawn.rs"]
mod drawn_writes;
#[path = "least/oracle.rs"]
mod oracle;

use nitro_nest::{Array1, Array2, Nest, nest};
use oracle::counted;

/// Asserts that no figure is above what is counted; returns shares of what is read, written and computed.
fn assert_is_least(nest: &Nest, sizes: &[i64]) -> [f64; 3] {
    let (least, counted) = (nest.least_work(sizes).unwrap(), counted(nest, sizes));
    let figures = [
        (least.read_bytes, counted.read_bytes),
        (least.written_bytes, counted.written_bytes),
        (least.instructions, counted.instructions),
    ];
    for (least, counted) in figures {
        assert!(least <= counted, "{least} of {counted} at {sizes:?} of {nest}\n{figures:?}");
    }
    figures.map(|(least, counted)| if counted > 0.0 { least / counted } else { 1.0 })
}

#[test]
fn of_drawn_nests_it_is_never_more_than_what_instances_do() {
    let mut shares = [0.0; 3];
    let mut count = 0.0;
    for seed in 0..600 {
        let nest = drawn::drawn(seed);
        for sizes in [[0, 3, 2], [1, 4, 3], [6, 5, 4], [7, 9, 8]] {
            let own = assert_is_least(&nest, &sizes);
            (0..3).for_each(|at| shares[at] += own[at]);
            count += 1.0;
        }
    }
    let means = shares.map(|sum| sum / count);
    assert!(means.iter().all(|mean| *mean > 0.4), "{means:?}: else this says little");
}

#[test]
fn of_nests_that_write_what_they_read_it_is_never_more_than_what_instances_do() {
    for seed in 0..1000 {
        let nest = drawn_writes::drawn(seed);
        for n in [0, 1, 2, 5, 9] {
            assert_is_least(&nest, &[n]);
        }
    }
}

/// Products of three: one of them may be taken out of a sum.
#[nest(reassoc)]
fn form(
    n: usize,
    #[shape(n, n)] x: &Array2<f32>,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] y: &Array2<f32>,
    #[shape(n)] result: &mut Array1<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                result[[i]] += x[[i, j]] * a[[j, k]] * y[[i, k]];
            }
        }
    }
}

#[test]
fn a_sum_without_its_factors_is_one_instruction_for_each_term() {
    let least = form::nest().least_work(&[50]).unwrap();
    assert_eq!(least.instructions, f64::from(50 * 50 * 50 + 50 * 50));
}

#[nest(reassoc)]
fn product(
    n: usize,
    m: usize,
    l: usize,
    alpha: f32,
    #[shape(n, m)] c: &mut Array2<f32>,
    #[shape(n, l)] a: &Array2<f32>,
    #[shape(l, m)] b: &Array2<f32>,
) {
    for i in 0..n {
        for k in 0..l {
            for j in 0..m {
                c[[i, j]] += alpha * a[[i, k]] * b[[k, j]];
            }
        }
    }
}

#[test]
fn of_a_product_every_element_and_every_multiply_add_counts_once() {
    let least = product::nest().least_work(&[7, 5, 3]).unwrap();
    assert_eq!(least.read_bytes, 4.0 * (7.0 * 5.0 + 7.0 * 3.0 + 3.0 * 5.0));
    assert_eq!(least.written_bytes, 4.0 * 35.0);
    assert_eq!(least.instructions, 105.0);
}

/// Three points of two arrays in turn, the second of which is written first.
#[nest]
fn steps(t: usize, n: usize, #[shape(n + 2)] a: &mut Array1<f32>, #[shape(n + 2)] b: &mut Array1<f32>) {
    for _t in 0..t {
        for i in 1..n + 1 {
            b[[i]] = a[[i - 1]] + a[[i]] + a[[i + 1]];
        }
        for i in 1..n + 1 {
            a[[i]] = b[[i - 1]] + b[[i]] + b[[i + 1]];
        }
    }
}

#[test]
fn of_steps_through_time_the_first_reads_and_every_step_computes() {
    let least = steps::nest().least_work(&[10, 100]).unwrap();
    assert_eq!((least.read_bytes, least.written_bytes), (400.0, 800.0));
    assert_eq!(least.instructions, 10.0 * 400.0);
    assert_eq!(steps::nest().least_work(&[0, 100]).unwrap(), nitro_nest::LeastWork::default());
}

/// What is shared by two uses, and what does not change with the inner loop.
#[nest]
fn shared(
    n: usize,
    m: usize,
    #[shape(n)] x: &Array1<f32>,
    #[shape(m)] y: &Array1<f32>,
    #[shape(n, m)] z: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..m {
            z[[i, j]] = (x[[i]] - y[[j]]) * (x[[i]] - y[[j]]) + x[[i]] * x[[i]];
        }
    }
}

#[test]
fn what_code_may_share_counts_once() {
    let least = shared::nest().least_work(&[10, 100]).unwrap();
    // A difference and a sum for each element; the squares go with them, and those of x are few.
    assert_eq!(least.instructions, 2.0 * 1000.0);
}

#[test]
fn sizes_of_another_nest_are_refused() {
    assert!(product::nest().least_work(&[1, 2]).unwrap_err().to_string().contains("sizes"));
}
