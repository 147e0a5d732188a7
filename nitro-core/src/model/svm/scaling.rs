//! Scaling for the screen: input columns as the kernel in single precision wants them.

use super::{Scale, Transform};
use crate::MAX_FEATURES;

/// What the fast way to scale may be off by, relative to the numbers that go into it (tested): the logarithm below, and another order of
/// operations than [`Scale::apply`]. Far below a rounding in single precision.
pub(super) const SCALING_ERROR: f64 = 1e-12;

/// The input columns that tell inputs apart; those on a logarithm first.
#[derive(Debug)]
pub(super) struct Columns {
    columns: Vec<Column>,
    logarithms: usize,
}

/// A column is factor · transformed feature + offset.
#[derive(Clone, Copy, Debug)]
struct Column {
    feature: usize,
    factor: f64,
    offset: f64,
}

impl Columns {
    /// The columns of `scales` that vary, in multiples of `unit`.
    pub(super) fn new(scales: &[Scale], unit: f64) -> Self {
        let of = |transform| {
            let is_of = move |(_, scale): &(usize, &Scale)| scale.transform == transform && scale.varies();
            scales.iter().enumerate().filter(is_of).map(|(feature, scale)| {
                let factor = 2.0 * unit / (scale.max - scale.min);
                Column { feature, factor, offset: -unit - factor * scale.min }
            })
        };
        let columns: Vec<Column> = of(Transform::Log).chain(of(Transform::Identity)).collect();
        Self { columns, logarithms: of(Transform::Log).count() }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The features of the columns, in their order.
    pub(super) fn features(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|column| column.feature)
    }

    /// How large, beside the column itself, the numbers are that go into it: at most this.
    pub(super) fn magnitude(&self, unit: f64) -> f64 {
        // What is added to 1 before a logarithm is rounded beside 1, by 1e-16: a thousandth in units of the error.
        let of = |column: &Column| 2.0 * (column.offset.abs() + unit) + 1e-3 * column.factor;
        self.columns.iter().map(of).fold(0.0, f64::max)
    }

    /// The columns of an input. What is not finite becomes NaN, or stays infinite.
    #[inline]
    pub(super) fn scale(&self, features: &[f64], row: &mut [f32; MAX_FEATURES]) {
        let mut values = [0.0; MAX_FEATURES];
        let (logarithms, others) = self.columns.split_at(self.logarithms);
        values.iter_mut().zip(logarithms).for_each(|(value, column)| *value = features[column.feature]);
        for four in values.chunks_exact_mut(4).take(self.logarithms.div_ceil(4)) {
            four.iter_mut().for_each(|value| *value = ln_1p(*value));
        }
        let rest = values[self.logarithms..].iter_mut();
        rest.zip(others).for_each(|(value, column)| *value = features[column.feature]);
        for ((single, value), column) in row.iter_mut().zip(values).zip(&self.columns) {
            *single = (column.factor * value + column.offset) as f32;
        }
    }
}

/// sign(x)·ln(1 + |x|), as [`Transform::Log`]; NaN where x is not finite. Nothing but arithmetic, so that the compiler computes several at a
/// time: 1 + |x| is 2^k·m with m between √½ and √2, and ln m = 2·artanh(s) with s = (m - 1)/(m + 1), |s| < 0.172, by its series.
#[inline(always)]
fn ln_1p(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const TWO_52: f64 = (1_u64 << 52) as f64;
    let bits = (1.0 + x.abs()).to_bits();
    let k = bits.wrapping_sub(SQRT_HALF) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(k << 52));
    let k = f64::from_bits(k | TWO_52.to_bits()) - TWO_52;
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let series = 1.0 / 13.0 + z * (1.0 / 15.0);
    let series = 1.0 / 9.0 + z * (1.0 / 11.0 + z * series);
    let series = 1.0 / 5.0 + z * (1.0 / 7.0 + z * series);
    let series = 1.0 + z * (1.0 / 3.0 + z * series);
    (k * std::f64::consts::LN_2 + 2.0 * s * series).copysign(x) + 0.0 * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_as_near_as_it_says() {
        for step in -3000..=3070 {
            for mantissa in [1.0, 1.3, 2.7, 4.1421, 7.0, 9.99] {
                let x = mantissa * 10_f64.powf(f64::from(step) / 10.0);
                for x in [x, -x] {
                    let (fast, exact) = (ln_1p(x), Transform::Log.apply(x));
                    let error = (fast - exact).abs();
                    assert!(error <= SCALING_ERROR * (exact.abs() + 1e-3), "{x:e}: {fast} is not {exact}");
                }
            }
        }
        assert_eq!(ln_1p(0.0), 0.0);
        assert!([f64::INFINITY, f64::NEG_INFINITY, f64::NAN].into_iter().all(|x| ln_1p(x).is_nan()));
    }

    #[test]
    fn columns_are_scaled_as_the_model_says() {
        let scales = [
            Scale { transform: Transform::Identity, min: -3.0, max: 5.0 },
            Scale { transform: Transform::Log, min: 0.7, max: 12.0 },
            Scale { transform: Transform::Log, min: 2.0, max: 2.0 },
            Scale { transform: Transform::Identity, min: 0.0, max: 1e-6 },
        ];
        let columns = Columns::new(&scales, 1.5);
        assert_eq!(columns.features().collect::<Vec<_>>(), [1, 0, 3], "without the one that never varies");
        for features in [[0.0, 1.0, 7.0, 0.0], [-9.0, 1e7, 0.0, 2e-6], [5.0, -40.0, -1.0, 5e-7]] {
            let mut row = [0.0; MAX_FEATURES];
            columns.scale(&features, &mut row);
            for (&value, feature) in row.iter().zip(columns.features()) {
                let exact = 1.5 * scales[feature].apply(features[feature]);
                let error = (f64::from(value) - exact).abs();
                assert!(
                    error <= 1e-7 * exact.abs() + 1e-12 * columns.magnitude(1.5),
                    "{value} is not {exact}"
                );
            }
        }
    }
}
