//! The trainer itself.

use nitro_core::Function;
use nitro_core::provide::DeviceProvider;

use super::command::TrainerCommand;
use super::error::TrainError;
use super::observer::{Nobody, Observer};
use super::tunable::Tunable;
use crate::measure::{BoxError, HostDevices, Processors, Session, SystemProcessors};

/// Measures, learns and evaluates the functions of one application; by convention its `src/bin/train.rs`.
///
/// ```no_run
/// # mod app {
/// #     #[derive(Debug)] pub struct Keys;
/// #     pub fn load(_: &str) -> std::io::Result<Vec<f32>> { Ok(vec![]) }
/// #     pub fn sort(_: &mut [f32]) {}
/// #     pub mod sort { pub fn function() -> &'static nitro_train::Function { unimplemented!() } }
/// # }
/// # use app::{load, sort};
/// fn main() -> std::process::ExitCode {
///     nitro_train::Trainer::new()
///         .function(sort::function(), |session| {
///             for path in session.inputs("*.f32") {
///                 let keys = load(path)?;
///                 session.input(path, || sort(&mut keys.clone()))?;
///             }
///             Ok(())
///         })
///         .main()
/// }
/// ```
///
/// What the command line does, a program can do itself: [`record`](Self::record), [`fit`](Self::fit),
/// [`evaluate`](Self::evaluate), [`explain`](Self::explain), [`check`](Self::check), [`report`](Self::report) and
/// others each return a value.
pub struct Trainer {
    pub(super) tunables: Vec<Tunable>,
    /// Profiles of the application proxies that the program carries.
    pub(super) shipped_proxies: Option<&'static [u8]>,
    pub(super) providers: Vec<Box<dyn DeviceProvider>>,
    pub(super) observer: Box<dyn Observer>,
    pub(super) processors: Box<dyn Processors>,
    pub(crate) commands: Vec<Box<dyn TrainerCommand>>,
}

impl Default for Trainer {
    fn default() -> Self {
        let (tunables, shipped_proxies, commands) = Default::default();
        let (providers, observer) = (vec![Box::new(HostDevices) as _], Box::new(Nobody));
        let processors = Box::new(SystemProcessors);
        Self { tunables, shipped_proxies, providers, observer, processors, commands }
    }
}

impl Trainer {
    /// Returns a trainer without functions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function and the closure that calls it on inputs while a session records.
    ///
    /// `NAME::function()` stands beside each `#[code_variant]` function. Short for [`tunable`](Self::tunable) of a
    /// [`Tunable::new`].
    #[must_use]
    pub fn function(
        self,
        function: &'static Function,
        record: impl Fn(&mut Session<'_>) -> Result<(), BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.tunable(Tunable::new(function, record))
    }

    /// Adds a function with all that its training takes.
    #[must_use]
    pub fn tunable(mut self, tunable: Tunable) -> Self {
        self.tunables.push(tunable);
        self
    }

    /// Adds devices beside the host's, e.g. `nitro_cuda::Devices::new()` for `--device cuda:0`.
    #[must_use]
    pub fn devices(mut self, provider: impl DeviceProvider + 'static) -> Self {
        self.providers.push(Box::new(provider));
        self
    }

    /// Adds profiles of the application proxies that the program carries, as `train profile` writes them to
    /// `proxies.csv`.
    ///
    /// [`ShippedRecordings::profiles`](crate::ShippedRecordings::profiles) are compared with them.
    #[must_use]
    pub fn shipped_proxies(mut self, proxies: &'static [u8]) -> Self {
        self.shipped_proxies = Some(proxies);
        self
    }

    /// Adds a command that another crate brings to those of [`main`](Self::main), such as
    /// `nitro_evolve::EvolveCommand` for `train evolve`.
    #[must_use]
    pub fn command(mut self, command: impl TrainerCommand + 'static) -> Self {
        self.commands.push(Box::new(command));
        self
    }

    /// Tells this observer from now on what goes on. [`main`](Self::main) has one of its own, which writes to stderr.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// Replaces the source of what others take of the processors while variants are timed.
    ///
    /// For tests, and for devices whose times do not depend on this machine.
    #[must_use]
    pub fn processors(mut self, processors: impl Processors + 'static) -> Self {
        self.processors = Box::new(processors);
        self
    }

    /// Returns the functions.
    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.tunables.iter().map(|tunable| tunable.function)
    }

    /// Tells a line to the observer.
    pub(super) fn tell(&self, line: impl AsRef<str>) {
        self.observer.message(line.as_ref());
    }

    /// Looks whether each function has a name of its own.
    ///
    /// # Errors
    /// When two functions have one name: what is recorded of one would be the other's too.
    pub(crate) fn check_names(&self) -> Result<(), TrainError> {
        for (at, next) in self.tunables.iter().enumerate() {
            let mut namesakes = self.tunables[..at].iter().filter(|one| one.name() == next.name());
            if namesakes.any(|one| !std::ptr::eq(one.function, next.function)) {
                return Err(TrainError::FunctionTwice { function: next.name().to_owned() });
            }
        }
        Ok(())
    }

    /// Returns the function of this name, if the trainer has it.
    pub(super) fn find(&self, function: &str) -> Option<&Tunable> {
        self.tunables.iter().find(|tunable| tunable.name() == function)
    }

    /// Returns the functions of these names, all without names.
    pub(super) fn wanted(&self, names: &[String]) -> Result<Vec<&Tunable>, TrainError> {
        self.check_names()?;
        if names.is_empty() {
            return Ok(self.tunables.iter().collect());
        }
        let mut wanted = Vec::new();
        for name in names {
            let Some(tunable) = self.find(name) else {
                let known = self.tunables.iter().map(|tunable| tunable.name().to_owned()).collect();
                return Err(TrainError::UnknownFunction { function: name.clone(), known });
            };
            wanted.push(tunable);
        }
        Ok(wanted)
    }

    /// Returns the functions of these names that run on the device; all that do without names.
    pub(super) fn wanted_on(&self, names: &[String], device: &str) -> Result<Vec<&Tunable>, TrainError> {
        let (fitting, other): (Vec<_>, Vec<_>) =
            self.wanted(names)?.into_iter().partition(|tunable| tunable.fits(device));
        match other.first() {
            Some(other) if !names.is_empty() || fitting.is_empty() => Err(TrainError::OtherKind {
                function: other.name().to_owned(),
                kind: other.runs_on.unwrap_or("another"),
                device: device.to_owned(),
            }),
            _ => Ok(fitting),
        }
    }
}
