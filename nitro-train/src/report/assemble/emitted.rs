//! Among which choices `fit` lets a model choose, and where each of them is the best.

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

/// Chosen on the training inputs of all devices; none where no variant has several configurations.
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
    let of_inputs = |inputs: &[usize]| -> Vec<Sample<'_>> {
        let pairs = devices.iter().flat_map(|&device| inputs.iter().map(move |&input| (device, input)));
        pairs
            .filter_map(|(device, input)| Some((device, input, performance.shares(device, input)?)))
            .collect()
    };
    let inputs: Vec<usize> = (0..recordings.inputs.len()).collect();
    let training = if split.train.is_empty() || split.test.is_empty() { &inputs } else { &split.train };
    let all = of_inputs(&inputs);
    if all.is_empty() {
        return Ok(None);
    }
    let chosen = prune(&performance, &devices, training);
    let kinds = match training == &inputs {
        true => vec![("all inputs".to_owned(), all.clone())],
        false => vec![
            ("training inputs".to_owned(), of_inputs(training)),
            ("test inputs".to_owned(), of_inputs(&split.test)),
        ],
    };
    let order = greedy_order(&kinds[0].1, classes.count());
    let of_kind = |of: &dyn Fn(&[Sample<'_>]) -> f64| {
        kinds.iter().map(|(kind, samples)| (kind.clone(), of(samples))).collect()
    };
    let mut choices: Vec<EmittedChoice> =
        chosen.iter().map(|&class| choice(&classes.names()[class], class, &chosen, &all)).collect();
    choices.sort_by(|a, b| b.wins.cmp(&a.wins).then(b.alone.total_cmp(&a.alone))); // stable
    let curve =
        |samples: &[Sample<'_>]| (1..=order.len()).map(|count| reached(&order[..count], samples)).collect();
    Ok(Some(EmittedChoices {
        choices,
        of: classes.count(),
        pairs: all.len(),
        reached: of_kind(&|samples| reached(&chosen, samples)),
        greedy: kinds.iter().map(|(kind, samples)| (kind.clone(), curve(samples))).collect(),
    }))
}

/// What adds most on these samples, one after the other.
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

/// Mean over the samples of the best of these classes.
fn reached(classes: &[usize], samples: &[Sample<'_>]) -> f64 {
    mean(samples.iter().map(|(.., shares)| best_of(classes, shares)))
}

fn choice(name: &str, class: usize, chosen: &[usize], samples: &[Sample<'_>]) -> EmittedChoice {
    let is_best = |(.., shares): &&Sample<'_>| {
        let best = best_of(chosen, shares);
        best > 0.0 && chosen.iter().find(|own| share(shares, **own) == best) == Some(&class)
    };
    let won: Vec<&Sample<'_>> = samples.iter().filter(is_best).collect();
    EmittedChoice {
        choice: name.to_owned(),
        wins: won.len(),
        inputs: won.iter().map(|(_, input, _)| input).collect::<BTreeSet<_>>().len(),
        devices: won.iter().map(|(device, ..)| device).collect::<BTreeSet<_>>().len(),
        alone: mean(samples.iter().filter_map(|(.., shares)| shares[class])),
    }
}
