//! Events: moments in a stream, for timing and for streams that wait for each other.

use std::ptr;

use cudarc::driver::sys::{self, CUevent, CUevent_flags, CUevent_record_flags, CUresult};

use crate::driver::driver;
use crate::error::check;
use crate::{Cuda, CudaError, Stream};

/// A moment in a stream of a device.
pub(crate) struct Event {
    device: Cuda,
    pub(crate) handle: CUevent,
}

impl Event {
    /// An event whose time can be asked for.
    pub(crate) fn timed(device: Cuda) -> Result<Self, CudaError> {
        Self::new(device, CUevent_flags::CU_EVENT_DEFAULT)
    }

    /// An event for order alone, which costs less.
    pub(crate) fn untimed(device: Cuda) -> Result<Self, CudaError> {
        Self::new(device, CUevent_flags::CU_EVENT_DISABLE_TIMING)
    }

    fn new(device: Cuda, flags: CUevent_flags) -> Result<Self, CudaError> {
        let _active = device.activate()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `handle` lives through the call.
        unsafe { driver!(cuEventCreate(&mut handle, flags as u32)) }?;
        Ok(Self { device, handle })
    }

    /// The moment when the stream, which is of the event's device, has done what it was given so far.
    pub(crate) fn record(&self, stream: Stream) -> Result<(), CudaError> {
        let _active = self.device.activate()?;
        // SAFETY: event and stream are of the context that is current.
        unsafe { driver!(cuEventRecord(self.handle, stream.handle)) }
    }

    /// Makes the moment a part of the graph into which the stream is captured: each launch of it records the event.
    pub(crate) fn record_in_graph(&self, stream: Stream) -> Result<(), CudaError> {
        let _active = self.device.activate()?;
        let flags = CUevent_record_flags::CU_EVENT_RECORD_EXTERNAL as u32;
        // SAFETY: event and stream are of the context that is current.
        unsafe { driver!(cuEventRecordWithFlags(self.handle, stream.handle, flags)) }
    }

    /// Returns true once the device has come past it; it is recorded.
    pub(crate) fn is_reached(&self) -> Result<bool, CudaError> {
        let _active = self.device.activate()?;
        // SAFETY: the event is of the context that is current.
        match unsafe { sys::cuEventQuery(self.handle) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            answer => check("cuEventQuery", answer).map(|()| true),
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let destroyed = self.device.activate().and_then(|_active| {
            // SAFETY: the event is ours and is not used again; the driver frees it once the device has passed it.
            unsafe { driver!(cuEventDestroy_v2(self.handle)) }
        });
        if let Err(error) = destroyed {
            self.device.defer_error(error);
        }
    }
}

impl Stream {
    /// Makes the later work of this stream begin when the other one has done what it was given so far. The host does
    /// not wait, and nothing happens when they are the same stream.
    ///
    /// For work on a [`Buffer`](crate::Buffer) by another stream than its own: let that stream wait for the
    /// buffer's before, and the buffer's for that stream after.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn wait_for(self, other: Self) -> Result<(), CudaError> {
        if self == other {
            return Ok(());
        }
        let event = Event::untimed(other.device)?;
        event.record(other)?;
        let _active = self.device.activate()?;
        // SAFETY: the stream is of the context that is current; the event is recorded, and the driver keeps it for
        // those who wait.
        unsafe { driver!(cuStreamWaitEvent(self.handle, event.handle, 0)) }
    }
}
