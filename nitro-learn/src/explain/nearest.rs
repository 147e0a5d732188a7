//! The training inputs that are most like the one that is asked about, and what was best there.

use nitro_core::model::Scale;
use nitro_store::recordings::{DeviceRecord, Recordings};
use serde::Serialize;

use super::inquiry::Inquiry;

use super::question::Question;
use crate::LearnError;
use crate::next_device::distances;
use crate::performance::PerformanceTable;

/// At most so many are named.
const MOST: usize = 3;

/// A training input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Nearest {
    /// Its name.
    pub input: String,
    /// Root mean square difference of the features in the learner's scale, in which what was trained on spans 2.
    pub distance: f64,
    /// The device that it was measured on: that which is asked about, or else the one most like it.
    pub device: String,
    /// The best choice there.
    pub best: String,
    /// The share of the best variant's speed that the choice gave there; absent where it was not measured or not
    /// admissible.
    pub share_of_choice: Option<f64>,
    /// The number of devices on which the same variant was best.
    pub same_devices: usize,
    /// The number of devices on which the input was measured.
    pub devices: usize,
}

/// The nearest training inputs that were measured, the nearest first.
pub(super) fn nearest(asked: &Inquiry<'_>, choice: Option<&str>) -> Result<Vec<Nearest>, LearnError> {
    let Some((recordings, inputs)) = asked.question.recorded else { return Ok(Vec::new()) };
    let Some(space) = Space::new(asked, recordings) else { return Ok(Vec::new()) };
    let performance = PerformanceTable::new(recordings)?;
    let mut near: Vec<(f64, usize)> = inputs
        .iter()
        .filter_map(|&input| Some((space.distance(&recordings.inputs[input].features)?, input)))
        .collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable
    let by_likeness = by_likeness(asked.question, recordings);
    let chosen = choice.and_then(|choice| performance.classes().index(choice));
    let mut nearest = Vec::new();
    for (distance, input) in near {
        let bests: Vec<(usize, usize)> = by_likeness
            .iter()
            .filter_map(|&device| Some((device, performance.best(device, input)?)))
            .collect();
        let Some(&(device, best)) = bests.first() else { continue };
        nearest.push(Nearest {
            input: recordings.inputs[input].name.clone(),
            distance,
            device: recordings.devices[device].id.clone(),
            best: performance.classes().names()[best].clone(),
            share_of_choice: chosen.and_then(|chosen| performance.shares(device, input)?[chosen]),
            same_devices: bests.iter().filter(|(_, other)| *other == best).count(),
            devices: bests.len(),
        });
        if nearest.len() == MOST {
            break;
        }
    }
    Ok(nearest)
}

/// The learner's scale over the columns of the recordings that the model asks for.
struct Space {
    /// For each column its index in the recordings, its scale, and the scaled value that is asked about.
    columns: Vec<(usize, Scale, f64)>,
}

impl Space {
    /// Makes the space; none where the recordings lack a feature, or the model asks for none.
    fn new(asked: &Inquiry<'_>, recordings: &Recordings) -> Option<Self> {
        let mut columns = Vec::new();
        for column in asked.columns.iter().filter(|column| !column.is_of_device) {
            columns.push((recordings.feature_index(&column.name)?, column.scale?, column.scaled?));
        }
        (!columns.is_empty()).then_some(Self { columns })
    }

    /// Returns the distance of an input; none of one that lacks a feature.
    fn distance(&self, features: &[f64]) -> Option<f64> {
        let squares =
            self.columns.iter().map(|(index, scale, at)| (scale.apply(features[*index]) - at).powi(2));
        let mean = squares.sum::<f64>() / self.columns.len() as f64;
        mean.is_finite().then(|| mean.sqrt())
    }
}

/// The positions of all recorded devices, the one that is asked about or most like it first.
fn by_likeness(question: &Question<'_>, recordings: &Recordings) -> Vec<usize> {
    let all: Vec<&DeviceRecord> = std::iter::once(question.device).chain(&recordings.devices).collect();
    let distances = distances(&all).swap_remove(0);
    let is_other: Vec<bool> =
        recordings.devices.iter().map(|device| device.id != question.device.id).collect();
    let mut devices: Vec<usize> = (0..recordings.devices.len()).collect();
    devices.sort_by(|&a, &b| {
        is_other[a].cmp(&is_other[b]).then(distances[a + 1].total_cmp(&distances[b + 1])) // stable
    });
    devices
}
