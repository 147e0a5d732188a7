//! The recording of a function: every admissible variant is checked, and timed until its median is known.

mod evaluations;
mod feature_samples;
mod parts;
mod reference;
mod runs;
mod spending;
mod task;
mod trial;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use nitro_core::{Choice, Function, choice_text};
use nitro_store::recordings::{Input, Meanings, MeasurementKey, Outcome, Recordings};
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
use super::spent::Spent;
use super::subject::{Subject, describe_device};

/// The time between two looks whether an input that others had claimed is recorded or free.
const LOOK: Duration = Duration::from_secs(1);

/// The recording of one function on one device into a store.
pub(super) struct Recording<'a> {
    subject: Subject<'a>,
    plan: &'a Plan<'a>,
    task: Task<'a>,
    /// The candidates of each input.
    candidates: Vec<Candidate>,
    /// The choice that all others are compared with.
    default: Candidate,
    /// Inputs that the store holds, as far as is known, and when it was asked.
    recorded: RefCell<(BTreeSet<String>, Duration)>,
    /// Inputs of which all times are known, be it that their features are not.
    timed: BTreeSet<String>,
    /// Inputs that were handed out, due or not.
    listed: RefCell<BTreeSet<String>>,
    /// Inputs that are expected to be measured still.
    due: RefCell<BTreeSet<String>>,
    /// The reasons of choices that failed before on inputs that are not recorded whole, by input and choice. They are
    /// not tried again.
    failed: BTreeMap<(String, String), String>,
    /// Candidates that have run on the device in this session.
    loaded: RefCell<BTreeSet<Choice>>,
    /// Number of inputs that were measured in this session.
    measured: Cell<usize>,
    /// Inputs on which the default returns `Err`.
    errors: RefCell<BTreeSet<String>>,
    /// The input and the variant that lost the device.
    lost: RefCell<Option<(String, &'static str)>>,
    /// What the evaluations of the input have taken.
    spent: Cell<Spent>,
    /// Looks at what others take of the processors.
    load: LoadWatch<'a>,
    /// True if the last input stayed under load, however often it was timed.
    is_under_load: Cell<bool>,
    shared: Shared<'a>,
    progress: &'a dyn Progress,
}

/// The state that the passes of a recording share with each other and with what goes on beside them.
#[derive(Clone, Copy)]
pub(super) struct Shared<'a> {
    pub(super) store: &'a LockedStore<'a>,
    pub(super) claims: &'a Claims<'a, 'a>,
    pub(super) lost_time: &'a LostTime<'a>,
    pub(super) panics: &'a Panics,
    /// The proposer, where one chooses the candidates.
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
        let (recorded, listed, due, loaded, measured, errors, lost, spent) = Default::default();
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
            spent,
            load: LoadWatch::new(plan.processors, device),
            is_under_load: Cell::new(false),
            shared,
            progress,
        };
        recording.look_now()?;
        Ok(recording)
    }

    /// Returns the candidates as a store names them.
    fn names(&self) -> Vec<ChoiceName<'_>> {
        self.candidates.iter().map(Candidate::name).collect()
    }

    /// Returns the function and the device.
    pub(super) fn subject(&self) -> Subject<'_> {
        self.subject
    }

    /// Returns the number of inputs that were measured, each whole or up to what lost the device.
    pub(super) fn measured(&self) -> usize {
        self.measured.get()
    }

    /// Keeps the inputs, each a name and what goes with it, that are wanted and not in the store.
    pub(super) fn keep_due(&self, inputs: &mut Vec<(&str, &str)>) {
        self.listed.borrow_mut().extend(inputs.iter().map(|(name, _)| (*name).to_owned()));
        inputs.retain(|(name, _)| self.is_wanted(name));
        let all = inputs.len();
        inputs.retain(|(name, _)| !self.is_recorded(name));
        self.due.borrow_mut().extend(inputs.iter().map(|(name, _)| (*name).to_owned()));
        self.progress.expect(inputs.len(), all - inputs.len());
    }

    /// Returns true for an input that the plan has.
    fn is_wanted(&self, input: &str) -> bool {
        self.plan.only.as_ref().is_none_or(|only| only.contains(input))
    }

    /// Returns true for an input that the store holds, as far as is known.
    fn is_recorded(&self, input: &str) -> bool {
        self.recorded.borrow().0.contains(input)
    }

    /// Returns true once the time for the recording has passed.
    fn is_over(&self) -> bool {
        self.plan.until.is_some_and(|until| self.plan.clock.now() >= until)
    }

    /// Claims the input whose turn it is, and returns true where it is this recorder's to measure.
    pub(super) fn claim(&self, input: &str) -> bool {
        let claimed = self.take(input);
        if !claimed {
            self.due.borrow_mut().remove(input);
            self.progress.leave(input);
        }
        claimed
    }

    /// Leaves what is still expected to another pass.
    pub(super) fn leave_rest(&self) {
        for input in self.due.take() {
            self.progress.leave(&input);
        }
    }

    /// Claims an input; an error of the store is noted, and nothing is claimed any more.
    fn take(&self, input: &str) -> bool {
        if self.is_over() || self.shared.claims.has_refused() || self.shared.panics.ended_by().is_some() {
            return false;
        }
        self.try_take(input).unwrap_or_else(|error| {
            self.shared.claims.refuse(error);
            false
        })
    }

    /// Claims an input, unless it is recorded.
    fn try_take(&self, input: &str) -> Result<bool, StoreError> {
        self.look_again()?;
        if self.is_recorded(input) {
            return Ok(false);
        }
        if self.task.joins() {
            self.shared.claims.take(input)?;
            return Ok(true);
        }
        Ok(self.shared.claims.claim(input)? && self.is_due_still(input)?)
    }

    /// Returns true if an input that was just claimed is still to be measured.
    ///
    /// Since the store was asked, another recorder may have measured it and given its claim back.
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

    /// Asks the store again what it holds, after half of a lease.
    ///
    /// That is before claims can have expired of what others have recorded since: a claim was renewed within the last
    /// third of a lease before its input was recorded.
    fn look_again(&self) -> Result<(), StoreError> {
        let asked = self.recorded.borrow().1;
        match self.plan.clock.now().saturating_sub(asked) >= self.plan.share.lease() / 2 {
            true => self.look_now(),
            false => Ok(()),
        }
    }

    /// Asks the store what it holds.
    fn look_now(&self) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        let asked = self.plan.clock.now();
        let mut store = self.shared.store.lock();
        let recorded = self.task.done(function, device.entry().id(), &self.names(), &mut **store)?;
        self.recorded.replace((recorded, asked));
        Ok(())
    }

    /// Waits for the inputs that others had claimed; returns true once one is free, and another pass is due.
    ///
    /// Returns false when all are recorded, or the time has passed.
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

    /// Measures what the task asks for on one input, unless the store holds it or somebody else measures it.
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

    /// Gives up an input that cannot be measured: whoever shares the store may try.
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

    /// Notes an input on which the default returns `Err`.
    fn note_errors<R, S>(&self, first: &Reference<R, S>) {
        if first.errors > 0 {
            self.errors.borrow_mut().insert(first.input.name.clone());
        }
    }

    /// Writes rows of an input to the store.
    fn put(&self, input: &Input, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        self.shared.store.lock().put(function.name(), device.entry().id(), input, rows)
    }

    /// Writes the times of the input's features to the store, in nanoseconds.
    fn put_feature_times(&self, input: &Input, times_ns: &[f64]) -> Result<(), StoreError> {
        let Subject { function, device } = self.subject;
        if times_ns.is_empty() {
            return Ok(());
        }
        let mut store = self.shared.store.lock();
        store.put_feature_times(function.name(), device.entry().id(), input, times_ns)
    }

    /// Returns the error of a lost device, if it was lost.
    fn loss(&self) -> Option<RecordError> {
        let lost = self.lost.borrow();
        let (input, variant) = lost.as_ref()?;
        Some(self.subject.lost(input, variant))
    }

    /// Returns the error that has to end the recording, whatever the closure says.
    pub(super) fn ended_by(&self) -> Option<RecordError> {
        self.loss().or_else(|| self.shared.claims.take_refused().map(RecordError::Store))
    }
}

/// Returns the reasons of what failed on the device and is not to be measured again, by input and choice.
fn failures(recordings: &Recordings, device: &str) -> BTreeMap<(String, String), String> {
    let mut failures = BTreeMap::new();
    for one in &recordings.measurements {
        if one.outcome != Outcome::Failed || recordings.devices[one.device].id != device {
            continue;
        }
        let key = MeasurementKey {
            device: device.to_owned(),
            input: recordings.inputs[one.input].name.clone(),
            variant: recordings.variants[one.variant].clone(),
            configuration: one.configuration.clone(),
        };
        if !recordings.due.contains(&key) {
            let choice = choice_text(&key.variant, &key.configuration);
            failures.insert((key.input, choice), one.reason.clone());
        }
    }
    failures
}

/// Moves the measurements of variants that had other names before to their names now.
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
