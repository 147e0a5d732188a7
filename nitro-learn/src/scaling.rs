//! Scaling of a raw feature to a column in `[-1, 1]`, decided on training data alone.

use nitro_core::model::{Scale, Transform};

/// The ratio of the largest magnitude to the typical one above which a feature counts as wide.
const WIDE: f64 = 8.0;

/// The range, relative to the largest magnitude, up to which values differ by rounding alone. A sum of n terms is
/// wrong by about √n units in the last place: this is the noise of sums of a thousand.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The factor of values more that an origin has to tell apart before it is used: fewer may be accidents of rounding.
const WORTH_AN_ORIGIN: f64 = 1.25;

/// The scale of one feature from its training values.
///
/// The transform is [`Transform::Log`] where all values have one sign and the largest magnitude is more than eight
/// times the median of the magnitudes other than zero (sizes, counts, bandwidths of devices of several
/// generations); a linear map would press nearly all of them into one corner. Everything else keeps its own scale.
/// Values that differ by rounding alone are one value: scaled, their noise would be the range of a feature.
pub fn scale_of(values: &[f64]) -> Scale {
    let transform = if is_wide(values) { Transform::Log } else { Transform::Identity };
    let transformed: Vec<f64> = values.iter().map(|&value| transform.apply(value)).collect();
    let min = transformed.iter().copied().reduce(f64::min).unwrap_or(0.0);
    let max = transformed.iter().copied().reduce(f64::max).unwrap_or(0.0);
    let is_noise = max - min <= ROUNDING * min.abs().max(max.abs());
    Scale { transform, min, max: if is_noise { min } else { max } }
}

/// The scale of each column of raw features, one row a point.
pub fn scales_of(raw: &[impl AsRef<[f64]>]) -> Vec<Scale> {
    let columns = raw.first().map_or(0, |row| row.as_ref().len());
    let mut scales = Vec::with_capacity(columns);
    for column in 0..columns {
        let values: Vec<f64> = raw.iter().map(|row| row.as_ref()[column]).collect();
        scales.push(scale_of(&values));
    }
    scales
}

/// Scales a row of raw features.
pub fn scaled(scaling: &[Scale], raw: &[f64]) -> Vec<f64> {
    scaling.iter().zip(raw).map(|(scale, &value)| scale.apply(value)).collect()
}

/// Returns what trees subtract from a feature before they compare it in single precision.
///
/// That is the median where it tells more of the values apart than 0 does (times in seconds since 1970), and 0
/// elsewhere.
pub fn origin_of(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&median) = sorted.get(sorted.len() / 2) else { return 0.0 };
    let [plain, shifted] = [0.0, median].map(|origin| distinct_singles(&sorted, origin) as f64);
    if shifted >= WORTH_AN_ORIGIN * plain { median } else { 0.0 }
}

/// Returns the origins of all columns as a model has them: none where all are 0.
pub fn unless_zero(origins: Vec<f64>) -> Vec<f64> {
    if origins.iter().all(|&origin| origin == 0.0) { Vec::new() } else { origins }
}

/// Returns how many of these ascending values single precision tells apart once an origin is subtracted.
pub fn distinct_singles(ascending: &[f64], origin: f64) -> usize {
    let mut singles: Vec<f32> = ascending.iter().map(|&value| (value - origin) as f32).collect();
    singles.dedup();
    singles.len()
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

/// Returns true if the scale maps every value to 0.
pub fn is_constant(scale: &Scale) -> bool {
    scale.max <= scale.min
}

/// Returns true if all values are within single precision, in which trees compare them, and so their range within
/// double precision.
pub fn is_in_range(values: &[f64]) -> bool {
    values.iter().all(|value| value.abs() <= f64::from(f32::MAX))
}

/// Returns true if scaled columns are equal or each other's mirror image: they give the same distances, and trees the
/// same cuts.
pub fn is_same(a: &[f64], b: &[f64]) -> bool {
    [1.0, -1.0].iter().any(|sign| a.iter().zip(b).all(|(a, b)| (a - sign * b).abs() < 1e-9))
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

    #[test]
    fn what_differs_by_rounding_is_constant() {
        for size in [1e-300, 1.0, 14.62, -1e9, 1e300] {
            let noise = |ulps: i32| size * (1.0 + f64::from(ulps) * f64::EPSILON);
            assert!(is_constant(&scale_of(&[noise(0), noise(3), noise(-5)])), "{size}");
            assert!(!is_constant(&scale_of(&[noise(0), noise(1000)])), "{size}");
        }
        let sums: Vec<f64> = (1..200).map(|parts| (0..parts).map(|_| 1.0 / f64::from(parts)).sum()).collect();
        assert!(sums.iter().any(|&sum| sum != 1.0) && is_constant(&scale_of(&sums)), "shares add up to one");
        assert!(!is_constant(&scale_of(&[0.0, f64::MIN_POSITIVE])), "beside 0 everything is large");
    }

    #[test]
    fn an_origin_is_for_what_single_precision_does_not_tell_apart() {
        let spread = |from: f64, step: f64| (0..50).map(|n| from + f64::from(n) * step).collect::<Vec<_>>();
        for values in [spread(0.0, 1.0), spread(1e6, 1.0), spread(0.1, 1e-4), vec![], vec![3.0; 9]] {
            assert_eq!(origin_of(&values), 0.0, "{values:?}");
        }
        for mut values in [spread(1.7e9, 0.02), spread(-1e15, 2.0), spread(16_777_216.0, 0.5)] {
            values.push(0.0); // an outlier changes nothing
            values.sort_unstable_by(f64::total_cmp);
            assert_eq!(distinct_singles(&values, origin_of(&values)), values.len(), "{values:?}");
        }
    }
}
