//! Vectors, and matrices by vectors.

use nitro_decide::{DecidedSpace, Limits, OpenChoices, TileSizes};
use nitro_test_support::random::Random;

use super::points::all;
use super::{agree, agrees};

fn everything() -> TileSizes {
    TileSizes { open: OpenChoices::ALL, ..TileSizes::full() }
}

#[test]
fn drawn_points_of_sums_of_vectors_agree_with_their_plain_loops() {
    for n in [32, 96, 4096] {
        agree(&DecidedSpace::axpy(n, &everything(), &Limits::default()).unwrap(), 100, n);
    }
}

#[test]
fn drawn_points_of_matrices_by_vectors_agree_with_their_plain_loops() {
    for sizes in [[32, 32], [64, 96], [96, 64], [128, 16]] {
        agree(&DecidedSpace::matvec(sizes, &everything(), &Limits::default()).unwrap(), 60, sizes[0]);
    }
}

#[test]
fn drawn_points_of_sums_of_matrices_by_vectors_agree_with_their_plain_loops() {
    for n in [32, 64, 96] {
        agree(&DecidedSpace::gesummv(n, &everything(), &Limits::default()).unwrap(), 60, n);
    }
}

#[test]
fn every_point_of_tiny_spaces_agrees_with_its_plain_loops() {
    let tiny = TileSizes { open: OpenChoices::ALL, ..super::points::tiny() };
    let limits = Limits::default();
    let spaces = [
        DecidedSpace::axpy(32, &tiny, &limits).unwrap(),
        DecidedSpace::matvec([8, 8], &tiny, &limits).unwrap(),
        DecidedSpace::gesummv(8, &super::points::tiny(), &limits).unwrap(),
    ];
    let mut random = Random::new(1);
    for space in spaces {
        let points = all(space.root());
        assert!(points.len() > 50, "{} has {} points", space.nest().name(), points.len());
        points.iter().for_each(|values| agrees(&space, values, &mut random));
    }
}
