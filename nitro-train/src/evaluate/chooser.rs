//! What a model would choose for recorded inputs on a recorded device.

use nitro_core::model::{Model, OnDevice};

use super::error::EvaluateError;
use crate::recordings::Recordings;

/// A model joined with recordings by names, for one device.
pub struct Chooser<'a> {
    recordings: &'a Recordings,
    /// The model's selector on the device; none where a device feature is not a finite number.
    selector: Option<OnDevice>,
    /// The recordings' variant for each of the model's.
    variants: Vec<usize>,
    /// The recordings' feature for each of the model's.
    features: Vec<usize>,
}

impl<'a> Chooser<'a> {
    /// Finds the model's names in the recordings.
    ///
    /// # Errors
    ///
    /// When one is missing there.
    pub fn new(recordings: &'a Recordings, model: &Model, device: usize) -> Result<Self, EvaluateError> {
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
        let device_features: Vec<f64> = model.device_features.iter().map(value).collect::<Result<_, _>>()?;
        let finite = device_features.iter().all(|value| value.is_finite());
        Ok(Self {
            recordings,
            selector: finite.then(|| model.selector.on_device(&device_features)),
            variants: find("variant", &model.variants, &recordings.variants)?,
            features: find("feature", &model.features, &recordings.features)?,
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
        self.selector.as_ref()?.first(features)
    }

    /// How far the model's first choice for a recorded input is ahead of its second, 0 to 1; 1 where it knows one only.
    pub fn margin(&self, input: usize) -> f64 {
        let ranked = self.selector.as_ref().map(|selector| selector.rank(&self.features(input)));
        match ranked.as_deref() {
            Some([first, second, ..]) => first.confidence - second.confidence,
            _ => 1.0,
        }
    }

    /// As [`ranking`](Self::ranking), of values of the model's features.
    pub(super) fn ranking_of<'s>(&'s self, features: &[f64]) -> impl Iterator<Item = usize> + use<'s, 'a> {
        let finite = features.iter().all(|value| value.is_finite());
        let ranking = self.selector.as_ref().filter(|_| finite).map(|selector| selector.rank(features));
        let ranked = ranking.into_iter().flatten().map(|ranked| self.variants[ranked.variant]);
        ranked.chain(self.recordings.default_variant).chain(0..self.recordings.variants.len())
    }
}
