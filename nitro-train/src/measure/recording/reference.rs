//! The first run of the default choice on an input, with which all other runs are compared.

use std::cell::RefCell;
use std::collections::BTreeMap;

use nitro_core::recording::Observation;
use nitro_store::recordings::Input;

use super::trial::State;

/// The first run of the default choice on an input.
pub(super) struct Reference<R, S> {
    pub(super) input: Input,
    pub(super) output: R,
    /// The features of each instance that was met; those of the first are the input's.
    pub(super) instances: RefCell<BTreeMap<usize, Vec<f64>>>,
    /// Number of its calls of the function.
    pub(super) calls: usize,
    /// Number of those that returned `Err`.
    pub(super) errors: usize,
    /// Compares an output with that of this run; none where outputs are not looked at.
    pub(super) same: Option<S>,
}

impl<R, S: Fn(&R, &R) -> bool> Reference<R, S> {
    /// Creates the reference of an input from a run.
    pub(super) fn new(name: &str, (output, seen): (R, Observation), same: Option<S>) -> Self {
        let instances = RefCell::new(BTreeMap::from([(0, seen.features.clone())]));
        let input = Input { name: name.to_owned(), features: seen.features };
        Self { input, output, instances, calls: seen.calls, errors: seen.failures, same }
    }

    /// Returns the failure of a run, if there is one: where the default returns `Err`, so may others.
    pub(super) fn failure(&self, seen: &Observation) -> Option<State> {
        match seen.failures - seen.faults {
            _ if seen.faults > 0 => {
                Some(State::failed(seen.fault.as_deref().unwrap_or("failed on the device")))
            }
            errors if errors > self.errors => Some(State::failed("returned an error")),
            _ => None,
        }
    }

    /// Returns the flaw of a run's output, if it has one.
    ///
    /// Without a check of outputs, an `Err` of the default is compared all the same.
    pub(super) fn flaw(&self, output: &R, seen: &Observation) -> Option<State> {
        let is_same = match &self.same {
            Some(same) => same(&self.output, output),
            None if seen.failures < self.errors => {
                return Some(State::wrong("returned no error where the default variant does"));
            }
            None => true,
        };
        (!is_same).then(|| State::wrong("gave another output than the default variant"))
    }
}
