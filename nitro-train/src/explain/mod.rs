//! Why a model chooses what it chooses for one input on one device: the ranking and the constraints, the [`Change`]s that would lead to
//! another choice, and the [`Nearest`] training inputs with what was best there.

mod change;
mod column;
mod nearest;

use std::collections::BTreeMap;

use nitro_core::model::{Model, OnDevice, Ranked};
use nitro_core::{Constraint, Far, Function};
use serde::Serialize;

pub use change::Change;
pub use column::Column;
pub use nearest::Nearest;

use crate::learn::LearnError;
use crate::recordings::{DeviceRecord, Recordings};

/// What a model is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The selector.
    pub model: &'a Model,
    /// The code, where it is at hand: it has the constraints.
    pub function: Option<&'static Function>,
    /// Features of the input: all that the model asks for, and what else constraints may ask for.
    pub given: &'a BTreeMap<String, f64>,
    /// The device, which has all device features that the model asks for.
    pub device: &'a DeviceRecord,
    /// How far it is from those that the model was trained on, where that is known.
    pub device_distance: Option<f64>,
    /// What was recorded of the function, where that is at hand, and the positions of the training inputs in it.
    pub recorded: Option<(&'a Recordings, &'a [usize])>,
}

/// A selection and what led to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The function.
    pub function: String,
    /// The device that is selected for.
    pub device: String,
    /// The strategy that fitted the model.
    pub strategy: String,
    /// The devices that it was learned from.
    pub sources: Vec<String>,
    /// Number of inputs that it was learned from.
    pub training_inputs: usize,
    /// The features, those of the input first.
    pub features: Vec<Column>,
    /// The variants, best first.
    pub ranking: Vec<Place>,
    /// What is run; absent where no variant that the model knows may run, and the default is.
    pub choice: Option<String>,
    /// How far it is ahead of the next that may run, as [`Place::confidence`].
    pub margin: Option<f64>,
    /// How far the input is from the training inputs: above 1 is far; absent where the model does not say.
    pub input_distance: Option<f64>,
    /// How far the device is from the sources: above 1 is far; absent where the model does not say.
    pub device_distance: Option<f64>,
    /// For each feature that can change the choice by itself the smallest change that does, the smallest of all first.
    pub changes: Vec<Change>,
    /// The nearest training inputs; empty where there are no recordings.
    pub nearest: Vec<Nearest>,
}

/// A variant in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// The variant.
    pub variant: String,
    /// As [`Ranked::confidence`].
    pub confidence: f64,
    /// As [`Ranked::expected_slowdown`].
    pub expected_slowdown: Option<f64>,
    /// Its constraint as it stands in the source.
    pub constraint: Option<String>,
    /// Whether its constraint admits it; absent where that depends on more than the features.
    pub admitted: Option<bool>,
}

impl Explanation {
    /// The answer.
    ///
    /// # Errors
    /// When the recordings have more variants, devices or inputs than can be compared.
    ///
    /// # Panics
    /// When a feature of the model is not given, or a device feature of it is not known.
    pub fn new(question: &Question<'_>) -> Result<Self, LearnError> {
        let asked = Asked::new(question);
        let Question { model, device, device_distance, .. } = *question;
        let ranking = asked.on_device.rank(&asked.features);
        let ranking: Vec<Place> = ranking.iter().map(|ranked| asked.place(ranked)).collect();
        let (choice, margin) = {
            let mut possible = possible(&ranking);
            let (first, second) = (possible.next(), possible.next());
            let margin = first.zip(second).map(|(first, second)| first.confidence - second.confidence);
            (first.map(|place| place.variant.clone()), margin)
        };
        Ok(Self {
            function: model.function.clone(),
            device: device.id.clone(),
            strategy: model.provenance.strategy.clone(),
            sources: model.provenance.sources.clone(),
            training_inputs: model.provenance.training_inputs,
            features: asked.columns.clone(),
            margin,
            input_distance: model
                .coverage
                .inputs
                .as_ref()
                .and_then(|region| region.distance(&asked.features)),
            device_distance,
            changes: change::changes(&asked),
            nearest: nearest::nearest(&asked, choice.as_deref())?,
            choice,
            ranking,
        })
    }

    /// Whether the choice stands only if a constraint that depends on more than features admits it.
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        possible(&self.ranking).next().is_some_and(|place| place.admitted.is_none())
    }

    /// The variant that would be chosen if the first might not run, where there is one.
    #[must_use]
    pub fn second(&self) -> Option<&str> {
        possible(&self.ranking).nth(1).map(|place| place.variant.as_str())
    }

    /// What is far, if anything is.
    #[must_use]
    pub fn far(&self) -> Option<Far> {
        Far::of(self.input_distance, self.device_distance)
    }
}

/// Those of a ranking that no constraint forbids for certain.
fn possible(ranking: &[Place]) -> impl Iterator<Item = &Place> {
    ranking.iter().filter(|place| place.admitted != Some(false))
}

/// A question with all that is looked up once.
struct Asked<'a> {
    question: &'a Question<'a>,
    on_device: OnDevice,
    /// Values in the order of the model.
    features: Vec<f64>,
    device_features: Vec<f64>,
    columns: Vec<Column>,
    /// For each of the model's variants.
    constraints: Vec<Option<Constraint>>,
}

impl<'a> Asked<'a> {
    fn new(question: &'a Question<'a>) -> Self {
        let Question { model, function, given, device, .. } = *question;
        let features: Vec<f64> = model.features.iter().map(|name| given[name]).collect();
        let device_features: Vec<f64> =
            model.device_features.iter().map(|name| device.features[name]).collect();
        let declared = function.map_or(&[][..], Function::variants);
        let constraint =
            |name: &String| declared.iter().find(|own| own.name == name).and_then(|own| own.constraint);
        Self {
            question,
            on_device: model.selector.on_device(&device_features),
            columns: column::columns(question, &features, &device_features),
            constraints: model.variants.iter().map(constraint).collect(),
            features,
            device_features,
        }
    }

    fn place(&self, ranked: &Ranked) -> Place {
        let known = self.known(&self.features);
        Place {
            variant: self.question.model.variants[ranked.variant].clone(),
            confidence: ranked.confidence,
            expected_slowdown: ranked.expected_slowdown,
            // Tokens come apart on their way through the macro.
            constraint: self.constraints[ranked.variant]
                .map(|constraint| constraint.text().replace(" :: ", "::")),
            admitted: self.admitted(ranked.variant, &known),
        }
    }

    /// The features that the code declares, as far as they are known, where those of the model have these values.
    fn known(&self, features: &[f64]) -> Vec<Option<f64>> {
        let Question { model, function, given, .. } = *self.question;
        let value = |name: &&str| match model.features.iter().position(|own| own == name) {
            Some(column) => Some(features[column]),
            None => given.get(*name).copied(),
        };
        function.map_or(&[][..], Function::features).iter().map(value).collect()
    }

    fn admitted(&self, variant: usize, known: &[Option<f64>]) -> Option<bool> {
        self.constraints[variant].map_or(Some(true), |constraint| constraint.admits(known))
    }

    /// The first of a ranking that no constraint forbids.
    fn first(&self, on_device: &OnDevice, features: &[f64]) -> Option<usize> {
        let known = self.known(features);
        let mut ranking = on_device.rank(features).into_iter().map(|ranked| ranked.variant);
        ranking.find(|&variant| self.admitted(variant, &known) != Some(false))
    }
}
