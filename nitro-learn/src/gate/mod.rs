//! Learning a gate: for which inputs nothing but cheap features is worth its time.
//!
//! What the selector achieves on sources and inputs that it was not trained on is known from the validation. With
//! the time for its features and for itself counted, asking it is one more thing that a call can do, beside running
//! any of the choices at once. A tree over cheap features is grown that tells which of these costs least; a leaf
//! says what to run, or to ask. Where no gate does better than asking always, on sources and inputs that it was not
//! grown from either, there is none.

mod tree;

use nitro_core::model::Gate;
use nitro_stats::statistics::quantile;
use rayon::prelude::*;

use self::tree::{Sample, grow, with_shortcut};
use super::costs::{GATE_NS, REFUSED_NS};
use super::task::Task;

/// The most choices that may run without asking: of more, those that are best most often.
const MAX_CHOICES: usize = 12;
/// A gate looks at the features that take no longer than this as a rule, in nanoseconds.
const FREE_NS: f64 = 50.0;
/// A gate asks for device features where there are no more than this.
const MOST_DEVICE_FEATURES: usize = 3;
/// A gate has to gain so much of the best choice's speed, in the mean.
const LEAST_GAIN: f64 = 5e-4;

/// A selector that was validated, and what it takes to ask it.
pub struct GateSearch<'a> {
    pub task: &'a Task<'a>,
    /// The devices that stood for unknown ones, as positions in the recordings.
    pub targets: &'a [usize],
    /// By target what the selector achieves on training inputs.
    pub judged: &'a [Vec<Asked>],
    /// The weight of each of these inputs, by target.
    pub weights: &'a [Vec<f64>],
    /// The parts that inputs were left out in.
    pub folds: &'a [Vec<usize>],
    /// The device features that may be asked for.
    pub device_features: &'a [String],
    /// True where the selector asks for features at all.
    pub uses_features: bool,
}

/// What a selector achieves on an input.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// The position in [`Task::inputs`].
    pub input: usize,
    /// The share of speed that its choice has.
    pub share: f64,
    /// The time that it takes, with its features.
    pub choosing_ns: f64,
}

/// The results once the time for choosing counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// The share of speed on each input, by target.
    pub shares: Vec<Vec<f64>>,
    /// The features that a gate looks at, as positions in [`Task::columns`]; none where there is none.
    pub gate: Option<Vec<usize>>,
}

impl GateSearch<'_> {
    /// Returns what asking achieves with the time for it counted, behind the best gate if one pays. Without times of
    /// features nothing counts.
    pub fn net(&self) -> Net {
        let alone = Net { shares: self.always(), gate: None };
        if self.task.costs.is_none() || !self.uses_features {
            return alone;
        }
        // A gate is judged where neither its tree nor the selector was trained, and has to pay for its own time.
        let features = self.free_features();
        let shares = self.held_out(&features);
        let weights = &self.task.weights;
        let least = weights.mean_score(&alone.shares, self.weights) + LEAST_GAIN;
        if weights.mean_score(&shares, self.weights) > least {
            return Net { shares, gate: Some(features) };
        }
        alone
    }

    /// The gate over these features, grown from all that was judged.
    pub fn gate(&self, features: &[usize]) -> Option<Gate> {
        let samples = self.samples();
        let all: Vec<&Sample> = samples.iter().flatten().collect();
        let grown = grow(&all, &self.columns(features), &self.task.weights);
        let (nodes, decisions) = with_shortcut(grown, &all);
        let decisions: Vec<Option<u16>> =
            decisions.into_iter().map(|own| own.map(|choice| choice as u16)).collect();
        let features = features.iter().map(|&column| column as u16).collect();
        decisions.iter().any(Option::is_some).then_some(Gate { features, nodes, decisions })
    }

    /// Returns what is left of the selector's choice on every input.
    fn always(&self) -> Vec<Vec<f64>> {
        let mut shares = Vec::with_capacity(self.targets.len());
        for (&target, judged) in self.targets.iter().zip(self.judged) {
            let of_target = judged.iter().map(|asked| self.asking(target, asked, 0.0));
            shares.push(of_target.collect());
        }
        shares
    }

    /// Returns what is left of the share of the selector's choice.
    fn asking(&self, target: usize, asked: &Asked, besides_ns: f64) -> f64 {
        self.task.net(target, asked.input, asked.share, asked.choosing_ns + besides_ns)
    }

    /// The features that take next to nothing as a rule, or else the cheapest one. (The median tells: behind long work
    /// even a length takes half a microsecond, since the code for it is in no cache any more.) (Dearer ones were tried,
    /// each in turn with those that are cheaper: on the host's `sort` such gates looked better on what was held out, by
    /// five points, and were worse by two on inputs of other kinds, for which they had no features left.)
    fn free_features(&self) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> =
            (0..self.task.columns.len()).map(|column| (self.usual_ns(column), column)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable
        let free = order.iter().take_while(|(time_ns, _)| *time_ns <= FREE_NS).count().max(1);
        let mut free: Vec<usize> = order.into_iter().take(free).map(|(_, column)| column).collect();
        free.sort_unstable();
        free
    }

    fn usual_ns(&self, column: usize) -> f64 {
        let mut times_ns: Vec<f64> = self
            .targets
            .iter()
            .zip(self.judged)
            .flat_map(|(&target, judged)| judged.iter().map(move |asked| (target, asked.input)))
            .map(|(target, input)| self.task.features_ns(target, input, &[column]))
            .collect();
        times_ns.sort_unstable_by(f64::total_cmp);
        if times_ns.is_empty() { 0.0 } else { quantile(&times_ns, 0.5) }
    }

    /// The columns of a tree over these features and the device features.
    fn columns(&self, features: &[usize]) -> Vec<usize> {
        let inputs = self.task.columns.len();
        // Of many device features a few devices show nothing that a gate would be right about.
        let asked =
            if self.device_features.len() > MOST_DEVICE_FEATURES { 0 } else { self.device_features.len() };
        features.iter().copied().chain(inputs..inputs + asked).collect()
    }

    /// Returns every input as the gate is to see it, by target.
    fn samples(&self) -> Vec<Vec<Sample>> {
        let choices = self.most_often_best();
        let mut samples = Vec::with_capacity(self.targets.len());
        for (&target, judged) in self.targets.iter().zip(self.judged) {
            let device = self.task.device_row(target, self.device_features);
            let of_target = judged.iter().map(|own| {
                let (input, asked) = (own.input, |besides_ns| self.asking(target, own, besides_ns));
                let row = [self.task.input_row(input), device.clone()].concat();
                Sample {
                    input,
                    row: row.iter().map(|&own| own as f32).collect(),
                    weight: self.task.weight(target, input),
                    asked: asked(GATE_NS),
                    refused: asked(GATE_NS + REFUSED_NS),
                    at_once: self.at_once((target, input), &choices),
                    best_ns: self.task.counted_ns(target, input),
                    features_ns: self.features_ns(target, input),
                }
            });
            samples.push(of_target.collect());
        }
        samples
    }

    /// The shares of these choices without the selector.
    fn at_once(&self, (target, input): (usize, usize), choices: &[usize]) -> Vec<(usize, Option<f64>)> {
        let shares = self.task.performance.shares(target, self.task.inputs[input]);
        choices.iter().map(|&choice| (choice, shares.and_then(|shares| shares[choice]))).collect()
    }

    /// The time of each input feature.
    fn features_ns(&self, target: usize, input: usize) -> Vec<f64> {
        let columns = 0..self.task.columns.len();
        columns.map(|column| self.task.features_ns(target, input, &[column])).collect()
    }

    fn most_often_best(&self) -> Vec<usize> {
        let mut counts = vec![0_usize; self.task.performance.classes().count()];
        for (&target, judged) in self.targets.iter().zip(self.judged) {
            for &Asked { input, .. } in judged {
                if let Some(class) = self.task.performance.best(target, self.task.inputs[input]) {
                    counts[class] += 1;
                }
            }
        }
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|&class| std::cmp::Reverse(counts[class])); // stable
        order.truncate(MAX_CHOICES);
        order
    }

    /// Returns what is achieved on each input, by target, behind a gate over these features that was grown without that
    /// target and that input.
    fn held_out(&self, features: &[usize]) -> Vec<Vec<f64>> {
        let (samples, columns) = (self.samples(), self.columns(features));
        let targets = (0..samples.len()).into_par_iter();
        targets.map(|target| self.held_out_target(target, &samples, &columns)).collect()
    }

    fn held_out_target(&self, target: usize, samples: &[Vec<Sample>], columns: &[usize]) -> Vec<f64> {
        let mut shares = vec![0.0; samples[target].len()];
        for fold in self.folds {
            // Neither the target nor the inputs of the fold are seen, with one source alone the inputs.
            let others = samples.iter().enumerate().filter(|(at, _)| *at != target || samples.len() == 1);
            let others = others.flat_map(|(_, samples)| samples);
            let grown_from: Vec<&Sample> =
                others.filter(|sample| fold.binary_search(&sample.input).is_err()).collect();
            let (nodes, decisions) = grow(&grown_from, columns, &self.task.weights);
            for (sample, share) in samples[target].iter().zip(&mut shares) {
                if fold.binary_search(&sample.input).is_ok() {
                    *share = sample.share(tree::decide(&nodes, &decisions, sample));
                }
            }
        }
        shares
    }
}
