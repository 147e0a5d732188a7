//! Who hears what a trainer does meanwhile.

use crate::measure::{Progress, Silent};

/// Hears what a trainer does while one of its calls goes on, which may take hours.
pub trait Observer: Send + Sync {
    /// A line for whoever waits.
    fn message(&self, _line: &str) {}

    /// A function is about to be recorded on a device: what hears how that goes on.
    fn recording(&self, _function: &str, _device: &str) -> Box<dyn Progress> {
        Box::new(Silent)
    }
}

/// Nobody hears.
pub(super) struct Nobody;

impl Observer for Nobody {}
