//! A session: the user's closure calls the function in the ordinary way, the session decides which variant runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use nitro_core::recording::{Observation, Panicked, record};
use nitro_core::{Device, Function};

use super::BoxError;
use super::error::RecordError;
use super::inputs::{InputList, Inputs};
use super::progress::{Attempt, Progress};
use super::repeat::{Repeats, Summary};
use super::share::{DueInputs, Share};
use crate::recordings::{DeviceRecord, Input, Outcome, Recordings};
use crate::store::{FunctionSchema, Row, Store, StoreError};

/// How often to look whether an input that others had claimed is recorded or free.
const LOOK: Duration = Duration::from_secs(1);

/// What to record and how.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// When the repeats of one variant on one input end.
    pub repeats: Repeats,
    /// With whom the inputs are shared.
    pub share: Share,
}

/// One recording of one function on one device: hands out inputs and measures them.
pub struct Session<'a> {
    function: &'static Function,
    /// The device being recorded.
    device: &'a dyn Device,
    inputs: InputList<'a>,
    /// Inputs that the store holds already.
    recorded: BTreeSet<String>,
    /// Inputs and variants that failed before and why, on inputs that are not recorded whole: the variants are not tried
    /// again.
    failed: BTreeMap<(String, String), String>,
    /// Variants that have run on the device in this session.
    loaded: RefCell<BTreeSet<usize>>,
    /// The input and the variant that lost the device.
    lost: RefCell<Option<(String, &'static str)>>,
    repeats: Repeats,
    share: &'a Share,
    /// The claimed input that is being measured, and when it was claimed the last time.
    claimed: RefCell<Option<(String, Instant)>>,
    /// Inputs that others had claimed when their turn came.
    left_to_others: RefCell<BTreeSet<String>>,
    /// What went wrong with a claim; inputs end there.
    refused: RefCell<Option<StoreError>>,
    store: RefCell<&'a mut dyn Store>,
    progress: &'a dyn Progress,
}

impl<'a> Session<'a> {
    /// Makes the function and the device known to the store and finds out what is left to measure.
    pub(super) fn new(
        function: &'static Function,
        device: &'a dyn Device,
        plan: &'a Plan<'a>,
        store: &'a mut dyn Store,
        progress: &'a dyn Progress,
    ) -> Result<Self, BoxError> {
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
        Ok(Self {
            function,
            device,
            inputs: InputList::new(plan.inputs)?,
            recorded,
            failed,
            loaded: RefCell::default(),
            lost: RefCell::default(),
            repeats: plan.repeats,
            share: &plan.share,
            claimed: RefCell::default(),
            left_to_others: RefCell::default(),
            refused: RefCell::default(),
            store: RefCell::new(store),
            progress,
        })
    }

    /// The inputs that are to be measured.
    ///
    /// With `--inputs DIR`: the paths of the files in the folder and the folders below it whose file name matches
    /// `pattern` (`*` any text, `?` one character; an ending `.gz` does not count). Without: the names of the built-in
    /// inputs ([`Trainer::generated_inputs`](crate::Trainer::generated_inputs)), whatever the pattern. What the store
    /// already holds is left out, and so is what another pattern has given, and what another recorder that shares the store
    /// is measuring.
    pub fn inputs(&self, pattern: &str) -> DueInputs<'_> {
        let mut inputs = self.inputs.hand_out(pattern);
        let all = inputs.len();
        inputs.retain(|(name, _)| !self.recorded.contains(*name));
        self.progress.expect(inputs.len(), all - inputs.len());
        DueInputs { inputs: inputs.into_iter(), claim: Box::new(|input| self.claim(input)) }
    }

    /// Whether the input is this recorder's to measure.
    pub(super) fn claim(&self, input: &str) -> bool {
        if self.refused.borrow().is_some() {
            return false;
        }
        let (function, device) = (self.function.name(), self.device.entry().id());
        let Share { owner, lease } = self.share;
        match self.store.borrow_mut().claim(function, device, input, owner, *lease) {
            Ok(true) => {
                self.claimed.replace(Some((input.to_owned(), Instant::now())));
                true
            }
            Ok(false) => {
                self.left_to_others.borrow_mut().insert(input.to_owned());
                self.progress.leave(input);
                false
            }
            Err(error) => {
                self.refused.replace(Some(error));
                false
            }
        }
    }

    /// Keeps the claim of the input being measured.
    fn renew_claim(&self) {
        let due = self.claimed.borrow().clone().filter(|(_, at)| at.elapsed() > self.share.lease / 4);
        if let Some((input, _)) = due {
            self.claim(&input);
        }
    }

    /// What has to end the recording, whatever the closure says.
    pub(super) fn ended_by(&self) -> Option<RecordError> {
        self.loss().or_else(|| self.refused.take().map(RecordError::Store))
    }

    /// Waits for the inputs that others had claimed. False when all are recorded; true when one has become free, and
    /// another pass is due.
    pub(super) fn wait_for_others(&self) -> Result<bool, StoreError> {
        let variants: Vec<&str> = self.function.variants().iter().map(|variant| variant.name).collect();
        let mut left = self.left_to_others.take();
        loop {
            let device = self.device.entry().id();
            let recorded = self.store.borrow_mut().recorded(self.function.name(), device, &variants)?;
            left.retain(|input| !recorded.contains(input));
            if left.is_empty() {
                return Ok(false);
            }
            if left.iter().any(|input| self.claim(input)) {
                return Ok(true);
            }
            if let Some(error) = self.refused.take() {
                return Err(error);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Measures every admissible variant on one input.
    ///
    /// `run` is called many times. Each time, every call of the recorded function that it makes on this thread runs one
    /// chosen variant, and those calls alone are timed; several calls are one measurement, their sum. What else `run` does,
    /// such as a fresh copy of what the function changes in place, is not timed. A variant that returns `Err`, panics, or fails
    /// on the device afterwards is recorded as failed. One that loses the device to this process is recorded as failed too; the
    /// trainer's command line goes on in a fresh process.
    ///
    /// An input that the store already holds is skipped.
    ///
    /// # Errors
    /// When `run` does not call the function, when the default variant fails, when a feature is not finite, or when the
    /// store cannot be written. [`RecordError::DeviceLost`] when a variant took the device away from this process.
    pub fn input<R>(&self, name: &str, run: impl FnMut() -> R) -> Result<(), RecordError> {
        self.measure(name, run, |_, _| true)
    }

    /// As [`Session::input`], and compares what each variant gives with what the default variant gives: where `same`
    /// (expected, found) is false, the variant is recorded as wrong and is never selected there.
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn checked_input<R>(
        &self,
        name: &str,
        run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.measure(name, run, same)
    }

    fn measure<R>(
        &self,
        name: &str,
        mut run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        let name = self.inputs.name_of(name);
        if self.recorded.contains(&name) {
            return Ok(());
        }
        if let Some(loss) = self.loss() {
            return Err(loss);
        }
        self.progress.begin(&name);
        let measured = self.measure_all(&name, &mut run, same);
        self.progress.attempt(None);
        measured?;
        self.progress.end(&name);
        self.loss().map_or(Ok(()), Err)
    }

    /// Measures every variant on an input that is due.
    fn measure_all<R>(
        &self,
        name: &str,
        run: &mut impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        let (expected, observation) = self.describe(name, run)?;
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
        self.store.borrow_mut().put(self.function.name(), self.device.entry().id(), input, rows)
    }

    /// That the device was lost, if it was.
    pub(super) fn loss(&self) -> Option<RecordError> {
        let lost = self.lost.borrow();
        let (input, variant) = lost.as_ref()?;
        let (function, device) = (self.function.name(), self.device.entry().id().to_owned());
        Some(RecordError::DeviceLost { function, input: input.clone(), variant, device })
    }

    /// Runs one variant, timed.
    fn run<R>(
        &self,
        input: &Input,
        variant: usize,
        run: &mut impl FnMut() -> R,
    ) -> Result<(R, Observation), Panicked> {
        self.renew_claim();
        self.announce(&input.name, Some(&input.features), variant);
        record(self.function, variant, false, run)
    }

    fn announce(&self, input: &str, features: Option<&[f64]>, variant: usize) {
        let (function, device) = (self.function.name(), self.device.entry().id());
        let variant = self.function.variants()[variant].name;
        self.progress.attempt(Some(&Attempt { function, device, input, features, variant }));
    }

    /// Runs the default variant once: its output, and features and constraints of the input.
    fn describe<R>(&self, name: &str, run: &mut impl FnMut() -> R) -> Result<(R, Observation), RecordError> {
        let (function, input) = (self.function.name(), name.to_owned());
        let failed = |what: String| RecordError::DefaultFailed { function, input: input.clone(), what };
        self.announce(name, None, self.function.default_variant());
        let (output, observation) = record(self.function, self.function.default_variant(), true, run)
            .map_err(|panicked| failed(panicked.to_string()))?;
        if observation.failures > 0 {
            return Err(failed("returned an error or failed on the device".to_owned()));
        }
        if observation.calls == 0 {
            return Err(RecordError::NotCalled { function, input });
        }
        let device = self.device.entry().id();
        if let Some(found) = observation.device.as_ref().filter(|found| *found != device) {
            let (expected, found) = (device.to_owned(), found.clone());
            return Err(RecordError::OtherDevice { function, input, expected, found });
        }
        match observation.features.iter().position(|value| !value.is_finite()) {
            Some(index) => {
                let (feature, value) = (self.function.features()[index], observation.features[index]);
                Err(RecordError::FeatureNotFinite { function, input, feature, value })
            }
            None => Ok((output, observation)),
        }
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
        let variants = self.function.variants().iter().enumerate();
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
        if suspect && self.device.is_lost() { Err(Lost(name)) } else { Ok(Variant { name, state }) }
    }

    fn panicked(&self, variant: usize, panicked: &Panicked) -> State {
        let (function, variant) = (self.function.name(), self.function.variants()[variant].name);
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

/// A device as a store keeps it, all its features measured.
#[must_use]
pub fn describe_device(device: &dyn Device) -> DeviceRecord {
    let entry = device.entry();
    let features = entry.features().map(|feature| (feature.name.clone(), feature.value)).collect();
    DeviceRecord { id: entry.id().to_owned(), features }
}
