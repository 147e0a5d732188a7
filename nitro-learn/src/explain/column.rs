//! The features that a model asks for, as it sees them.

use nitro_core::model::{Model, Scale};
use serde::Serialize;

use super::question::Question;
use crate::scaling::scale_of;

/// An input feature of at most this many recorded values, each recorded this often on average, takes no others: a
/// number of bits, a yes or no.
const MOST_CASES: usize = 4;

/// A feature of the input or the device.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::explain::{Explanation, Question};
/// use nitro_learn::{FitOptions, fit};
///
/// let (model, device) = (fit(&recordings, &FitOptions::default())?.model, &recordings.devices[0]);
/// let column = |length| -> Result<_, nitro_learn::LearnError> {
///     let given = [("length".to_owned(), length)].into();
///     let (function, device_distance, recorded) = (None, None, None);
///     let question = Question { model: &model, function, given: &given, device, device_distance, recorded };
///     Ok(Explanation::new(&question)?.features.remove(0))
/// };
/// assert_eq!((column(20.0)?.is_outside(), column(100.0)?.is_outside()), (false, true)); // trained on 1 to 30 keys
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// True if it describes the device.
    pub is_of_device: bool,
    /// Its value.
    pub value: f64,
    /// The value in the learner's scale, in which what was trained on spans [-1, 1]; absent where that is not known.
    pub scaled: Option<f64>,
    /// The smallest and the largest value that was trained on, where that is known.
    pub trained_on: Option<[f64; 2]>,
    /// The scale in training.
    #[serde(skip)]
    pub(super) scale: Option<Scale>,
    /// The values that it takes, where it takes no others: of a device feature those of the sources. Empty where it
    /// may take any.
    #[serde(skip)]
    pub(super) cases: Vec<f64>,
    /// True if all that was recorded are whole numbers.
    #[serde(skip)]
    pub(super) is_whole: bool,
}

impl Column {
    /// Returns true if the value lies outside of what was trained on.
    #[must_use]
    pub fn is_outside(&self) -> bool {
        self.trained_on.is_some_and(|[min, max]| max > min)
            && self.scaled.is_some_and(|at| at.abs() > 1.0 + 1e-9)
    }
}

/// The columns of the model, those of the input first.
pub(super) fn columns(question: &Question<'_>, features: &[f64], device_features: &[f64]) -> Vec<Column> {
    let model = question.model;
    let names = model.features.iter().chain(&model.device_features);
    let values = features.iter().chain(device_features);
    let mut columns = Vec::new();
    for (index, (name, &value)) in names.zip(values).enumerate() {
        let is_of_device = index >= model.features.len();
        let recorded = recorded(question, name, is_of_device);
        let scale = scale(model, index).or_else(|| (!recorded.is_empty()).then(|| scale_of(&recorded)));
        columns.push(Column {
            name: name.clone(),
            is_of_device,
            value,
            scaled: scale.map(|scale| scale.apply(value)),
            trained_on: scale.map(|scale| [scale.transform.undo(scale.min), scale.transform.undo(scale.max)]),
            scale,
            is_whole: !recorded.is_empty() && recorded.iter().all(|value| value.fract() == 0.0),
            cases: cases(recorded, is_of_device),
        });
    }
    columns
}

/// Returns the scale of a column in training, where the model says it.
fn scale(model: &Model, column: usize) -> Option<Scale> {
    if let Some(scaling) = model.selector.scaling() {
        return scaling.get(column).copied();
    }
    match column.checked_sub(model.features.len()) {
        None => model.coverage.inputs.as_ref()?.scaling.get(column).copied(),
        Some(column) => {
            let devices = model.coverage.devices.as_ref()?;
            let index = devices.features.iter().position(|name| *name == model.device_features[column])?;
            devices.region.scaling.get(index).copied()
        }
    }
}

/// The finite values that training inputs, or sources, have of the feature, one for each of them.
fn recorded(question: &Question<'_>, name: &str, is_of_device: bool) -> Vec<f64> {
    let Some((recordings, inputs)) = question.recorded else { return Vec::new() };
    let mut values: Vec<f64> = if is_of_device {
        let ids = &question.model.provenance.sources;
        let sources = recordings.devices.iter().filter(|device| ids.contains(&device.id));
        sources.filter_map(|device| device.feature(name)).collect()
    } else {
        recordings.feature_index(name).map_or_else(Vec::new, |feature| {
            inputs.iter().map(|&input| recordings.inputs[input].features[feature]).collect()
        })
    };
    values.retain(|value| value.is_finite());
    values
}

/// The values each once, in order; none where there may be others.
fn cases(mut recorded: Vec<f64>, is_of_device: bool) -> Vec<f64> {
    let count = recorded.len();
    recorded.sort_unstable_by(f64::total_cmp);
    recorded.dedup();
    let is_few = recorded.len() <= MOST_CASES && recorded.len() * MOST_CASES <= count;
    if is_of_device || is_few { recorded } else { Vec::new() }
}
