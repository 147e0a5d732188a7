//! Checks of a model before it ships with this code: it is of the code's variants and features, it was fitted from the
//! recordings at hand, and its choices on inputs held out from training are good enough.

use std::collections::BTreeSet;

use nitro_core::Function;
use nitro_core::model::Model;
use nitro_stats::statistics::mean;
use nitro_store::recordings::{Incomplete, Meanings, Recordings};
use thiserror::Error;

use crate::costs::FeatureCosts;
use crate::evaluate::{EvaluateError, Split, WorstInput, net_shares_of_model, shares_of_model, worst_inputs};
use crate::performance::PerformanceTable;

/// The code, recordings and limit that a model is checked against.
pub struct Expected<'a> {
    /// The code, if the program has the function; else names are compared with the recordings alone.
    pub function: Option<&'a Function>,
    /// The recordings that it should have been fitted from.
    pub recordings: &'a Recordings,
    /// The inputs that it should have been fitted from, and those that judge it.
    pub split: &'a Split,
    /// Devices to judge on, by position; empty for all with test inputs.
    pub devices: &'a [usize],
    /// The most regret that it may have, mean over the devices: 0.05 for 5 %.
    pub max_regret: f64,
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// The regret by device: 1 - (time of the best variant) / (time of the chosen one), mean over the test inputs.
    pub regrets: Vec<(String, f64)>,
    /// True where the time for choosing counts as time of the chosen variant, as it does in a fit: the recordings
    /// know that of the features.
    pub counts_choosing: bool,
    /// The test inputs on which the choices lost most on these devices, at most five, worst first; empty where all
    /// are near the best.
    pub worst: Vec<WorstInput>,
    /// Number of measured pairs of a test input and one of these devices that do not count, since others took the
    /// processors then.
    pub doubtful: usize,
    /// The reasons not to ship the model; empty for a model that passes.
    pub problems: Vec<Problem>,
}

impl CheckReport {
    /// Mean over the devices; none where the model could not be judged.
    pub fn mean_regret(&self) -> Option<f64> {
        let sum: f64 = self.regrets.iter().map(|(_, regret)| regret).sum();
        (!self.regrets.is_empty()).then(|| sum / self.regrets.len() as f64)
    }
}

/// The regret by device.
type Regrets = Vec<(String, f64)>;

/// One reason not to ship a model, as a sentence that names what to change.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum Problem {
    /// The file is named after another function.
    #[error("the file of `{function}` holds the model of `{found}`: fit `{function}` again")]
    OtherFunction {
        /// The function.
        function: String,
        /// The model's value.
        found: String,
    },
    /// The model has names that the code has not.
    #[error(
        "the model of `{function}` is stale, this program does not have its {kind} {}: build it with them, or record \
         without them and fit again",
        list(names)
    )]
    Gone {
        /// The function.
        function: String,
        /// `variants` or `features`.
        kind: &'static str,
        /// The names.
        names: Vec<String>,
    },
    /// The code has names that the model has not.
    #[error(
        "the model of `{function}` is stale, it does not know the {kind} {} of this program: record them and fit again",
        list(names)
    )]
    New {
        /// The function.
        function: String,
        /// `variants` or `features`.
        kind: &'static str,
        /// The names.
        names: Vec<String>,
    },
    /// The model says nothing of its recordings.
    #[error("the model of `{function}` does not say which recordings it was fitted from: fit it again")]
    NoDigest {
        /// The function.
        function: String,
    },
    /// The model states a source that was never recorded.
    #[error(
        "the model of `{function}` was fitted from `{device}`, of which there are no recordings here: name the store \
         that has them, or fit it again"
    )]
    UnknownSource {
        /// The function.
        function: String,
        /// The source.
        device: String,
    },
    /// The stated sources have other recordings.
    #[error(
        "the model of `{function}` was fitted from other recordings of {} than there are here: fit it again, or name \
         the store and the training inputs it was fitted from",
        list(sources)
    )]
    OtherRecordings {
        /// The function.
        function: String,
        /// The stated sources.
        sources: Vec<String>,
    },
    /// Code and recordings mean different things by one name.
    #[error(
        "{} of `{function}` {} declared otherwise than when it was recorded: `record` it again, and fit again",
        changes.join(", "),
        if changes.len() == 1 { "is" } else { "are" }
    )]
    OtherDeclaration {
        /// The function.
        function: String,
        /// The features, constraints and parameters.
        changes: Vec<String>,
    },
    /// The model was fitted from features that mean something else in the code.
    #[error(
        "the model of `{function}` was fitted when its {} had another meaning: fit it again",
        features(changed)
    )]
    OtherFeatures {
        /// The function.
        function: String,
        /// The features.
        changed: Vec<String>,
    },
    /// Some measurements are marked to be made again.
    #[error("{due} measurements of `{function}` are to be made again: `record` does, then fit again")]
    Due {
        /// The function.
        function: String,
        /// Number of due measurements.
        due: usize,
    },
    /// Recordings are left out, so that the model was fitted from, and is judged by, the rest alone.
    #[error(
        "{inputs} inputs of `{function}` were recorded before it had the {}, so that no model is fitted from or judged \
         by them: record them again, or all that is to count into a store of its own, and fit again",
        features(lacking)
    )]
    Incomplete {
        /// The function.
        function: String,
        /// Number of inputs.
        inputs: usize,
        /// The features of which each lacks one at least.
        lacking: Vec<String>,
    },
    /// The choices are not good enough.
    #[error(
        "the model of `{function}` has a regret of {:.2} %, most on `{worst}`, where the bound is {} %: record more \
         inputs and fit again, or raise `max_regret`",
        100.0 * regret, 100.0 * max_regret
    )]
    Regret {
        /// The function.
        function: String,
        /// The device with most.
        worst: String,
        /// Mean over the devices.
        regret: f64,
        /// The most that is allowed.
        max_regret: f64,
    },
    /// All that the model could be judged by is doubtful.
    #[error(
        "the model of `{function}` cannot be judged: its {inputs} test inputs were measured while others took the \
         processors; `record --again --function {function}` measures them anew"
    )]
    AllDoubtful {
        /// The function.
        function: String,
        /// Number of inputs.
        inputs: usize,
    },
    /// The model cannot be judged by the recordings.
    #[error(transparent)]
    Evaluate(#[from] EvaluateError),
}

fn features(names: &[String]) -> String {
    format!("{} {}", if names.len() == 1 { "feature" } else { "features" }, list(names))
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Checks a model; whatever is wrong with it is a [`Problem`].
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::check::{Expected, Problem, check};
/// use nitro_learn::evaluate::Split;
/// use nitro_learn::{FitOptions, fit};
///
/// let split = Split::by_name(&recordings);
/// let expected = Expected { function: None, recordings: &recordings, split: &split, devices: &[], max_regret: 0.05 };
/// let of_training_inputs = FitOptions { inputs: Some(split.train.clone()), ..FitOptions::default() };
/// let checked = check(&fit(&recordings, &of_training_inputs)?.model, &expected);
/// assert!(checked.problems.is_empty() && checked.mean_regret() < Some(0.05));
/// let checked = check(&fit(&recordings, &FitOptions::default())?.model, &expected); // of the test inputs too
/// assert!(matches!(checked.problems[..], [Problem::OtherRecordings { .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// When a position in `expected` is out of range.
pub fn check(model: &Model, expected: &Expected<'_>) -> CheckReport {
    let function = &expected.recordings.function;
    if model.function != *function {
        let (function, found) = (function.clone(), model.function.clone());
        return CheckReport {
            problems: vec![Problem::OtherFunction { function, found }],
            ..CheckReport::default()
        };
    }
    let other = provenance(model, expected.recordings, &expected.split.train).err();
    let mut problems = stale(model, expected, other.is_none());
    problems.extend(other);
    problems.extend(incomplete(expected.recordings));
    problems.extend(declared_otherwise(model, expected));
    let (regrets, worst, doubtful) = judged(model, expected).unwrap_or_else(|problem| {
        problems.push(problem);
        Default::default()
    });
    let counts_choosing = !expected.recordings.feature_times.is_empty();
    let mut checked = CheckReport { regrets, counts_choosing, worst, doubtful, problems };
    checked.problems.extend(too_much(&checked, function, expected.max_regret));
    checked
}

/// Returns the names that mean different things in code, recordings and model, and what is to be measured again.
fn declared_otherwise(model: &Model, expected: &Expected<'_>) -> Vec<Problem> {
    let recordings = expected.recordings;
    let mut problems = Vec::new();
    if let Some(code) = expected.function {
        let changes = Meanings::of(code).changes(&recordings.meanings);
        if !changes.is_empty() {
            problems.push(Problem::OtherDeclaration { function: recordings.function.clone(), changes });
        }
        let mut changed = Vec::new();
        for (name, &digest) in model.features.iter().zip(&model.feature_digests) {
            let index = code.features().iter().position(|own| *own == name.as_str());
            let own = index.and_then(|index| code.feature_digests().get(index));
            // A model that states no digest, 0, agrees with every code.
            if digest != 0 && own.is_some_and(|own| *own != digest) {
                changed.push(name.clone());
            }
        }
        if !changed.is_empty() {
            problems.push(Problem::OtherFeatures { function: recordings.function.clone(), changed });
        }
    }
    if !recordings.due.is_empty() {
        problems.push(Problem::Due { function: recordings.function.clone(), due: recordings.due.len() });
    }
    problems
}

fn incomplete(recordings: &Recordings) -> Option<Problem> {
    let Incomplete { inputs, features } = &recordings.incomplete;
    (*inputs > 0).then(|| Problem::Incomplete {
        function: recordings.function.clone(),
        inputs: *inputs,
        lacking: features.iter().cloned().collect(),
    })
}

fn too_much(checked: &CheckReport, function: &str, max_regret: f64) -> Option<Problem> {
    let regret = checked.mean_regret().filter(|regret| *regret > max_regret)?;
    let (worst, _) = checked.regrets.iter().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(Problem::Regret { function: function.to_owned(), worst: worst.clone(), regret, max_regret })
}

/// Names that only one of code and model has. A feature that the very recordings of the model have was left out by
/// the fit, which is no fault.
fn stale(model: &Model, expected: &Expected<'_>, same_recordings: bool) -> Vec<Problem> {
    let Some(code) = expected.function else { return Vec::new() };
    let known: BTreeSet<usize> =
        model.choices.iter().filter_map(|choice| Some(code.choice(choice).ok()?.variant)).collect();
    let gone_choices = model.choices.iter().filter(|choice| code.choice(choice).is_err()).cloned();
    let new_variants = code.variants().iter().enumerate().filter(|(variant, _)| !known.contains(variant));
    let new_variants = new_variants.map(|(_, variant)| variant.name().to_owned());
    let left_out = if same_recordings { expected.recordings.features.as_slice() } else { &[] };
    let known_features: Vec<String> = [&model.features, left_out].concat();
    let problems = [
        gone(model, "variants", gone_choices.collect()),
        added(model, "variants", new_variants.collect()),
        gone(model, "features", missing(&model.features, code.features())),
        added(model, "features", missing(code.features(), &known_features)),
    ];
    problems.into_iter().flatten().collect()
}

/// The problem that names of the model are not in the code; none without names.
fn gone(model: &Model, kind: &'static str, names: Vec<String>) -> Option<Problem> {
    (!names.is_empty()).then(|| Problem::Gone { function: model.function.clone(), kind, names })
}

/// The problem that names of the code are not in the model; none without names.
fn added(model: &Model, kind: &'static str, names: Vec<String>) -> Option<Problem> {
    (!names.is_empty()).then(|| Problem::New { function: model.function.clone(), kind, names })
}

/// Returns the names that are not among others.
fn missing(names: &[impl AsRef<str>], among: &[impl AsRef<str>]) -> Vec<String> {
    let among: BTreeSet<&str> = among.iter().map(AsRef::as_ref).collect();
    names.iter().map(AsRef::as_ref).filter(|name| !among.contains(name)).map(str::to_owned).collect()
}

/// Checks that the model was fitted from what it states.
fn provenance(model: &Model, recordings: &Recordings, train: &[usize]) -> Result<(), Problem> {
    let (function, stated) = (model.function.clone(), &model.provenance);
    if stated.recordings_digest.is_empty() {
        return Err(Problem::NoDigest { function });
    }
    let mut sources = Vec::with_capacity(stated.sources.len());
    for device in &stated.sources {
        match recordings.device_index(device) {
            Some(index) => sources.push(index),
            None => return Err(Problem::UnknownSource { function, device: device.clone() }),
        }
    }
    match recordings.digest(&sources, train) == stated.recordings_digest {
        true => Ok(()),
        false => Err(Problem::OtherRecordings { function, sources: stated.sources.clone() }),
    }
}

/// Returns the regret of the choices for the test inputs on each device, and the inputs where most is lost.
///
/// What was measured under load does not count: a variant that was slow then need not be slow.
fn judged(model: &Model, expected: &Expected<'_>) -> Result<(Regrets, Vec<WorstInput>, usize), Problem> {
    let Expected { recordings, split, .. } = *expected;
    let performance = PerformanceTable::new(recordings).map_err(EvaluateError::from)?;
    let doubtful = doubtful_tests(expected, &performance);
    let performance = performance.without_doubtful(recordings);
    let any_left = judged_on(expected)
        .into_iter()
        .any(|device| split.test.iter().any(|&input| performance.is_measured(device, input)));
    if !doubtful.is_empty() && !any_left {
        let inputs: BTreeSet<usize> = doubtful.iter().map(|(_, input)| *input).collect();
        return Err(Problem::AllDoubtful { function: recordings.function.clone(), inputs: inputs.len() });
    }
    let regrets = regrets(model, expected, &performance, &doubtful)?;
    let devices = regrets.iter().filter_map(|(id, _)| recordings.device_index(id));
    let worst = worst_inputs(recordings, &performance, devices.map(|device| (device, model)), &split.test)?;
    Ok((regrets, worst, doubtful.len()))
}

/// Returns the devices that a model is judged on.
fn judged_on(expected: &Expected<'_>) -> Vec<usize> {
    match expected.devices {
        [] => (0..expected.recordings.devices.len()).collect(),
        asked => asked.to_vec(),
    }
}

/// Returns the devices and test inputs that were measured under load.
fn doubtful_tests(expected: &Expected<'_>, performance: &PerformanceTable) -> Vec<(usize, usize)> {
    let (tests, devices) = (expected.split.test.iter().collect::<BTreeSet<_>>(), judged_on(expected));
    let mut doubtful: Vec<(usize, usize)> = expected.recordings.doubtful().into_iter().collect();
    doubtful.retain(|(device, input)| {
        devices.contains(device) && tests.contains(input) && performance.is_measured(*device, *input)
    });
    doubtful
}

/// Returns the regret on each device that has test inputs; a device that was asked for must have some.
fn regrets(
    model: &Model,
    expected: &Expected<'_>,
    performance: &PerformanceTable,
    doubtful: &[(usize, usize)],
) -> Result<Regrets, EvaluateError> {
    let Expected { recordings, split, .. } = *expected;
    let (asked, costs) = (!expected.devices.is_empty(), FeatureCosts::of(recordings));
    let mut regrets = Vec::new();
    for device in judged_on(expected) {
        let id = &recordings.devices[device].id;
        let mut shares = shares_of_model(recordings, performance, model, device, &split.test)?;
        if let Some(costs) = &costs {
            let (known, judged) = ((performance, costs), (&split.test[..], &shares[..]));
            shares = net_shares_of_model(recordings, known, model, device, judged)?;
        }
        match mean(shares) {
            Some(share) => regrets.push((id.clone(), 1.0 - share)),
            // Where all is doubtful the other devices judge.
            None if doubtful.iter().any(|(own, _)| *own == device) => {}
            None if asked => return Err(no_tests(recordings, id)),
            None => {}
        }
    }
    if regrets.is_empty() { Err(no_tests(recordings, "any device")) } else { Ok(regrets) }
}

fn no_tests(recordings: &Recordings, device: &str) -> EvaluateError {
    EvaluateError::NoTests { function: recordings.function.clone(), device: device.to_owned() }
}
