//! Recording: every admissible variant is checked, and timed until its median is known.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nitro_core::recording::{Observation, Panicked, record};

use super::Plan;
use super::claims::Claims;
use super::error::RecordError;
use super::progress::{Attempt, Progress};
use super::repeat::{Repeats, Summary};
use super::subject::{Subject, describe_device};
use crate::recordings::{Input, Outcome, Recordings};
use crate::store::{FunctionSchema, Row, Store, StoreError};

/// How often to look whether an input that others had claimed is recorded or free.
const LOOK: Duration = Duration::from_secs(1);

/// The recording of one function on one device into a store.
pub(super) struct Recording<'a> {
    subject: Subject<'a>,
    /// The inputs that are wanted; none for all.
    only: Option<&'a BTreeSet<String>>,
    /// Inputs that the store held already when it was asked the last time, and when that was.
    recorded: RefCell<(BTreeSet<String>, Instant)>,
    /// Inputs and variants that failed before and why, on inputs that are not recorded whole: the variants are not tried
    /// again.
    failed: BTreeMap<(String, String), String>,
    /// Variants that have run on the device in this session.
    loaded: RefCell<BTreeSet<usize>>,
    /// The input and the variant that lost the device.
    lost: RefCell<Option<(String, &'static str)>>,
    repeats: Repeats,
    claims: Claims<'a>,
    store: RefCell<&'a mut dyn Store>,
    progress: &'a dyn Progress,
}

impl<'a> Recording<'a> {
    /// Makes the function and the device known to the store and finds out what is left to measure.
    pub(super) fn new(
        subject: Subject<'a>,
        plan: &'a Plan<'a>,
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
        let recorded = RefCell::new((recorded, Instant::now()));
        let failed = failures(&store.load(function.name())?, &device_record.id);
        let (loaded, lost) = Default::default();
        let (claims, store) = (Claims::new(subject, &plan.share), RefCell::new(store));
        let (repeats, only) = (plan.repeats, plan.only.as_ref());
        Ok(Self { subject, only, recorded, failed, loaded, lost, repeats, claims, store, progress })
    }

    /// Leaves the inputs, each a name and what goes with it, that are wanted and that the store does not hold.
    pub(super) fn keep_due(&self, inputs: &mut Vec<(&str, &str)>) {
        inputs.retain(|(name, _)| self.only.is_none_or(|only| only.contains(*name)));
        let all = inputs.len();
        inputs.retain(|(name, _)| !self.is_recorded(name));
        self.progress.expect(inputs.len(), all - inputs.len());
    }

    /// Whether the input is this recorder's to measure.
    pub(super) fn claim(&self, input: &str) -> bool {
        let due = self.look_again().and_then(|()| match self.is_recorded(input) {
            true => Ok(false),
            false => self.claims.claim(&mut **self.store.borrow_mut(), input),
        });
        let claimed = due.unwrap_or_else(|error| self.claims.refuse(error));
        if !claimed {
            self.progress.leave(input);
        }
        claimed
    }

    /// Gives back what was claimed last.
    pub(super) fn release(&self) {
        self.claims.release(&mut **self.store.borrow_mut());
    }

    fn is_recorded(&self, input: &str) -> bool {
        self.recorded.borrow().0.contains(input)
    }

    /// Asks the store again what it holds, before claims can have expired of what others have recorded since: a claim was renewed
    /// within the last quarter of a lease before its input was recorded.
    fn look_again(&self) -> Result<(), StoreError> {
        if self.recorded.borrow().1.elapsed() >= self.claims.lease() / 2 {
            let asked = Instant::now();
            let recorded = self.recorded_now()?;
            self.recorded.replace((recorded, asked));
        }
        Ok(())
    }

    fn recorded_now(&self) -> Result<BTreeSet<String>, StoreError> {
        let Subject { function, device } = self.subject;
        let variants: Vec<&str> = function.variants().iter().map(|variant| variant.name).collect();
        self.store.borrow_mut().recorded(function.name(), device.entry().id(), &variants)
    }

    /// Waits for the inputs that others had claimed. False when all are recorded; true when one has become free, and
    /// another pass is due.
    pub(super) fn wait_for_others(&self) -> Result<bool, StoreError> {
        let mut left = self.claims.take_left();
        loop {
            let recorded = self.recorded_now()?;
            left.retain(|input| !recorded.contains(input));
            if left.is_empty() {
                return Ok(false);
            }
            for input in &left {
                if self.claims.claim(&mut **self.store.borrow_mut(), input)? {
                    return Ok(true);
                }
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Measures every admissible variant on one input, unless the store holds it.
    pub(super) fn input<R>(
        &self,
        name: &str,
        mut run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        if self.is_recorded(name) {
            return Ok(());
        }
        if let Some(loss) = self.loss() {
            return Err(loss);
        }
        self.progress.begin(name);
        let measured = self.measure(name, &mut run, same);
        self.progress.attempt(None);
        measured?;
        self.progress.end(name);
        self.loss().map_or(Ok(()), Err)
    }

    fn measure<R>(
        &self,
        name: &str,
        run: &mut impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.announce(name, None, self.subject.function.default_variant());
        let (expected, observation) = self.subject.describe(name, run)?;
        let input = Input { name: name.to_owned(), features: observation.features.clone() };
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

    /// What has to end the recording, whatever the closure says.
    pub(super) fn ended_by(&self) -> Option<RecordError> {
        self.loss().or_else(|| self.claims.refused().map(RecordError::Store))
    }

    /// Runs one variant, timed.
    fn run<R>(
        &self,
        input: &Input,
        variant: usize,
        run: &mut impl FnMut() -> R,
    ) -> Result<(R, Observation), Panicked> {
        self.claims.renew(&mut **self.store.borrow_mut());
        self.announce(&input.name, Some(&input.features), variant);
        record(self.subject.function, variant, false, run)
    }

    fn announce(&self, input: &str, features: Option<&[f64]>, variant: usize) {
        let Subject { function, device } = self.subject;
        let (device, variant) = (device.entry().id(), function.variants()[variant].name);
        let attempt = Attempt { function: function.name(), device, input, features, variant };
        self.progress.attempt(Some(&attempt));
    }

    /// Runs every admissible variant once and checks it. The time counts only where one run is enough and is not the variant's
    /// first on the device, which loads what it needs.
    fn warm_up<R>(
        &self,
        input: &Input,
        admissible: &[bool],
        run: &mut impl FnMut() -> R,
        correct: impl Fn(&R) -> bool,
    ) -> Result<Vec<Variant>, Lost> {
        let mut state = |index: usize, name: &str| {
            if !admissible[index] {
                return State::Ended(Outcome::Inadmissible, String::new());
            }
            if let Some(reason) = self.failed.get(&(input.name.clone(), name.to_owned())) {
                return State::Ended(Outcome::Failed, reason.clone());
            }
            match self.run(input, index, &mut *run) {
                Ok((_, observation)) if observation.failures > 0 => State::returned_error(),
                Ok((output, _)) if !correct(&output) => State::wrong(),
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
    fn repeat<R>(
        &self,
        input: &Input,
        variants: &mut [Variant],
        run: &mut impl FnMut() -> R,
    ) -> Result<(), Lost> {
        loop {
            let mut ran = false;
            for (index, variant) in variants.iter_mut().enumerate() {
                let State::Running(times_ns) = &mut variant.state else { continue };
                if self.repeats.enough(times_ns) {
                    continue;
                }
                ran = true;
                let failed = match self.run(input, index, &mut *run) {
                    Ok((_, observation)) if observation.failures == 0 => {
                        times_ns.push(observation.time_ns);
                        continue;
                    }
                    Ok(_) => State::returned_error(),
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

/// The variant of this name lost the device.
struct Lost(&'static str);

/// The inputs and variants that failed on the device, and why.
fn failures(recordings: &Recordings, device: &str) -> BTreeMap<(String, String), String> {
    let failed = recordings.measurements.iter().filter(|measurement| {
        measurement.outcome == Outcome::Failed && recordings.devices[measurement.device].id == device
    });
    failed
        .map(|m| {
            let key = (recordings.inputs[m.input].name.clone(), recordings.variants[m.variant].clone());
            (key, m.reason.clone())
        })
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
    /// No more runs: it is not admissible, or failed, or answered wrong, and why.
    Ended(Outcome, String),
}

impl State {
    fn returned_error() -> Self {
        Self::Ended(Outcome::Failed, "returned an error or failed on the device".to_owned())
    }

    fn wrong() -> Self {
        Self::Ended(Outcome::Wrong, "gave another output than the default variant".to_owned())
    }
}

impl Variant {
    fn row(&self) -> Row<'_> {
        match &self.state {
            State::Ended(outcome, reason) => Row { reason, ..Row::new(self.name, *outcome) },
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
