//! The inputs on which choices lost most, by name: what to look at first.

use std::fmt;

use nitro_core::model::Model;
use nitro_store::recordings::Recordings;
use serde::Serialize;

use super::chooser::Chooser;
use super::error::EvaluateError;
use crate::performance::PerformanceTable;

/// More of them say nothing more.
const MOST: usize = 5;
/// A choice that reaches this share of the best one's speed is not worth a line.
const NEAR: f64 = 0.95;

/// A test input on which a selector lost much, with the device where it lost most.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::{EvaluateOptions, Split, evaluate};
///
/// let evaluation = evaluate(&recordings, &Split::by_name(&recordings), &EvaluateOptions::default())?;
/// for worst in &evaluation.worst {
///     println!("{} on {}: {} instead of {}", worst.input, worst.device, worst.chosen, worst.best);
/// }
/// assert!(evaluation.worst.iter().all(|worst| worst.share < 0.95));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WorstInput {
    /// The input.
    pub input: String,
    /// The device on which most was lost on it.
    pub device: String,
    /// The choice there, as a model names it; `-` where nothing could be chosen.
    pub chosen: String,
    /// The best choice there.
    pub best: String,
    /// The chosen one's share of exhaustive search there.
    pub share: f64,
    /// The number of the devices judged on which the choice for this input is below 95 % of exhaustive search.
    pub devices: usize,
}

/// The worst inputs, at most five, worst first: of each device (a position in the recordings) that is judged by a
/// model. Inputs on which every choice is near the best are left out, and so are those that were not measured.
///
/// # Errors
///
/// When a model's names are not those of the recordings.
pub fn worst_inputs<'m>(
    recordings: &Recordings,
    performance: &PerformanceTable,
    judged: impl IntoIterator<Item = (usize, &'m Model)>,
    test: &[usize],
) -> Result<Vec<WorstInput>, EvaluateError> {
    let mut worst: Vec<Option<WorstInput>> = vec![None; test.len()];
    for (device, model) in judged {
        let chooser = Chooser::of_classes(recordings, performance.classes(), model, device)?;
        for (&input, slot) in test.iter().zip(&mut worst) {
            let Some(choice) = Choice::of(&chooser, performance, (device, input)) else { continue };
            let devices = 1 + slot.as_ref().map_or(0, |known| known.devices);
            *slot = match slot.take() {
                Some(known) if known.share <= choice.share => Some(WorstInput { devices, ..known }),
                _ => Some(choice.named(recordings, performance, (device, input), devices)),
            };
        }
    }
    let mut worst: Vec<WorstInput> = worst.into_iter().flatten().collect();
    worst.sort_by(|a, b| a.share.total_cmp(&b.share)); // stable: of equals the first test input
    worst.truncate(MOST);
    Ok(worst)
}

/// A choice that is far from the best.
struct Choice {
    chosen: Option<usize>,
    best: usize,
    share: f64,
}

impl Choice {
    /// None where the choice is near the best, and where there is nothing to compare.
    fn of(
        chooser: &Chooser<'_>,
        performance: &PerformanceTable,
        (device, input): (usize, usize),
    ) -> Option<Self> {
        let (shares, best) = (performance.shares(device, input)?, performance.best(device, input)?);
        let chosen = chooser.choose(input, |class| shares[class].is_some());
        let share = chosen.and_then(|class| shares[class]).unwrap_or(0.0);
        (share < NEAR).then_some(Self { chosen, best, share })
    }

    fn named(
        &self,
        recordings: &Recordings,
        performance: &PerformanceTable,
        (device, input): (usize, usize),
        devices: usize,
    ) -> WorstInput {
        let names = performance.classes().names();
        WorstInput {
            input: recordings.inputs[input].name.clone(),
            device: recordings.devices[device].id.clone(),
            chosen: self.chosen.map_or_else(|| "-".to_owned(), |class| names[class].clone()),
            best: names[self.best].clone(),
            share: self.share,
            devices,
        }
    }
}

impl fmt::Display for WorstInput {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, device, chosen, best, share, .. } = self;
        write!(
            f,
            "lost most: {input} on {device}, {:.0} % of exhaustive search: {chosen} where {best} is best",
            100.0 * share
        )
    }
}
