//! Kernels and their launches.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{
    self, CUDA_KERNEL_NODE_PARAMS, CUfunction, CUfunction_attribute, CUgraph, CUgraphNode, CUresult,
};

use crate::driver::driver;
use crate::error::check;
use crate::grid::Grid;
use crate::unload::Uses;
use crate::{Argument, Cuda, CudaError, Stream, profiled_launches};

/// Dynamic shared memory that a launch may have without the kernel being told.
const SHARED_BYTES_UNASKED: u32 = 48 << 10;
/// Arguments that one kernel may have here; the driver allows 4 kB of them or more.
const MOST_ARGUMENTS: usize = 64;

/// A function of a [`Module`](crate::Module), or of a [`Program`](crate::Program), whose kernels stay for the life
/// of the process. Cheap to copy.
///
/// ```no_run
/// use nitro_cuda::{Buffer, CudaError, Grid, Program};
///
/// static COUNT: Program = Program::new("count.cu", r#"
///     extern "C" __global__ void count(unsigned* blocks) {
///         if (threadIdx.x == 0) atomicAdd(blocks, 1);
///     }"#);
///
/// let kernel = COUNT.kernel("count")?;
/// let blocks = kernel.max_resident_blocks(256, 0); // the most of a cooperative launch
/// println!("{} registers a thread, {blocks} blocks at once", kernel.resources()?.registers);
/// let counted = Buffer::<u32>::zeroed(1)?;
/// // SAFETY: the argument is of the kernel's type, and the kernel writes one number.
/// unsafe { kernel.launch_cooperative(Grid::linear(blocks as u32, 256), &[(&counted).into()])? };
/// assert_eq!(counted.to_vec()?, [blocks as u32]);
/// # Ok::<(), CudaError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Kernel<'m> {
    function: &'m Function,
    /// The list in which launches are noted, for a module that may be unloaded.
    uses: Option<&'m Uses>,
}

/// A loaded kernel, with what is known of it.
pub(crate) struct Function {
    pub(crate) name: String,
    handle: CUfunction,
    device: Cuda,
    /// Dynamic shared memory that launches may have so far.
    shared_bytes: AtomicU32,
    /// Held by who raises it.
    raising: Mutex<()>,
}

// SAFETY: the driver takes a function's handle from any thread.
unsafe impl Send for Function {}
// SAFETY: as above; the driver orders concurrent use itself.
unsafe impl Sync for Function {}

impl Function {
    pub(crate) fn new(name: &str, handle: CUfunction, device: Cuda) -> Self {
        let (name, shared_bytes) = (name.to_owned(), AtomicU32::new(SHARED_BYTES_UNASKED));
        Self { name, handle, device, shared_bytes, raising: Mutex::new(()) }
    }
}

/// A kernel's use of a multiprocessor, as the driver says of the machine code that it has loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Shared memory of a block that the source declares; what a launch adds is not counted.
    pub static_shared_bytes: u32,
    /// Local memory of a thread: registers that were spilled, and arrays that are indexed at run time. Which of
    /// both it is says [`Image::usage`](crate::Image::usage).
    pub local_bytes: u32,
    /// Most threads that a block may have with so many registers.
    pub max_threads_per_block: u32,
}

impl<'m> Kernel<'m> {
    /// A kernel whose launches are noted in `uses`; without, one that is never unloaded.
    pub(crate) fn new(function: &'m Function, uses: Option<&'m Uses>) -> Self {
        Self { function, uses }
    }

    /// The device that the kernel is loaded on.
    #[must_use]
    pub fn device(self) -> Cuda {
        self.function.device
    }

    /// Launches the kernel on its device's stream, and does not wait for it. Dynamic shared memory above 48 KiB is
    /// asked for.
    ///
    /// # Errors
    /// [`CudaError::Launch`]. What goes wrong while the kernel runs is returned by what waits for the stream.
    ///
    /// # Panics
    /// With more than 64 arguments.
    ///
    /// # Safety
    /// The arguments have the number and the types of the kernel's parameters, and with them the kernel stays
    /// within its buffers, which are of the kernel's device. What it writes is not used otherwise until the stream
    /// has come past it. A buffer whose work goes to the same stream may be dropped at once, since it is freed in
    /// the order of its stream; for any other one, [`launch_on`](Self::launch_on) says what to do.
    pub unsafe fn launch(self, grid: Grid, arguments: &[Argument<'_>]) -> Result<(), CudaError> {
        // SAFETY: as the caller says.
        unsafe { self.launch_on(self.function.device.stream(), grid, arguments) }
    }

    /// Launches as [`Kernel::launch`], on another stream of the same device.
    ///
    /// # Errors
    /// As [`Kernel::launch`], and [`CudaError::OtherDevice`] when the stream is of another device.
    ///
    /// # Panics
    /// As [`Kernel::launch`].
    ///
    /// # Safety
    /// As [`Kernel::launch`]. Besides, of a buffer whose own stream ([`Buffer::stream`](crate::Buffer::stream)) is
    /// another one:
    /// - what its stream was given before is done when the kernel begins: let `stream` wait for it
    ///   ([`Stream::wait_for`]), or wait for it;
    /// - its memory lives until the kernel is done: it is not dropped, changed or read before its stream has waited
    ///   for `stream`. Dropping it frees the memory in the order of its own stream, which knows nothing of the
    ///   kernel.
    ///
    /// The stream, if another library made it, lives until the kernel is done.
    pub unsafe fn launch_on(
        self,
        stream: Stream,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<(), CudaError> {
        if stream.device != self.function.device {
            let (kernel, device, found) =
                (self.function.name.clone(), self.function.device.to_string(), stream.device.to_string());
            return Err(CudaError::OtherDevice { kernel, device, found });
        }
        self.with_parameters(stream, grid, arguments, |parameters| {
            let ((bx, by, bz), (tx, ty, tz)) = (grid.blocks, grid.threads);
            // SAFETY: function and stream are of the context that is current; parameters are as the caller says.
            unsafe {
                driver!(cuLaunchKernel(
                    self.function.handle,
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

    /// Adds a launch to a graph, behind another one. The device's context is current.
    pub(crate) fn add_to(
        self,
        graph: CUgraph,
        before: Option<CUgraphNode>,
        grid: Grid,
        arguments: &[Argument<'_>],
    ) -> Result<CUgraphNode, CudaError> {
        let mut pointers = parameters(arguments);
        let ((bx, by, bz), (tx, ty, tz)) = (grid.blocks, grid.threads);
        let node = CUDA_KERNEL_NODE_PARAMS {
            func: self.function.handle,
            gridDimX: bx,
            gridDimY: by,
            gridDimZ: bz,
            blockDimX: tx,
            blockDimY: ty,
            blockDimZ: tz,
            sharedMemBytes: grid.shared_bytes,
            kernelParams: pointers.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(), // that of the function
        };
        let (mut added, before) = (std::ptr::null_mut(), before.as_slice());
        // SAFETY: graph and nodes are of one graph; the driver copies parameters, which are of the kernel's number
        // and types.
        let answer = unsafe {
            driver!(cuGraphAddKernelNode_v2(&mut added, graph, before.as_ptr(), before.len(), &node))
        };
        answer.map(|()| added).map_err(|error| self.refused(grid, error))
    }

    /// Notes that a stream is about to get a launch of it.
    pub(crate) fn note(self, stream: Stream) -> Result<(), CudaError> {
        self.uses.map_or(Ok(()), |uses| uses.note(stream))
    }

    pub(crate) fn is_same(self, other: Self) -> bool {
        std::ptr::eq(self.function, other.function)
    }

    fn refused(self, grid: Grid, error: CudaError) -> CudaError {
        CudaError::Launch { kernel: self.function.name.clone(), grid, source: Box::new(error) }
    }

    /// Launches as [`Kernel::launch`], with all blocks resident at once, so that they may wait for each other. At most
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
        let stream = self.function.device.stream();
        self.with_parameters(stream, grid, arguments, |parameters| {
            let ((bx, by, bz), (tx, ty, tz)) = (grid.blocks, grid.threads);
            // SAFETY: function and stream are of the context that is current; parameters are as the caller says.
            unsafe {
                driver!(cuLaunchCooperativeKernel(
                    self.function.handle,
                    bx,
                    by,
                    bz,
                    tx,
                    ty,
                    tz,
                    grid.shared_bytes,
                    stream.handle,
                    parameters
                ))
            }
        })
    }

    /// Asks the driver for the kernel's use of a multiprocessor.
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn resources(self) -> Result<Resources, CudaError> {
        use CUfunction_attribute as A;
        Ok(Resources {
            registers: self.attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            static_shared_bytes: self.attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            local_bytes: self.attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            max_threads_per_block: self.attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        })
    }

    /// Bytes of each of the kernel's parameters, in order.
    ///
    /// ```no_run
    /// use nitro_cuda::{Image, Module, device};
    ///
    /// # let text = "";
    /// let module = Module::load(device(0)?, &Image::from_ptx("unknown.ptx", text))?;
    /// assert_eq!(module.kernel("scale")?.parameter_bytes()?, [8, 4], "a pointer and a number");
    /// # Ok::<(), nitro_cuda::CudaError>(())
    /// ```
    ///
    /// # Errors
    /// When the driver refuses it.
    pub fn parameter_bytes(self) -> Result<Vec<usize>, CudaError> {
        let _active = self.function.device.activate()?;
        let mut parameters = Vec::new();
        loop {
            let (mut offset, mut bytes) = (0, 0);
            let (handle, index) = (self.function.handle, parameters.len());
            // SAFETY: the function is of the context that is current, and both places live through the call.
            match unsafe { sys::cuFuncGetParamInfo(handle, index, &mut offset, &mut bytes) } {
                CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(parameters), // there are no more
                answer => check("cuFuncGetParamInfo", answer)?,
            }
            parameters.push(bytes);
        }
    }

    fn attribute(self, attribute: CUfunction_attribute) -> Result<u32, CudaError> {
        let _active = self.function.device.activate()?;
        let mut value: c_int = 0;
        // SAFETY: the function is of the context that is current, and `value` lives through the call.
        unsafe { driver!(cuFuncGetAttribute(&mut value, attribute, self.function.handle)) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// The number of blocks that are resident on one multiprocessor at once, for so many threads and so much dynamic
    /// shared memory. It is 0 when such a block cannot run.
    #[must_use]
    pub fn max_blocks_per_multiprocessor(self, threads: u32, shared_bytes: u32) -> usize {
        let mut blocks: c_int = 0;
        let asked = self.function.device.activate().and_then(|_active| {
            self.allow_shared(shared_bytes)?;
            // SAFETY: the function is of the context that is current, and `blocks` lives through the call.
            unsafe {
                driver!(cuOccupancyMaxActiveBlocksPerMultiprocessor(
                    &mut blocks,
                    self.function.handle,
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
        self.max_blocks_per_multiprocessor(threads, shared_bytes) * self.function.device.multiprocessors()
    }

    fn with_parameters(
        self,
        stream: Stream,
        grid: Grid,
        arguments: &[Argument<'_>],
        launch: impl FnOnce(*mut *mut c_void) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let mut parameters = parameters(arguments);
        let launched = self.function.device.activate().and_then(|_active| {
            self.allow_shared(grid.shared_bytes)?;
            self.note(stream)?;
            profiled_launches::around(|| launch(parameters.as_mut_ptr()))
        });
        launched.map_err(|error| self.refused(grid, error))
    }

    /// Lets launches have so much dynamic shared memory. The context is current.
    pub(crate) fn allow_shared(self, bytes: u32) -> Result<(), CudaError> {
        let is_allowed = || bytes <= self.function.shared_bytes.load(Ordering::Acquire);
        if is_allowed() {
            return Ok(());
        }
        // One after the other: the driver remembers what it was told last, which must not be less than what another
        // thread counts on.
        let _raising = self.function.raising.lock().unwrap_or_else(PoisonError::into_inner);
        if is_allowed() {
            return Ok(());
        }
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: the function is of the context that is current.
        unsafe { driver!(cuFuncSetAttribute(self.function.handle, attribute, bytes as c_int)) }?;
        self.function.shared_bytes.store(bytes, Ordering::Release);
        Ok(())
    }
}

/// The places of the arguments, as the driver takes them.
fn parameters(arguments: &[Argument<'_>]) -> [*mut c_void; MOST_ARGUMENTS] {
    assert!(arguments.len() <= MOST_ARGUMENTS, "a kernel has at most {MOST_ARGUMENTS} arguments");
    let mut parameters = [std::ptr::null_mut::<c_void>(); MOST_ARGUMENTS];
    for (parameter, argument) in parameters.iter_mut().zip(arguments) {
        *parameter = argument.start().cast_mut().cast();
    }
    parameters
}

impl fmt::Debug for Kernel<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Kernel({} on {})", self.function.name, self.function.device)
    }
}
