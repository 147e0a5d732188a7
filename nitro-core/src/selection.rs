//! A selection: the chosen variant and why it was chosen.

use std::fmt;

use crate::{CodeChoice, CodeVariant, Contract, Far, FeatureVector, Reason};

/// The choice of a call, and the reason. Nothing has been run yet. `FUNCTION::select` beside each function makes
/// one.
///
/// ```
#[doc = include_str!("example_sort.md")]
/// use nitro::{CodeVariant, Selection};
///
/// /// What an application may note of a selection.
/// fn noted<V: CodeVariant>(selection: &Selection<V>) -> String {
///     let features: Vec<_> = selection.features().iter().map(|(name, value)| format!("{name} {value}")).collect();
///     let sure = selection.confidence().map_or("no model".to_owned(), |confidence| format!("{confidence:.2}"));
///     format!("{} ({}; {sure}) for {}", selection.choice(), selection.reason(), features.join(", "))
/// }
///
/// let selection = sort::select(&[3, 1, 2]);
/// assert_eq!(noted(&selection), "merge (predicted by the model; 1.00) for length 3");
/// assert_eq!(selection.contract(), nitro::Contract::Exact, "it is the default");
/// assert_eq!(selection.margin().map(|margin| (margin * 255.0).round()), Some(128.0)); // `radix` loses so much speed
/// ```
#[derive(Clone, Copy)]
pub struct Selection<V: CodeVariant> {
    pub(crate) choice: V::Choice,
    pub(crate) contract: Contract,
    pub(crate) reason: Reason,
    pub(crate) features: FeatureVector,
    /// Absent when no model decided.
    pub(crate) assessment: Option<Assessment>,
}

/// The model's assessment of its choice and of the question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Assessment {
    pub(crate) confidence: f64,
    pub(crate) margin: Option<f64>,
    pub(crate) input_distance: Option<f64>,
    pub(crate) device_distance: Option<f64>,
}

impl Assessment {
    /// The side that is beyond the reach of training, if one is.
    pub(crate) fn far(&self) -> Option<Far> {
        Far::of(self.input_distance, self.device_distance)
    }
}

impl<V: CodeVariant> Selection<V> {
    /// The chosen variant; it is admissible for the input.
    #[must_use]
    pub fn variant(&self) -> V {
        self.choice.variant()
    }

    /// The chosen variant with the values of its parameters.
    #[must_use]
    pub fn choice(&self) -> V::Choice {
        self.choice
    }

    /// The contract of its results: an approximate variant is chosen only where the call's `tolerance` accepts its
    /// error.
    #[must_use]
    pub fn contract(&self) -> Contract {
        self.contract
    }

    /// The reason why it was chosen.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The features that the decision needed.
    #[must_use]
    pub fn features(&self) -> &FeatureVector {
        &self.features
    }

    /// The model's confidence in the chosen variant, 0 to 1
    /// ([`Ranked::confidence`](crate::model::Ranked::confidence)); absent when no model decided.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        self.assessment.map(|assessment| assessment.confidence)
    }

    /// The lead of the chosen variant over the next one whose constraint admits it, 0 to 1. It is the difference of
    /// their [`confidence`](crate::model::Ranked::confidence): of a support-vector machine a share of votes, of a
    /// forest an expected share of the best variant's speed. Absent when no model decided, or when the model knows
    /// no other admissible variant.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        self.assessment?.margin
    }

    /// The distance of this input from the training inputs, in units of what is near. Above 1 the choice is a guess
    /// about an unknown kind of input. Formula and calibration:
    /// [`Region::distance`](crate::model::Region::distance). Absent when no model decided, when the model does not
    /// know its training inputs, and when it asks for no feature.
    #[must_use]
    pub fn input_distance(&self) -> Option<f64> {
        self.assessment?.input_distance
    }

    /// The distance of this device from the devices that the model was trained on, as
    /// [`input_distance`](Self::input_distance). It is over the device features that are known without measuring,
    /// and over the measured ones too where the model itself needs one of those. Absent when no model decided, and
    /// when the model does not know what tells its source devices apart.
    #[must_use]
    pub fn device_distance(&self) -> Option<f64> {
        self.assessment?.device_distance
    }
}

impl<V: CodeVariant> fmt::Display for Selection<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.choice)?;
        if self.contract.is_approximate() {
            write!(formatter, " ({})", self.contract)?;
        }
        write!(formatter, ": {}", self.reason)?;
        if let Some(confidence) = self.confidence() {
            write!(formatter, ", confidence {confidence:.2}")?;
        }
        for (index, (name, value)) in self.features.iter().enumerate() {
            write!(formatter, "{} {name}={value}", if index == 0 { ";" } else { "," })?;
        }
        Ok(())
    }
}

impl<V: CodeVariant> fmt::Debug for Selection<V> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Selection")
            .field("choice", &self.choice)
            .field("contract", &self.contract)
            .field("reason", &self.reason)
            .field("features", &self.features)
            .field("assessment", &self.assessment)
            .finish()
    }
}

/// Applies the one rule by which a ranking ends in a choice. That is the first of what may run, as `may_run` has it.
/// Where there is none, the default choice runs.
///
/// ```
/// use nitro_core::first_admissible;
///
/// let (ranking, length) = (["radix", "merge", "insertion"], 20);
/// let may_run = |variant| (variant != "radix" || length >= 1000).then_some(variant);
/// assert_eq!(first_admissible(ranking, may_run), Some("merge"));
/// ```
pub fn first_admissible<C, T>(
    ranking: impl IntoIterator<Item = C>,
    may_run: impl FnMut(C) -> Option<T>,
) -> Option<T> {
    ranking.into_iter().find_map(may_run)
}
