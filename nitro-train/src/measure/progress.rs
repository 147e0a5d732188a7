//! What is told of a recording while it goes on.

/// Hears how a recording goes on.
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
    /// So many inputs are to be measured, and so many were measured before.
    fn expect(&self, _inputs: usize, _recorded: usize) {}
    /// An input that the closure makes itself, so that nobody expected it, is to be measured, or was measured before.
    fn find(&self, _input: &str, _recorded: bool) {}
    /// An input is being measured.
    fn begin(&self, _input: &str) {}
    /// It has been measured.
    fn end(&self, _input: &str) {}
    /// An input that was expected is left to another recorder, or to another day.
    fn leave(&self, _input: &str) {}
    /// All others are done; so many are still claimed by other recorders, and waited for.
    fn wait(&self, _inputs: usize) {}
    /// A choice is about to run, or none is any more. If the process does not live to tell, this is what ended it.
    fn attempt(&self, _attempt: Option<&Attempt<'_>>) {}
}

/// One run of one choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt<'a> {
    /// The function.
    pub function: &'a str,
    /// The device.
    pub device: &'a str,
    /// The input.
    pub input: &'a str,
    /// Its features; unknown while the default variant runs for the first time, which is what tells them.
    pub features: Option<&'a [f64]>,
    /// The variant.
    pub variant: &'a str,
    /// The values of its tuning parameters; empty without any.
    pub configuration: &'a str,
    /// Whether a search evaluates it: what it comes to is no measurement.
    pub is_evaluation: bool,
    /// Whether what is recorded of it is measured again, only to see whether that still holds.
    pub is_sample: bool,
}

/// Nobody hears.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {}

/// Does what may take the process with it, or never end, and is a variant's doing; nothing else is.
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
