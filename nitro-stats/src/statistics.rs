//! Means, medians and quantiles.
//!
//! Each says by its type what it gives of no values. Sums run in the order of the values, so that results are the
//! same to the bit.

/// Returns the arithmetic mean, or `None` of no values.
///
/// ```
/// use nitro_stats::statistics::mean;
///
/// assert_eq!(mean([1.0, 2.0, 6.0]), Some(3.0));
/// assert_eq!(mean([]), None);
/// ```
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values = values.into_iter();
    let (mut sum, mut count) = (values.next()?, 1_usize);
    for value in values {
        sum += value;
        count += 1;
    }
    Some(sum / count as f64)
}

/// Returns the mean of some values, 0 of none, and the standard error of that mean.
///
/// ```
/// use nitro_stats::statistics::mean_and_standard_error;
///
/// assert_eq!(mean_and_standard_error(&[1.0, 3.0]), (2.0, 1.0));
/// assert_eq!(mean_and_standard_error(&[7.0]), (7.0, 0.0));
/// ```
pub fn mean_and_standard_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = mean(values.iter().copied()).unwrap_or(0.0);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt())
}

/// Returns the geometric mean of positive values, such as speedups, or `None` of no values.
///
/// ```
/// assert_eq!(nitro_stats::statistics::geometric_mean([0.5, 2.0]), Some(1.0));
/// ```
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    mean(values.into_iter().map(f64::ln)).map(f64::exp)
}

/// Sorts the values and returns their median, halfway between the two in the middle of an even number; `None` of no
/// values.
///
/// ```
/// assert_eq!(nitro_stats::statistics::median(&mut [9.0, 1.0, 4.0, 2.0]), Some(3.0));
/// ```
pub fn median(values: &mut [f64]) -> Option<f64> {
    Some(median_low(values)?.midpoint(values[values.len() / 2]))
}

/// Sorts the values and returns their median, of two in the middle the lower; `None` of no values.
///
/// ```
/// assert_eq!(nitro_stats::statistics::median_low(&mut [9.0, 1.0, 4.0, 2.0]), Some(2.0));
/// ```
pub fn median_low(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// Sorts the values and returns their median, of two in the middle the higher; `None` of no values.
///
/// ```
/// assert_eq!(nitro_stats::statistics::median_high(&mut [9.0, 1.0, 4.0, 2.0]), Some(4.0));
/// ```
pub fn median_high(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns the quantile of ascending values, interpolated between the two beside position `fraction · (n − 1)`.
///
/// That is type 7 of Hyndman and Fan (1996), the default of NumPy and R.
///
/// ```
/// assert_eq!(nitro_stats::statistics::quantile(&[1.0, 2.0, 4.0], 0.75), 3.0);
/// ```
///
/// # Panics
///
/// If there are no values, or the fraction is not between 0 and 1.
pub fn quantile(ascending: &[f64], fraction: f64) -> f64 {
    let position = fraction * (ascending.len() - 1) as f64;
    let (below, above) = (position.floor() as usize, position.ceil() as usize);
    ascending[below] + (position - below as f64) * (ascending[above] - ascending[below])
}

/// Returns the distance between the quartiles of ascending values.
///
/// ```
/// assert_eq!(nitro_stats::statistics::interquartile_range(&[1.0, 2.0, 4.0]), 1.5);
/// ```
///
/// # Panics
///
/// If there are no values.
pub fn interquartile_range(ascending: &[f64]) -> f64 {
    quantile(ascending, 0.75) - quantile(ascending, 0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn quantiles_are_those_of_numpy() {
        let ascending = [0.1, 0.2, 0.4, 0.8, 1.0];
        // numpy.quantile(ascending, fraction)
        for (fraction, expected) in [(0.0, 0.1), (0.05, 0.12), (0.5, 0.4), (0.9, 0.92), (1.0, 1.0)] {
            assert!((quantile(&ascending, fraction) - expected).abs() < 1e-12, "at {fraction}");
        }
        assert_eq!(quantile(&[0.7], 0.05), 0.7);
    }

    #[test]
    fn medians_of_an_odd_number_are_all_the_one_in_the_middle() {
        for median in [median, median_low, median_high] {
            assert_eq!(median(&mut [5.0, 1.0, 3.0]), Some(3.0));
            assert_eq!(median(&mut [7.0]), Some(7.0));
            assert_eq!(median(&mut []), None);
        }
    }

    #[test]
    fn a_median_of_never_is_never() {
        let never = f64::INFINITY;
        assert_eq!(median(&mut [never, 1.0, never, never]), Some(never));
        assert_eq!(median(&mut [1.0, never]), Some(never));
        assert_eq!(median_low(&mut [1.0, never]), Some(1.0));
    }

    /// Published figures and seeded searches hang on the last bit.
    #[test]
    fn a_mean_is_to_the_bit_the_sum_over_the_count() {
        let mut random = Random::new(1);
        for count in 1..200 {
            let values: Vec<f64> = (0..count).map(|_| random.unit() - 0.25).collect();
            let expected = values.iter().sum::<f64>() / values.len() as f64;
            assert_eq!(mean(values).map(f64::to_bits), Some(expected.to_bits()), "{count} values");
        }
        assert_eq!(mean([-0.0, -0.0]).map(f64::to_bits), Some((-0.0_f64).to_bits()));
    }
}
