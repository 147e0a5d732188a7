//! A session: the user's closure calls the function in the ordinary way, the session decides which variant runs.

use std::cell::{Cell, OnceCell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use nitro_core::recording::Panicked;

use super::error::{BoxError, RecordError};
use super::inputs::{InputList, Inputs};
use super::profiling::Profiling;
use super::recording::Recording;
use super::share::DueInputs;
use super::survey::Survey;
use crate::recordings::Input;

/// One measurement of one function on one device: hands out inputs and measures them.
pub struct Session<'a> {
    inputs: InputList<'a>,
    work: Work<'a>,
    /// The first pattern that is none.
    bad_pattern: OnceCell<RecordError>,
    /// Whether the closure came with an input.
    came_with_input: Cell<bool>,
    /// The input that the closure has been handed last, and has not asked for another since.
    in_hand: RefCell<Option<String>>,
}

/// What the session does with an input.
pub(super) enum Work<'a> {
    /// Times every variant.
    Record(Recording<'a>),
    /// Shows every variant to a profiler.
    Profile(Profiling<'a>),
    /// Notes features alone.
    Survey(Survey<'a>),
}

impl Work<'_> {
    fn function(&self) -> &'static str {
        match self {
            Self::Record(recording) => recording.function(),
            Self::Profile(profiling) => profiling.subject.function.name(),
            Self::Survey(survey) => survey.function(),
        }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(inputs: Inputs<'a>, work: Work<'a>) -> Result<Self, RecordError> {
        let (bad_pattern, came_with_input, in_hand) = Default::default();
        let inputs = InputList::new(inputs)?;
        Ok(Self { inputs, work, bad_pattern, came_with_input, in_hand })
    }

    /// As if these inputs were not there.
    pub(super) fn without<'n>(self, names: impl IntoIterator<Item = &'n String>) -> Self {
        self.inputs.leave_out(names);
        self
    }

    /// Lets the closure do its work.
    ///
    /// # Errors
    /// [`RecordError::BadPattern`], what the closure returns, [`RecordError::Input`] when it failed or panicked with an input in hand, and
    /// [`RecordError::NoInputs`], [`RecordError::NoFiles`] or [`RecordError::NoMatch`] when it asked for inputs where
    /// there are none, and had none of its own.
    pub(super) fn run(
        &mut self,
        record: impl FnOnce(&mut Session<'a>) -> Result<(), BoxError>,
    ) -> Result<(), RecordError> {
        let ended = catch_unwind(AssertUnwindSafe(|| record(self)));
        if let Some(error) = self.bad_pattern.take() {
            return Err(error);
        }
        let in_hand = self.in_hand.take();
        let ended = ended.unwrap_or_else(|panic| match in_hand {
            Some(_) => Err(Panicked::of(&*panic).to_string().into()),
            None => resume_unwind(panic),
        });
        ended.map_err(|error| RecordError::of_closure(error, in_hand))?;
        match self.inputs.was_asked_in_vain() && !self.came_with_input.get() {
            true => Err(self.inputs.none_for(self.work.function())),
            false => Ok(()),
        }
    }

    /// The inputs that are to be measured.
    ///
    /// With `--inputs DIR`: the paths of the files in the folder and the folders below it whose file name matches
    /// `pattern` (an ending `.gz` does not count). Without: the names of the built-in inputs
    /// ([`Tunable::generated_inputs`](crate::Tunable::generated_inputs)), whatever the pattern. What the store
    /// already holds is left out, and so is what another pattern has given, and what another recorder that shares the store
    /// is measuring. Where the closure panics or fails before it asks for the next one, that costs the input, and the closure is called again
    /// without it. Where there are neither files nor built-in inputs, to ask is an error of the closure, unless it
    /// [comes](Self::input) with inputs of its own.
    ///
    /// In a pattern `*` stands for any text, `?` for one character, `[a-c]` for one of those and `[!a-c]` for one of the others,
    /// `{png,jpg}` for either; a character in brackets or behind `\` stands for itself. `?` and brackets know the characters of ASCII alone.
    /// Of a pattern that is none (`{png`) there are no inputs, and whatever else the closure does, [`RecordError::BadPattern`] is its error.
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
    /// `run` is called many times. Each time, every call of the recorded function that it makes on this thread runs one
    /// chosen variant, and those calls alone are timed; several calls are one measurement, their sum. What else `run` does,
    /// such as a fresh copy of what the function changes in place, is not timed. A variant that returns `Err`, panics, or fails
    /// on the device afterwards is recorded as failed. One that loses the device to this process is recorded as failed too; the
    /// trainer's command line goes on in a fresh process.
    ///
    /// The input may be one that [`inputs`](Self::inputs) has handed out, or one that the closure makes itself, of any name: there need
    /// be no other. An input that the store already holds is skipped, and so is one that another recorder measures.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = keys.len()), variants(stable, unstable), default = stable, crate = nitro)]
    /// #     pub fn sort(keys: &mut [u32]);
    /// #     fn stable(keys: &mut [u32]) { keys.sort() }
    /// #     fn unstable(keys: &mut [u32]) { keys.sort_unstable() }
    /// # }
    /// # use app::sort;
    /// use nitro_train::{BoxError, Session};
    ///
    /// fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    ///     for length in [100, 10_000] {
    ///         let keys: Vec<u32> = (0..length).rev().collect();
    ///         session.input(&format!("train/reversed-{length}"), || sort(&mut keys.clone()))?; // the copy is not timed
    ///     }
    ///     Ok(())
    /// }
    /// assert_eq!(nitro_train::Trainer::new().function(sort::function(), record).functions().count(), 1);
    /// ```
    ///
    /// # Errors
    /// When `run` does not call the function, when the default variant fails, when a feature is not finite, or when the
    /// store cannot be written. [`RecordError::DeviceLost`] when a variant took the device away from this process.
    pub fn input<R>(&self, name: &str, run: impl FnMut() -> R) -> Result<(), RecordError> {
        self.measure(name, run, |_, _| true)
    }

    /// As [`Session::input`], and compares what each variant gives with what the default variant gives: where `same`
    /// (expected, found) is false, the variant is recorded as wrong and is never selected there. Of a function with approximate variants it has to
    /// accept the error that the call accepts: they run only there.
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
        run: impl FnMut() -> R,
        same: impl Fn(&R, &R) -> bool,
    ) -> Result<(), RecordError> {
        self.came_with_input.set(true);
        let name = self.inputs.name_of(name);
        match &self.work {
            Work::Record(recording) => recording.input(&name, run, same),
            Work::Profile(profiling) => profiling.input(&name, run),
            Work::Survey(survey) => survey.input(&name, run),
        }
    }

    /// What a survey has found; nothing if this is none.
    pub(super) fn found(&self) -> Vec<Input> {
        match &self.work {
            Work::Survey(survey) => survey.found(),
            Work::Record(_) | Work::Profile(_) => Vec::new(),
        }
    }

    /// The recording, if this is one.
    pub(super) fn recording(&self) -> Option<&Recording<'a>> {
        match &self.work {
            Work::Record(recording) => Some(recording),
            Work::Profile(_) | Work::Survey(_) => None,
        }
    }
}
