//! Variables of modules.

use std::ffi::CString;
use std::ptr;

use cudarc::driver::sys::CUresult;

use crate::driver::driver;
use crate::{CudaError, GuardedBuffer, Module, Stream, capture};

const NOT_FOUND: u32 = CUresult::CUDA_ERROR_NOT_FOUND as u32;

/// A variable of a module in the device's memory: `__device__` or `__constant__`, `.global` or `.const` in PTX.
///
/// ```no_run
/// use nitro_cuda::{Module, Options, Source, compile, device};
///
/// let device = device(0)?;
/// let text = "extern \"C\" { __device__ unsigned count = 3; __global__ void k() { atomicAdd(&count, 1); } }";
/// let source = Source::new("count.cu", text);
/// let module = Module::load(device, &compile(&source, &Options::for_device(device))?)?;
/// let count = module.variable("count")?;
/// count.copy_from_slice(device.stream(), &7u32.to_le_bytes())?;
/// assert_eq!(count.to_vec(device.stream())?, [7, 0, 0, 0]);
/// # Ok::<(), nitro_cuda::CudaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Variable<'m> {
    module: &'m Module,
    pointer: u64,
    bytes: usize,
}

impl Module {
    /// The variable of this name.
    ///
    /// # Errors
    /// [`CudaError::NoSuchVariable`].
    pub fn variable(&self, name: &str) -> Result<Variable<'_>, CudaError> {
        Variable::find(self, name)
    }
}

impl<'m> Variable<'m> {
    pub(crate) fn find(module: &'m Module, name: &str) -> Result<Self, CudaError> {
        let missing =
            || CudaError::NoSuchVariable { file: module.file().to_owned(), variable: name.to_owned() };
        let text = CString::new(name).map_err(|_| missing())?;
        let _relaxed = capture::relaxed()?;
        let _active = module.device().activate()?;
        let (mut pointer, mut bytes) = (0, 0);
        // SAFETY: the module is of the context that is current; what is given lives through the call.
        match unsafe {
            driver!(cuModuleGetGlobal_v2(&mut pointer, &mut bytes, module.handle(), text.as_ptr()))
        } {
            Ok(()) => Ok(Self { module, pointer, bytes }),
            Err(CudaError::Driver { code: NOT_FOUND, .. }) => Err(missing()),
            Err(error) => Err(error),
        }
    }

    /// The number of its bytes.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "no variable is empty")]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// The address of its first byte on the device.
    #[must_use]
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Copies the content of a buffer that has as many bytes, in the order of the buffer's stream.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_from(&self, source: &GuardedBuffer) -> Result<(), CudaError> {
        self.same_length(source)?;
        // SAFETY: the buffer has so many bytes, and dropping it waits for the stream.
        unsafe { self.copy_from_address(source.stream(), source.pointer()) }
    }

    /// Copies as many bytes as it has from an address on the device, in the order of a stream. Launches that come later
    /// find them, also where it is a constant.
    ///
    /// # Safety
    /// So many bytes are there, until the stream has come past the copy.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub unsafe fn copy_from_address(&self, stream: Stream, address: u64) -> Result<(), CudaError> {
        self.module.note_launch(stream)?;
        let _active = self.module.device().activate()?;
        // SAFETY: both have so many bytes, as the caller says; dropping the module waits for the stream.
        unsafe { driver!(cuMemcpyDtoDAsync_v2(self.pointer, address, self.bytes, stream.handle)) }
    }

    /// Copies its content to a buffer that has as many bytes, in the order of the buffer's stream.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_to(&self, target: &mut GuardedBuffer) -> Result<(), CudaError> {
        self.same_length(target)?;
        let (to, stream) = (target.pointer(), target.stream());
        self.module.note_launch(stream)?;
        let _active = self.module.device().activate()?;
        // SAFETY: both have so many bytes, and dropping either waits for the stream.
        unsafe { driver!(cuMemcpyDtoDAsync_v2(to, self.pointer, self.bytes, stream.handle)) }
    }

    fn same_length(&self, buffer: &GuardedBuffer) -> Result<(), CudaError> {
        match buffer.len() == self.bytes {
            true => Ok(()),
            false => Err(CudaError::Length { expected: self.bytes, found: buffer.len() }),
        }
    }

    /// Writes all of its bytes after the work that a stream was given before, and waits for it.
    ///
    /// # Errors
    /// [`CudaError::Length`], or when the driver refuses it.
    pub fn copy_from_slice(&self, stream: Stream, values: &[u8]) -> Result<(), CudaError> {
        if values.len() != self.bytes {
            return Err(CudaError::Length { expected: self.bytes, found: values.len() });
        }
        let _active = self.module.device().activate()?;
        let source = values.as_ptr().cast();
        // SAFETY: source and target have so many bytes; the source outlives the copy, which is waited for.
        unsafe {
            driver!(cuMemcpyHtoDAsync_v2(self.pointer, source, self.bytes, stream.handle))?;
            driver!(cuStreamSynchronize(stream.handle))
        }
    }

    /// Its bytes after the work that a stream was given before, for which it waits.
    ///
    /// # Errors
    /// When the work or the copy failed.
    pub fn to_vec(&self, stream: Stream) -> Result<Vec<u8>, CudaError> {
        let mut values = vec![0u8; self.bytes];
        let _active = self.module.device().activate()?;
        let target: *mut std::ffi::c_void = ptr::from_mut(values.as_mut_slice()).cast();
        // SAFETY: source and target have so many bytes; the target outlives the copy, which is waited for.
        unsafe {
            driver!(cuMemcpyDtoHAsync_v2(target, self.pointer, self.bytes, stream.handle))?;
            driver!(cuStreamSynchronize(stream.handle))?;
        }
        Ok(values)
    }
}
