//! The distance of results from the original's.

use crate::workload::{Comparison, Element};

/// Returns the error of a buffer by its comparison.
///
/// It is infinite where one value is a number and the other is not. The relative one is GEVO's: max |x - g| / |g|, or
/// |x| where g is 0.
pub(crate) fn error(element: Element, comparison: Comparison, found: &[u8], original: &[u8]) -> f64 {
    if found == original {
        return 0.0;
    }
    let size = element.bytes();
    let pairs = found.chunks_exact(size).zip(original.chunks_exact(size));
    let differing = pairs.filter(|(found, original)| found != original);
    match comparison {
        Comparison::Exact => f64::INFINITY,
        Comparison::Share => differing.count() as f64 / (original.len() / size) as f64,
        Comparison::Relative | Comparison::Absolute => {
            let mut worst = 0.0f64;
            for (found, original) in differing {
                let (found, original) = (element.value(found), element.value(original));
                worst = worst.max(distance(comparison, found, original));
            }
            worst
        }
    }
}

/// Returns the distance of a number from the original's.
fn distance(comparison: Comparison, found: f64, original: f64) -> f64 {
    // Zeros with either sign are the same, and so are all that are not numbers.
    if found == original || (found.is_nan() && original.is_nan()) {
        return 0.0;
    }
    let difference = (found - original).abs();
    let distance = match comparison {
        Comparison::Relative if original != 0.0 => difference / original.abs(),
        _ => difference,
    };
    if distance.is_nan() { f64::INFINITY } else { distance }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(comparison: Comparison, found: &[f32], original: &[f32]) -> f64 {
        let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        error(Element::F32, comparison, &bytes(found), &bytes(original))
    }

    #[test]
    fn an_error_is_the_largest_of_all_elements() {
        assert_eq!(of(Comparison::Relative, &[1.0, 3.0, 4.0], &[1.0, 2.0, 8.0]), 0.5);
        assert_eq!(of(Comparison::Relative, &[0.25], &[0.0]), 0.25);
        assert_eq!(of(Comparison::Absolute, &[1.0, 3.0, 4.0], &[1.0, 2.0, 8.0]), 4.0);
        assert_eq!(of(Comparison::Share, &[1.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 4.0, 5.0]), 0.25);
        assert_eq!(of(Comparison::Exact, &[1.0], &[2.0]), f64::INFINITY);
    }

    #[test]
    fn what_is_no_number_stands_against_nothing_but_itself() {
        for comparison in [Comparison::Relative, Comparison::Absolute] {
            assert_eq!(of(comparison, &[f32::NAN], &[1.0]), f64::INFINITY);
            assert_eq!(of(comparison, &[1.0], &[f32::NAN]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::INFINITY], &[1.0]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::INFINITY], &[f32::NEG_INFINITY]), f64::INFINITY);
            assert_eq!(of(comparison, &[f32::NAN, -0.0], &[-f32::NAN, 0.0]), 0.0);
        }
    }
}
