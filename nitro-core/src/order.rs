//! Sorting. The standard library's sort costs a program five to ten kilobytes for each type and each order, and what is
//! sorted here is short. So positions are sorted, in whatever order.

use std::cmp::Ordering;

/// Returns the positions below `count` in the order of a comparison. Equal ones stay as they are.
pub(crate) fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_by(|&one, &other| compare(one, other));
    positions
}

/// Returns the numbers in ascending order; NaN comes last.
pub(crate) fn ascending(numbers: &[f64]) -> Vec<f64> {
    let positions = order(numbers.len(), &|one, other| numbers[one].total_cmp(&numbers[other]));
    positions.into_iter().map(|position| numbers[position]).collect()
}

/// Returns the numbers in ascending order, each once.
pub(crate) fn distinct(numbers: &[usize]) -> Vec<usize> {
    let positions = order(numbers.len(), &|one, other| numbers[one].cmp(&numbers[other]));
    let mut distinct: Vec<usize> = positions.into_iter().map(|position| numbers[position]).collect();
    distinct.dedup();
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ones_stay_as_they_are() {
        let keys = [2, 1, 2, 0, 1];
        assert_eq!(order(keys.len(), &|one, other| keys[one].cmp(&keys[other])), [3, 1, 4, 0, 2]);
        assert_eq!(distinct(&keys), [0, 1, 2]);
    }

    #[test]
    fn no_number_comes_last() {
        let sorted = ascending(&[f64::NAN, 1.0, f64::NEG_INFINITY, -2.0]);
        assert_eq!(sorted[..3], [f64::NEG_INFINITY, -2.0, 1.0]);
        assert!(sorted[3].is_nan());
    }
}
