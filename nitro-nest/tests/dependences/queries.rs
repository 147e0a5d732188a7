//! What dependences permit.

use nitro_nest::{Array2, Binary, Nest, nest};

#[nest(reassoc)]
fn product(
    n: usize,
    #[shape(n, n)] a: &Array2<f32>,
    #[shape(n, n)] b: &Array2<f32>,
    #[shape(n, n)] c: &mut Array2<f32>,
) {
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
}

#[nest]
fn skewed(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    for i in 1..n {
        for j in 1..n.saturating_sub(1) {
            a[[i, j]] = a[[i - 1, j + 1]] + a[[i, j - 1]];
        }
    }
}

#[nest]
fn wavefront(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    for i in 1..n {
        for j in 1..n {
            a[[i, j]] = a[[i - 1, j]] + a[[i, j - 1]];
        }
    }
}

fn permitted(nest: &Nest, orders: &[&[usize]]) -> Vec<bool> {
    let (statements, dependences) = (nest.statements(), nest.dependences().unwrap());
    orders.iter().map(|order| dependences.permits(&statements[0], order)).collect()
}

#[test]
fn all_loops_of_a_product_may_be_interchanged_and_two_are_parallel() {
    let nest = product::nest();
    let dependences = nest.dependences().unwrap();
    assert_eq!([0, 1, 2].map(|depth| dependences.is_parallel(&[0], depth)), [true, true, false]);
    assert_eq!(permitted(&nest, &[&[0, 1, 2], &[2, 1, 0], &[1, 2, 0]]), [true; 3]);
}

#[test]
fn a_statement_that_adds_to_its_element_is_a_reduction() {
    let nest = product::nest();
    assert_eq!((nest.statements()[0].reduction(), nest.reassociates()), (Some(Binary::Add), true));
    assert_eq!(wavefront::nest().statements()[0].reduction(), None);
}

#[test]
fn a_dependence_that_goes_back_forbids_interchange() {
    let nest = skewed::nest();
    assert_eq!(permitted(&nest, &[&[0, 1], &[1, 0]]), [true, false]);
}

#[test]
fn a_wavefront_may_be_interchanged_but_has_no_parallel_loop() {
    let nest = wavefront::nest();
    let dependences = nest.dependences().unwrap();
    assert_eq!([0, 1].map(|depth| dependences.is_parallel(&[0], depth)), [false, false]);
    assert_eq!(permitted(&nest, &[&[1, 0]]), [true]);
}
