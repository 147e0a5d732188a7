//! The progress of a recording, as it is told while the recording goes on.

/// A listener that hears how a recording goes on.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use std::cell::Cell;
/// use nitro_train::measure::{Inputs, Plan, Progress, Repeats, Share, record_inputs};
///
/// #[derive(Default)]
/// struct Bar {
///     due: Cell<usize>,
///     done: Cell<usize>,
/// }
///
/// impl Progress for Bar {
///     fn expect(&self, inputs: usize, _recorded: usize) {
///         self.due.set(inputs);
///     }
///
///     fn end(&self, input: &str) {
///         self.done.set(self.done.get() + 1);
///         println!("{input}: {} of {}", self.done.get(), self.due.get());
///     }
/// }
///
/// let (bar, names) = (Bar::default(), ["10", "20"].map(str::to_owned));
/// let plan = Plan::new(Inputs::Generated(&names), Repeats { most: 10, ..Repeats::default() }, Share::default());
/// record_inputs(sort::function(), &Desk, &plan, &mut *nitro_train::store::memory()?, &bar, keys)?;
/// assert_eq!((bar.due.get(), bar.done.get()), (2, 2));
/// # Ok::<(), BoxError>(())
/// ```
pub trait Progress {
    /// Hears that so many inputs are to be measured, and that so many were measured before.
    fn expect(&self, _inputs: usize, _recorded: usize) {}
    /// Hears of an input that nobody expected, as the closure makes it itself; it may have been measured before.
    fn find(&self, _input: &str, _recorded: bool) {}
    /// Hears that an input is being measured.
    fn begin(&self, _input: &str) {}
    /// Hears that it has been measured.
    fn end(&self, _input: &str) {}
    /// Hears that an expected input is left to another recorder, or to another day.
    fn leave(&self, _input: &str) {}
    /// Hears that so many inputs are waited for, which other recorders have claimed; all others are done.
    fn wait(&self, _inputs: usize) {}
    /// Hears that a choice is about to run, or that none is any more.
    ///
    /// If the process does not live to tell that none is, this is what ended it.
    fn attempt(&self, _attempt: Option<&Attempt<'_>>) {}
}

/// A run of one choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt<'a> {
    /// The function.
    pub function: &'a str,
    /// The device.
    pub device: &'a str,
    /// The input.
    pub input: &'a str,
    /// Its features; none while the default variant runs for the first time, which is what tells them.
    pub features: Option<&'a [f64]>,
    /// The variant.
    pub variant: &'a str,
    /// The values of its tuning parameters; empty without any.
    pub configuration: &'a str,
    /// True where a search evaluates it: what it comes to is no measurement.
    pub is_evaluation: bool,
    /// True where it was recorded, and is measured again only to see if that still holds.
    pub is_sample: bool,
}

/// A listener that does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {}

/// Runs a choice, and tells so: it alone may take the process with it, or never end.
pub(super) fn attempt<T>(progress: &dyn Progress, attempt: &Attempt<'_>, run: impl FnOnce() -> T) -> T {
    /// Ends an attempt, also when the trainer itself panics.
    struct UntilDropped<'p>(&'p dyn Progress);
    impl Drop for UntilDropped<'_> {
        fn drop(&mut self) {
            self.0.attempt(None);
        }
    }
    progress.attempt(Some(attempt));
    let _until = UntilDropped(progress);
    run()
}
