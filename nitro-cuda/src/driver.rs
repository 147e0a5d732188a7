//! The driver: loaded and initialised once, and its few functions about GPUs.

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute, CUresult};

use crate::error::{NEEDED_CUDA, check};
use crate::{Attributes, CudaError};

/// Calls a function of the driver; a failure becomes an error that names it.
macro_rules! driver {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $crate::error::check(stringify!($function), cudarc::driver::sys::$function($($argument),*))
    };
}
pub(crate) use driver;

/// The reason why there is no driver. Remembered for the life of the process, so it is small and can be copied.
#[derive(Clone, Copy)]
enum DriverProblem {
    Driver,
    Device,
    Version((u32, u32)),
    Other(CUresult),
}

impl From<DriverProblem> for CudaError {
    fn from(missing: DriverProblem) -> Self {
        match missing {
            DriverProblem::Driver => Self::NoDriver,
            DriverProblem::Device => Self::NoDevice,
            DriverProblem::Version(found) => Self::DriverTooOld { found, needed: NEEDED_CUDA },
            DriverProblem::Other(answer) => {
                check("cuInit", answer).expect_err("only failures are remembered")
            }
        }
    }
}

/// Loads and initialises the driver; the first call decides for the process.
pub(crate) fn initialise() -> Result<(), CudaError> {
    static STATE: OnceLock<Result<(), DriverProblem>> = OnceLock::new();
    STATE.get_or_init(load).map_err(CudaError::from)
}

fn load() -> Result<(), DriverProblem> {
    // SAFETY: loading a library runs its constructors; the driver's are made for being loaded so.
    if !unsafe { sys::is_culib_present() } {
        return Err(DriverProblem::Driver);
    }
    let found = version();
    // SAFETY: the library is there, and the function is in every release.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => {}
        CUresult::CUDA_ERROR_STUB_LIBRARY => return Err(DriverProblem::Driver),
        CUresult::CUDA_ERROR_NO_DEVICE => return Err(DriverProblem::Device),
        other => return Err(DriverProblem::Other(other)),
    }
    if found >= NEEDED_CUDA { Ok(()) } else { Err(DriverProblem::Version(found)) }
}

/// Version of CUDA that the driver supports, major and minor.
///
/// ```
/// match nitro_cuda::driver_version() {
///     Ok(version) => assert!(version >= (12, 8)),
///     Err(error) => println!("{error}"), // what to install
/// }
/// ```
///
/// # Errors
/// Without a driver or with too old a one.
pub fn driver_version() -> Result<(u32, u32), CudaError> {
    initialise()?;
    Ok(version())
}

/// Version of CUDA that the driver supports; the library is there.
pub(crate) fn version() -> (u32, u32) {
    let mut version = 0;
    // SAFETY: the function is in every release and may be called before `cuInit`; `version` lives through the call.
    match unsafe { sys::cuDriverGetVersion(&mut version) } {
        CUresult::CUDA_SUCCESS => split_version(version),
        _ => (0, 0),
    }
}

/// The driver writes CUDA 12.8 as 12080.
fn split_version(version: c_int) -> (u32, u32) {
    let version = u32::try_from(version).unwrap_or(0);
    (version / 1000, version % 1000 / 10)
}

/// Number of GPUs that the driver shows.
///
/// ```no_run
/// let gpus = (0..nitro_cuda::device_count()?).map(nitro_cuda::device).collect::<Result<Vec<_>, _>>()?;
/// println!("{gpus:?}");
/// # Ok::<(), nitro_cuda::CudaError>(())
/// ```
///
/// # Errors
/// Without a driver or with too old a one.
pub fn device_count() -> Result<usize, CudaError> {
    initialise()?;
    let mut count = 0;
    // SAFETY: the driver is initialised, and `count` lives through the call.
    unsafe { driver!(cuDeviceGetCount(&mut count)) }?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// The driver's handle of a GPU.
pub(crate) fn handle(ordinal: usize) -> Result<CUdevice, CudaError> {
    let count = device_count()?;
    if ordinal >= count {
        return Err(if count == 0 {
            CudaError::NoDevice
        } else {
            CudaError::NoSuchDevice { ordinal, count }
        });
    }
    let mut device = 0;
    // SAFETY: the driver is initialised, the GPU exists, and `device` lives through the call.
    unsafe { driver!(cuDeviceGet(&mut device, ordinal as c_int)) }?;
    Ok(device)
}

/// Asks the driver for the attributes of a GPU.
pub(crate) fn attributes(device: CUdevice) -> Result<Attributes, CudaError> {
    use CUdevice_attribute as A;
    let ask = |attribute| attribute_of(device, attribute);
    let mut memory_bytes = 0;
    let mut name = [0; 256];
    // SAFETY: the handle is the driver's, and both places live through the calls; the name's length is given.
    unsafe {
        driver!(cuDeviceTotalMem_v2(&mut memory_bytes, device))?;
        driver!(cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device))?;
    }
    // SAFETY: the driver ends the name with a zero within the array.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    Ok(Attributes {
        name,
        memory_bytes: memory_bytes as u64,
        multiprocessors: ask(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as usize,
        compute_capability: (
            ask(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            ask(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        clock_khz: ask(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        memory_clock_khz: ask(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
        memory_bus_bits: ask(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        l2_bytes: ask(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        shared_bytes_per_block: ask(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        threads_per_multiprocessor: ask(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        copy_engines: ask(A::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)?,
        has_memory_pools: ask(A::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? != 0,
    })
}

fn attribute_of(device: CUdevice, attribute: CUdevice_attribute) -> Result<u32, CudaError> {
    let mut value = 0;
    // SAFETY: the handle is the driver's, and `value` lives through the call.
    unsafe { driver!(cuDeviceGetAttribute(&mut value, attribute, device)) }?;
    Ok(u32::try_from(value).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_major_and_minor() {
        assert_eq!(split_version(13000), (13, 0));
        assert_eq!(split_version(12080), (12, 8));
        assert_eq!(split_version(-1), (0, 0));
        assert!((12, 10) > NEEDED_CUDA && (12, 6) < NEEDED_CUDA);
    }
}
