//! Kernels and their launches.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{CUfunction, CUfunction_attribute};

use crate::driver::driver;
use crate::{Buffer, Cuda, CudaError, Element, Stream, profile};

/// Dynamic shared memory that a launch may have without the kernel being told.
const SHARED_BYTES_UNASKED: u32 = 48 << 10;
/// Arguments that one kernel may have here; the driver allows 4 kB of them or more.
const MOST_ARGUMENTS: usize = 64;

/// A function of a [`Program`](crate::Program), loaded on a device. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Kernel(pub(crate) &'static Loaded);

/// What is known of a loaded kernel.
pub(crate) struct Loaded {
    pub(crate) name: String,
    function: CUfunction,
    device: Cuda,
    /// Dynamic shared memory that launches may have so far.
    shared_bytes: AtomicU32,
    /// Held by who raises it.
    raising: Mutex<()>,
}

// SAFETY: the driver takes a function's handle from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for Loaded {}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Number of blocks in x, y, z.
    pub blocks: (u32, u32, u32),
    /// Number of threads of a block in x, y, z.
    pub threads: (u32, u32, u32),
    /// Dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Grid {
    /// `blocks` of `threads` in one dimension, without dynamic shared memory.
    #[must_use]
    pub const fn linear(blocks: u32, threads: u32) -> Self {
        Self { blocks: (blocks, 1, 1), threads: (threads, 1, 1), shared_bytes: 0 }
    }

    /// As many blocks of `threads` as `count` elements need, one thread an element; at least one block.
    #[must_use]
    pub fn covering(count: usize, threads: u32) -> Self {
        let blocks = count.div_ceil(threads as usize).max(1);
        Self::linear(u32::try_from(blocks).unwrap_or(u32::MAX), threads)
    }

    /// With so much dynamic shared memory a block.
    #[must_use]
    pub const fn with_shared_bytes(self, shared_bytes: u32) -> Self {
        Self { shared_bytes, ..self }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { blocks, threads, shared_bytes } = self;
        write!(
            formatter,
            "{blocks:?} blocks of {threads:?} threads and {shared_bytes} bytes of shared memory"
        )
    }
}

/// One argument of a launch: a number, or a buffer's address.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    /// The value in its first bytes: the driver copies as many as the kernel's parameter has.
    bytes: [u8; 8],
    /// A buffer has to live until the launch; the order of its own stream keeps its memory for what that stream was given before.
    buffer: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// An address on the device.
    #[must_use]
    pub fn pointer(address: u64) -> Self {
        address.into()
    }

    fn of<const N: usize>(value: [u8; N]) -> Self {
        let mut bytes = [0; 8];
        bytes[..N].copy_from_slice(&value);
        Self { bytes, buffer: PhantomData }
    }
}

macro_rules! arguments {
    ($($number:ty)*) => {$(
        impl From<$number> for Argument<'_> {
            fn from(value: $number) -> Self {
                Self::of(value.to_ne_bytes())
            }
        }
    )*};
}
arguments!(u8 i8 u16 i16 u32 i32 u64 i64 usize isize f32 f64);

impl<'a, T: Element> From<&'a Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.pointer().into()
    }
}

impl<'a, T: Element> From<&'a mut Buffer<T>> for Argument<'a> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.pointer().into()
    }
}

impl Kernel {
    pub(crate) fn loaded(name: &str, function: CUfunction, device: Cuda) -> Loaded {
        let (name, shared_bytes) = (name.to_owned(), AtomicU32::new(SHARED_BYTES_UNASKED));
        Loaded { name, function, device, shared_bytes, raising: Mutex::new(()) }
    }

    /// The device that the kernel is loaded on.
    #[must_use]
    pub fn device(self) -> Cuda {
        self.0.device
    }

    /// Launches the kernel on its device's stream, and does not wait for it. Dynamic shared memory above 48 KiB is asked for.
    ///
    /// # Errors
    /// [`CudaError::Launch`]. What goes wrong while the kernel runs is returned by what waits for the stream.
    ///
    /// # Panics
    /// With more than 64 arguments.
    ///
    /// # Safety
    /// The arguments have the number and the types of the kernel's parameters, and with them the kernel stays within its
    /// buffers, which are of the kernel's device. What it writes is not used otherwise until the stream has come past it. A buffer whose
    /// work goes to the same stream may be dropped at once, since it is freed in the order of its stream; for any other one,
    /// [`launch_on`](Self::launch_on) says what to do.
    pub unsafe fn launch(self, grid: Grid, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
        // SAFETY: as the caller says.
        unsafe { self.launch_on(self.0.device.stream(), grid, arguments) }
    }

    /// As [`Kernel::launch`], on another stream of the same device.
    ///
    /// # Errors
    /// As [`Kernel::launch`], and [`CudaError::OtherDevice`] when the stream is of another device.
    ///
    /// # Panics
    /// As [`Kernel::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch`]. Besides, of a buffer whose own stream ([`Buffer::stream`]) is another one:
    /// - what its stream was given before is done when the kernel begins: let `stream` wait for it ([`Stream::wait_for`]), or wait for it;
    /// - its memory lives until the kernel is done: it is not dropped, changed or read before its stream has waited for `stream`. Dropping it
    ///   frees the memory in the order of its own stream, which knows nothing of the kernel.
    ///
    /// The stream, if another library made it, lives until the kernel is done.
    pub unsafe fn launch_on(
        self,
        stream: Stream,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<(), CudaError> {
        if stream.device != self.0.device {
            let (kernel, device, found) =
                (self.0.name.clone(), self.0.device.to_string(), stream.device.to_string());
            return Err(CudaError::OtherDevice { kernel, device, found });
        }
        self.with_parameters(grid, arguments, |parameters| {
            let ((bx, by, bz), (tx, ty, tz)) = (grid.blocks, grid.threads);
            // SAFETY: function and stream are of the context that is current; parameters are as the caller says.
            unsafe {
                driver!(cuLaunchKernel(
                    self.0.function,
                    bx,
                    by,
                    bz,
                    tx,
                    ty,
                    tz,
                    grid.shared_bytes,
                    stream.handle,
                    parameters,
                    std::ptr::null_mut()
                ))
            }
        })
    }

    /// As [`Kernel::launch`], with all blocks resident at once, so that they may wait for each other. At most
    /// `max_blocks_per_multiprocessor * multiprocessors` blocks.
    ///
    /// # Errors
    /// As [`Kernel::launch`], also when the blocks are too many.
    ///
    /// # Panics
    /// As [`Kernel::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch`].
    pub unsafe fn launch_cooperative(self, grid: Grid, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
        self.with_parameters(grid, arguments, |parameters| {
            let ((bx, by, bz), (tx, ty, tz)) = (grid.blocks, grid.threads);
            // SAFETY: function and stream are of the context that is current; parameters are as the caller says.
            unsafe {
                driver!(cuLaunchCooperativeKernel(
                    self.0.function,
                    bx,
                    by,
                    bz,
                    tx,
                    ty,
                    tz,
                    grid.shared_bytes,
                    self.0.device.0.stream,
                    parameters
                ))
            }
        })
    }

    /// Blocks of so many threads and so much dynamic shared memory that are resident on one multiprocessor at once; 0 when such
    /// a block cannot run.
    #[must_use]
    pub fn max_blocks_per_multiprocessor(self, threads: u32, shared_bytes: u32) -> usize {
        let mut blocks: c_int = 0;
        let asked = self.0.device.activate().and_then(|_active| {
            self.allow_shared(shared_bytes)?;
            // SAFETY: the function is of the context that is current, and `blocks` lives through the call.
            unsafe {
                driver!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &mut blocks,
                    self.0.function,
                    threads as c_int,
                    shared_bytes as usize
                ))
            }
        });
        asked.map_or(0, |()| usize::try_from(blocks).unwrap_or(0))
    }

    /// Blocks of this shape that fill the device once: the most that a cooperative launch may have.
    #[must_use]
    pub fn max_resident_blocks(self, threads: u32, shared_bytes: u32) -> usize {
        self.max_blocks_per_multiprocessor(threads, shared_bytes) * self.0.device.multiprocessors()
    }

    fn with_parameters(
        self,
        grid: Grid,
        arguments: &[Argument<'_>],
        launch: impl FnOnce(*mut *mut c_void) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        assert!(arguments.len() <= MOST_ARGUMENTS, "a kernel has at most {MOST_ARGUMENTS} arguments");
        let mut parameters = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
        for (parameter, argument) in parameters.iter_mut().zip(arguments) {
            *parameter = argument.bytes.as_ptr().cast_mut().cast();
        }
        let launched = self.0.device.activate().and_then(|_active| {
            self.allow_shared(grid.shared_bytes)?;
            profile::around(|| launch(parameters.as_mut_ptr()))
        });
        launched.map_err(|error| CudaError::Launch {
            kernel: self.0.name.clone(),
            grid,
            source: Box::new(error),
        })
    }

    /// Lets launches have so much dynamic shared memory. The context is current.
    fn allow_shared(self, bytes: u32) -> Result<(), CudaError> {
        let is_allowed = || bytes <= self.0.shared_bytes.load(Ordering::Acquire);
        if is_allowed() {
            return Ok(());
        }
        // One after the other: the driver keeps what it was told last, which must not be less than what another thread counts on.
        let _raising = self.0.raising.lock().unwrap_or_else(PoisonError::into_inner);
        if is_allowed() {
            return Ok(());
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is of the context that is current.
        unsafe { driver!(cuFuncSetAttribute(self.0.function, attribute, bytes as c_int)) }?;
        self.0.shared_bytes.store(bytes, Ordering::Release);
        Ok(())
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Kernel({} on {})", self.0.name, self.0.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_begins_with_its_value() {
        assert_eq!(Argument::from(0x0102_0304u32).bytes[..4], 0x0102_0304u32.to_ne_bytes());
        assert_eq!(Argument::from(-1.5f64).bytes, (-1.5f64).to_ne_bytes());
        assert_eq!(Argument::from(7usize).bytes, 7u64.to_ne_bytes());
        assert_eq!(Argument::from(-1i32).bytes[..4], [0xff; 4]);
    }

    #[test]
    fn a_grid_covers_every_element_once() {
        assert_eq!(Grid::covering(1000, 256), Grid::linear(4, 256));
        assert_eq!(Grid::covering(1024, 256), Grid::linear(4, 256));
        assert_eq!(Grid::covering(0, 256).blocks, (1, 1, 1), "no launch may be empty");
    }
}
