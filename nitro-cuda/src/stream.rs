//! Streams: queues of work on a device.

use std::fmt;

use cudarc::driver::sys::CUstream;

use crate::driver::driver;
use crate::{Cuda, CudaError, current};

/// A queue of work on a device, in order. Cheap to copy; streams live as long as the process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Stream {
    pub(crate) device: Cuda,
    pub(crate) handle: CUstream,
}

// SAFETY: the driver takes a stream's handle from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for Stream {}

impl Stream {
    /// The stream of the device that this thread works on.
    ///
    /// # Errors
    /// When the thread entered no device and `cuda:0` cannot be used; the error says what to install.
    pub fn current() -> Result<Self, CudaError> {
        current::current_device().map(Cuda::stream)
    }

    /// One more stream of a device. On a partition, its kernels stay on the partition's multiprocessors.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn new(device: Cuda) -> Result<Self, CudaError> {
        Ok(Self { device, handle: device.new_stream()? })
    }

    /// A stream that another library made, as its `CUstream` handle.
    ///
    /// # Safety
    /// The handle is a stream of `device`'s context, and it is not destroyed while the result or a copy is used.
    #[must_use]
    pub unsafe fn from_raw(device: Cuda, handle: *mut std::ffi::c_void) -> Self {
        Self { device, handle: handle.cast() }
    }

    /// The driver's `CUstream`, for other libraries.
    #[must_use]
    pub fn as_raw(self) -> *mut std::ffi::c_void {
        self.handle.cast()
    }

    /// The device.
    #[must_use]
    pub fn device(self) -> Cuda {
        self.device
    }

    /// Waits until all work given to the stream so far is done.
    ///
    /// # Errors
    /// When some of it failed, or when a buffer dropped since the last time could not be freed.
    pub fn synchronize(self) -> Result<(), CudaError> {
        let _active = self.device.activate()?;
        // SAFETY: the handle is a stream of the device.
        unsafe { driver!(cuStreamSynchronize(self.handle)) }?;
        self.device.take_kept()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Stream({} {:p})", self.device, self.handle)
    }
}
