//! The region of the training inputs of a model.

use nitro_core::model::{Model, Region};

use super::read::CapturedCall;

/// The features that a model asks for, and the region of its training inputs.
pub(super) struct TrainingRegion<'m> {
    pub(super) features: &'m [String],
    pub(super) inputs: &'m Region,
}

impl<'m> TrainingRegion<'m> {
    /// Returns the region of a model's training inputs, or why there is none.
    pub(super) fn of(model: &'m Model) -> Result<Self, String> {
        match &model.coverage.inputs {
            Some(inputs) => Ok(Self { features: &model.features, inputs }),
            None if model.features.is_empty() => Err("its model asks for no feature".to_owned()),
            None => Err("its model does not know its training inputs: fit it anew".to_owned()),
        }
    }

    /// Returns the features that the model asks for; what the sample lacks is no number.
    pub(super) fn row(&self, sample: &CapturedCall) -> Vec<f64> {
        sample.values(self.features).map(|value| value.unwrap_or(f64::NAN)).collect()
    }

    /// Returns true for an input far from the training inputs; none where none of its features is known.
    pub(super) fn is_far(&self, sample: &CapturedCall) -> Option<bool> {
        Some(self.inputs.distance(&self.row(sample))? > 1.0)
    }
}
