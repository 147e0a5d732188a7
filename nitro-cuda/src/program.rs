//! Programs: CUDA C++ sources, compiled for the device at hand when first used there.

use std::ffi::CString;
use std::fmt;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use cudarc::driver::sys::{CUmodule, CUresult};
use nitro_core::provide::Chain;

use crate::cache::{self, Key};
use crate::device::MOST_DEVICES;
use crate::driver::{self, driver};
use crate::kernel::Loaded;
use crate::{Cuda, CudaError, Kernel, Stream, capture, nvrtc};

/// Options of every compilation. Line numbers cost nothing at run time, and compute-sanitizer names them.
const OPTIONS: [&str; 2] = ["--std=c++17", "--generate-line-info"];

/// A CUDA C++ source whose kernels are declared `extern "C" __global__`; a `static`.
///
/// Compiled by NVRTC for a device when a kernel is first asked for there. The machine code is kept in
/// `$XDG_CACHE_HOME/nitro/cuda`, by a hash of source, options, architecture and NVRTC's version.
pub struct Program {
    file: &'static str,
    source: &'static str,
    options: &'static [&'static str],
    /// The modules by the device's place in the process: found without a lock after the first use.
    modules: [OnceLock<Module>; MOST_DEVICES],
    loading: Mutex<()>,
}

/// A program on a device.
struct Module {
    handle: CUmodule,
    kernels: Chain<Loaded>,
}

// SAFETY: the driver takes a module's handle from any thread.
unsafe impl Send for Module {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for Module {}

impl Program {
    /// A program of one source, which compiler messages call `file`.
    #[must_use]
    pub const fn new(file: &'static str, source: &'static str) -> Self {
        Self {
            file,
            source,
            options: &[],
            modules: [const { OnceLock::new() }; MOST_DEVICES],
            loading: Mutex::new(()),
        }
    }

    /// With options for NVRTC, after those of every program: C++17 and line numbers.
    #[must_use]
    pub const fn with_options(mut self, options: &'static [&'static str]) -> Self {
        self.options = options;
        self
    }

    /// What compiler messages call the source.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// A kernel on the device that this thread works on. The first use on a device compiles and loads the program.
    ///
    /// # Errors
    /// [`CudaError::Compile`] with file and line, [`CudaError::NoNvrtc`], [`CudaError::NoSuchKernel`], or when the device
    /// cannot be used.
    pub fn kernel(&'static self, name: &str) -> Result<Kernel, CudaError> {
        self.kernel_on(Stream::current()?.device(), name)
    }

    /// A kernel on a device.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn kernel_on(&'static self, device: Cuda, name: &str) -> Result<Kernel, CudaError> {
        let module = self.module(device)?;
        let wanted = |kernel: &Loaded| kernel.name == name;
        if let Some(kernel) = module.kernels.find(wanted) {
            return Ok(Kernel(kernel));
        }
        let loaded = self.function(module, device, name)?;
        Ok(Kernel(module.kernels.find_or_insert(wanted, || loaded)))
    }

    /// Compiles for `sm_ARCHITECTURE` (as in `90`) and gives the machine code, without a device and without the disk.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn compile(&self, architecture: u32) -> Result<Vec<u8>, CudaError> {
        nvrtc::compile(self.file, self.source, &self.all_options(), architecture)
    }

    fn all_options(&self) -> Vec<&'static str> {
        OPTIONS.iter().chain(self.options).copied().collect()
    }

    fn module(&'static self, device: Cuda) -> Result<&'static Module, CudaError> {
        let place = &self.modules[device.0.index];
        if let Some(module) = place.get() {
            return Ok(module);
        }
        let _loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = place.get() {
            return Ok(module); // another thread has just loaded it
        }
        let _relaxed = capture::relaxed()?;
        let module = self.load(device)?;
        Ok(place.get_or_init(|| module))
    }

    fn load(&self, device: Cuda) -> Result<Module, CudaError> {
        let (major, minor) = device.compute_capability();
        let options = self.all_options();
        let key = Key {
            file: self.file,
            source: self.source,
            options: &options,
            architecture: 10 * major + minor,
            nvrtc: nvrtc::version()?,
        };
        let folder = cache::folder();
        let kept = folder.as_deref().and_then(|folder| cache::load(folder, &key));
        if let Some(module) = kept.and_then(|code| load_module(device, &code).ok()) {
            return Ok(module);
        }
        let code = self.compile(key.architecture)?;
        if let Some(folder) = &folder {
            cache::save(folder, &key, &code);
        }
        load_module(device, &code).map_err(|error| match error {
            CudaError::Driver { code, .. } if NOT_LOADABLE.contains(&code) => {
                let file = self.file.to_owned();
                CudaError::NvrtcTooNew { file, nvrtc: key.nvrtc, driver: driver::version() }
            }
            error => error,
        })
    }

    fn function(&self, module: &Module, device: Cuda, name: &str) -> Result<Loaded, CudaError> {
        let missing = || CudaError::NoSuchKernel { file: self.file.to_owned(), kernel: name.to_owned() };
        let text = CString::new(name).map_err(|_| missing())?;
        let _active = device.activate()?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is of the context that is current; name and place live through the call.
        match unsafe { driver!(cuModuleGetFunction(&mut function, module.handle, text.as_ptr())) } {
            Ok(()) => Ok(Kernel::loaded(name, function, device)),
            Err(CudaError::Driver { code: NOT_FOUND, .. }) => Err(missing()),
            Err(error) => Err(error),
        }
    }
}

const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;
/// What the driver says of machine code from a newer toolkit.
const NOT_LOADABLE: [u32; 3] = [
    CUresult::CUDA_ERROR_INVALID_IMAGE as u32,
    CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU as u32,
    CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION as u32,
];

fn load_module(device: Cuda, code: &[u8]) -> Result<Module, CudaError> {
    let _active = device.activate()?;
    let mut handle = ptr::null_mut();
    // SAFETY: the device's context is current; the code is a whole image, which the driver copies.
    unsafe { driver!(cuModuleLoadData(&mut handle, code.as_ptr().cast())) }?;
    Ok(Module { handle, kernels: Chain::new() })
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Program({})", self.file)
    }
}
