//! Explanations of a model's choice for one input on one device: the ranking and the constraints, the [`Change`]s that
//! would lead to another choice, and the [`Nearest`] training inputs with what was best there.

mod change;
mod column;
mod comparison;
mod display;
mod inquiry;
mod nearest;
mod question;
mod tolerance;

use nitro_core::{Far, Regime};
use serde::{Serialize, Serializer};

pub use self::change::Change;
pub use self::column::Column;
pub use self::comparison::Comparison;
use self::inquiry::Inquiry;
pub use self::inquiry::RankedVariant;
pub use self::nearest::Nearest;
pub use self::question::Question;
pub use self::tolerance::NotTolerated;
use crate::LearnError;
use crate::selection::choose;

/// A selection and what led to it.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::explain::{Explanation, Question};
/// use nitro_learn::{FitOptions, fit};
///
/// let model = fit(&recordings, &FitOptions::default())?.model;
/// let explanation = Explanation::new(&Question {
///     model: &model,
///     function: None,
///     given: &[("length".to_owned(), 10.0)].into(),
///     device: &recordings.devices[0],
///     device_distance: None,
///     recorded: Some((&recordings, &(0..30).collect::<Vec<_>>())),
/// })?;
/// assert_eq!((explanation.choice.as_deref(), explanation.second()), (Some("stable"), Some("unstable")));
/// assert_eq!((explanation.nearest[0].input.as_str(), explanation.far()), ("train/10", None));
/// assert_eq!(explanation.changes[0].feature, "length");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The function.
    pub function: String,
    /// The device that is selected for.
    pub device: String,
    /// The regime of the device, where the model knows no device in it: the choice is that for eager calls.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "by_name")]
    pub unknown_regime: Option<Regime>,
    /// The strategy that fitted the model.
    pub strategy: String,
    /// The devices that it was learned from.
    pub sources: Vec<String>,
    /// Number of inputs that it was learned from.
    pub training_inputs: usize,
    /// The features, those of the input first.
    pub features: Vec<Column>,
    /// The variants, best first.
    pub ranking: Vec<RankedVariant>,
    /// The choice; absent where no variant that the model knows may run, and the default is.
    pub choice: Option<String>,
    /// The choices in calls that do not accept the error of an approximate choice, and so on until no tolerance
    /// matters.
    pub where_not_tolerated: Vec<NotTolerated>,
    /// The comparisons of the model's gate and small tree that decide; absent where the selector does.
    pub comparisons: Option<Vec<Comparison>>,
    /// The lead over the next that may run, as [`RankedVariant::confidence`].
    pub margin: Option<f64>,
    /// The distance of the input from the training inputs: above 1 is far; absent where the model does not say.
    pub input_distance: Option<f64>,
    /// The distance of the device from the sources: above 1 is far; absent where the model does not say.
    pub device_distance: Option<f64>,
    /// For each feature that can change the choice by itself the smallest change that does, the smallest of all first.
    pub changes: Vec<Change>,
    /// The nearest training inputs; empty where there are no recordings.
    pub nearest: Vec<Nearest>,
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
        let asked = Inquiry::new(question);
        let Question { model, device, device_distance, .. } = *question;
        let ranking = asked.ranking();
        let (first, second) = first_and_second(&ranking);
        let margin = first.zip(second).map(|(first, second)| first.confidence - second.confidence);
        let choice = first.map(|first| first.variant.clone());
        Ok(Self {
            function: model.function.clone(),
            device: device.id.clone(),
            unknown_regime: Some(device.regime()).filter(|&regime| !model.knows(regime)),
            strategy: model.provenance.strategy.clone(),
            sources: model.provenance.sources.clone(),
            training_inputs: model.provenance.training_inputs,
            features: asked.columns.clone(),
            where_not_tolerated: tolerance::not_tolerated(&ranking),
            comparisons: asked.comparisons(),
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

    /// Returns true if the choice stands only if a constraint that depends on more than features admits it.
    #[must_use]
    pub fn is_conditional(&self) -> bool {
        first_and_second(&self.ranking).0.is_some_and(|first| first.admitted.is_none())
    }

    /// The variant that would be chosen if the first might not run, where there is one.
    #[must_use]
    pub fn second(&self) -> Option<&str> {
        first_and_second(&self.ranking).1.map(|second| second.variant.as_str())
    }

    /// Returns what is far, if anything is.
    #[must_use]
    pub fn far(&self) -> Option<Far> {
        Far::of(self.input_distance, self.device_distance)
    }
}

/// Returns what is chosen, and what would be if that might not run. Without either the default runs.
fn first_and_second(ranking: &[RankedVariant]) -> (Option<&RankedVariant>, Option<&RankedVariant>) {
    let first = choose(0..ranking.len(), [], |index| ranking[index].may_run());
    let second = choose(0..ranking.len(), [], |index| Some(index) != first && ranking[index].may_run());
    (first.map(|index| &ranking[index]), second.map(|index| &ranking[index]))
}

/// Serializes a regime as its name.
#[expect(clippy::ref_option, reason = "serde gives the field")]
fn by_name<S: Serializer>(regime: &Option<Regime>, serializer: S) -> Result<S::Ok, S::Error> {
    regime.map(Regime::name).serialize(serializer)
}
