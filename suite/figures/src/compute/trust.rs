//! What the margin and the distance of a choice tell, on Ginkgo's data.

use std::collections::{BTreeMap, BTreeSet};

use nitro_learn::evaluate::{Chooser, Split};
use nitro_learn::performance::PerformanceTable;
use nitro_learn::{FitOptions, fit};
use nitro_store::recordings::Recordings;

use super::{mean, share};
use crate::Error;
use crate::figures::{Lost, Trust, percent};
use crate::recordings::{GINKGO, shipped};

/// A choice on a test input.
#[derive(Clone, Copy)]
struct Choice {
    input: usize,
    margin: f64,
    is_far: bool,
    share: f64,
}

/// By held-out GPU, with what `fit` would ship of the others; and what is lost where.
///
/// # Errors
/// When the recordings cannot be read or learned from.
pub fn trust() -> Result<(BTreeMap<String, Trust>, Lost), Error> {
    let recordings = shipped(GINKGO)?;
    let split = Split::by_name(&recordings);
    let (mut trust, mut all) = (BTreeMap::new(), Vec::new());
    for device in 0..recordings.devices.len() {
        let id = recordings.devices[device].id.clone();
        eprintln!("  {GINKGO}: margins on {id}");
        let choices = choices(&recordings, &split, device)?;
        trust.insert(id, of_choices(choices.clone()));
        all.push(choices);
    }
    Ok((trust, lost(&recordings, &all)))
}

/// The choices on a device, of what `fit` would ship of the others.
fn choices(recordings: &Recordings, split: &Split, device: usize) -> Result<Vec<Choice>, Error> {
    let others = recordings.devices.iter().enumerate().filter(|(other, _)| *other != device);
    let sources = others.map(|(_, device)| device.id.clone()).collect();
    let options = FitOptions { sources, inputs: Some(split.train.clone()), ..FitOptions::default() };
    let model = fit(recordings, &options)?.model;
    let (chooser, performance) =
        (Chooser::new(recordings, &model, device)?, PerformanceTable::new(recordings)?);
    let column = |name: &String| recordings.feature_index(name);
    let columns: Vec<usize> = model.features.iter().filter_map(column).collect();
    let distance = |input: usize| {
        let features: Vec<f64> = columns.iter().map(|&at| recordings.inputs[input].features[at]).collect();
        model.coverage.inputs.as_ref()?.distance(&features)
    };
    let choice = |&input: &usize| {
        let share = share(&performance, &chooser, device, input)?;
        let is_far = distance(input).is_some_and(|distance| distance > 1.0);
        Some(Choice { input, margin: chooser.margin(input), is_far, share })
    };
    Ok(split.test.iter().filter_map(choice).collect())
}

fn of_choices(mut choices: Vec<Choice>) -> Trust {
    choices.sort_by(|a, b| b.margin.total_cmp(&a.margin));
    let far: Vec<Choice> = choices.iter().copied().filter(|choice| choice.is_far).collect();
    let mean_of = |choices: &[Choice]| percent(mean(&shares(choices)));
    Trust {
        all: mean_of(&choices),
        large_margin: mean_of(&choices[..choices.len() / 4]),
        far: mean_of(&far),
        far_inputs: far.len(),
    }
}

/// The group that loses most, over all devices.
fn lost(recordings: &Recordings, devices: &[Vec<Choice>]) -> Lost {
    let group = |choice: &Choice| {
        let name = recordings.inputs[choice.input].name.as_str();
        name.rsplit_once('/').map_or(name, |(group, _)| group)
    };
    let mut by_group: BTreeMap<&str, (f64, BTreeSet<usize>)> = BTreeMap::new();
    for choice in devices.iter().flatten() {
        let (lost, inputs) = by_group.entry(group(choice)).or_default();
        *lost += 1.0 - choice.share;
        inputs.insert(choice.input);
    }
    let all: f64 = by_group.values().map(|(lost, _)| lost).sum();
    let worst = by_group.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let Some((&worst, (part, inputs))) = worst else { return Lost::default() };
    let rest = |choices: &Vec<Choice>| {
        let rest: Vec<Choice> = choices.iter().copied().filter(|choice| group(choice) != worst).collect();
        mean(&shares(&rest))
    };
    let without: Vec<f64> = devices.iter().map(rest).collect();
    Lost {
        group: worst.to_owned(),
        matrices: inputs.len(),
        part: percent(part / all),
        mean_without: percent(mean(&without)),
    }
}

fn shares(choices: &[Choice]) -> Vec<f64> {
    choices.iter().map(|choice| choice.share).collect()
}
