//! Devices: GPUs and partitions of them, each opened once and kept for the life of the process.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{CUcontext, CUgreenCtx, CUmemoryPool, CUresult, CUstream};
use nitro_core::provide::Chain;
use nitro_core::{Device, DeviceEntry, Stopwatch};

use crate::context::{self, Active, Context};
use crate::error::check;
use crate::name::Name;
use crate::stopwatch::Events;
use crate::{Attributes, CudaError, Stream, capture, current, driver, features};

/// GPUs and partitions that one process may use: each program has a place for each of them.
pub(crate) const MOST_DEVICES: usize = 64;

/// A GPU, or a part of its multiprocessors. Cheap to copy; equal values are the same device.
#[derive(Clone, Copy)]
pub struct Cuda(pub(crate) &'static State);

/// What is known of an open device.
pub(crate) struct State {
    name: Name,
    /// Place among the devices of this process, below [`MOST_DEVICES`].
    pub(crate) index: usize,
    entry: &'static DeviceEntry,
    attributes: Attributes,
    multiprocessors: usize,
    context: CUcontext,
    /// What makes streams of a partition.
    green: Option<CUgreenCtx>,
    pub(crate) stream: CUstream,
    pub(crate) pool: Option<CUmemoryPool>,
    /// The first failure that a destructor met and could not return.
    unreported: Mutex<Option<CudaError>>,
}

// SAFETY: the handles may be used from any thread, as the driver's documentation says of contexts, streams and pools.
unsafe impl Send for State {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for State {}

static OPEN: Chain<State> = Chain::new();

/// The GPU of this number, opened on first use (about 0.2 s).
///
/// # Errors
/// Without a driver or with too old a one, when there is no such GPU, or when the driver refuses it.
pub fn device(ordinal: usize) -> Result<Cuda, CudaError> {
    open(Name { ordinal, multiprocessors: None })
}

/// A part of a GPU: a device whose kernels run on `multiprocessors` of its multiprocessors alone (a green context), at the
/// GPU's full memory. Sizes are multiples of 8 on compute capability 9.0.
///
/// # Errors
/// As [`device`], and [`CudaError::Partition`] when the GPU has no such part.
pub fn partition(ordinal: usize, multiprocessors: usize) -> Result<Cuda, CudaError> {
    open(Name { ordinal, multiprocessors: Some(multiprocessors) })
}

/// The device that a text names, `cuda:N` or `cuda:N/SMSsm`; none when the text names another kind of device.
#[must_use]
pub fn parse(text: &str) -> Option<Result<Cuda, CudaError>> {
    Some(Name::parse(text)?.and_then(open))
}

/// Number of GPUs that the driver shows.
///
/// # Errors
/// Without a driver or with too old a one.
pub fn device_count() -> Result<usize, CudaError> {
    driver::device_count()
}

fn find(name: Name) -> Option<Cuda> {
    OPEN.find(|state| state.name == name).map(Cuda)
}

/// The device, opened unless it is.
pub(crate) fn open(name: Name) -> Result<Cuda, CudaError> {
    static OPENING: Mutex<()> = Mutex::new(());
    if let Some(device) = find(name) {
        return Ok(device);
    }
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = find(name) {
        return Ok(device); // another thread has just opened it
    }
    let index = OPEN.iter().count();
    if index == MOST_DEVICES {
        return Err(CudaError::TooManyDevices { most: MOST_DEVICES });
    }
    let state = State::new(name, index)?;
    Ok(Cuda(OPEN.find_or_insert(|state| state.name == name, || state)))
}

/// The device whose description this is; of identical GPUs the one that was opened first.
pub(crate) fn of_entry(entry: &DeviceEntry) -> Option<Cuda> {
    OPEN.find(|state| state.entry == entry).map(Cuda)
}

impl State {
    fn new(name: Name, index: usize) -> Result<Self, CudaError> {
        let handle = driver::handle(name.ordinal)?;
        let _relaxed = capture::relaxed()?;
        let attributes = driver::attributes(handle)?;
        let Context { context, green, stream } = match name.multiprocessors {
            None => context::whole(handle)?,
            Some(part) => context::partition(name.ordinal, handle, &attributes, part)?,
        };
        let multiprocessors = name.multiprocessors.unwrap_or(attributes.multiprocessors);
        let id = attributes.identity(name.multiprocessors);
        let entry = DeviceEntry::intern(&id, || attributes.features(multiprocessors), features::measured);
        // A GPU and its partitions share one pool: what one of them frees, another can use.
        let pool = match OPEN.find(|open| open.name.ordinal == name.ordinal) {
            Some(open) => open.pool,
            None => context::memory_pool(name.ordinal, &attributes)?,
        };
        let unreported = Mutex::new(None);
        Ok(Self { name, index, entry, attributes, multiprocessors, context, green, stream, pool, unreported })
    }
}

impl Cuda {
    /// From now on this thread works on the device: [`current`](crate::current()) and [`Stream::current`] are its.
    pub fn enter(self) {
        current::set(Some(self));
    }

    /// Runs `work` with this thread working on the device, and goes back to where the thread was, also after a panic.
    pub fn scope<R>(self, work: impl FnOnce() -> R) -> R {
        struct Back(Option<Cuda>);
        impl Drop for Back {
            fn drop(&mut self) {
                current::set(self.0);
            }
        }
        let _back = Back(current::set(Some(self)));
        work()
    }

    /// Runs `work` with the device's driver context current on this thread, for calls of other CUDA libraries. What was current before is
    /// current again afterwards, also when `work` panics or leaves contexts of its own behind.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn with_context<R>(self, work: impl FnOnce() -> R) -> Result<R, CudaError> {
        let _foreign = context::enter_for_others(self.0.context)?;
        Ok(work())
    }

    /// The device's stream: where work goes unless another is named.
    #[must_use]
    pub fn stream(self) -> Stream {
        Stream { device: self, handle: self.0.stream }
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

    /// What the driver tells of the GPU, whole.
    #[must_use]
    pub fn attributes(self) -> &'static Attributes {
        &self.0.attributes
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

    /// Keeps a failure met where none can be returned; [`Stream::synchronize`] returns it.
    pub(crate) fn keep(self, error: CudaError) {
        tracing::debug!(device = %self, %error, "a destructor failed");
        self.unreported().get_or_insert(error);
    }

    /// The failure kept, once.
    pub(crate) fn take_kept(self) -> Result<(), CudaError> {
        self.unreported().take().map_or(Ok(()), Err)
    }

    fn unreported(self) -> MutexGuard<'static, Option<CudaError>> {
        self.0.unreported.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for Cuda {
    fn entry(&self) -> &'static DeviceEntry {
        self.0.entry
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Events::boxed(self.stream())
    }

    fn is_lost(&self) -> bool {
        let answer = self.activate().and_then(|_active| {
            // SAFETY: the stream is this device's and is never destroyed.
            match unsafe { cudarc::driver::sys::cuStreamQuery(self.0.stream) } {
                CUresult::CUDA_ERROR_NOT_READY => Ok(()),
                answer => check("cuStreamQuery", answer),
            }
        });
        answer.is_err_and(|error| error.is_fatal())
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
