//! Opening devices, each once for the life of the process.

use std::sync::{Mutex, PoisonError};

use nitro_core::{DeviceEntry, Regime};

use crate::context::{self, Context};
use crate::device::{self, MOST_DEVICES, State};
use crate::name::Name;
use crate::{Cuda, CudaError, capture, driver, features};

/// The GPU of this number, opened on first use (about 0.2 s).
///
/// ```no_run
/// let gpu = nitro_cuda::device(0)?;
/// assert_eq!(gpu, nitro_cuda::device(0)?, "it is open already");
/// println!("{gpu}"); // cuda:0@nvidia-h200-140gb
/// # Ok::<(), nitro_cuda::CudaError>(())
/// ```
///
/// # Errors
/// Without a driver or with too old a one, when there is no such GPU, or when the driver refuses it.
pub fn device(ordinal: usize) -> Result<Cuda, CudaError> {
    open(Name { ordinal, multiprocessors: None })
}

/// A part of a GPU. Its kernels run on `multiprocessors` of the GPU's multiprocessors alone (a green context), at
/// the GPU's full memory. Sizes are multiples of 8 on compute capability 9.0.
///
/// ```no_run
/// let slice = nitro_cuda::partition(0, 16)?;
/// slice.enter(); // from now on what this thread launches runs on 16 multiprocessors, and is chosen for them
/// assert_eq!(slice.multiprocessors(), 16);
/// # Ok::<(), nitro_cuda::CudaError>(())
/// ```
///
/// # Errors
/// As [`device`], and [`CudaError::Partition`] when the GPU has no such part.
pub fn partition(ordinal: usize, multiprocessors: usize) -> Result<Cuda, CudaError> {
    open(Name { ordinal, multiprocessors: Some(multiprocessors) })
}

/// The device that a text names, `cuda:N` or `cuda:N/SMSsm`; none when the text names another kind of device.
///
/// ```
/// assert!(nitro_cuda::parse("host:4").is_none());
/// let error = nitro_cuda::parse("cuda:0/16").expect("it names a GPU").unwrap_err();
/// assert!(error.to_string().contains("for example cuda:0/16sm"), "{error}");
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<Result<Cuda, CudaError>> {
    Some(Name::parse(text)?.and_then(open))
}

/// The device, opened unless it is.
pub(crate) fn open(name: Name) -> Result<Cuda, CudaError> {
    static OPENING: Mutex<()> = Mutex::new(());
    if let Some(device) = device::opened(name) {
        return Ok(device);
    }
    let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(device) = device::opened(name) {
        return Ok(device); // another thread has just opened it
    }
    let index = device::count_opened();
    if index == MOST_DEVICES {
        return Err(CudaError::TooManyDevices { most: MOST_DEVICES });
    }
    Ok(device::register(state(name, index)?))
}

fn state(name: Name, index: usize) -> Result<State, CudaError> {
    let handle = driver::handle(name.ordinal)?;
    let _relaxed = capture::relaxed()?;
    let attributes = driver::attributes(handle)?;
    let Context { context, green, stream } = match name.multiprocessors {
        None => context::whole(handle)?,
        Some(part) => context::partition(name.ordinal, handle, &attributes, part)?,
    };
    let multiprocessors = name.multiprocessors.unwrap_or(attributes.multiprocessors);
    let id = attributes.identity(name.multiprocessors);
    let entry = DeviceEntry::intern(&id, || attributes.features(multiprocessors), features::benchmarks);
    entry.in_regime(Regime::Graph); // not in the first call that is captured
    // A GPU and its partitions share one pool: what one of them frees, another can use.
    let pool = match device::of_gpu(name.ordinal) {
        Some(open) => open.0.pool,
        None => context::memory_pool(name.ordinal, &attributes)?,
    };
    let unreported = Mutex::new(None);
    Ok(State { name, index, entry, attributes, multiprocessors, context, green, stream, pool, unreported })
}
