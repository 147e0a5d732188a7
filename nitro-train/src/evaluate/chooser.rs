//! What a model would choose for recorded inputs on a recorded device.

use nitro_core::model::{Model, OnDevice};

use super::error::EvaluateError;
use crate::recordings::Recordings;

/// A model joined with recordings by names, for one device.
pub struct Chooser<'a> {
    recordings: &'a Recordings,
    model: OnDevice,
    /// The recordings' variant for each of the model's.
    variants: Vec<usize>,
    /// The recordings' feature for each of the model's.
    features: Vec<usize>,
    /// Whether the model can be asked on the device at all.
    finite: bool,
}

impl<'a> Chooser<'a> {
    /// Finds the model's names in the recordings.
    ///
    /// # Errors
    ///
    /// When one is missing there.
    pub fn new(recordings: &'a Recordings, model: &'a Model, device: usize) -> Result<Self, EvaluateError> {
        let missing = |kind: &'static str, name: &String| EvaluateError::ForeignModel {
            function: recordings.function.clone(),
            kind,
            name: name.clone(),
        };
        let find = |kind: &'static str, names: &[String], known: &[String]| -> Result<Vec<usize>, _> {
            let position = |name: &String| known.iter().position(|known| known == name);
            names.iter().map(|name| position(name).ok_or_else(|| missing(kind, name))).collect()
        };
        let known = &recordings.devices[device].features;
        let value = |name: &String| known.get(name).copied().ok_or_else(|| missing("device feature", name));
        let device_features = model.device_features.iter().map(value).collect::<Result<Vec<f64>, _>>()?;
        Ok(Self {
            recordings,
            model: model.on_device(&device_features),
            variants: find("variant", &model.variants, &recordings.variants)?,
            features: find("feature", &model.features, &recordings.features)?,
            finite: device_features.iter().all(|value| value.is_finite()),
        })
    }

    /// The variants (of the recordings) in the order in which they would be tried: the model's ranking, then the default,
    /// then the others. A feature that is not a finite number leaves only the last two, as at run time.
    pub fn ranking(&self, input: usize) -> impl Iterator<Item = usize> {
        self.ranking_of(&self.features(input))
    }

    /// The values of the model's features for a recorded input.
    pub(super) fn features(&self, input: usize) -> Vec<f64> {
        let row = &self.recordings.inputs[input].features;
        self.features.iter().map(|&feature| row[feature]).collect()
    }

    /// The model's own first choice for values of its features.
    pub(super) fn first(&self, features: &[f64]) -> Option<usize> {
        self.model.first(features)
    }

    /// As [`ranking`](Self::ranking), of values of the model's features.
    pub(super) fn ranking_of<'s>(&'s self, features: &[f64]) -> impl Iterator<Item = usize> + use<'s, 'a> {
        let finite = self.finite && features.iter().all(|value| value.is_finite());
        let ranked = if finite { self.model.explain(features) } else { Vec::new() };
        let ranked = ranked.into_iter().map(|(variant, _)| self.variants[variant]);
        ranked.chain(self.recordings.default_variant).chain(0..self.recordings.variants.len())
    }
}
