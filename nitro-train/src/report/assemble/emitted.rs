//! The choices among which `fit` lets a model choose, and where each of them is the best.

use std::collections::BTreeSet;

use nitro_core::MAX_CHOICES;
use nitro_learn::LearnError;
use nitro_learn::evaluate::Split;
use nitro_learn::greedy::add_greedily;
use nitro_learn::performance::PerformanceTable;
use nitro_learn::pruning::{prune, share};
use nitro_store::recordings::Recordings;

use super::spaces::mean;
use crate::report::space_data::{EmittedChoice, EmittedChoices};

/// Shares of all choices on one device and input, with the positions of these two.
type Sample<'p> = (usize, usize, &'p [Option<f64>]);

/// Returns the choices that the training inputs of all devices keep; none where no variant has several configurations.
pub(crate) fn emitted_choices(
    recordings: &Recordings,
    split: &Split,
) -> Result<Option<EmittedChoices>, LearnError> {
    let performance = PerformanceTable::new(recordings)?;
    let classes = performance.classes();
    if classes.are_variants() {
        return Ok(None);
    }
    let devices: Vec<usize> = (0..recordings.devices.len()).collect();
    let inputs: Vec<usize> = (0..recordings.inputs.len()).collect();
    let training = if split.train.is_empty() || split.test.is_empty() { &inputs } else { &split.train };
    let all = samples(&performance, &devices, &inputs);
    if all.is_empty() {
        return Ok(None);
    }
    let chosen = prune(&performance, &devices, training);
    let kinds = match training == &inputs {
        true => vec![("all inputs".to_owned(), all.clone())],
        false => vec![
            ("training inputs".to_owned(), samples(&performance, &devices, training)),
            ("test inputs".to_owned(), samples(&performance, &devices, &split.test)),
        ],
    };
    let order = greedy_order(&kinds[0].1, classes.count());
    let mut choices: Vec<EmittedChoice> =
        chosen.iter().map(|&class| choice(&classes.names()[class], class, &chosen, &all)).collect();
    choices.sort_by(|a, b| b.wins.cmp(&a.wins).then(b.alone.total_cmp(&a.alone))); // stable
    let (mut of_chosen, mut greedy) = (Vec::new(), Vec::new());
    for (kind, samples) in kinds {
        of_chosen.push((kind.clone(), reached(&chosen, &samples)));
        let curve = (1..=order.len()).map(|count| reached(&order[..count], &samples));
        greedy.push((kind, curve.collect()));
    }
    Ok(Some(EmittedChoices { choices, of: classes.count(), pairs: all.len(), reached: of_chosen, greedy }))
}

/// Returns the samples of these devices and inputs, without pairs that were not measured completely.
fn samples<'p>(performance: &'p PerformanceTable, devices: &[usize], inputs: &[usize]) -> Vec<Sample<'p>> {
    let mut samples = Vec::new();
    for &device in devices {
        for &input in inputs {
            samples.extend(performance.shares(device, input).map(|shares| (device, input, shares)));
        }
    }
    samples
}

/// Returns the classes in the order in which each adds most to those before it.
fn greedy_order(samples: &[Sample<'_>], classes: usize) -> Vec<usize> {
    let mut order = Vec::new();
    add_greedily(&mut order, MAX_CHOICES, classes, samples.len(), |class, sample| {
        share(samples[sample].2, class)
    });
    order
}

fn best_of(classes: &[usize], shares: &[Option<f64>]) -> f64 {
    classes.iter().map(|&class| share(shares, class)).fold(0.0, f64::max)
}

/// Returns the mean over the samples of the best of these classes.
fn reached(classes: &[usize], samples: &[Sample<'_>]) -> f64 {
    mean(samples.iter().map(|(.., shares)| best_of(classes, shares)))
}

fn choice(name: &str, class: usize, chosen: &[usize], samples: &[Sample<'_>]) -> EmittedChoice {
    let (mut wins, mut inputs, mut devices) = (0, BTreeSet::new(), BTreeSet::new());
    for (device, input, shares) in samples {
        let best = best_of(chosen, shares);
        if best > 0.0 && chosen.iter().find(|own| share(shares, **own) == best) == Some(&class) {
            wins += 1;
            inputs.insert(input);
            devices.insert(device);
        }
    }
    EmittedChoice {
        choice: name.to_owned(),
        wins,
        inputs: inputs.len(),
        devices: devices.len(),
        alone: mean(samples.iter().filter_map(|(.., shares)| shares[class])),
    }
}
