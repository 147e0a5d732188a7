//! Streams: queues of work on a device.

use std::fmt;

use cudarc::driver::sys::CUstream;

use crate::driver::driver;
use crate::{Cuda, CudaError};

/// A queue of work on a device, in order. Cheap to copy; streams live as long as the process.
///
/// ```no_run
/// use nitro_cuda::{Buffer, CudaError, Stream};
///
/// let (first, second) = (Stream::new(nitro_cuda::device(0)?)?, Stream::new(nitro_cuda::device(0)?)?);
/// let (x, y) = (Buffer::<f32>::uninit_on(first, 1024)?, Buffer::<f32>::uninit_on(second, 1024)?);
/// // What works on `x` and on `y` may overlap now.
/// first.synchronize()?;
/// # let _ = (x, y);
/// # Ok::<(), CudaError>(())
/// ```
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
    /// The handle is a stream of `device`'s context. It is not destroyed while the result or a copy is used, nor
    /// before every [`Module`](crate::Module) is dropped of which a kernel was launched on it.
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
        self.device.take_deferred_error()
    }
}

impl Cuda {
    /// The device's stream: where work goes unless another is named.
    #[must_use]
    pub fn stream(self) -> Stream {
        Stream { device: self, handle: self.0.stream }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Stream({} {:p})", self.device, self.handle)
    }
}
