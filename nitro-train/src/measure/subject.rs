//! What is measured: one function on one device.

use nitro_core::recording::{Observation, record};
use nitro_core::{Choice, Device, Function};

use super::error::RecordError;
use crate::recordings::DeviceRecord;

/// One function on one device.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) function: &'static Function,
    pub(super) device: &'a dyn Device,
}

impl Subject<'_> {
    /// Names of the variants.
    pub(super) fn variants(&self) -> Vec<&'static str> {
        self.function.variants().iter().map(|variant| variant.name()).collect()
    }

    /// Whether the choice is one of generated code.
    pub(super) fn is_generated(&self, choice: Choice) -> bool {
        self.function.variants()[choice.variant].parameters().artifact().is_some()
    }

    /// Runs the default choice once: its output, features of the input, and which of some choices its constraints admit.
    pub(super) fn describe<R>(
        &self,
        name: &str,
        choices: &[Choice],
        run: &mut impl FnMut() -> R,
    ) -> Result<(R, Observation), RecordError> {
        let (function, input) = (self.function.name(), name.to_owned());
        let failed = |what: String| RecordError::DefaultFailed { function, input: input.clone(), what };
        let (output, observation) = record(self.function, self.function.default_choice(), choices, run)
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

    /// That a variant took the device away from this process.
    pub(super) fn lost(&self, input: &str, variant: &'static str) -> RecordError {
        let (function, device) = (self.function.name(), self.device.entry().id().to_owned());
        RecordError::DeviceLost { function, input: input.to_owned(), variant, device }
    }
}

/// A device as a store keeps it, all its features measured.
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
