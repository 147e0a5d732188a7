//! The points of a block's tile that a thread works on.

use std::collections::BTreeSet;

use crate::lower::Axis;

/// Returns the places of a thread's points along x, y and z, counted from the first of its block's tile.
pub(super) fn points(axes: &[Axis], thread: [i64; 3]) -> BTreeSet<[i64; 3]> {
    let mut points = BTreeSet::from([[0; 3]]);
    // Dimensions after the third have one value for each block.
    for axis in axes.iter().filter(|axis| axis.dimension < thread.len()) {
        let places = places(axis, thread[axis.dimension]);
        let mut next = BTreeSet::new();
        for mut point in points {
            for place in &places {
                point[axis.dimension] = *place;
                next.insert(point);
            }
        }
        points = next;
    }
    points
}

/// Returns the places of a thread's points along an axis: groups of neighbours are a block's threads apart.
fn places(axis: &Axis, thread: i64) -> Vec<i64> {
    let neighbours = if axis.is_serial { 1 } else { axis.neighbours };
    (0..axis.points)
        .map(|point| (point / neighbours * axis.threads + thread) * neighbours + point % neighbours)
        .collect()
}
