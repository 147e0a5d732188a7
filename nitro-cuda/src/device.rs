//! Devices: GPUs and partitions of them, open for the life of the process.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{CUcontext, CUgreenCtx, CUmemoryPool, CUstream};
use nitro_core::DeviceEntry;
use nitro_core::provide::Chain;

use crate::context::{self, Active};
use crate::driver::driver;
use crate::name::Name;
use crate::{Attributes, CudaError};

/// GPUs and partitions that one process may use: each program has a slot for each of them.
pub(crate) const MOST_DEVICES: usize = 64;

/// A GPU, or a part of its multiprocessors. Cheap to copy; equal values are the same device.
///
/// ```no_run
/// use nitro_cuda::{Buffer, CudaError};
///
/// let (whole, slice) = (nitro_cuda::device(0)?, nitro_cuda::partition(0, 16)?);
/// whole.enter(); // what this thread does from now on
/// let x = slice.scope(|| Buffer::from_slice(&[1.0f32]))?; // except for this
/// assert_eq!((x.stream().device(), nitro_cuda::Stream::current()?.device()), (slice, whole));
/// println!("{slice} has {} of {} multiprocessors", slice.multiprocessors(), whole.multiprocessors());
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Cuda(pub(crate) &'static State);

/// The state of an open device.
pub(crate) struct State {
    pub(crate) name: Name,
    /// Index among the devices of this process, below [`MOST_DEVICES`].
    pub(crate) index: usize,
    pub(crate) entry: &'static DeviceEntry,
    pub(crate) attributes: Attributes,
    pub(crate) multiprocessors: usize,
    pub(crate) context: CUcontext,
    /// The context that makes streams of a partition.
    pub(crate) green: Option<CUgreenCtx>,
    pub(crate) stream: CUstream,
    pub(crate) pool: Option<CUmemoryPool>,
    /// The first failure that a destructor met and could not return.
    pub(crate) unreported: Mutex<Option<CudaError>>,
}

// SAFETY: the handles may be used from any thread, as the driver's documentation says of contexts, streams and pools.
unsafe impl Send for State {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for State {}

static OPEN: Chain<State> = Chain::new();

/// The device of this name, if it is open.
pub(crate) fn opened(name: Name) -> Option<Cuda> {
    OPEN.find(|state| state.name == name).map(Cuda)
}

/// The GPU of this number or a partition of it, whichever was opened first.
pub(crate) fn of_gpu(ordinal: usize) -> Option<Cuda> {
    OPEN.find(|state| state.name.ordinal == ordinal).map(Cuda)
}

/// The device whose description this is; of identical GPUs the one that was opened first.
pub(crate) fn of_entry(entry: &DeviceEntry) -> Option<Cuda> {
    OPEN.find(|state| state.entry == entry).map(Cuda)
}

/// Number of devices that are open.
pub(crate) fn count_opened() -> usize {
    OPEN.iter().count()
}

/// Adds a device that has just been opened.
pub(crate) fn register(state: State) -> Cuda {
    Cuda(OPEN.push(state))
}

impl Cuda {
    /// Runs `work` with the device's driver context current on this thread, for calls of other CUDA libraries. What
    /// was current before is current again afterwards, also when `work` panics or leaves contexts of its own
    /// behind.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn with_context<R>(self, work: impl FnOnce() -> R) -> Result<R, CudaError> {
        let _foreign = context::enter_for_others(self.0.context)?;
        Ok(work())
    }

    /// Number of the GPU.
    #[must_use]
    pub fn ordinal(self) -> usize {
        self.0.name.ordinal
    }

    /// Number of multiprocessors that its kernels run on.
    #[must_use]
    pub fn multiprocessors(self) -> usize {
        self.0.multiprocessors
    }

    /// Compute capability, major and minor.
    #[must_use]
    pub fn compute_capability(self) -> (u32, u32) {
        self.0.attributes.compute_capability
    }

    /// Compute capability as compilers take it, as in `90`.
    #[must_use]
    pub fn architecture(self) -> u32 {
        let (major, minor) = self.compute_capability();
        10 * major + minor
    }

    /// The attributes of the whole GPU.
    #[must_use]
    pub fn attributes(self) -> &'static Attributes {
        &self.0.attributes
    }

    /// Bytes of the GPU's memory that nobody uses at the moment.
    ///
    /// ```no_run
    /// assert!(nitro_cuda::device(0)?.free_bytes()? > 1 << 30);
    /// # Ok::<(), nitro_cuda::CudaError>(())
    /// ```
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn free_bytes(self) -> Result<u64, CudaError> {
        let _active = self.activate()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both places live through the call.
        unsafe { driver!(cuMemGetInfo_v2(&mut free, &mut total)) }?;
        Ok(free as u64)
    }

    /// One more stream whose kernels run on this device's multiprocessors.
    pub(crate) fn new_stream(self) -> Result<CUstream, CudaError> {
        let _active = self.activate()?;
        context::new_stream(self.0.green)
    }

    /// Makes the device's context current on this thread while the result lives.
    pub(crate) fn activate(self) -> Result<Active, CudaError> {
        context::activate(self.0.context)
    }

    /// Remembers the first failure met where none can be returned;
    /// [`Stream::synchronize`](crate::Stream::synchronize) returns it.
    pub(crate) fn defer_error(self, error: CudaError) {
        tracing::debug!(device = %self, %error, "a destructor failed");
        self.unreported().get_or_insert(error);
    }

    /// The failure remembered, once.
    pub(crate) fn take_deferred_error(self) -> Result<(), CudaError> {
        self.unreported().take().map_or(Ok(()), Err)
    }

    fn unreported(self) -> MutexGuard<'static, Option<CudaError>> {
        self.0.unreported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Cuda {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Cuda {}

impl fmt::Debug for Cuda {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Cuda({self})")
    }
}

/// The device's name and kind, e.g. `cuda:1/16sm@nvidia-h200-140gb`.
impl fmt::Display for Cuda {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}@{}", self.0.name, self.0.attributes.id())
    }
}
