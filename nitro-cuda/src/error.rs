//! Errors on the way to a GPU and on it.

use cudarc::driver::sys::CUresult;
use nitro_core::Artifact;
use thiserror::Error;

use crate::grid::Grid;

/// Version of CUDA that the driver has to support: the first with all functions used here.
pub(crate) const NEEDED_CUDA: (u32, u32) = (12, 8);
/// The driver's first release with that version.
const NEEDED_RELEASE: u32 = 570;

/// A failure of the driver, the compiler or a device.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CudaError {
    /// The driver's library cannot be loaded.
    #[error(
        "no CUDA driver: libcuda.so.1 (nvcuda.dll) cannot be loaded; install NVIDIA's driver {} or newer, or in a \
         container make the host's driver visible",
        NEEDED_RELEASE
    )]
    NoDriver,
    /// The driver is there, but sees no GPU.
    #[error("the CUDA driver finds no GPU; check `nvidia-smi` and CUDA_VISIBLE_DEVICES")]
    NoDevice,
    /// The driver lacks functions that are needed.
    #[error(
        "the CUDA driver supports CUDA {}.{}, {}.{} is needed: install NVIDIA's driver {} or newer",
        found.0, found.1, needed.0, needed.1, NEEDED_RELEASE
    )]
    DriverTooOld {
        /// Version of CUDA that the driver supports.
        found: (u32, u32),
        /// Version needed.
        needed: (u32, u32),
    },
    /// NVRTC's library cannot be loaded.
    #[error(
        "no NVRTC, the compiler of CUDA kernels: libnvrtc.so cannot be loaded; install the CUDA toolkit or PyPI's \
         nvidia-cuda-nvrtc, of a version the driver supports, and put the folder of its libraries on LD_LIBRARY_PATH"
    )]
    NoNvrtc,
    /// There are fewer GPUs.
    #[error("cuda:{ordinal} does not exist: this machine has {count} GPU(s), the first is cuda:0")]
    NoSuchDevice {
        /// The number asked for.
        ordinal: usize,
        /// Number of GPUs.
        count: usize,
    },
    /// The text is not of the form of a CUDA device.
    #[error(
        "`{text}` is not a CUDA device: write cuda:N, or cuda:N/SMSsm for a part of it, for example cuda:0/16sm"
    )]
    Form {
        /// The text.
        text: String,
    },
    /// The GPU cannot be divided so.
    #[error(
        "cuda:{ordinal} cannot give a partition of {asked} multiprocessors: it has {multiprocessors}, partitions of \
         at least {least} in steps of {step}"
    )]
    Partition {
        /// The GPU.
        ordinal: usize,
        /// Multiprocessors asked for.
        asked: usize,
        /// Multiprocessors there are.
        multiprocessors: usize,
        /// The smallest partition.
        least: usize,
        /// The number that the sizes of partitions are multiples of.
        step: usize,
    },
    /// More GPUs and partitions than a process may use.
    #[error("this process uses {most} GPUs and partitions already, no more are possible")]
    TooManyDevices {
        /// The limit.
        most: usize,
    },
    /// Nobody has kept the text of the artifact in this process.
    #[error("the text of the artifact {0} is not known here: keep it, or read the model that has it")]
    UnknownArtifact(Artifact),
    /// A source does not compile.
    #[error("{file} does not compile for sm_{architecture}:\n{log}")]
    Compile {
        /// The source, as named in [`Source`](crate::Source).
        file: String,
        /// Compute capability compiled for, as in `90`.
        architecture: u32,
        /// The compiler's log, with file and line.
        log: String,
    },
    /// NVRTC failed otherwise.
    #[error("{file}: {call} failed with {name}")]
    Nvrtc {
        /// The source.
        file: String,
        /// NVRTC's function.
        call: &'static str,
        /// The name of its error.
        name: String,
    },
    /// The driver does not take what this NVRTC makes.
    #[error(
        "{file}: the driver, for CUDA {}.{}, does not load what NVRTC {}.{} makes; put an NVRTC of the driver's \
         version on LD_LIBRARY_PATH, or install a newer driver",
        driver.0, driver.1, nvrtc.0, nvrtc.1
    )]
    NvrtcTooNew {
        /// The source.
        file: String,
        /// NVRTC's version.
        nvrtc: (u32, u32),
        /// Version of CUDA that the driver supports.
        driver: (u32, u32),
    },
    /// The driver does not take PTX that was not compiled here.
    #[error("the driver does not load the PTX of {file}:\n{log}")]
    Ptx {
        /// The name of the PTX.
        file: String,
        /// The log of the driver's compiler.
        log: String,
        /// The driver's answer.
        source: Box<CudaError>,
    },
    /// The program has no kernel of this name.
    #[error("{file} has no kernel `{kernel}`; is it declared extern \"C\" __global__?")]
    NoSuchKernel {
        /// The source.
        file: String,
        /// The kernel.
        kernel: String,
    },
    /// The module has no variable of this name.
    #[error("{file} has no variable `{variable}`; is it declared extern \"C\" and used by a kernel?")]
    NoSuchVariable {
        /// The name of the image.
        file: String,
        /// The variable.
        variable: String,
    },
    /// A launch on a stream of a device that the kernel is not loaded on.
    #[error(
        "the kernel `{kernel}` is loaded on {device} and cannot be launched on a stream of {found}: load its module \
         there (`Program::kernel_on`, `Module::load`)"
    )]
    OtherDevice {
        /// The kernel.
        kernel: String,
        /// The kernel's device.
        device: String,
        /// The stream's device.
        found: String,
    },
    /// The device's memory does not suffice.
    #[error("the device has no {bytes} bytes of memory left")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// A kernel was not launched.
    #[error("kernel `{kernel}` cannot be launched with {grid}")]
    Launch {
        /// The kernel.
        kernel: String,
        /// The launch's shape.
        grid: Grid,
        /// The driver's error.
        source: Box<CudaError>,
    },
    /// Two things that belong together have different lengths.
    #[error("a buffer of {expected} elements and one of {found} were given; they have to be of one length")]
    Length {
        /// Length of the target.
        expected: usize,
        /// Length of the source.
        found: usize,
    },
    /// An element beyond the end.
    #[error("element {index} of a buffer of {length} elements was asked for")]
    Index {
        /// The element.
        index: usize,
        /// Length of the buffer.
        length: usize,
    },
    /// Another CUDA library failed.
    #[error("{call} failed with status {code}")]
    Library {
        /// The library's function.
        call: &'static str,
        /// The answer.
        code: i32,
    },
    /// Another failure, as the driver reports it.
    #[error("{call} failed with {name} ({code})")]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The number of its error.
        code: u32,
        /// The name of its error.
        name: String,
    },
}

impl CudaError {
    /// Returns true where the device is lost to this process. The driver refuses everything after an illegal access
    /// and the like.
    #[must_use]
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Driver { code, .. } => is_fatal(*code),
            Self::Launch { source, .. } => source.is_fatal(),
            _ => false,
        }
    }
}

/// Returns true for an error that stays: the driver's documentation calls the process to be "terminated and
/// relaunched".
fn is_fatal(code: u32) -> bool {
    const FATAL: [CUresult; 12] = [
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
        CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
        CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
        CUresult::CUDA_ERROR_ASSERT,
        CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
        CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
        CUresult::CUDA_ERROR_INVALID_PC,
        CUresult::CUDA_ERROR_LAUNCH_FAILED,
    ];
    FATAL.iter().any(|fatal| *fatal as u32 == code)
}

/// The driver's answer as a result; `call` is the function that gave it.
pub(crate) fn check(call: &'static str, answer: CUresult) -> Result<(), CudaError> {
    match answer {
        CUresult::CUDA_SUCCESS => Ok(()),
        failure => Err(CudaError::Driver { call, code: failure as u32, name: format!("{failure:?}") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_illegal_access_is_fatal_and_lack_of_memory_is_not() {
        let error = |code| check("cuEventSynchronize", code).unwrap_err();
        let illegal = error(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(illegal.to_string(), "cuEventSynchronize failed with CUDA_ERROR_ILLEGAL_ADDRESS (700)");
        assert!(illegal.is_fatal());
        let grid = Grid::linear(1, 32);
        assert!(CudaError::Launch { kernel: "k".into(), grid, source: Box::new(illegal) }.is_fatal());
        assert!(!error(CUresult::CUDA_ERROR_INVALID_VALUE).is_fatal());
        assert!(!error(CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE).is_fatal());
        assert!(!CudaError::OutOfMemory { bytes: 1 }.is_fatal());
    }

    #[test]
    fn what_is_missing_comes_with_what_to_install() {
        let old = CudaError::DriverTooOld { found: (12, 2), needed: (12, 8) };
        for (error, hints) in [
            (CudaError::NoDriver, ["libcuda.so.1", "driver 570"]),
            (old, ["CUDA 12.2, 12.8 is needed", "driver 570"]),
            (CudaError::NoDevice, ["nvidia-smi", "CUDA_VISIBLE_DEVICES"]),
            (CudaError::NoNvrtc, ["nvidia-cuda-nvrtc", "LD_LIBRARY_PATH"]),
        ] {
            let message = error.to_string();
            assert!(hints.iter().all(|hint| message.contains(hint)), "{message}");
        }
    }
}
