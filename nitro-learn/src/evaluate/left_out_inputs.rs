//! Leaving out one input at a time, on one device: how well what is best for an input is predicted from the others
//! measured there.
//!
//! That is how tuners for one machine are judged, as G-ADAPT (Liu, Zhang and Shen, IPDPS 2009, Table I): no other
//! device is learned from.

use std::collections::BTreeMap;
use std::fmt;

use nitro_core::model::Model;
use nitro_store::recordings::Recordings;
use rayon::prelude::*;
use serde::Serialize;

use super::chooser::Chooser;
use super::climbed::{ClimbFigures, Climbs};
use super::error::EvaluateError;
use crate::performance::{PerformanceTable, share_of_choice};
use crate::plain_table::Table;
use crate::study::{Study, StudyOptions};
use crate::task::Task;
use crate::{DeviceFeatures, Strategy};

/// The share of the best that is so near to it that measuring again might reverse the two.
const NEAR: f64 = 0.99;

/// The leave-one-input-out figures of one function on one device, in the form of `evaluate --leave-out input --json`.
///
/// ```
/// # let recordings = nitro_store::example();
/// use nitro_learn::evaluate::leave_out_inputs;
///
/// let [small, _large] = &leave_out_inputs(&recordings, 0)?[..] else { panic!("one a device") };
/// assert_eq!((small.device.as_str(), small.inputs, small.choices, small.distinct_best), ("small", 30, 2, 2));
/// let tree = small.selectors["tree-none"];
/// assert!(tree.exact > 0.9 && tree.mean > small.selectors["majority"].mean);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftOutInputs {
    /// The function.
    pub function: String,
    /// The device that all inputs were measured on.
    pub device: String,
    /// Inputs, each of which is left out once: those on which a choice succeeded, of all choices.
    pub inputs: usize,
    /// Choices that were measured: what an exhaustive search tries on an input.
    pub choices: usize,
    /// Number of different choices that are the best of some input: with one, what is best does not depend on the
    /// input.
    pub distinct_best: usize,
    /// The result of a hill climb from the least value of every parameter to the largest, where the function has
    /// parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub climb: Option<ClimbFigures>,
    /// The time of the timed repeats of the exhaustive measurement, of all inputs, in seconds; without compiling and
    /// first runs.
    pub measured_seconds: f64,
    /// By selector: `default` (where the recordings know it), `majority` (the choice that is best on most of the
    /// other inputs), and what is trained on the other inputs without device features.
    pub selectors: BTreeMap<&'static str, InputFigures>,
}

/// The accuracy of a selector on inputs that it had not seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct InputFigures {
    /// Share of the inputs for which the fastest choice was predicted.
    pub exact: f64,
    /// Share of the inputs for which a choice within 1 % of the fastest was predicted.
    pub near: f64,
    /// Share of the best speed, mean over the inputs.
    pub mean: f64,
    /// Share of the best speed on the worst input.
    pub worst: f64,
}

impl InputFigures {
    fn of(shares: &[f64]) -> Self {
        let count = shares.len() as f64;
        Self {
            exact: shares.iter().filter(|share| **share >= 1.0).count() as f64 / count,
            near: shares.iter().filter(|share| **share >= NEAR).count() as f64 / count,
            mean: shares.iter().sum::<f64>() / count,
            worst: shares.iter().copied().fold(f64::INFINITY, f64::min),
        }
    }
}

/// Leaves out each input in turn on each device, learns from the other inputs there, and chooses for it with the
/// very model that would ship.
///
/// # Errors
///
/// When nothing can be learned from, and when a device has fewer than two inputs.
pub fn leave_out_inputs(recordings: &Recordings, seed: u64) -> Result<Vec<LeftOutInputs>, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    let climbs = Climbs::of(recordings);
    let devices = 0..recordings.devices.len();
    devices.map(|device| on_device(recordings, &performance, climbs.as_ref(), device, seed)).collect()
}

fn on_device(
    recordings: &Recordings,
    performance: &PerformanceTable,
    climbs: Option<&Climbs<'_>>,
    device: usize,
    seed: u64,
) -> Result<LeftOutInputs, EvaluateError> {
    let mut inputs: Vec<usize> = (0..recordings.inputs.len()).collect();
    inputs.retain(|&input| performance.shares(device, input).is_some());
    if inputs.len() < 2 {
        return Err(EvaluateError::TooFewInputs {
            function: recordings.function.clone(),
            device: recordings.devices[device].id.clone(),
            inputs: inputs.len(),
        });
    }
    let alone = OnDevice { recordings, performance, device, inputs: &inputs, seed };
    let mut best: Vec<usize> = inputs.iter().filter_map(|&input| performance.best(device, input)).collect();
    best.sort_unstable();
    best.dedup();
    Ok(LeftOutInputs {
        function: recordings.function.clone(),
        device: recordings.devices[device].id.clone(),
        inputs: inputs.len(),
        choices: alone.choices(),
        distinct_best: best.len(),
        climb: climbs.and_then(|climbs| climbs.on(performance, device, &inputs)),
        measured_seconds: measured_seconds(recordings, device),
        selectors: alone.selectors()?,
    })
}

/// The measurements on one device.
struct OnDevice<'a> {
    recordings: &'a Recordings,
    performance: &'a PerformanceTable,
    device: usize,
    /// The inputs that are left out in turn.
    inputs: &'a [usize],
    seed: u64,
}

impl OnDevice<'_> {
    /// Counts the choices that were tried on some input.
    fn choices(&self) -> usize {
        let classes = 0..self.performance.classes().count();
        classes.filter(|&class| self.inputs.iter().any(|&input| self.shares(input)[class].is_some())).count()
    }

    /// By choice the share that it reaches; the inputs are those of which that is known.
    fn shares(&self, input: usize) -> &[Option<f64>] {
        self.performance.shares(self.device, input).unwrap_or_default()
    }

    fn selectors(&self) -> Result<BTreeMap<&'static str, InputFigures>, EvaluateError> {
        let mut selectors: BTreeMap<&'static str, InputFigures> = BTreeMap::new();
        for strategy in Strategy::known() {
            if strategy.device_features == DeviceFeatures::None && strategy.uses_features() {
                selectors.insert(strategy.name(), InputFigures::of(&self.shares_of(strategy)?));
            }
        }
        let majority = self.shares_of_classes(|left_out| self.majority(left_out));
        selectors.insert("majority", InputFigures::of(&majority));
        if self.recordings.default_variant.is_some() {
            let default = self.performance.classes().fallback().next().unwrap_or(0);
            selectors.insert("default", InputFigures::of(&self.shares_of_classes(|_| default)));
        }
        Ok(selectors)
    }

    /// Returns what a class for each input achieves.
    fn shares_of_classes(&self, class: impl Fn(usize) -> usize) -> Vec<f64> {
        let mut shares = Vec::with_capacity(self.inputs.len());
        for &input in self.inputs {
            let fallback = self.performance.classes().fallback();
            shares.push(share_of_choice(self.shares(input), [class(input)], fallback));
        }
        shares
    }

    /// Returns what a strategy's models achieve on the inputs that they have not seen.
    fn shares_of(&self, strategy: Strategy) -> Result<Vec<f64>, EvaluateError> {
        let shares = self.inputs.par_iter().map(|&left_out| {
            let model = self.without(left_out, strategy)?;
            let chooser = Chooser::new(self.recordings, &model, self.device)?;
            Ok(chooser.share(&chooser.features(left_out), self.shares(left_out)))
        });
        shares.collect()
    }

    /// The model of a strategy that is learned from all other inputs.
    fn without(&self, left_out: usize, strategy: Strategy) -> Result<Model, EvaluateError> {
        let others: Vec<usize> = self.inputs.iter().copied().filter(|&input| input != left_out).collect();
        let task = Task::new(self.recordings, self.performance, &others, self.seed);
        task.check_samples(&[self.device])?;
        let options = StudyOptions::default();
        Ok(Study::new(&task, vec![self.device], None, &options).fit(strategy).model)
    }

    /// The choice that is best on most other inputs; of equals the one that reaches most on them, then the first.
    fn majority(&self, left_out: usize) -> usize {
        let others: Vec<usize> = self.inputs.iter().copied().filter(|&input| input != left_out).collect();
        let mut counts = BTreeMap::new();
        for class in others.iter().filter_map(|&input| self.performance.best(self.device, input)) {
            *counts.entry(class).or_insert(0usize) += 1;
        }
        let most = counts.into_iter().max_by(|&(a, a_count), &(b, b_count)| {
            let (a_share, b_share) = (self.reached(&others, a), self.reached(&others, b));
            a_count.cmp(&b_count).then(a_share.total_cmp(&b_share)).then(b.cmp(&a))
        });
        most.map_or(0, |(class, _)| class)
    }

    /// Sums the shares of a class over some inputs.
    fn reached(&self, inputs: &[usize], class: usize) -> f64 {
        inputs.iter().filter_map(|&input| self.shares(input)[class]).sum()
    }
}

fn measured_seconds(recordings: &Recordings, device: usize) -> f64 {
    let on_device = recordings.measurements.iter().filter(|one| one.device == device);
    let taken_ns = on_device.filter_map(|one| Some(one.outcome.time_ns()? * f64::from(one.repeats)));
    taken_ns.sum::<f64>() / 1e9
}

impl fmt::Display for LeftOutInputs {
    /// One row a selector. A width, as in `{figures:80}`, is the most columns that the table may take.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, device, inputs, choices, distinct_best, .. } = self;
        writeln!(f, "{function} on {device}: each of {inputs} inputs left out in turn")?;
        writeln!(
            f,
            "{distinct_best} of {choices} choices are the best of some input; exhaustively {choices} evaluations an \
             input, {:.1} s of timed runs in all",
            self.measured_seconds
        )?;
        if let Some(ClimbFigures { bound, evaluations, mean, worst }) = self.climb {
            let [mean, worst] = [mean, worst].map(|share| 100.0 * share);
            writeln!(
                f,
                "a climb: {evaluations:.1} evaluations an input, at most {bound}; finds {mean:.1} % of the best speed, \
                 {worst:.1} on the worst input"
            )?;
        }
        let mut table = Table::new(["selector", "exact %", "within 1 %", "% of best", "worst"]);
        for (name, figures) in &self.selectors {
            let numbers = [figures.exact, figures.near, figures.mean, figures.worst];
            let cells = numbers.map(|share| format!("{:.1}", 100.0 * share));
            table.row(std::iter::once((*name).to_owned()).chain(cells));
        }
        table.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome};

    use super::*;

    /// Blocks of 1 to 8 at sizes 0 to 11, on one device: `times` by size and block.
    fn recordings(times: impl Fn(usize, usize) -> f64) -> Recordings {
        let row = |input: usize, block: usize| Measurement {
            device: 0,
            input,
            variant: 0,
            configuration: format!("block={block},fast={}", block > 4),
            outcome: Outcome::Time(1e6 * times(input, block)),
            spread_ns: 0.0,
            repeats: 5,
            load: None,
            reason: String::new(),
        };
        Recordings {
            function: "f".into(),
            variants: vec!["tiled".into()],
            default_variant: Some(0),
            default_configuration: "block=1,fast=false".into(),
            features: vec!["size".into()],
            inputs: (0..12).map(|n| Input { name: format!("i/{n}"), features: vec![n as f64] }).collect(),
            devices: vec![DeviceRecord { id: "d".into(), features: Default::default() }],
            measurements: (0..12).flat_map(|n| [1, 2, 4, 8].map(|block| row(n, block))).collect(),
            ..Recordings::default()
        }
    }

    #[test]
    fn the_others_tell_what_is_best_and_a_majority_does_not() {
        let recordings =
            recordings(|size, block| if (block == 8) == (size >= 8) { 1.0 } else { 2.0 + block as f64 });
        let [found] = &leave_out_inputs(&recordings, 0).unwrap()[..] else { panic!("one device") };
        assert_eq!((found.inputs, found.choices, found.distinct_best), (12, 4, 2));
        let climb = found.climb.unwrap();
        assert_eq!(climb.bound, 1 + 2 * (3 + 1), "two parameters of four and two values");
        // Of the walk from the least values no step raises the first parameter alone: a larger block is `fast` or not.
        assert!(climb.evaluations <= climb.bound as f64 && climb.mean <= 1.0 && climb.worst <= climb.mean);
        let tree = found.selectors["tree-none"];
        // Those on either side of the step are predicted from one side of it alone.
        assert!(tree.exact >= 10.0 / 12.0, "{found}");
        let majority = found.selectors["majority"];
        assert!((majority.exact - 8.0 / 12.0).abs() < 1e-9, "{found}");
        assert!((majority.worst - 1.0 / 3.0).abs() < 1e-9, "{found}");
        assert!(found.to_string().contains("f on d: each of 12 inputs"), "{found}");
    }

    #[test]
    fn what_is_near_is_told_from_what_is_exact() {
        // The fastest changes from input to input, by next to nothing.
        let recordings = recordings(|size, block| match block {
            1 => 3.0,
            _ => 1.0 + 1e-3 * ((size * 7 + block) % 5) as f64,
        });
        let [found] = &leave_out_inputs(&recordings, 0).unwrap()[..] else { panic!("one device") };
        let tree = found.selectors["tree-none"];
        assert!(tree.near == 1.0 && tree.worst > NEAR && tree.exact < 1.0, "{found}");
        let default = found.selectors["default"];
        assert!((default.mean - 1.0 / 3.0).abs() < 0.01 && default.exact == 0.0, "{found}");
        // 12 inputs of four choices, five repeats of milliseconds.
        assert!((found.measured_seconds - 12.0 * 5.0 * 6e-3).abs() < 5e-3, "{found}");
    }

    #[test]
    fn an_input_that_was_left_out_has_no_say() {
        let plain = recordings(|size, block| if (block == 8) == (size >= 6) { 1.0 } else { 2.0 });
        let mut changed = plain.clone();
        // Of one input something else is best: what is predicted for it stays, only its own figures change.
        changed.measurements.iter_mut().filter(|one| one.input == 2).for_each(|one| {
            let best = one.configuration.starts_with("block=4");
            one.outcome = Outcome::Time(if best { 1e5 } else { 1e6 });
        });
        let worst =
            |recordings: &Recordings| leave_out_inputs(recordings, 0).unwrap()[0].selectors["tree-none"];
        assert!(worst(&plain).worst >= 0.5 && worst(&changed).worst <= 0.1);
    }

    #[test]
    fn one_input_is_too_few() {
        let mut recordings = recordings(|_, _| 1.0);
        recordings.measurements.retain(|one| one.input == 0);
        let message = leave_out_inputs(&recordings, 0).unwrap_err().to_string();
        assert!(message.contains("`f`") && message.contains("`d`"), "{message}");
    }
}
