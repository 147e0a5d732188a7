//! A model that knows its training inputs.

use nitro_core::model::{Model, Region};

use super::read::CapturedCall;

/// The features that a model asks for, and where its training inputs lie.
pub(super) struct Known<'m> {
    pub(super) features: &'m [String],
    pub(super) region: &'m Region,
}

impl<'m> Known<'m> {
    pub(super) fn of(model: &'m Model) -> Result<Self, String> {
        match &model.coverage.inputs {
            Some(region) => Ok(Self { features: &model.features, region }),
            None if model.features.is_empty() => Err("its model asks for no feature".to_owned()),
            None => Err("its model does not know its training inputs: fit it anew".to_owned()),
        }
    }

    /// The features that the model asks for; what the sample lacks is no number.
    pub(super) fn row(&self, sample: &CapturedCall) -> Vec<f64> {
        self.features
            .iter()
            .map(|name| sample.features.get(name).copied().flatten().unwrap_or(f64::NAN))
            .collect()
    }

    /// Whether the input is far from the training inputs; absent where none of its features is known.
    pub(super) fn is_far(&self, sample: &CapturedCall) -> Option<bool> {
        Some(self.region.distance(&self.row(sample))? > 1.0)
    }
}
