//! Means of what the file has.

use nitro_stats::statistics::mean;

use crate::Error;
use crate::figures::{Figures, HeldOut, Mode};
use crate::recordings::{ON_GPU, ON_HOST};

/// All ten functions of the suite.
pub fn suite() -> Vec<&'static str> {
    [&ON_HOST[..], &ON_GPU[..]].concat()
}

/// The mean over some functions of what `of_mode` is of each, with a device left out and with its machine.
pub fn over(
    figures: &Figures,
    functions: &[&str],
    of_mode: impl Fn(&Mode) -> Option<f64>,
) -> Result<[Option<f64>; 2], Error> {
    let functions = functions.iter().map(|name| figures.function(name)).collect::<Result<Vec<_>, _>>()?;
    let device = mean(functions.iter().filter_map(|function| of_mode(&function.device)));
    let machine = mean(functions.iter().filter_map(|function| of_mode(function.machine.as_ref()?)));
    Ok([device, machine])
}

impl Mode {
    /// The mean of a selector over the devices that it applies to.
    pub fn mean(&self, selector: &str) -> Option<f64> {
        mean(self.devices.iter().filter_map(|device| device.means.get(selector).copied()))
    }

    /// The mean of a learner with a set of device features over all devices, without any where the set does not
    /// apply; none where it applies to no device (as `Evaluation::by_device_features`).
    pub fn with_set(&self, learner: &str, set: &str) -> Option<f64> {
        let of = |device: &HeldOut, set: &str| device.means.get(&format!("{learner}-{set}")).copied();
        self.devices.iter().find_map(|device| of(device, set))?;
        mean(self.devices.iter().filter_map(|device| of(device, set).or_else(|| of(device, "none"))))
    }

    /// The mean of `auto` once so many inputs were measured.
    pub fn calibrated(&self, inputs: usize) -> Option<f64> {
        mean(self.devices.iter().filter_map(|device| device.calibrated.get(&inputs).copied()))
    }

    /// The mean of `auto` once was measured for so many seconds.
    pub fn measured_for(&self, seconds: usize) -> Option<f64> {
        mean(self.devices.iter().filter_map(|device| device.calibrated_seconds.get(&seconds).copied()))
    }

    /// One device alone.
    pub fn only(&self, id: &str) -> Self {
        Self { devices: self.devices.iter().filter(|device| device.device == id).cloned().collect() }
    }
}

impl HeldOut {
    /// The figure of a selector.
    ///
    /// # Errors
    /// When it does not apply.
    pub fn of(&self, selector: &str) -> Result<f64, Error> {
        let found = self.means.get(selector).copied();
        Ok(found.ok_or_else(|| format!("`{selector}` has no figure on {}", self.device))?)
    }
}
