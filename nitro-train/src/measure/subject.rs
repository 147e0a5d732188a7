//! The subject of a measurement: one function on one device.

use nitro_core::recording::{Observation, record};
use nitro_core::{Choice, Device, Function, Regime, in_regime};
use nitro_store::recordings::DeviceRecord;

use super::calls::Calls;
use super::error::RecordError;

/// A function on a device.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) function: &'static Function,
    pub(super) device: &'a dyn Device,
}

impl Subject<'_> {
    /// Returns the names of the variants.
    pub(super) fn variants(&self) -> Vec<&'static str> {
        self.function.variants().iter().map(|variant| variant.name()).collect()
    }

    /// Returns the name of the default variant.
    pub(super) fn default_variant(&self) -> &'static str {
        self.function.variants()[self.function.default_choice().variant].name()
    }

    /// Describes an input by its first instance. A choice is admissible where it may run on all of them, before one of
    /// them is timed: to ask before each timed run would bring the data into the caches.
    pub(super) fn describe_all<C: Calls>(
        &self,
        name: &str,
        choices: &[Choice],
        calls: &mut C,
    ) -> Result<(C::Output, Observation), RecordError> {
        let (output, mut seen) = self.describe(name, choices, calls.next())?;
        let variants = self.function.variants();
        if choices.iter().any(|choice| variants[choice.variant].constraint().is_some()) {
            for _ in 1..calls.instances() {
                let (_, other) = self.describe(name, choices, calls.next())?;
                seen.admissible.iter_mut().zip(other.admissible).for_each(|(all, own)| *all &= own);
            }
        }
        Ok((output, seen))
    }

    /// Runs the default choice once; returns its output, and what it tells of the input and of some choices.
    ///
    /// These are the features, and which of the choices are admissible. An `Err` is an output like others. In graphs
    /// it is an eager run.
    pub(super) fn describe<R>(
        &self,
        name: &str,
        choices: &[Choice],
        call: impl FnOnce() -> R,
    ) -> Result<(R, Observation), RecordError> {
        let (function, input) = (self.function.name(), name.to_owned());
        let ran = self.as_reference(|| record(self.function, self.function.default_choice(), choices, call));
        let (output, observation) = ran.map_err(|panicked| RecordError::DefaultPanicked {
            function,
            input: input.clone(),
            panicked,
        })?;
        if observation.faults > 0 {
            let unknown = || "failed on the device or panicked".to_owned();
            let what = observation.fault.unwrap_or_else(unknown);
            return Err(RecordError::DefaultFailed { function, input, what });
        }
        if observation.calls == 0 {
            return Err(RecordError::NotCalled { function, input });
        }
        let device = match self.is_in_graphs() {
            true => self.device.entry().in_regime(Regime::Eager).id(),
            false => self.device.entry().id(),
        };
        if let Some(found) = observation.device.as_ref().filter(|found| *found != device) {
            let (expected, found) = (device.to_owned(), found.clone());
            return Err(RecordError::OtherDevice { function, input, expected, found });
        }
        if let Some(index) = observation.features.iter().position(|value| !value.is_finite()) {
            let (feature, value) = (self.function.features()[index], observation.features[index]);
            return Err(RecordError::FeatureNotFinite { function, input, feature, value });
        }
        if let Some((call, features)) = &observation.other_features {
            let how = self.difference(&observation.features, features).unwrap_or_default();
            let how = format!("{how} in call {call}");
            return Err(RecordError::SeveralInputs { function, input, how });
        }
        Ok((output, observation))
    }

    /// Returns the difference between the features of two calls, if there is one.
    pub(super) fn difference(&self, first: &[f64], later: &[f64]) -> Option<String> {
        let index = first.iter().zip(later).position(|(first, later)| first.to_bits() != later.to_bits())?;
        let feature = self.function.features()[index];
        Some(format!("feature `{feature}` is {} at first and {}", first[index], later[index]))
    }

    /// Returns true where calls are captured into graphs. A default that cannot be captured fails there like others.
    pub(super) fn is_in_graphs(&self) -> bool {
        self.device.entry().regime() == Regime::Graph
    }

    /// Makes a run of the default that tells of the input; in graphs it is an eager one, as the default may need.
    pub(super) fn as_reference<R>(&self, run: impl FnOnce() -> R) -> R {
        if self.is_in_graphs() { in_regime(Regime::Eager, run) } else { run() }
    }

    /// Creates the error of a variant that took the device away from this process.
    pub(super) fn lost(&self, input: &str, variant: &'static str) -> RecordError {
        let (function, device) = (self.function.name(), self.device.entry().id().to_owned());
        RecordError::DeviceLost { function, input: input.to_owned(), variant, device }
    }
}

/// Describes a device as a store keeps it, after measuring all its features.
///
/// ```
#[doc = include_str!("example_desk.md")]
/// use nitro_train::measure::describe_device;
///
/// let desk = describe_device(&Desk);
/// assert_eq!((desk.id.as_str(), desk.features["lanes"]), ("desk:0", 64.0));
/// nitro_train::store::memory()?.put_device(&desk)?;
/// # let _ = keys;
/// # Ok::<(), BoxError>(())
/// ```
#[must_use]
pub fn describe_device(device: &dyn Device) -> DeviceRecord {
    let entry = device.entry();
    let features = entry.features().map(|feature| (feature.name.clone(), feature.value)).collect();
    DeviceRecord { id: entry.id().to_owned(), features }
}
