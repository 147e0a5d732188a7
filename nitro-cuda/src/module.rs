//! Modules: images loaded on a device.

use std::ffi::{CStr, CString, c_void};
use std::fmt;
use std::{mem, ptr};

use cudarc::driver::sys::{CUjit_option, CUmodule, CUresult};
use nitro_core::provide::Chain;

use crate::driver::{self, driver};
use crate::kernel::Function;
use crate::unload::{self, Uses};
use crate::{Cuda, CudaError, Image, Kernel, Options, Source, Stream, capture, compile};

const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;
/// The driver's answers to code from a newer toolkit.
const NOT_LOADABLE: [u32; 3] = [
    CUresult::CUDA_ERROR_INVALID_IMAGE as u32,
    CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU as u32,
    CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION as u32,
];
/// More than the driver's compiler says of a mistake.
const LOG_BYTES: usize = 16 << 10;

/// An [`Image`] on a device, which drops it from there when it is dropped.
///
/// Its kernels borrow it. Dropping waits for nothing and is safe at any time: kernels that are still queued run. The
/// module is unloaded in its own context once the device has come past them, when next a module is dropped or
/// loaded. Only a module of which a launch was captured into a CUDA graph stays for the life of the process, since
/// the graph may be replayed at any time.
///
/// ```no_run
/// use nitro_cuda::{CudaError, Kernel, Module, Options, Source, compile, device};
///
/// /// The block size at which a generated kernel takes least time, as `time_ns` says.
/// fn fastest(
///     text: &str,
///     blocks: &[u32],
///     time_ns: impl Fn(Kernel<'_>, u32) -> Result<f64, CudaError>,
/// ) -> Result<u32, CudaError> {
///     let device = device(0)?;
///     let mut best = (f64::INFINITY, blocks[0]);
///     for &block in blocks {
///         let options = Options::for_device(device).define("BLOCK", block);
///         let image = compile(&Source::new("generated.cu", text), &options)?;
///         let module = Module::load(device, &image)?;
///         let time_ns = time_ns(module.kernel("generated")?, block)?;
///         if time_ns < best.0 {
///             best = (time_ns, block);
///         }
///     } // the module is dropped, and the next one loaded
///     Ok(best.1)
/// }
/// ```
pub struct Module {
    device: Cuda,
    file: String,
    handle: CUmodule,
    functions: Chain<Function>,
    uses: Uses,
}

// SAFETY: the driver takes a module's handle from any thread.
unsafe impl Send for Module {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for Module {}

impl Module {
    /// Loads an image on a device. PTX is compiled by the driver.
    ///
    /// # Errors
    /// [`CudaError::Ptx`] with what the driver's compiler says, [`CudaError::NvrtcTooNew`], or when the device
    /// cannot be used.
    pub fn load(device: Cuda, image: &Image) -> Result<Self, CudaError> {
        let _relaxed = capture::relaxed()?;
        unload::unload_idle();
        let _active = device.activate()?;
        let handle = load(image)?;
        let file = image.file().to_owned();
        Ok(Self { device, file, handle, functions: Chain::new(), uses: Uses::default() })
    }

    /// The module of a source, from the disk if it was compiled before on this machine.
    pub(crate) fn of_source(device: Cuda, source: &Source<'_>, options: &Options) -> Result<Self, CudaError> {
        let cached = compile::cached(source, options)?;
        if let Some(module) = cached.and_then(|image| Self::load(device, &image).ok()) {
            return Ok(module);
        }
        Self::load(device, &compile::compile_and_cache(source, options)?)
    }

    /// Notes a launch of its kernels that does not go through [`Kernel::launch_on`].
    pub(crate) fn note_launch(&self, stream: Stream) -> Result<(), CudaError> {
        self.uses.note(stream)
    }

    /// The device that it is loaded on.
    #[must_use]
    pub fn device(&self) -> Cuda {
        self.device
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// [`CudaError::NoSuchKernel`].
    pub fn kernel(&self, name: &str) -> Result<Kernel<'_>, CudaError> {
        Ok(Kernel::new(self.function(name)?, Some(&self.uses)))
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn handle(&self) -> CUmodule {
        self.handle
    }

    /// The kernel of this name, of a module that is never dropped: its launches need not be noted.
    pub(crate) fn lasting_kernel(&'static self, name: &str) -> Result<Kernel<'static>, CudaError> {
        Ok(Kernel::new(self.function(name)?, None))
    }

    fn function(&self, name: &str) -> Result<&Function, CudaError> {
        if let Some(function) = self.functions.find(|own| own.name == name) {
            return Ok(function);
        }
        let function = self.look_up(name)?;
        Ok(self.functions.find_or_insert(|own| own.name == name, || function))
    }

    fn look_up(&self, name: &str) -> Result<Function, CudaError> {
        let missing = || CudaError::NoSuchKernel { file: self.file.clone(), kernel: name.to_owned() };
        let text = CString::new(name).map_err(|_| missing())?;
        let _relaxed = capture::relaxed()?;
        let _active = self.device.activate()?;
        let mut function = ptr::null_mut();
        // SAFETY: the module is of the context that is current; name and `function` live through the call.
        match unsafe { driver!(cuModuleGetFunction(&mut function, self.handle, text.as_ptr())) } {
            Ok(()) => Ok(Function::new(name, function, self.device)),
            Err(CudaError::Driver { code: NOT_FOUND, .. }) => Err(missing()),
            Err(error) => Err(error),
        }
    }
}

/// Loads an image into the context that is current.
fn load(image: &Image) -> Result<CUmodule, CudaError> {
    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The driver takes numbers in the place of pointers. It ends the log with a zero, for which there is room
    // behind what it is told of.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(LOG_BYTES - 1)];
    let mut handle = ptr::null_mut();
    // SAFETY: the code is a whole image, which the driver copies, or text that ends with a zero; options, their
    // values and the log live through the call.
    let loaded = unsafe {
        driver!(cuModuleLoadDataEx(
            &mut handle,
            image.code().as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr()
        ))
    };
    let log = CStr::from_bytes_until_nul(&log).map(CStr::to_string_lossy).unwrap_or_default();
    loaded.map(|()| handle).map_err(|error| explained(error, image, log.trim_end()))
}

/// The driver's answer, with what it means for this image.
fn explained(error: CudaError, image: &Image, log: &str) -> CudaError {
    let CudaError::Driver { code, .. } = &error else { return error };
    let file = image.file().to_owned();
    match image.nvrtc() {
        Some(nvrtc) if NOT_LOADABLE.contains(code) => {
            CudaError::NvrtcTooNew { file, nvrtc, driver: driver::version() }
        }
        None if image.cubin().is_none() && !error.is_fatal() => {
            CudaError::Ptx { file, log: log.to_owned(), source: Box::new(error) }
        }
        _ => error,
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        unload::retire(self.device, self.handle, mem::take(&mut self.uses));
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Module({} on {})", self.file, self.device)
    }
}
