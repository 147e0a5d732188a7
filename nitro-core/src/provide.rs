//! For crates that bring devices of a kind of their own, as `nitro-cuda` does: what they share with the host, and how a
//! trainer finds their devices by name.

use std::error::Error;

use crate::Device;
pub use crate::device::Chain;
pub use crate::kept::{cache_folder, load_features, save_features};

/// Devices of one kind, found by what a user writes on a command line.
pub trait DeviceProvider: Send + Sync {
    /// The kind: this provider is asked for `KIND` and for everything that begins with `KIND:`.
    fn kind(&self) -> &'static str;

    /// How its devices are written, for help texts, e.g. `cuda:N or cuda:N/SMSsm`.
    fn forms(&self) -> &'static str;

    /// Whether `text` is well formed, as far as can be told without touching a device.
    ///
    /// # Errors
    /// When it is not; the message says what to write.
    fn check(&self, text: &str) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// The device of this name.
    ///
    /// # Errors
    /// When the name has another form or the device cannot be used here; the message says what to change.
    fn open(&self, text: &str) -> Result<Box<dyn Workplace>, Box<dyn Error + Send + Sync>>;
}

/// A device that a thread can go to work on.
pub trait Workplace: Device + Send + Sync {
    /// Runs `work` so that the calls it makes run on this device, and leaves the thread as it was.
    ///
    /// # Errors
    /// When the device cannot be used now; `work` has not run then.
    fn run(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), Box<dyn Error + Send + Sync>>;

    /// From now on timed calls begin with empty caches, or no longer do. False when this kind of device has no way to that.
    fn empty_caches(&self, _empty: bool) -> bool {
        false
    }
}
