//! Capture of a stream into a CUDA graph. Meanwhile a program may ask for what opens, loads and measures once.

use std::marker::PhantomData;
use std::ptr;

use cudarc::driver::sys::{CUstreamCaptureMode, CUstreamCaptureStatus};

use crate::driver::driver;
use crate::graph::Nodes;
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

/// A capture of a stream by this thread, until it is ended or dropped. Other threads may do what they like meanwhile.
pub(crate) struct Capture {
    stream: Stream,
    has_ended: bool,
    /// The thread that begins a capture ends it.
    _stays: PhantomData<*const ()>,
}

impl Capture {
    /// Begins to capture what this thread gives the stream.
    pub(crate) fn begin(stream: Stream) -> Result<Self, CudaError> {
        let _active = stream.device.activate()?;
        let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the handle is a stream of the context that is current.
        unsafe { driver!(cuStreamBeginCapture_v2(stream.handle, mode)) }?;
        Ok(Self { stream, has_ended: false, _stays: PhantomData })
    }

    /// Ends it: what the stream was given, unless something was done meanwhile that cannot be captured.
    pub(crate) fn end(mut self) -> Result<Nodes, CudaError> {
        self.end_now()
    }

    fn end_now(&mut self) -> Result<Nodes, CudaError> {
        self.has_ended = true;
        let _active = self.stream.device.activate()?;
        let mut graph = ptr::null_mut();
        // SAFETY: this thread has begun the capture of the stream, and `graph` lives through the call.
        unsafe { driver!(cuStreamEndCapture(self.stream.handle, &mut graph)) }?;
        Ok(Nodes(graph))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        if !self.has_ended
            && let Err(error) = self.end_now()
        {
            tracing::debug!(%error, "a capture that is given up has no graph");
        }
    }
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
