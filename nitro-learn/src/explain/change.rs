//! Changes that lead to another choice: each feature by itself, the others as they are, within what was trained on.

use serde::Serialize;

use super::column::Column;
use super::inquiry::Inquiry;

/// Into so many steps the training range is cut; a choice that holds for less than a step may be passed over.
const STEPS: f64 = 256.0;
/// As near as this, in the learner's scale, is found where the choice changes: about a hundred-thousandth of the
/// training range.
const FINEST: f64 = 2.0 / STEPS / 512.0;

/// The smallest change of a feature that leads to another choice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The feature.
    pub feature: String,
    /// True if it describes the device.
    pub is_of_device: bool,
    /// Its value now.
    pub from: f64,
    /// A value that leads to another choice.
    pub to: f64,
    /// The choice then; absent is the default, as no variant that the model knows may run.
    pub variant: Option<String>,
    /// The size of the change as a share of the training range, in the learner's scale.
    pub share_of_range: f64,
}

/// One for each feature that can change the choice by itself, the smallest first.
pub(super) fn changes(asked: &Inquiry<'_>) -> Vec<Change> {
    let mut changes: Vec<Change> =
        (0..asked.columns.len()).filter_map(|column| smallest(asked, column)).collect();
    changes.sort_by(|a, b| a.share_of_range.total_cmp(&b.share_of_range)); // stable
    changes
}

fn smallest(asked: &Inquiry<'_>, column: usize) -> Option<Change> {
    let axis = Axis::new(asked, column)?;
    let (below, above) = (axis.first_change(-1.0), axis.first_change(1.0));
    let to = below
        .into_iter()
        .chain(above)
        .min_by(|&a, &b| axis.share_of_range(a).total_cmp(&axis.share_of_range(b)))?;
    let Column { name, is_of_device, value, .. } = axis.column;
    Some(Change {
        feature: name.clone(),
        is_of_device: *is_of_device,
        from: *value,
        to,
        variant: axis.choice(to).map(|variant| asked.question.model.choices[variant].clone()),
        share_of_range: axis.share_of_range(to),
    })
}

/// One feature that is changed.
struct Axis<'a> {
    asked: &'a Inquiry<'a>,
    index: usize,
    column: &'a Column,
    /// The scaled value now.
    at: f64,
    /// The choice now.
    now: Option<usize>,
}

impl<'a> Axis<'a> {
    /// None for a feature of which no range is known.
    fn new(asked: &'a Inquiry<'a>, index: usize) -> Option<Self> {
        let column = &asked.columns[index];
        let at = column.scaled.filter(|_| column.scale.is_some_and(|scale| scale.max > scale.min))?;
        let now = asked.choice(&asked.on_device, &asked.features);
        Some(Self { asked, index, column, at, now })
    }

    /// The nearest value in one direction (1 or -1) that leads to another choice.
    fn first_change(&self, direction: f64) -> Option<f64> {
        if !self.column.cases.is_empty() {
            let mut cases = self.column.cases.clone();
            cases.retain(|&value| (self.scaled(value) - self.at) * direction > 0.0);
            cases.sort_by(|a, b| (a * direction).total_cmp(&(b * direction)));
            return cases.into_iter().find(|&value| self.changes(value));
        }
        let here = direction * self.at;
        // As far as was trained on, and never back. What lies before the training range is one step, however far
        // that is.
        let (begin, end) = (here.max(-1.0), here.max(1.0));
        let steps = ((end - begin) / 2.0 * STEPS).ceil() as u32;
        let inside = (0..=steps).map(|step| (begin + f64::from(step) * 2.0 / STEPS).min(end));
        let mut same = here;
        for other in inside.filter(|&other| other > here) {
            if self.changes(self.value_at(direction * other)) {
                return Some(self.rounded(self.boundary(direction * same, direction * other), direction));
            }
            same = other;
        }
        None
    }

    /// A value close behind the boundary, between two scaled values, where the choice changes.
    fn boundary(&self, mut same: f64, mut other: f64) -> f64 {
        while (other - same).abs() > FINEST {
            let middle = (same + other) / 2.0;
            if middle == same || middle == other {
                break; // no number lies between them
            }
            if self.changes(self.value_at(middle)) { other = middle } else { same = middle }
        }
        self.value_at(other)
    }

    /// Rounded away from the value now: to a whole number where all that were recorded are, else to three digits.
    /// Left as it is where that would lead back.
    fn rounded(&self, value: f64, direction: f64) -> f64 {
        let unit = 10_f64.powf((value.abs().log10() - 2.0).floor());
        let unit = if self.column.is_whole { unit.max(1.0) } else { unit };
        let count = if direction < 0.0 { (value / unit).floor() } else { (value / unit).ceil() };
        // Multiples of a tenth are no exact numbers, quotients of whole ones are the nearest.
        let rounded = if unit < 1.0 { count / (1.0 / unit).round() } else { count * unit };
        if rounded.is_finite() && self.changes(rounded) { rounded } else { value }
    }

    /// Returns how far a value is from the one now, as a share of the training range.
    fn share_of_range(&self, to: f64) -> f64 {
        (self.scaled(to) - self.at).abs() / 2.0
    }

    fn changes(&self, value: f64) -> bool {
        self.choice(value) != self.now
    }

    /// Chooses where the feature has another value.
    fn choice(&self, value: f64) -> Option<usize> {
        let Inquiry { question, on_device, features, device_features, .. } = self.asked;
        match self.index.checked_sub(features.len()) {
            None => {
                let mut features = features.clone();
                features[self.index] = value;
                self.asked.choice(on_device, &features)
            }
            Some(index) => {
                let mut device_features = device_features.clone();
                device_features[index] = value;
                self.asked.choice(&question.model.on_device(&question.device.id, &device_features), features)
            }
        }
    }

    fn scaled(&self, value: f64) -> f64 {
        self.column.scale.map_or(f64::NAN, |scale| scale.apply(value))
    }

    fn value_at(&self, scaled: f64) -> f64 {
        self.column.scale.map_or(f64::NAN, |scale| scale.undo(scaled))
    }
}
