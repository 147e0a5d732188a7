//! Matrix products.

use nitro_decide::{DecidedSpace, Limits, OpenChoices, TileSizes};

use super::agree;

#[test]
fn drawn_points_of_products_agree_with_their_plain_loops() {
    for (sizes, points) in [([32; 3], 60), ([64, 32, 96], 5), ([32, 96, 64], 5)] {
        let few = Limits { threads: 256, ..Limits::default() }; // the interpreter goes through all of them
        let tiles = TileSizes { open: OpenChoices::ALL, ..TileSizes::full() };
        let space = DecidedSpace::sgemm(sizes, &tiles, &few).unwrap();
        agree(&space, points, sizes[1]);
    }
}

#[test]
fn drawn_points_of_the_reduced_space_agree_with_their_plain_loops() {
    let space = DecidedSpace::sgemm([64; 3], &TileSizes::reduced(), &Limits::default()).unwrap();
    agree(&space, 20, 7);
}

#[test]
fn drawn_points_of_batches_agree_with_their_plain_loops() {
    let few = Limits { threads: 64, ..Limits::default() };
    let space = DecidedSpace::batched_sgemm(3, [16, 32, 8], &TileSizes::full(), &few).unwrap();
    agree(&space, 100, 2);
}
