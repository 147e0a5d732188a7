//! A question under way: the model on the device, and what may run there.

use nitro_core::model::{OnDevice, Ranked};
use nitro_core::{Choice, Constraint, DeviceId, Function};
use serde::Serialize;

use super::column::{Column, columns};
use super::question::Question;
use crate::Approximation;
use crate::selection::choose;

/// A choice in the ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedVariant {
    /// The choice, such as `csr` or `tiled{block=256}`.
    pub variant: String,
    /// As [`Ranked::confidence`].
    pub confidence: f64,
    /// As [`Ranked::expected_slowdown`].
    pub expected_slowdown: Option<f64>,
    /// Its constraint as it stands in the source.
    pub constraint: Option<String>,
    /// True if its constraint admits it; absent where that depends on more than the features.
    pub admitted: Option<bool>,
    /// The largest error of its results, where it is approximate and the code is at hand.
    pub approximation: Option<Approximation>,
}

impl RankedVariant {
    /// Returns true if no constraint forbids it for certain.
    pub(super) fn may_run(&self) -> bool {
        self.admitted != Some(false)
    }
}

/// A question with all that is looked up once.
pub(super) struct Inquiry<'a> {
    pub(super) question: &'a Question<'a>,
    pub(super) on_device: OnDevice,
    /// Values in the order of the model.
    pub(super) features: Vec<f64>,
    pub(super) device_features: Vec<f64>,
    pub(super) columns: Vec<Column>,
    /// The choices of the model as the code has them; none for what the code does not have.
    choices: Vec<Option<Choice>>,
}

impl<'a> Inquiry<'a> {
    pub(super) fn new(question: &'a Question<'a>) -> Self {
        let Question { model, function, given, device, .. } = *question;
        let features: Vec<f64> = model.features.iter().map(|name| given[name]).collect();
        let device_features = model.device_features.iter();
        let device_features: Vec<f64> =
            device_features.map(|name| device.feature(name).unwrap_or(f64::NAN)).collect();
        // As at run time, a regime that the model does not know is none.
        let regime = Some(device.regime()).filter(|&regime| model.knows(regime)).unwrap_or_default();
        let identity = DeviceId::new(&device.id).in_regime(regime);
        let choices =
            model.choices.iter().map(|text| function.and_then(|function| function.choice(text).ok()));
        Self {
            question,
            on_device: model.on_device(&identity, &device_features),
            columns: columns(question, &features, &device_features),
            choices: choices.collect(),
            features,
            device_features,
        }
    }

    /// The variants, best first.
    pub(super) fn ranking(&self) -> Vec<RankedVariant> {
        let known = self.known(&self.features);
        self.on_device.rank(&self.features).iter().map(|ranked| self.ranked(ranked, &known)).collect()
    }

    fn ranked(&self, ranked: &Ranked, known: &[Option<f64>]) -> RankedVariant {
        RankedVariant {
            variant: self.question.model.choices[ranked.choice].clone(),
            confidence: ranked.confidence,
            expected_slowdown: ranked.expected_slowdown,
            // Tokens come apart on their way through the macro.
            constraint: self
                .constraint(ranked.choice)
                .map(|(constraint, _)| constraint.text().replace(" :: ", "::")),
            admitted: self.admitted(ranked.choice, known),
            approximation: self.approximation(ranked.choice),
        }
    }

    /// The features that the code declares, as far as they are known, where those of the model have these values.
    fn known(&self, features: &[f64]) -> Vec<Option<f64>> {
        let Question { model, function, given, .. } = *self.question;
        let mut known = Vec::new();
        for name in function.map_or(&[][..], Function::features) {
            known.push(match model.features.iter().position(|own| own == name) {
                Some(column) => Some(features[column]),
                None => given.get(*name).copied(),
            });
        }
        known
    }

    /// The constraint of a choice (an index of the model's), where the code has one.
    fn constraint(&self, choice: usize) -> Option<(Constraint, Choice)> {
        let choice = self.choices[choice]?;
        Some((self.question.function?.variants()[choice.variant].constraint()?, choice))
    }

    fn approximation(&self, choice: usize) -> Option<Approximation> {
        Approximation::of(self.question.function?, self.choices[choice]?)
    }

    fn admitted(&self, choice: usize, known: &[Option<f64>]) -> Option<bool> {
        self.constraint(choice)
            .map_or(Some(true), |(constraint, choice)| constraint.admits(known, choice.configuration))
    }

    /// Chooses for these values of the model's features; nothing where the default runs.
    pub(super) fn choice(&self, on_device: &OnDevice, features: &[f64]) -> Option<usize> {
        let known = self.known(features);
        let ranking = on_device.rank(features).into_iter().map(|ranked| ranked.choice);
        choose(ranking, [], |choice| self.admitted(choice, &known) != Some(false))
    }
}
