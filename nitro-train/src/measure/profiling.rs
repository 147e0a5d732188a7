//! The profile of a function: each admissible variant, or one choice, is called once for a profiler to watch.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use nitro_core::Choice;
use nitro_core::provide::Profiled;
use nitro_core::recording::{Observation, Panicked, record};
use nitro_stats::random::Random;

use super::calls::Calls;
use super::error::{BoxError, RecordError};
use super::subject::Subject;
use crate::profile::{Section, Shown};

/// The part of a function's work that a profiler is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of inputs, spread evenly over the training inputs.
    pub inputs: usize,
    /// The most launches of one call. Of more, one is drawn at random from each of so many equal parts of the call.
    pub launches: usize,
}

/// The profile of one function on one device.
pub(super) struct Profiling<'a> {
    pub(super) subject: Subject<'a>,
    pub(super) profiled: &'a dyn Profiled,
    pub(super) extent: Extent,
    /// The input and the choice that alone are shown; none for every variant with its defaults.
    pub(super) only: Option<(String, Choice)>,
    pub(super) out_of_time: &'a dyn Fn() -> bool,
    /// Takes each section before it begins.
    pub(super) announce: &'a dyn Fn(&Section) -> std::io::Result<()>,
    pub(super) sections: Cell<u32>,
    /// Names of the inputs that were chosen among those handed out.
    pub(super) sampled: RefCell<BTreeSet<String>>,
    /// Number of inputs of the closure's own making that were met.
    pub(super) own_inputs: Cell<usize>,
}

impl Profiling<'_> {
    /// Samples inputs, each a name and what goes with it: training inputs where names tell them.
    pub(super) fn sample<'i>(&self, all: &[(&'i str, &'i str)]) -> Vec<(&'i str, &'i str)> {
        if let Some((input, _)) = &self.only {
            return all.iter().filter(|(name, _)| name == input).copied().collect();
        }
        let mut chosen: Vec<(&str, &str)> =
            all.iter().filter(|(name, _)| name.starts_with("train/")).copied().collect();
        if chosen.is_empty() {
            chosen = all.to_vec();
        }
        let (count, wanted) = (chosen.len(), self.extent.inputs.min(chosen.len()));
        let sample: Vec<_> = (0..wanted).map(|nth| chosen[(2 * nth + 1) * count / (2 * wanted)]).collect();
        self.sampled.borrow_mut().extend(sample.iter().map(|(name, _)| (*name).to_owned()));
        sample
    }

    /// Returns true for an input that is to be shown.
    ///
    /// Of those that the closure makes itself nobody knows the number, so the first have to do.
    fn is_sampled(&self, name: &str) -> bool {
        if let Some((input, _)) = &self.only {
            return name == input;
        }
        if self.sampled.borrow().contains(name) {
            return true;
        }
        let before = self.own_inputs.replace(self.own_inputs.get() + 1);
        before < self.extent.inputs
    }

    /// Shows every admissible variant on one input to the profiler.
    pub(super) fn input(&self, name: &str, mut calls: impl Calls) -> Result<(), RecordError> {
        if !self.is_sampled(name) {
            return Ok(());
        }
        let choices: Vec<Choice> = match &self.only {
            Some((_, choice)) => vec![*choice],
            None => self.subject.function.default_choices().collect(),
        };
        let (output, observation) = self.subject.describe_all(name, &choices, &mut calls)?;
        drop(output);
        for (choice, is_admissible) in choices.iter().zip(observation.admissible) {
            if !is_admissible {
                continue;
            }
            if (self.out_of_time)() {
                return Err(RecordError::OutOfTime { function: self.subject.function.name() });
            }
            self.variant(name, *choice, &mut calls)?;
        }
        Ok(())
    }

    /// Calls a variant once to count its launches, and once for the profiler.
    fn variant(&self, input: &str, choice: Choice, calls: &mut impl Calls) -> Result<(), RecordError> {
        let function = self.subject.function;
        let name = function.variants()[choice.variant].name();
        let mut called = None;
        // The input is made before: what that launches is none of the variant's.
        let mut next = Some(calls.next());
        let launches = self.profiled.count_launches(&mut || {
            called = next.take().map(|next| record(function, choice, &[], next).map(|(_, seen)| seen));
        });
        drop(next);
        if failed(called) {
            tracing::warn!(function = function.name(), variant = name, input, "failed and is not profiled");
            return if self.subject.device.is_lost() { Err(self.subject.lost(input, name)) } else { Ok(()) };
        }
        if launches == 0 {
            let function = function.name();
            tracing::warn!(function, variant = name, input, "launches nothing that can be profiled");
            return Ok(());
        }
        self.sections.set(self.sections.get() + 1);
        let section = self.sections.get();
        let shown = sample(launches, self.extent.launches, u64::from(section));
        let what = Shown::Variant { variant: name.to_owned(), input: input.to_owned(), launches };
        (self.announce)(&Section { section, shown: shown.len(), what })
            .map_err(|error| self.not_shown(input, error.into()))?;
        let mut next = Some(calls.next());
        self.profiled
            .show(section, &shown, &mut || drop(next.take().map(|next| record(function, choice, &[], next))))
            .map_err(|source| self.not_shown(input, source))
    }

    /// Creates the error of a call that could not be shown.
    fn not_shown(&self, input: &str, source: BoxError) -> RecordError {
        RecordError::NotShown { function: self.subject.function.name(), input: input.to_owned(), source }
    }
}

/// Returns true for a call that panicked, failed, or was not made.
fn failed(called: Option<Result<Observation, Panicked>>) -> bool {
    called.and_then(Result::ok).is_none_or(|seen| seen.failures > 0)
}

/// Samples positions among so many launches: all of them up to `most`, else one from each of `most` equal parts.
fn sample(launches: usize, most: usize, seed: u64) -> Vec<usize> {
    if launches <= most {
        return (0..launches).collect();
    }
    let mut random = Random::new(seed);
    let mut sampled = Vec::new();
    for part in 0..most {
        let (begin, end) = (part * launches / most, (part + 1) * launches / most);
        sampled.push(begin + random.below(end - begin));
    }
    sampled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_of_few_launches_is_shown_whole() {
        assert_eq!(sample(3, 8, 1), [0, 1, 2]);
        assert!(sample(0, 8, 1).is_empty());
    }

    #[test]
    fn a_call_of_many_launches_is_sampled_all_over_and_not_in_step() {
        let shown = sample(300, 6, 1);
        assert!(shown.iter().enumerate().all(|(part, &at)| (50 * part..50 * (part + 1)).contains(&at)));
        // A fixed step would always meet the same of three kernels that take turns.
        let mut kernels: Vec<usize> = shown.iter().map(|at| at % 3).collect();
        kernels.sort_unstable();
        kernels.dedup();
        assert!(kernels.len() > 1, "{shown:?}");
    }
}
