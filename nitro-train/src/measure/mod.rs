//! Measuring: variants run through ordinary calls, on a device, repeated until their medians are known.

mod error;
mod glob;
mod inputs;
mod pool;
mod progress;
mod repeat;
mod session;
mod share;

use std::error::Error;

use nitro_core::{Device, Function};

pub use error::RecordError;
pub use inputs::Inputs;
pub use pool::{HostDeviceError, HostDevices, run_on, whole_host};
pub use progress::{Attempt, Progress};
pub use repeat::{Repeats, Summary};
pub use session::{Plan, Session, describe_device};
pub use share::{DueInputs, Share};

use crate::store::Store;

/// The error of a recording closure: whatever its own work may raise.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Records one function on the device that the calling thread works on; what the store holds already is skipped. Inputs that
/// other recorders have claimed are waited for, and measured here after all if their claim expires: `record` is then called again.
///
/// # Errors
/// What `record` returns, and when the store or the folder of inputs cannot be used. [`RecordError::DeviceLost`] when a
/// variant took the device away from this process, whatever `record` returns: the variant is recorded as failed on that
/// input, and a fresh process goes on after it. What was measured until then is kept.
pub fn record_inputs(
    function: &'static Function,
    device: &dyn Device,
    plan: &Plan<'_>,
    store: &mut dyn Store,
    progress: &dyn Progress,
    record: impl Fn(&mut Session<'_>) -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    loop {
        let mut session = Session::new(function, device, plan, store, progress)?;
        let recorded = record(&mut session);
        if let Some(error) = session.ended_by() {
            return Err(error.into());
        }
        recorded?;
        if !session.wait_for_others()? {
            return Ok(());
        }
    }
}
