//! Recording: every admissible variant is checked, and timed until its median is known.

use std::cell::RefCell;
use std::collections::BTreeSet;

use nitro_core::recording::{Observation, Panicked, record};

use super::error::RecordError;
use super::repeat::{Repeats, Summary};
use super::subject::{Subject, describe_device};
use crate::recordings::{Input, Outcome, Recordings};
use crate::store::{FunctionSchema, Row, Store, StoreError};

/// Hears how a recording goes on.
pub trait Progress {
    /// So many inputs are to be measured, and so many were measured before.
    fn expect(&self, inputs: usize, recorded: usize);
    /// An input is being measured.
    fn begin(&self, input: &str);
    /// It has been measured.
    fn end(&self, input: &str);
}

/// The recording of one function on one device into a store.
pub(super) struct Recording<'a> {
    subject: Subject<'a>,
    /// Inputs that the store holds already.
    recorded: BTreeSet<String>,
    /// Inputs and variants that failed before, on inputs that are not recorded whole: the variants are not tried again.
    failed: BTreeSet<(String, String)>,
    /// Variants that have run on the device in this session.
    loaded: RefCell<BTreeSet<usize>>,
    /// The input and the variant that lost the device.
    lost: RefCell<Option<(String, &'static str)>>,
    repeats: Repeats,
    store: RefCell<&'a mut dyn Store>,
    progress: &'a dyn Progress,
}

impl<'a> Recording<'a> {
    /// Makes the function and the device known to the store and finds out what is left to measure.
    pub(super) fn new(
        subject: Subject<'a>,
        repeats: Repeats,
        store: &'a mut dyn Store,
        progress: &'a dyn Progress,
    ) -> Result<Self, StoreError> {
        let Subject { function, device } = subject;
        let variants: Vec<&str> = function.variants().iter().map(|variant| variant.name).collect();
        let device_record = describe_device(device);
        store.register(&FunctionSchema {
            function: function.name(),
            variants: &variants,
            default_variant: Some(variants[function.default_variant()]),
            features: function.features(),
        })?;
        store.put_device(&device_record)?;
        let recorded = store.recorded(function.name(), &device_record.id, &variants)?;
        let failed = failures(&store.load(function.name())?, &device_record.id);
        let (loaded, lost) = Default::default();
        Ok(Self { subject, recorded, failed, loaded, lost, repeats, store: RefCell::new(store), progress })
    }

    /// Those of the inputs, each a name and what goes with it, that the store does not hold.
    pub(super) fn due<'i>(&self, all: &[(&'i String, &'i str)]) -> Vec<&'i str> {
        let due = all.iter().filter(|(name, _)| !self.recorded.contains(*name));
        let due: Vec<&str> = due.map(|&(_, path)| path).collect();
        self.progress.expect(due.len(), all.len() - due.len());
        due
    }

    /// Measures every admissible variant on one input, unless the store holds it.
    pub(super) fn input<R>(
        &self,
        name: &str,
        mut run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        if self.recorded.contains(name) {
            return Ok(());
        }
        if let Some(loss) = self.loss() {
            return Err(loss);
        }
        self.progress.begin(name);
        let (expected, observation) = self.subject.describe(name, &mut run)?;
        let input = Input { name: name.to_owned(), features: observation.features.clone() };
        let warm = self.warm_up(name, &observation, &mut run, |found| same(&expected, found));
        drop(expected);
        match warm.and_then(|mut variants| self.repeat(&mut variants, &mut run).map(|()| variants)) {
            Ok(variants) => self.put(&input, &variants.iter().map(Variant::row).collect::<Vec<_>>())?,
            Err(Lost(variant)) => {
                self.put(&input, &[Row::new(variant, Outcome::Failed)])?;
                self.lost.replace(Some((name.to_owned(), variant)));
            }
        }
        self.progress.end(name);
        self.loss().map_or(Ok(()), Err)
    }

    fn put(&self, input: &Input, rows: &[Row<'_>]) -> Result<(), StoreError> {
        self.store.borrow_mut().put(
            self.subject.function.name(),
            self.subject.device.entry().id(),
            input,
            rows,
        )
    }

    /// That the device was lost, if it was.
    pub(super) fn loss(&self) -> Option<RecordError> {
        let lost = self.lost.borrow();
        let (input, variant) = lost.as_ref()?;
        Some(self.subject.lost(input, variant))
    }

    /// Runs every admissible variant once and checks it. The time counts only where one run is enough and is not the variant's
    /// first on the device, which loads what it needs.
    fn warm_up<R>(
        &self,
        input: &str,
        observation: &Observation,
        run: &mut impl FnMut() -> R,
        correct: impl Fn(&R) -> bool,
    ) -> Result<Vec<Variant>, Lost> {
        let mut state = |index: usize, name: &str| {
            if !observation.admissible[index] {
                return State::Ended(Outcome::Inadmissible);
            }
            if self.failed.contains(&(input.to_owned(), name.to_owned())) {
                return State::Ended(Outcome::Failed);
            }
            match record(self.subject.function, index, false, &mut *run) {
                Ok((_, observation)) if observation.failures > 0 => State::Ended(Outcome::Failed),
                Ok((output, _)) if !correct(&output) => State::Ended(Outcome::Wrong),
                Ok((_, observation)) => {
                    let times_ns = [observation.time_ns];
                    let counts = !self.loaded.borrow_mut().insert(index) && self.repeats.enough(&times_ns);
                    State::Running(if counts { times_ns.to_vec() } else { Vec::new() })
                }
                Err(panicked) => self.panicked(index, &panicked),
            }
        };
        let variants = self.subject.function.variants().iter().enumerate();
        variants.map(|(index, info)| self.still_there(info.name, state(index, info.name))).collect()
    }

    /// Repeats in rounds over all variants that still run, so that a slow phase of the machine meets all alike.
    fn repeat<R>(&self, variants: &mut [Variant], run: &mut impl FnMut() -> R) -> Result<(), Lost> {
        loop {
            let mut ran = false;
            for (index, variant) in variants.iter_mut().enumerate() {
                let State::Running(times_ns) = &mut variant.state else { continue };
                if self.repeats.enough(times_ns) {
                    continue;
                }
                ran = true;
                let failed = match record(self.subject.function, index, false, &mut *run) {
                    Ok((_, observation)) if observation.failures == 0 => {
                        times_ns.push(observation.time_ns);
                        continue;
                    }
                    Ok(_) => State::Ended(Outcome::Failed),
                    Err(panicked) => self.panicked(index, &panicked),
                };
                *variant = self.still_there(variant.name, failed)?;
            }
            if !ran {
                return Ok(());
            }
        }
    }

    /// The variant in this state, unless its failure took the device away.
    fn still_there(&self, name: &'static str, state: State) -> Result<Variant, Lost> {
        let suspect = matches!(state, State::Ended(Outcome::Failed | Outcome::Wrong));
        if suspect && self.subject.device.is_lost() { Err(Lost(name)) } else { Ok(Variant { name, state }) }
    }

    fn panicked(&self, variant: usize, panicked: &Panicked) -> State {
        let (function, variant) =
            (self.subject.function.name(), self.subject.function.variants()[variant].name);
        tracing::warn!(function, variant, %panicked, "the variant is recorded as failed");
        State::Ended(Outcome::Failed)
    }
}

/// The variant of this name lost the device.
struct Lost(&'static str);

/// The inputs and variants that failed on the device.
fn failures(recordings: &Recordings, device: &str) -> BTreeSet<(String, String)> {
    let failed = recordings.measurements.iter().filter(|measurement| {
        measurement.outcome == Outcome::Failed && recordings.devices[measurement.device].id == device
    });
    failed
        .map(|m| (recordings.inputs[m.input].name.clone(), recordings.variants[m.variant].clone()))
        .collect()
}

/// A variant on the input being measured.
struct Variant {
    name: &'static str,
    state: State,
}

enum State {
    /// The times so far, in nanoseconds.
    Running(Vec<f64>),
    /// No more runs: it is not admissible, or failed, or answered wrong.
    Ended(Outcome),
}

impl Variant {
    fn row(&self) -> Row<'_> {
        match &self.state {
            State::Ended(outcome) => Row::new(self.name, *outcome),
            State::Running(times_ns) => {
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
