//! One order of the classes for everything.

use nitro_core::model::{Forest, Node, Selector};

use super::{Hyperparameters, Learner, TrainingResult, TrainingSet};

/// The order of the classes by mean share of speed, of which the first admissible runs.
///
/// The mean of a class is over the inputs and sources on which it is admissible. One that is admissible on few of them
/// would be first by luck, so the mean of all classes counts as one more input of each. With 59 variants, of which an
/// input has four to eight, such an order reaches 83 % of exhaustive search on GPUs of another architecture. Without
/// that input it is 80, with a hundred of them 82. An order by sums, in which being inadmissible is a loss, reaches 69.
pub struct Constant;

impl Learner for Constant {
    fn name(&self) -> &'static str {
        "static"
    }

    fn description(&self) -> &'static str {
        "the admissible variant best on average on the other devices"
    }

    fn uses_features(&self) -> bool {
        false
    }

    fn selection_ns(&self) -> f64 {
        0.0
    }

    fn train(&self, set: &TrainingSet<'_>, _: &Hyperparameters) -> TrainingResult {
        let samples = samples(set);
        let is_full = samples.iter().all(|(shares, _)| shares.iter().all(Option::is_some));
        let order = order(set, &samples, is_full);
        let selector = match is_full {
            // What is admissible everywhere needs no second choice.
            true => Selector::Constant { choice: order.first().map_or(0, |&(class, _)| class) },
            false => Selector::Forest(one_leaf(&order, set.task.columns.len())),
        };
        TrainingResult { selector, converged: true }
    }
}

/// The shares of all classes on an input and source, and the weight of that.
type Sample<'a> = (&'a [Option<f64>], f64);

fn samples<'a>(set: &TrainingSet<'a>) -> Vec<Sample<'a>> {
    let task = set.task;
    let mut samples = Vec::new();
    for &device in set.sources {
        for &input in set.inputs {
            let shares = task.performance.shares(device, task.inputs[input]);
            samples.extend(shares.map(|shares| (shares, task.weight(device, input))));
        }
    }
    samples
}

/// The classes with their mean share of speed, best first; of equals the first.
fn order(set: &TrainingSet<'_>, samples: &[Sample<'_>], is_full: bool) -> Vec<(usize, f64)> {
    let (weights, classes) = (&set.task.weights, set.task.performance.classes().count());
    let all = samples.iter().flat_map(|&(shares, weight)| shares.iter().map(move |share| (*share, weight)));
    let mean = weights.score(all.filter_map(|(share, weight)| Some((share?, weight))));
    let mut order: Vec<(usize, f64)> = Vec::with_capacity(classes);
    for class in 0..classes {
        let own = samples.iter().filter_map(|&(shares, weight)| Some((shares[class]?, weight)));
        // Where all classes have the same inputs, one more of them all changes nothing.
        let one_more = (!is_full).then_some((mean, 1.0));
        order.push((class, weights.score(own.chain(one_more))));
    }
    order.sort_by(|a, b| b.1.total_cmp(&a.1)); // stable
    order
}

/// The order as a tree that compares nothing: its only leaf says of every class what it loses in the mean. Leaves are
/// coarse, so a class that loses hardly more than the one before it is set one step behind.
fn one_leaf(order: &[(usize, f64)], inputs: usize) -> Forest {
    let mut values = vec![0; order.len()];
    let mut least = 0;
    for (place, &(class, share)) in order.iter().enumerate() {
        // The steps that the classes behind this one need.
        let most = 255_usize.saturating_sub(order.len() - 1 - place);
        let value = ((255.0 * (1.0 - share)).round() as usize).min(most).max(least);
        values[class] = value.min(255) as u8;
        least = value + 1;
    }
    Forest {
        inputs,
        choices: order.len(),
        nodes: vec![Node::Leaf],
        values,
        origins: Vec::new(),
        ratios: Vec::new(),
    }
}
