//! The runs of all variants on one input.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nitro_core::recording::{Panicked, record};

use super::Recording;
use crate::measure::error::RecordError;
use crate::measure::progress::{Attempt, Progress};
use crate::measure::repeat::Summary;
use crate::recordings::{Input, Outcome};
use crate::store::Row;

/// How often a run of a variant is made again because time was lost in it. After that its time counts, on a machine that is so busy.
const MOST_DISTURBED: usize = 3;

impl Recording<'_> {
    pub(super) fn measure<R>(
        &self,
        name: &str,
        run: &mut impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        let default = self.subject.function.default_variant();
        let described = self.attempt(name, None, default, || self.subject.describe(name, run));
        let (expected, observation) = described?;
        let input = Input { name: name.to_owned(), features: observation.features };
        let warm = self.warm_up(&input, &observation.admissible, run, |found| same(&expected, found));
        drop(expected);
        match warm.and_then(|mut variants| self.repeat(&input, &mut variants, run).map(|()| variants)) {
            Ok(variants) => self.put(&input, &variants.iter().map(Variant::row).collect::<Vec<_>>())?,
            Err(Lost(variant)) => {
                let reason = "lost the device to its process";
                self.put(&input, &[Row { reason, ..Row::new(variant, Outcome::Failed) }])?;
                self.lost.replace(Some((name.to_owned(), variant)));
            }
        }
        Ok(())
    }

    /// Does what may take the process with it, or never end, and is a variant's doing; nothing else is.
    fn attempt<T>(
        &self,
        input: &str,
        features: Option<&[f64]>,
        variant: usize,
        run: impl FnOnce() -> T,
    ) -> T {
        let (function, device) = (self.subject.function, self.subject.device.entry().id());
        let (function, variant) = (function.name(), function.variants()[variant].name);
        self.progress.attempt(Some(&Attempt { function, device, input, features, variant }));
        let _until = UntilDropped(self.progress);
        run()
    }

    /// Runs one variant, timed, and looks whether its output is correct.
    fn run<R>(
        &self,
        input: &Input,
        variant: usize,
        run: &mut impl FnMut() -> R,
        is_correct: impl FnOnce(&R) -> bool,
    ) -> Result<Ran, State> {
        self.attempt(&input.name, Some(&input.features), variant, || {
            let lost_before = self.shared.lost_time.look();
            let ran = record(self.subject.function, variant, false, run);
            let is_disturbed = self.shared.lost_time.look() > lost_before;
            let (output, observation) = ran.map_err(|panicked| self.panicked(variant, &panicked))?;
            if observation.failures > 0 {
                return Err(State::returned_error());
            }
            match catch_unwind(AssertUnwindSafe(|| is_correct(&output))) {
                Ok(true) => Ok(Ran { time_ns: observation.time_ns, is_disturbed }),
                Ok(false) => Err(State::wrong("gave another output than the default variant".to_owned())),
                // Nothing is wrong with the output that the others are compared with.
                Err(panic) if variant == self.subject.function.default_variant() => resume_unwind(panic),
                Err(panic) => {
                    let panicked = Panicked::of(&*panic);
                    Err(State::wrong(format!("gave an output whose comparison {panicked}")))
                }
            }
        })
    }

    /// Runs every admissible variant once and checks it. The time counts only where one run is enough and is not the variant's
    /// first on the device, which loads what it needs.
    fn warm_up<R>(
        &self,
        input: &Input,
        admissible: &[bool],
        run: &mut impl FnMut() -> R,
        is_correct: impl Fn(&R) -> bool,
    ) -> Result<Vec<Variant>, Lost> {
        let mut state = |index: usize, name: &str| {
            if !admissible[index] {
                return State::Ended(Outcome::Inadmissible, String::new());
            }
            if let Some(reason) = self.failed.get(&(input.name.clone(), name.to_owned())) {
                return State::Ended(Outcome::Failed, reason.clone());
            }
            match self.run(input, index, &mut *run, &is_correct) {
                Ok(Ran { time_ns, is_disturbed }) => {
                    let is_first = self.loaded.borrow_mut().insert(index);
                    let counts = !is_first && !is_disturbed && self.plan.repeats.enough(&[time_ns]);
                    State::Running { times_ns: if counts { vec![time_ns] } else { Vec::new() }, disturbed: 0 }
                }
                Err(ended) => ended,
            }
        };
        let variants = self.subject.function.variants().iter().enumerate();
        variants.map(|(index, info)| self.still_there(info.name, state(index, info.name))).collect()
    }

    /// Repeats in rounds over all variants that still run, so that a slow phase of the machine meets all alike.
    fn repeat<R>(
        &self,
        input: &Input,
        variants: &mut [Variant],
        run: &mut impl FnMut() -> R,
    ) -> Result<(), Lost> {
        loop {
            let mut ran = false;
            for (index, variant) in variants.iter_mut().enumerate() {
                let State::Running { times_ns, disturbed } = &mut variant.state else { continue };
                if self.is_enough(times_ns) {
                    continue;
                }
                ran = true;
                match self.run(input, index, &mut *run, |_| true) {
                    Ok(Ran { is_disturbed: true, .. }) if *disturbed < MOST_DISTURBED => *disturbed += 1,
                    Ok(Ran { time_ns, .. }) => times_ns.push(time_ns),
                    Err(failed) => *variant = self.still_there(variant.name, failed)?,
                }
            }
            if !ran {
                return Ok(());
            }
        }
    }

    /// Whether these times of one variant are enough, or one has to do as no time is left.
    fn is_enough(&self, times_ns: &[f64]) -> bool {
        self.plan.repeats.enough(times_ns) || !times_ns.is_empty() && self.is_over()
    }

    /// The variant in this state, unless its failure took the device away.
    fn still_there(&self, name: &'static str, state: State) -> Result<Variant, Lost> {
        let suspect = matches!(state, State::Ended(Outcome::Failed | Outcome::Wrong, _));
        if suspect && self.subject.device.is_lost() { Err(Lost(name)) } else { Ok(Variant { name, state }) }
    }

    fn panicked(&self, variant: usize, panicked: &Panicked) -> State {
        let (function, variant) =
            (self.subject.function.name(), self.subject.function.variants()[variant].name);
        tracing::warn!(function, variant, %panicked, "the variant is recorded as failed");
        State::Ended(Outcome::Failed, panicked.to_string())
    }
}

/// Ends an attempt, also when the trainer itself panics.
struct UntilDropped<'p>(&'p dyn Progress);

impl Drop for UntilDropped<'_> {
    fn drop(&mut self) {
        self.0.attempt(None);
    }
}

/// A run that answered.
struct Ran {
    time_ns: f64,
    /// Whether time was lost in it, in which the process was stopped.
    is_disturbed: bool,
}

/// The variant of this name lost the device.
struct Lost(&'static str);

/// A variant on the input being measured.
struct Variant {
    name: &'static str,
    state: State,
}

enum State {
    Running {
        /// The times so far.
        times_ns: Vec<f64>,
        /// How many runs did not count.
        disturbed: usize,
    },
    /// No more runs: it is not admissible, or failed, or answered wrong, and why.
    Ended(Outcome, String),
}

impl State {
    fn returned_error() -> Self {
        Self::Ended(Outcome::Failed, "returned an error or failed on the device".to_owned())
    }

    fn wrong(why: String) -> Self {
        Self::Ended(Outcome::Wrong, why)
    }
}

impl Variant {
    fn row(&self) -> Row<'_> {
        match &self.state {
            State::Ended(outcome, reason) => Row { reason, ..Row::new(self.name, *outcome) },
            State::Running { times_ns, .. } => {
                let summary = Summary::of(times_ns);
                Row {
                    spread_ns: summary.spread_ns,
                    repeats: times_ns.len() as u32,
                    // A clock too coarse for the variant must not make it infinitely fast.
                    ..Row::new(self.name, Outcome::Time(summary.median_ns.max(1.0)))
                }
            }
        }
    }
}
