//! Thinning: fewer points than there are, where more would show nothing more.

use std::collections::BTreeMap;

/// Divides values into at most so many equal parts, and returns the last value of each.
pub(super) fn last_of_each<T>(values: &[T], most: usize) -> Vec<&T> {
    let size = values.len().div_ceil(most).max(1);
    values.chunks(size).filter_map(<[T]>::last).collect()
}

/// Counts the points, given in percent of a plot, that lie in the same spot.
pub(super) fn spots(
    points: impl Iterator<Item = (f64, f64)>,
    (columns, rows): (f64, f64),
) -> Vec<(f64, f64, usize)> {
    let mut spots: BTreeMap<(i32, i32), (f64, f64, usize)> = BTreeMap::new();
    for (x, y) in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
        let cell = ((x * columns / 100.0) as i32, (y * rows / 100.0) as i32);
        // A spot stands where its first point is.
        spots.entry(cell).or_insert((x, y, 0)).2 += 1;
    }
    spots.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_and_each_spot_stay() {
        let values: Vec<usize> = (0..1000).collect();
        let thin = last_of_each(&values, 300);
        assert!(thin.len() <= 300 && thin.last() == Some(&&999));
        assert_eq!(last_of_each(&values[..3], 300), [&0, &1, &2]);
        let points = [(10.0, 10.0), (10.1, 10.0), (90.0, 10.0), (f64::NAN, 1.0)];
        assert_eq!(spots(points.into_iter(), (10.0, 10.0)), [(10.0, 10.0, 2), (90.0, 10.0, 1)]);
    }
}
