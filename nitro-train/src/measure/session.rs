//! A session: the user's closure calls the function in the ordinary way, and the session decides which variant runs.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nitro_core::recording::Panicked;
use nitro_store::recordings::Input;

use super::calls::{Calls, InTurns, WithSetup};
use super::error::{BoxError, FailedInputs, RecordError};
use super::inputs::{InputList, Inputs};
use super::panics::Panics;
use super::profiling::Profiling;
use super::recording::Recording;
use super::share::DueInputs;
use super::subject::Subject;
use super::survey::Survey;

/// A measurement of one function on one device: hands out inputs and measures them.
pub struct Session<'a> {
    inputs: InputList<'a>,
    work: Work<'a>,
    /// The first pattern that is none.
    bad_pattern: OnceCell<RecordError>,
    /// True once the closure came with an input.
    came_with_input: Cell<bool>,
    /// The input that the closure works on: what it was handed last, until it asks for another.
    in_hand: RefCell<Option<String>>,
    /// The names that the closure came with.
    met: RefCell<BTreeSet<String>>,
    /// Inputs that could not be worked on, each with its reason.
    left_out: RefCell<FailedInputs>,
    panics: &'a Panics,
}

/// The work of a session on an input.
pub(super) enum Work<'a> {
    /// Times every variant.
    Record(Box<Recording<'a>>),
    /// Shows every variant to a profiler.
    Profile(Profiling<'a>),
    /// Notes features alone.
    Survey(Survey<'a>),
}

impl Work<'_> {
    /// Returns the function and the device.
    fn subject(&self) -> Subject<'_> {
        match self {
            Self::Record(recording) => recording.subject(),
            Self::Profile(profiling) => profiling.subject,
            Self::Survey(survey) => survey.subject(),
        }
    }

    /// Returns the name of the function.
    fn function(&self) -> &'static str {
        self.subject().function.name()
    }
}

impl<'a> Session<'a> {
    /// Creates a session over these inputs.
    ///
    /// # Errors
    /// When the folder of inputs cannot be read.
    pub(super) fn new(inputs: Inputs<'a>, work: Work<'a>, panics: &'a Panics) -> Result<Self, RecordError> {
        let (bad_pattern, came_with_input, in_hand, met, left_out) = Default::default();
        let inputs = InputList::new(inputs)?;
        Ok(Self { inputs, work, bad_pattern, came_with_input, in_hand, met, left_out, panics })
    }

    /// Leaves these inputs out, as if they were not there.
    pub(super) fn without(self, failed: &FailedInputs) -> Self {
        self.inputs.leave_out(failed.keys());
        self.left_out.borrow_mut().extend(failed.clone());
        self
    }

    /// Returns the inputs that could not be worked on, also those that were left out from the beginning.
    pub(super) fn left_out(&self) -> FailedInputs {
        self.left_out.borrow().clone()
    }

    /// Runs the closure.
    ///
    /// # Errors
    /// [`RecordError::BadPattern`], what the closure returns, [`RecordError::Input`] when it failed or panicked
    /// with an input in hand, and [`RecordError::NoInputs`], [`RecordError::NoFiles`] or [`RecordError::NoMatch`]
    /// when it asked for inputs where there are none, and had none of its own.
    pub(super) fn run(
        &mut self,
        record: impl FnOnce(&mut Session<'a>) -> Result<(), BoxError>,
    ) -> Result<(), RecordError> {
        let ended = catch_unwind(AssertUnwindSafe(|| record(self)));
        if let Some(error) = self.bad_pattern.take() {
            return Err(error);
        }
        let in_hand = self.in_hand.take();
        let ended = ended.unwrap_or_else(|panic| match &in_hand {
            Some(input) => {
                let panicked = Panicked::of(&*panic);
                self.panics.note(format!("input `{input}`: the closure {panicked}"));
                Err(panicked.to_string().into())
            }
            None => resume_unwind(panic),
        });
        ended.map_err(|error| RecordError::of_closure(error, in_hand))?;
        if self.inputs.was_asked_in_vain() && !self.came_with_input.get() {
            return Err(self.inputs.none_for(self.work.function()));
        }
        Ok(())
    }

    /// Hands out the inputs that are to be measured.
    ///
    /// With `--inputs DIR`: the paths of the files in the folder and the folders below it whose file name matches
    /// `pattern` (an ending `.gz` does not count). Without: the names of the built-in inputs
    /// ([`Tunable::generated_inputs`](crate::Tunable::generated_inputs)), whatever the pattern. What the store
    /// already holds is left out, and so is what another pattern has given, and what another recorder that shares
    /// the store is measuring. Where the closure panics or fails before it asks for the next one, that costs the
    /// input, and the closure is called again without it. Where there are neither files nor built-in inputs, to ask
    /// is an error of the closure, unless it [comes](Self::input) with inputs of its own.
    ///
    /// In a pattern `*` stands for any text, `?` for one character, `[a-c]` for one of those and `[!a-c]` for one
    /// of the others, `{png,jpg}` for either; a character in brackets or behind `\` stands for itself. `?` and
    /// brackets know the characters of ASCII alone. Of a pattern that is none (`{png`) there are no inputs, and
    /// whatever else the closure does, [`RecordError::BadPattern`] is its error.
    pub fn inputs(&self, pattern: &str) -> DueInputs<'_> {
        let mut inputs = self.inputs.hand_out(pattern).unwrap_or_else(|error| self.refuse(pattern, &error));
        match &self.work {
            Work::Record(recording) => {
                recording.keep_due(&mut inputs);
                DueInputs::new(inputs, &self.in_hand, |input| recording.claim(input))
            }
            Work::Profile(profiling) => DueInputs::new(profiling.sample(&inputs), &self.in_hand, |_| true),
            Work::Survey(_) => DueInputs::new(inputs, &self.in_hand, |_| true),
        }
    }

    /// Notes a pattern that is none; it has no inputs.
    fn refuse(&self, pattern: &str, error: &globset::Error) -> Vec<(&str, &str)> {
        self.bad_pattern.get_or_init(|| RecordError::BadPattern {
            function: self.work.function(),
            pattern: pattern.to_owned(),
            problem: error.kind().to_string(),
        });
        Vec::new()
    }

    /// Measures every admissible variant on one input.
    ///
    /// `run` is called many times. Each time, every call of the recorded function that it makes on this thread runs
    /// one chosen variant, and those calls alone are timed; several calls are one measurement, their sum. What else
    /// `run` does, such as a fresh copy of what the function changes in place, is not timed. Calls inside of such a
    /// call are part of its time, and dispatched as they are in production. A variant that returns `Err` where the
    /// default does not, panics, or fails on the device afterwards is recorded as failed. One that loses the device
    /// to this process is recorded as failed too; the trainer's command line goes on in a fresh process.
    ///
    /// The input may be one that [`inputs`](Self::inputs) has handed out, or one that the closure makes itself, of
    /// any name: there need be no other. An input that the store already holds is skipped, and so is one that
    /// another recorder measures.
    ///
    /// ```
    #[doc = include_str!("example_sort.md")]
    /// use nitro_train::{BoxError, Session};
    ///
    /// fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    ///     for length in [100, 10_000] {
    ///         let keys: Vec<u32> = (0..length).rev().collect();
    ///         // The copy is not timed.
    ///         session.input(&format!("train/reversed-{length}"), || sort(&mut keys.clone()))?;
    ///     }
    ///     Ok(())
    /// }
    /// assert_eq!(nitro_train::Trainer::new().function(sort::function(), record).functions().count(), 1);
    /// ```
    ///
    /// An input that cannot be measured costs itself alone: `run` does not call the function, calls it with several
    /// inputs or another number of times in each run, the default variant panics, a feature is not finite or another
    /// one in a later run. Nothing is kept of such an input, and it is named in the end
    /// ([`Recorded::failed_inputs`](crate::Recorded::failed_inputs)).
    ///
    /// Where the default variant returns `Err`, that is its answer, and it is timed as others are. A variant that
    /// returns `Err` too is right; one that does not is recorded as wrong, unless a [check](Self::checked_input) takes
    /// it for the same.
    ///
    /// # Errors
    /// When the store cannot be written. [`RecordError::DeviceLost`] when a variant took the device away from this
    /// process, and
    /// [`RecordError::Panicked`] when something panicked and the trainer's command line goes on in a fresh process.
    /// Other programs go on in the same one, where a lock that a panic has poisoned may fail whatever comes later; its
    /// reason then says so.
    pub fn input<R>(&self, name: &str, mut run: impl FnMut() -> R) -> Result<(), RecordError> {
        self.measure(name, WithSetup { make: || (), call: |()| run() }, None::<fn(&R, &R) -> bool>)
    }

    /// Measures as [`Session::input`] does, and compares each variant's output with that of the default variant.
    ///
    /// Where `same` (expected, found) is false, the variant is recorded as wrong and is never selected there. Of a
    /// function with approximate variants it has to accept the error that the call accepts: they run only there.
    ///
    /// Where the default variant's output in a second run is not the same as in its first, nothing can be said of other
    /// variants: the input is left out.
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn checked_input<R>(
        &self,
        name: &str,
        mut run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.measure(name, WithSetup { make: || (), call: |()| run() }, Some(same))
    }

    /// Measures as [`Session::input`] does, on an input that the function changes.
    ///
    /// `make` makes it anew before every repetition, and `run` takes it. Nothing that `make` does is timed, or seen by
    /// the recording, be it calls of the same function.
    ///
    /// ```
    #[doc = include_str!("example_sort.md")]
    /// use nitro_train::{BoxError, Session};
    ///
    /// fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    ///     let keys: Vec<u32> = (0..10_000).rev().collect();
    ///     session.input_with_setup("train/reversed", || keys.clone(), |mut keys| sort(&mut keys))?;
    ///     Ok(())
    /// }
    /// assert_eq!(nitro_train::Trainer::new().function(sort::function(), record).functions().count(), 1);
    /// ```
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn input_with_setup<T, R>(
        &self,
        name: &str,
        make: impl FnMut() -> T,
        run: impl FnMut(T) -> R,
    ) -> Result<(), RecordError> {
        self.measure(name, WithSetup { make, call: run }, None::<fn(&R, &R) -> bool>)
    }

    /// Measures as [`Session::input_with_setup`] does, with the check of [`Session::checked_input`].
    ///
    /// ```
    #[doc = include_str!("example_sort.md")]
    /// # fn record(session: &mut nitro_train::Session<'_>) -> Result<(), nitro_train::BoxError> {
    /// let keys: Vec<u32> = (0..10_000).rev().collect();
    /// let sorted = |mut keys: Vec<u32>| {
    ///     sort(&mut keys);
    ///     keys
    /// };
    /// session.checked_input_with_setup("train/reversed", || keys.clone(), sorted, |one, other| one == other)?;
    /// # Ok(())
    /// # }
    /// # let _ = record;
    /// ```
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn checked_input_with_setup<T, R>(
        &self,
        name: &str,
        make: impl FnMut() -> T,
        run: impl FnMut(T) -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.measure(name, WithSetup { make, call: run }, Some(same))
    }

    /// Measures as [`Session::input`] does, on so many instances of one kind that take turns run by run.
    ///
    /// Of an input that is always the same a processor knows every branch by heart, and finds the data in its nearest
    /// cache: what is fastest then need not be where an application calls with other data each time. `run` takes the
    /// number of the instance, from 0. With a prime number of instances each variant meets them all. The features of
    /// the input are those of the first instance; those of each have to stay what they are. A variant whose constraint
    /// refuses one of the instances is not measured on the input.
    ///
    /// ```
    #[doc = include_str!("example_sort.md")]
    /// # fn record(session: &mut nitro_train::Session<'_>) -> Result<(), nitro_train::BoxError> {
    /// let lists: Vec<Vec<u32>> = (1..=13).map(|step| (0..100).map(|key| key * step % 101).collect()).collect();
    /// session.input_in_turns("train/mixed", lists.len(), |turn| sort(&mut lists[turn].clone()))?;
    /// # Ok(())
    /// # }
    /// # let _ = record;
    /// ```
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn input_in_turns<R>(
        &self,
        name: &str,
        instances: usize,
        run: impl FnMut(usize) -> R,
    ) -> Result<(), RecordError> {
        let calls = InTurns { call: run, count: instances, runs: 0 };
        self.measure(name, calls, None::<fn(&R, &R) -> bool>)
    }

    /// Measures as [`Session::input_in_turns`] does, with the check of [`Session::checked_input`].
    ///
    /// Two outputs may be of two instances, and say of which if they have to.
    ///
    /// # Errors
    /// As [`Session::input`].
    pub fn checked_input_in_turns<R>(
        &self,
        name: &str,
        instances: usize,
        run: impl FnMut(usize) -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.measure(name, InTurns { call: run, count: instances, runs: 0 }, Some(same))
    }

    /// Measures one input, or leaves it out if an error concerns it alone.
    fn measure<C: Calls>(
        &self,
        name: &str,
        calls: C,
        same: Option<impl Fn(&C::Output, &C::Output) -> bool>,
    ) -> Result<(), RecordError> {
        self.came_with_input.set(true);
        if let Some(error) = self.panicked() {
            return Err(error);
        }
        let name = self.inputs.name_of(name);
        if self.left_out.borrow().contains_key(&name) {
            return Ok(());
        }
        if !self.met.borrow_mut().insert(name.clone()) {
            return self.leave_out(RecordError::NameTwice { function: self.work.function(), input: name });
        }
        let handed_out = self.in_hand.replace(Some(name.clone()));
        let measured = match &self.work {
            Work::Record(recording) => recording.input(&name, calls, same),
            Work::Profile(profiling) => profiling.input(&name, calls),
            Work::Survey(survey) => survey.input(&name, calls),
        };
        self.in_hand.replace(handed_out);
        measured.or_else(|error| self.leave_out(error))?;
        self.panicked().map_or(Ok(()), Err)
    }

    /// Leaves out the input that alone is concerned by an error; returns any other error.
    fn leave_out(&self, error: RecordError) -> Result<(), RecordError> {
        let Some(input) = error.of_input().map(str::to_owned) else { return Err(error) };
        let (subject, why) = (self.work.subject(), error.without_input());
        if let Work::Record(recording) = &self.work {
            recording.give_up(&input);
        }
        if matches!(error, RecordError::DefaultPanicked { .. }) {
            self.panics.note(error.to_string());
        }
        if subject.device.is_lost() {
            let (function, device) = (subject.function.name(), subject.device.entry().id());
            self.panics.note(format!("input `{input}`: the default variant of `{function}` lost {device}"));
        }
        tracing::debug!(input, why, "the input is left out");
        self.left_out.borrow_mut().insert(input.clone(), why);
        match (self.panicked(), subject.device.is_lost()) {
            (Some(panicked), _) => Err(panicked),
            (None, true) => Err(subject.lost(&input, subject.default_variant())),
            (None, false) => Ok(()),
        }
    }

    /// Returns the error of a panic after which a fresh process is to go on, if there was one.
    pub(super) fn panicked(&self) -> Option<RecordError> {
        let Subject { function, device } = self.work.subject();
        let (function, device) = (function.name(), device.entry().id().to_owned());
        let what = self.panics.ended_by()?;
        Some(RecordError::Panicked { function, device, what, left_out: self.left_out() })
    }

    /// Takes what a survey has found; nothing if this is none.
    pub(super) fn take_found(&self) -> Vec<Input> {
        match &self.work {
            Work::Survey(survey) => survey.take_found(),
            Work::Record(_) | Work::Profile(_) => Vec::new(),
        }
    }

    /// Returns the recording, if this is one.
    pub(super) fn recording(&self) -> Option<&Recording<'a>> {
        match &self.work {
            Work::Record(recording) => Some(recording),
            Work::Profile(_) | Work::Survey(_) => None,
        }
    }
}
