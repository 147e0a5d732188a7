//! The measurements that are worth their time, where time is short: of each input the variants that could win.

use nitro_core::model::Model;

use super::{Calibration, Calibrator};

/// The share of the speed of the best class, as it is expected, from which on a class could win.
const COULD_WIN: f64 = 0.5;
/// The number of inputs on which each class is measured, whatever is expected of it.
const LEAST_INPUTS: usize = 3;

/// An input with the classes that are worth measuring there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Position in [`Task::inputs`](crate::task::Task::inputs).
    pub input: usize,
    /// The classes, by index into the choices of the model; at least two where there are as many.
    pub classes: Vec<usize>,
}

impl Calibrator<'_> {
    /// The measurements of these inputs, in their order, that are worth their time.
    pub fn probes(&self, inputs: &[usize]) -> Vec<Probe> {
        let task = self.study.task();
        let mut seen = vec![0; self.forest.choices];
        let mut probes = Vec::with_capacity(inputs.len());
        for &input in inputs {
            let losses = self.expecting.expected_losses(&task.input_row(input));
            let mut order: Vec<usize> = (0..seen.len()).collect();
            order.sort_by(|&one, &other| losses[one].total_cmp(&losses[other])); // stable
            let least = order.first().map_or(1.0, |&best| COULD_WIN * (1.0 - losses[best]));
            let mut classes = Vec::new();
            for (rank, class) in order.into_iter().enumerate() {
                if rank < 2 || 1.0 - losses[class] >= least || seen[class] < LEAST_INPUTS {
                    classes.push(class);
                    seen[class] += 1;
                }
            }
            probes.push(Probe { input, classes });
        }
        probes
    }

    /// Fits as [`fit`](Self::fit) does, from the first of these probes that take so long on the device, whose times the
    /// recordings hold.
    pub(crate) fn fit_within(&self, probes: &[Probe], time_ns: f64, shipped: &Model) -> Option<Calibration> {
        let (mut left_ns, mut measured) = (time_ns, Vec::new());
        for Probe { input, classes } in probes {
            let Some(shares) = self.shares(*input) else { continue };
            let mut own = vec![None; shares.len()];
            for &class in classes {
                own[class] = shares[class];
            }
            left_ns -= self.taken_ns(*input, &own);
            if left_ns < 0.0 {
                break;
            }
            let most = own.iter().flatten().copied().fold(0.0, f64::max);
            if most > 0.0 {
                own.iter_mut().flatten().for_each(|share| *share /= most);
                measured.push((*input, own));
            }
        }
        self.fit_to(measured, shipped)
    }

    /// Returns the time that measuring these classes of an input takes, in nanoseconds.
    fn taken_ns(&self, input: usize, shares: &[Option<f64>]) -> f64 {
        let task = self.study.task();
        let best_ns = task.performance.best_ns(self.device, task.inputs[input]);
        let times_ns = shares.iter().flatten().filter(|share| **share > 0.0).map(|share| best_ns / share);
        times_ns.map(repeated_ns).sum()
    }
}

/// Returns the time of the repeats of one variant that takes so long: as a recording repeats what agrees.
fn repeated_ns(time_ns: f64) -> f64 {
    const LEAST_REPEATS: f64 = 5.0;
    const LEAST_NS: f64 = 1e5;
    (LEAST_REPEATS * time_ns).max(LEAST_NS)
}
