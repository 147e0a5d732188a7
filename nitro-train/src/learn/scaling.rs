//! How a raw feature becomes a column in `[-1, 1]`, decided on training data alone.

use nitro_core::model::{Scale, Transform};

/// How many times the largest magnitude must exceed the typical one before a feature counts as wide.
const WIDE: f64 = 8.0;

/// The scale of one feature from its training values.
///
/// The transform is [`Transform::Log`] where all values have one sign and the largest magnitude is more than eight times
/// the median of the magnitudes other than zero (sizes, counts, bandwidths of devices of several generations); a linear map would press nearly all
/// of them into one corner. Everything else keeps its own scale.
pub fn scale_of(values: &[f64]) -> Scale {
    let transform = if is_wide(values) { Transform::Log } else { Transform::Identity };
    let transformed = || values.iter().map(|&value| transform.apply(value));
    Scale {
        transform,
        min: transformed().reduce(f64::min).unwrap_or(0.0),
        max: transformed().reduce(f64::max).unwrap_or(0.0),
    }
}

fn is_wide(values: &[f64]) -> bool {
    let one_sign = values.iter().all(|&value| value >= 0.0) || values.iter().all(|&value| value <= 0.0);
    let mut magnitudes: Vec<f64> =
        values.iter().map(|value| value.abs()).filter(|&value| value > 0.0).collect();
    magnitudes.sort_unstable_by(f64::total_cmp);
    match magnitudes.last() {
        Some(largest) => one_sign && *largest > WIDE * magnitudes[(magnitudes.len() - 1) / 2],
        None => false,
    }
}

/// Whether the scale maps every value to 0.
pub fn is_constant(scale: &Scale) -> bool {
    scale.max <= scale.min
}

/// Whether all values are within single precision, in which trees compare them, and so their range within double precision.
pub fn is_in_range(values: &[f64]) -> bool {
    values.iter().all(|value| value.abs() <= f64::from(f32::MAX))
}

/// Whether scaled columns are equal or each other's mirror image: they give the same distances, and trees the same cuts.
pub fn is_same(a: &[f64], b: &[f64]) -> bool {
    let near = |sign: f64| a.iter().zip(b).all(|(a, b)| (a - sign * b).abs() < 1e-9);
    near(1.0) || near(-1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_features_are_taken_in_logarithm() {
        assert_eq!(scale_of(&[1.0, 10.0, 100.0, 1000.0]).transform, Transform::Log);
        assert_eq!(scale_of(&[-1.0, -10.0, -100.0, -1000.0]).transform, Transform::Log);
        assert_eq!(scale_of(&[0.0, 0.0, 0.0, 3.0, 4.0]).transform, Transform::Identity);
        assert_eq!(scale_of(&[1.0, 2.0, 3.0, 4.0]).transform, Transform::Identity);
        assert_eq!(scale_of(&[-1.0, 10.0, 1000.0]).transform, Transform::Identity, "both signs");
    }

    #[test]
    fn training_values_span_the_unit_interval() {
        for values in [vec![3.0, 5.0, 4.0], vec![1.0, 10.0, 1e6]] {
            let scale = scale_of(&values);
            let scaled: Vec<f64> = values.iter().map(|&value| scale.apply(value)).collect();
            assert_eq!(scaled.iter().copied().fold(f64::INFINITY, f64::min), -1.0);
            assert_eq!(scaled.iter().copied().fold(f64::NEG_INFINITY, f64::max), 1.0);
        }
    }

    #[test]
    fn a_constant_feature_is_recognised() {
        assert!(is_constant(&scale_of(&[7.0, 7.0])));
        assert!(is_constant(&scale_of(&[])));
        assert!(!is_constant(&scale_of(&[7.0, 8.0])));
    }
}
