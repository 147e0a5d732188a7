//! Capture of a stream into a CUDA graph. Meanwhile a program may ask for what opens, loads and measures once.

use std::marker::PhantomData;

use cudarc::driver::sys::{CUstreamCaptureMode, CUstreamCaptureStatus};

use crate::driver::driver;
use crate::{CudaError, Stream};

/// Lets this thread, for as long as it lives, allocate, load code and wait. The driver forbids that during a capture
/// because another stream's work could depend on it. What belongs to the captured stream itself stays forbidden.
pub(crate) struct RelaxedCapture {
    before: CUstreamCaptureMode,
    /// The mode is the thread's: the value must not leave it.
    _stays: PhantomData<*const ()>,
}

/// For work on streams that nobody captures. The driver is initialised.
pub(crate) fn relaxed() -> Result<RelaxedCapture, CudaError> {
    let before = exchange(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    Ok(RelaxedCapture { before, _stays: PhantomData })
}

/// Returns true while a capture of the stream goes on.
pub(crate) fn is_captured(stream: Stream) -> Result<bool, CudaError> {
    let _active = stream.device.activate()?;
    let mut status = CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
    // SAFETY: the handle is a stream of the device, and `status` lives through the call.
    unsafe { driver!(cuStreamIsCapturing(stream.handle, &mut status)) }?;
    Ok(status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE)
}

/// Sets the thread's mode; what it was.
fn exchange(mut mode: CUstreamCaptureMode) -> Result<CUstreamCaptureMode, CudaError> {
    // SAFETY: `mode` lives through the call.
    unsafe { driver!(cuThreadExchangeStreamCaptureMode(&mut mode)) }?;
    Ok(mode)
}

impl Drop for RelaxedCapture {
    fn drop(&mut self) {
        if let Err(error) = exchange(self.before) {
            tracing::debug!(%error, "the thread's capture mode stays relaxed");
        }
    }
}
