//! Recording: every admissible variant is checked, and timed until its median is known.

mod evaluations;
mod feature_samples;
mod parts;
mod reference;
mod runs;
mod task;
mod tried;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nitro_core::{Choice, Function, choice_text};
use nitro_store::recordings::{Input, Meanings, Measurement, MeasurementKey, Outcome, Recordings};
use nitro_store::store::{ChoiceName, FunctionSchema, Row, Store, StoreError};

use self::reference::Reference;
pub(super) use self::task::Evaluations;
use self::task::Task;
use super::calls::Calls;
use super::candidate::Candidate;
use super::claims::{Claims, LockedStore};
use super::clock::LostTime;
use super::error::RecordError;
use super::load::LoadWatch;
use super::panics::Panics;
use super::plan::Plan;
use super::progress::Progress;
use super::subject::{Subject, describe_device};

/// How often to look whether an input that others had claimed is recorded or free.
const LOOK: Duration = Duration::from_secs(1);

/// The recording of one function on one device into a store.
pub(super) struct Recording<'a> {
    subject: Subject<'a>,
    plan: &'a Plan<'a>,
    task: Task<'a>,
    /// What is tried on each input.
    candidates: Vec<Candidate>,
    /// The choice that all others are compared with.
    default: Candidate,
    /// Inputs that the store holds, as far as is known, and when it was asked.
    recorded: RefCell<(BTreeSet<String>, Duration)>,
    /// Inputs of which all times are known, be it that their features are not.
    timed: BTreeSet<String>,
    /// Inputs that were handed out, due or not.
    listed: RefCell<BTreeSet<String>>,
    /// Those that are expected to be measured still.
    due: RefCell<BTreeSet<String>>,
    /// Inputs and choices that failed before and why, on inputs that are not recorded whole: the choices are not tried
    /// again.
    failed: BTreeMap<(String, String), String>,
    /// Candidates that have run on the device in this session.
    loaded: RefCell<BTreeSet<Choice>>,
    /// How many inputs were measured in this session.
    measured: Cell<usize>,
    /// Inputs on which the default returns `Err`.
    errors: RefCell<BTreeSet<String>>,
    /// The input and the variant that lost the device.
    lost: RefCell<Option<(String, &'static str)>>,
    /// Looks at what others take of the processors.
    load: LoadWatch<'a>,
    /// Whether the last input stayed under load, however often it was timed.
    is_under_load: Cell<bool>,
    shared: Shared<'a>,
    progress: &'a dyn Progress,
}

/// What the passes of a recording have in common, and what goes on beside them.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) store: &'a LockedStore<'a>,
    pub(super) claims: &'a Claims<'a, 'a>,
    pub(super) lost_time: &'a LostTime<'a>,
    pub(super) panics: &'a Panics,
    /// Where a proposer chooses the candidates.
    pub(super) evaluations: Option<&'a Evaluations<'a>>,
}

impl<'a> Recording<'a> {
    /// Makes the function and the device known to the store and finds out what is left to measure.
    pub(super) fn new(
        subject: Subject<'a>,
        plan: &'a Plan<'a>,
        shared: Shared<'a>,
        progress: &'a dyn Progress,
    ) -> Result<Self, StoreError> {
        let Subject { function, device } = subject;
        let device_record = describe_device(device);
        let default = Candidate::of(function, function.default_choice());
        let mut store = shared.store.lock();
        take_new_names(&mut **store, function)?;
        store.register(&FunctionSchema {
            function: function.name(),
            variants: &subject.variants(),
            default_variant: Some(default.variant),
            default_configuration: &default.configuration,
            features: function.features(),
        })?;
        store.put_meanings(function.name(), &Meanings::of(function))?;
        store.put_device(&device_record)?;
        let failed = failures(&store.load(function.name())?, &device_record.id);
        drop(store);
        let (recorded, listed, due, loaded, measured, errors, lost) = Default::default();
        let candidates = plan.candidates.clone().unwrap_or_else(|| Candidate::all(function));
        let names: Vec<ChoiceName<'_>> = candidates.iter().map(Candidate::name).collect();
        let timed = shared.store.lock().measured(function.name(), &device_record.id, &names)?;
        let recording = Self {
            subject,
            plan,
            task: Task::of(plan, shared.evaluations),
            candidates,
            default,
            recorded,
            timed,
            listed,
            due,
            failed,
            loaded,
            measured,
            errors,
            lost,
            load: LoadWatch::new(plan.processors, device),
            is_under_load: Cell::new(false),
            shared,
            progress,
        };
        recording.look_now()?;
        Ok(recording)
    }

    /// The candidates as a store names them.
    fn names(&self) -> Vec<ChoiceName<'_>> {
        self.candidates.iter().map(Candidate::name).collect()
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        self.subject
    }

    /// How many inputs were measured, each whole or up to what lost the device.
    pub(super) fn measured(&self) -> usize {
        self.measured.get()
    }

    /// Leaves the inputs, each a name and what goes with it, that are wanted and that the store does not hold.
    pub(super) fn keep_due(&self, inputs: &mut Vec<(&str, &str)>) {
        self.listed.borrow_mut().extend(inputs.iter().map(|(name, _)| (*name).to_owned()));
        inputs.retain(|(name, _)| self.is_wanted(name));
        let all = inputs.len();
        inputs.retain(|(name, _)| !self.is_recorded(name));
        self.due.borrow_mut().extend(inputs.iter().map(|(name, _)| (*name).to_owned()));
        self.progress.expect(inputs.len(), all - inputs.len());
    }

    fn is_wanted(&self, input: &str) -> bool {
        self.plan.only.as_ref().is_none_or(|only| only.contains(input))
    }

    fn is_recorded(&self, input: &str) -> bool {
        self.recorded.borrow().0.contains(input)
    }

    /// Whether the time for the recording has passed.
    fn is_over(&self) -> bool {
        self.plan.until.is_some_and(|until| self.plan.clock.now() >= until)
    }

    /// Whether the input, whose turn it is, is this recorder's to measure.
    pub(super) fn claim(&self, input: &str) -> bool {
        let claimed = self.take(input);
        if !claimed {
            self.due.borrow_mut().remove(input);
            self.progress.leave(input);
        }
        claimed
    }

    /// What is still expected is left to another pass.
    pub(super) fn leave_rest(&self) {
        self.due.take().iter().for_each(|input| self.progress.leave(input));
    }

    fn take(&self, input: &str) -> bool {
        let claims = self.shared.claims;
        if self.is_over() || claims.has_refused() || self.shared.panics.ended_by().is_some() {
            return false;
        }
        let due = self.look_again().and_then(|()| match self.is_recorded(input) {
            true => Ok(false),
            false if self.task.joins() => claims.take(input).map(|_| true),
            false => Ok(claims.claim(input)? && self.is_due_still(input)?),
        });
        due.unwrap_or_else(|error| claims.refuse(error))
    }

    /// Whether an input that was just claimed is still to be measured: since the store was asked, another recorder may
    /// have measured it and given its claim back.
    fn is_due_still(&self, input: &str) -> Result<bool, StoreError> {
        let Subject { function, device } = self.subject;
        if !self.task.gives_back() {
            return Ok(true);
        }
        let names = self.names();
        let is_recorded =
            self.shared.store.lock().is_recorded(function.name(), device.entry().id(), input, &names)?;
        if is_recorded {
            self.recorded.borrow_mut().0.insert(input.to_owned());
            self.shared.claims.give_back(input);
        }
        Ok(!is_recorded)
    }

    /// Asks the store again what it holds, before claims can have expired of what others have recorded since: a
    /// claim was renewed within the last third of a lease before its input was recorded.
    fn look_again(&self) -> Result<(), StoreError> {
        let asked = self.recorded.borrow().1;
        match self.plan.clock.now().saturating_sub(asked) >= self.plan.share.lease() / 2 {
            true => self.look_now(),
            false => Ok(()),
        }
    }

    fn look_now(&self) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        let asked = self.plan.clock.now();
        let mut store = self.shared.store.lock();
        let recorded = self.task.done(function, device.entry().id(), &self.names(), &mut **store)?;
        self.recorded.replace((recorded, asked));
        Ok(())
    }

    /// Waits for the inputs that others had claimed. False when all are recorded, or the time has passed; true when
    /// one has become free, and another pass is due.
    pub(super) fn wait_for_others(&self) -> Result<bool, StoreError> {
        let mut left = self.shared.claims.take_left();
        if let Some(joins) = self.task.join(&left) {
            return Ok(joins);
        }
        let mut told = false;
        while !self.is_over() {
            self.look_now()?;
            left.retain(|input| !self.is_recorded(input));
            if left.is_empty() {
                break;
            }
            for input in &left {
                if self.shared.claims.claim(input)? {
                    return Ok(true);
                }
            }
            if !std::mem::replace(&mut told, true) {
                self.progress.wait(left.len());
            }
            std::thread::sleep(LOOK);
        }
        Ok(false)
    }

    /// Measures every admissible variant on one input, unless the store holds it or somebody else measures it.
    pub(super) fn input<C: Calls>(
        &self,
        name: &str,
        mut calls: C,
        same: Option<impl Fn(&C::Output, &C::Output) -> bool>,
    ) -> Result<(), RecordError> {
        let is_own = !self.listed.borrow().contains(name);
        if is_own && self.is_wanted(name) {
            self.progress.find(name, self.is_recorded(name));
        }
        if self.is_recorded(name) || !self.is_wanted(name) {
            return Ok(());
        }
        if let Some(loss) = self.loss() {
            return Err(loss);
        }
        if !self.shared.claims.has(name) && !self.claim(name) {
            return Ok(());
        }
        self.progress.begin(name);
        match self.task {
            Task::Evaluations(evaluations) => self.evaluate_all(evaluations, name, &mut calls, same)?,
            Task::Times | Task::FeatureTimes => self.measure(name, &mut calls, same)?,
        }
        match self.task.gives_back() {
            true => self.shared.claims.give_back(name),
            false => self.shared.claims.end(name),
        }
        self.measured.set(self.measured.get() + 1);
        self.due.borrow_mut().remove(name);
        self.progress.end(name);
        if let Some(loss) = self.loss() {
            return Err(loss);
        }
        self.recorded.borrow_mut().0.insert(name.to_owned());
        Ok(())
    }

    /// The input cannot be measured: whoever shares the store may try.
    pub(super) fn give_up(&self, input: &str) {
        self.shared.claims.release();
        if self.due.borrow_mut().remove(input) {
            self.progress.leave(input);
        }
    }

    /// Returns the inputs on which the default returns `Err`, measured in this session.
    pub(super) fn errors(&self) -> BTreeSet<String> {
        self.errors.borrow().clone()
    }

    fn note_errors<R, S>(&self, first: &Reference<R, S>) {
        if first.errors > 0 {
            self.errors.borrow_mut().insert(first.input.name.clone());
        }
    }

    fn put(&self, input: &Input, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        self.shared.store.lock().put(function.name(), device.entry().id(), input, rows)
    }

    /// What the features of the input take on this device.
    fn put_feature_times(&self, input: &Input, times_ns: &[f64]) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        match times_ns {
            [] => Ok(()),
            _ => {
                let mut store = self.shared.store.lock();
                store.put_feature_times(function.name(), device.entry().id(), input, times_ns)
            }
        }
    }

    /// That the device was lost, if it was.
    fn loss(&self) -> Option<RecordError> {
        let lost = self.lost.borrow();
        let (input, variant) = lost.as_ref()?;
        Some(self.subject.lost(input, variant))
    }

    /// What has to end the recording, whatever the closure says.
    pub(super) fn ended_by(&self) -> Option<RecordError> {
        self.loss().or_else(|| self.shared.claims.refused().map(RecordError::Store))
    }
}

/// The inputs and choices that failed on the device, and why.
fn failures(recordings: &Recordings, device: &str) -> BTreeMap<(String, String), String> {
    let is_due = |one: &Measurement| {
        recordings.due.contains(&MeasurementKey {
            device: device.to_owned(),
            input: recordings.inputs[one.input].name.clone(),
            variant: recordings.variants[one.variant].clone(),
            configuration: one.configuration.clone(),
        })
    };
    let failed = recordings.measurements.iter().filter(|one| {
        one.outcome == Outcome::Failed && recordings.devices[one.device].id == device && !is_due(one)
    });
    failed
        .map(|m| {
            let choice = choice_text(&recordings.variants[m.variant], &m.configuration);
            let key = (recordings.inputs[m.input].name.clone(), choice);
            (key, m.reason.clone())
        })
        .collect()
}

/// Gives variants that had other names before their measurements under these.
fn take_new_names(store: &mut dyn Store, function: &Function) -> Result<(), StoreError> {
    if !store.functions()?.iter().any(|name| name == function.name()) {
        return Ok(());
    }
    for variant in function.variants() {
        for old in variant.former_names() {
            store.rename_variant(function.name(), old, variant.name())?;
        }
    }
    Ok(())
}
