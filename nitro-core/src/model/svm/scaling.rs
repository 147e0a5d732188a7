//! Scaling for the screen: input columns as the kernel in single precision wants them.

use super::kernel::{Instructions, LOGARITHMS};
use super::{Scale, Transform};
use crate::MAX_FEATURES;

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
        let mut columns = Column::all(scales, Transform::Log, unit);
        let logarithms = columns.len();
        columns.extend(Column::all(scales, Transform::Identity, unit));
        Self { columns, logarithms }
    }

    /// Number of columns.
    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The features of the columns, in their order.
    pub(super) fn features(&self) -> impl Iterator<Item = usize> + '_ {
        self.columns.iter().map(|column| column.feature)
    }

    /// A bound on the numbers, beside the column itself, that go into a column.
    pub(super) fn magnitude(&self, unit: f64) -> f64 {
        let mut most: f64 = 0.0;
        for column in &self.columns {
            // What is added to 1 before a logarithm is rounded beside 1, by 1e-16: a thousandth in units of the error.
            most = most.max(2.0 * (column.offset.abs() + unit) + 1e-3 * column.factor);
        }
        most
    }

    /// The columns of an input. What is not finite becomes NaN, or stays infinite.
    #[inline]
    pub(super) fn scale(&self, instructions: Instructions, features: &[f64], row: &mut [f32; MAX_FEATURES]) {
        let (logarithms, others) = self.columns.split_at(self.logarithms);
        let (logarithmic, rest) = row.split_at_mut(self.logarithms.min(MAX_FEATURES));
        for (singles, columns) in logarithmic.chunks_mut(LOGARITHMS).zip(logarithms.chunks(LOGARITHMS)) {
            let mut values = [0.0; LOGARITHMS];
            values.iter_mut().zip(columns).for_each(|(value, column)| *value = features[column.feature]);
            instructions.ln_1p(&mut values);
            let scaled = columns.iter().zip(values).map(|(column, value)| column.scale(value));
            singles.iter_mut().zip(scaled).for_each(|(single, scaled)| *single = scaled);
        }
        let scaled = others.iter().map(|column| column.scale(features[column.feature]));
        rest.iter_mut().zip(scaled).for_each(|(single, scaled)| *single = scaled);
    }
}

impl Column {
    /// The columns of one transform that vary.
    fn all(scales: &[Scale], transform: Transform, unit: f64) -> Vec<Self> {
        let mut columns = Vec::new();
        for (feature, scale) in scales.iter().enumerate() {
            if scale.transform == transform && scale.varies() {
                let factor = 2.0 * unit / (scale.max - scale.min);
                columns.push(Self { feature, factor, offset: -unit - factor * scale.min });
            }
        }
        columns
    }

    #[inline]
    fn scale(self, transformed: f64) -> f32 {
        (self.factor * transformed + self.offset) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            columns.scale(Instructions::of_this_processor(), &features, &mut row);
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
