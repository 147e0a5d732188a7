//! From recordings to a model that can be shipped.

use std::collections::BTreeSet;

use nitro_core::model::{Caution, Model, Selector};
use nitro_store::recordings::Recordings;

use super::caution::{WhenUnsure, hardly_ahead};
use super::comparison::compare;
use super::coverage::coverage;
use super::error::LearnError;
use super::learners::Hyperparameters;
use super::objective::Objective;
use super::paying::{FeatureWorth, Shipped};
use super::performance::PerformanceTable;
use super::strategy::{DeviceFeatures, Strategy};
use super::study::{Study, StudyOptions};
use super::task::{MIN_SOURCES, Task};

/// Options of a fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitOptions {
    /// Source devices by id; empty for all that were recorded.
    pub sources: Vec<String>,
    /// Training inputs, as positions in the recordings; none for all.
    pub inputs: Option<Vec<usize>>,
    /// The strategies to choose from on the source devices alone; empty for all. One leaves nothing to choose.
    pub strategies: Vec<Strategy>,
    /// Device features that the device to be served knows, where that is known; others are not used.
    pub known_on_target: Option<BTreeSet<String>>,
    /// Options of the selection of device features.
    pub study: StudyOptions,
    /// The order among selectors.
    pub objective: Objective,
    /// The choice where the selector is unsure.
    pub when_unsure: WhenUnsure,
    /// Seed of everything random.
    pub seed: u64,
}

/// A model and how it was arrived at.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::{FitOptions, fit};
///
/// let fitted = fit(&recordings, &FitOptions::default())?;
/// println!("{}: {:.1} % of exhaustive search", fitted.strategy, 100.0 * fitted.score().unwrap_or(f64::NAN));
/// assert_eq!(fitted.model.provenance.sources, ["small", "large"]);
/// assert!(fitted.score() > Some(0.95));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The model to ship.
    pub model: Model,
    /// The strategy, also where it was chosen by `auto`.
    pub strategy: Strategy,
    /// The results of each strategy on sources and inputs that were left out in turn (of one source, on inputs alone),
    /// with the time for choosing counted where that of the features is known: mean share of the best variant's speed
    /// over the sources, best first. Without those of which that many sources tell nothing.
    pub scores: Vec<(Strategy, f64)>,
    /// What the input features that take time bring, the dearest first: those that do not pay are not in the model.
    /// Empty where the time of features is not known, none of them takes a thousandth of a call, or none is asked for.
    pub features: Vec<FeatureWorth>,
    /// The hyperparameters that the learner has found, by its own names: `C` and `gamma` of a support-vector machine.
    pub hyperparameters: Hyperparameters,
    /// The notes that the user should read, one sentence each.
    pub notes: Vec<String>,
}

/// Fits a selector.
///
/// The same recordings, options and seed give the same bytes, on any number of threads.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::{FitOptions, fit};
///
/// let model = fit(&recordings, &FitOptions { sources: vec!["small".into()], ..FitOptions::default() })?.model;
/// let choice = |length| model.choices[model.rank(&[length], &[])[0]].as_str();
/// assert_eq!((choice(5.0), choice(25.0)), ("stable", "unstable"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When a source or input is not in the recordings, when there is no source, when no variant succeeded on any
/// training input, when the recordings are larger than can be learned from, when the default choice is to run where
/// the selector is unsure and is not known or was not measured, and when the model is one that
/// [`Model::from_bytes`] would refuse.
pub fn fit(recordings: &Recordings, options: &FitOptions) -> Result<Fitted, LearnError> {
    let sources = resolve_sources(recordings, &options.sources)?;
    let inputs = resolve_inputs(recordings, options.inputs.as_deref())?;
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &inputs, options.seed).with_objective(&options.objective);
    task.check_samples(&sources)?;
    let known_on_target = options.known_on_target.as_ref();
    let study = Study::new(&task, sources.clone(), known_on_target, &options.study);
    let asked =
        if options.strategies.is_empty() { Strategy::all().collect() } else { options.strategies.clone() };
    let strategies: Vec<Strategy> = asked.into_iter().filter(|&strategy| study.applies(strategy)).collect();
    if strategies.is_empty() {
        return Err(LearnError::NoProfiles { function: recordings.function.clone() });
    }
    let comparison = compare(&study, &strategies);
    let chosen = if let [only] = strategies[..] { only } else { comparison.choice() };
    let shipped = Shipped::of(&study, &comparison, chosen);
    let (strategy, study) = (shipped.strategy, shipped.study(&study));
    let scores = shipped.scores(&comparison);
    let mut fitted = shipped.fit(study, &comparison);
    fitted.model.coverage = coverage(study, strategy);
    fitted.model.caution = match options.when_unsure {
        WhenUnsure::Decided => fitted.model.caution,
        WhenUnsure::Default => match hardly_ahead(&study.task().performance) {
            Some(own) => Some(Caution { far: true, ..own }),
            None => return Err(LearnError::DefaultUnknown { function: recordings.function.clone() }),
        },
        WhenUnsure::Best => None,
    };
    fitted.model.is_distilled &= fitted.model.caution.is_none();
    fitted.model.provenance.objective = options.objective.name().to_owned();
    fitted.model.provenance.recordings_digest = recordings.digest(&sources, &inputs);
    if let Err(error) = Model::from_bytes(&fitted.model.to_bytes()) {
        let function = recordings.function.clone();
        return Err(LearnError::Unreadable { function, why: error.to_string() });
    }
    let mut notes = notes(strategy, inputs.len(), study, fitted.converged);
    notes.extend(shipped.worths.iter().map(ToString::to_string));
    if scores.len() > 1 && sources.len() < MIN_SOURCES {
        notes.push(format!(
            "{} cannot show which selector carries over to other devices: `{strategy}` is the best of {} on inputs \
             left out; record on at least {MIN_SOURCES} devices, or calibrate where it is to run",
            if sources.len() == 1 { "one source device".into() } else { format!("{} source devices", sources.len()) },
            scores.len(),
        ));
    }
    notes.extend(uncertain_gain(&scores, strategy));
    notes.extend(constant(&fitted.model));
    let (model, hyperparameters, features) = (fitted.model, fitted.hyperparameters, shipped.worths);
    Ok(Fitted { model, strategy, scores, features, hyperparameters, notes })
}

/// Says that a model asks for no feature, if it does not.
fn constant(model: &Model) -> Option<String> {
    if !model.selector.is_constant() {
        return None;
    }
    let choice = &model.choices[model.selector.on_device(&[]).first(&[]).unwrap_or(0)];
    let instead = match &model.selector {
        Selector::Constant { .. } => "",
        _ => ", or where it may not the next of a fixed order,",
    };
    Some(format!(
        "nothing that is learned from features gains more than they take: `{choice}`{instead} runs for every input, and \
         no feature is computed"
    ))
}

/// The lead that another strategy needs over the one that is taken for `fit` to say so.
const NOTABLE_GAIN: f64 = 0.02;

/// Says that another strategy than the one that is taken did notably better, which the inputs do not show for certain.
fn uncertain_gain(scores: &[(Strategy, f64)], taken: Strategy) -> Option<String> {
    let &(best, score) = scores.first()?;
    let (_, own) = scores.iter().find(|(strategy, _)| *strategy == taken)?;
    (score - own >= NOTABLE_GAIN).then(|| {
        let (score, own, learner) = (100.0 * score, 100.0 * own, best.learner_name());
        format!(
            "`{best}` reached {score:.1} % where `{taken}` reached {own:.1}, which so few inputs or devices do not \
             show for certain: record more, or take it by `--selector {learner}`"
        )
    })
}

impl Fitted {
    /// Returns the result of the strategy that was taken, of [`Fitted::scores`]: as the best of several, a little too
    /// high.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        self.scores.iter().find(|(scored, _)| *scored == self.strategy).map(|(_, score)| *score)
    }
}

/// Positions of the named devices, in the order of the recordings; all for an empty list.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::resolve_sources;
///
/// assert_eq!(resolve_sources(&recordings, &["large".to_owned()])?, [1]);
/// assert_eq!(resolve_sources(&recordings, &[])?, [0, 1]);
/// assert!(resolve_sources(&recordings, &["huge".to_owned()]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When a device is unknown or there are none.
pub fn resolve_sources(recordings: &Recordings, ids: &[String]) -> Result<Vec<usize>, LearnError> {
    let function = recordings.function.clone();
    if let Some(device) = ids.iter().find(|id| recordings.device_index(id).is_none()) {
        let known = recordings.devices.iter().map(|device| device.id.clone()).collect();
        return Err(LearnError::UnknownDevice { function, device: device.clone(), known });
    }
    let mut sources: Vec<usize> = (0..recordings.devices.len()).collect();
    sources.retain(|&device| ids.is_empty() || ids.contains(&recordings.devices[device].id));
    if sources.is_empty() { Err(LearnError::NoSources { function }) } else { Ok(sources) }
}

fn resolve_inputs(recordings: &Recordings, inputs: Option<&[usize]>) -> Result<Vec<usize>, LearnError> {
    let count = recordings.inputs.len();
    let inputs = inputs.map_or_else(|| (0..count).collect(), <[usize]>::to_vec);
    match inputs.iter().find(|&&input| input >= count) {
        Some(&input) => {
            Err(LearnError::UnknownInput { function: recordings.function.clone(), input, inputs: count })
        }
        None => Ok(inputs),
    }
}

fn notes(strategy: Strategy, inputs: usize, study: &Study<'_>, converged: bool) -> Vec<String> {
    let (task, sources) = (study.task(), study.sources().len());
    let mut notes = task.notes.clone();
    if strategy.device_features != DeviceFeatures::None {
        notes.extend(study.candidates().notes.iter().cloned());
    }
    if strategy.device_features == DeviceFeatures::CrossValidation && sources < MIN_SOURCES {
        notes.push(format!(
            "{sources} source devices cannot tell device features apart (at least {MIN_SOURCES} can): none was selected"
        ));
    } else if strategy.device_features != DeviceFeatures::None && study.candidates().usable.is_empty() {
        notes
            .push("no device feature is known on every source and differs between them: none is used".into());
    }
    if task.inputs.len() < inputs {
        notes.push(format!(
            "{} of {inputs} training inputs were used: the others have a feature that is not a finite number, or are \
             more than {} in all",
            task.inputs.len(),
            super::task::MAX_TRAINING_INPUTS
        ));
    }
    if !converged {
        notes.push(
            "the solver ended before it reached its tolerance: look for a feature of extreme values".into(),
        );
    }
    notes
}
