//! Programs: CUDA C++ sources that are part of the application, compiled for the device at hand when first used there.

use std::fmt;
use std::sync::Arc;

use once_cell::sync::OnceCell;

use crate::compile::{self, compile};
use crate::device::MOST_DEVICES;
use crate::recent::Recent;
use crate::{Cuda, CudaError, Image, Kernel, Module, Options, Source, Stream};

/// Definitions for the preprocessor: what `-DNAME=VALUE` says.
pub type Definitions<'a> = [(&'a str, i64)];

/// The number of modules of one program that were compiled with definitions and stay loaded. That is more than the
/// configurations that a model picks from, and few enough that a search of ten thousand does not fill the device.
const MOST_CONFIGURED: usize = 256;

/// A CUDA C++ source whose kernels are declared `extern "C" __global__`; a `static`.
///
/// Compiled by NVRTC for a device when a kernel is first asked for there, and loaded for the life of the process.
/// The machine code is cached in `$XDG_CACHE_HOME/nitro/cuda`, by a hash of source, options, architecture and
/// NVRTC's version.
///
/// A source with parameters is compiled once for each configuration that it is asked for ([`Program::module`]):
///
/// ```no_run
/// use nitro_cuda::{Buffer, CudaError, Grid, Program};
///
/// static FILL: Program = Program::new("fill.cu", r#"
///     extern "C" __global__ void fill(float* x, unsigned n) {
///         unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * ITEMS;
///         for (unsigned i = first; i < first + ITEMS && i < n; i++) x[i] = 1;
///     }"#);
///
/// fn fill(items: u32, x: &mut Buffer<f32>) -> Result<(), CudaError> {
///     let module = FILL.module(&[("ITEMS", items.into())])?;
///     let (threads, length) = (x.len().div_ceil(items as usize), x.len() as u32);
///     // SAFETY: the arguments are of the kernel's types, and it stays within `n` elements.
///     unsafe { module.kernel("fill")?.launch(Grid::covering(threads, 256), &[x.into(), length.into()]) }
/// }
/// ```
pub struct Program {
    source: Source<'static>,
    options: &'static [&'static str],
    /// The modules without definitions by the device's index in the process: found without a lock after the first use.
    modules: [OnceCell<Module>; MOST_DEVICES],
    /// The modules with definitions. Whoever compiles one keeps nobody from the others.
    configured: Recent<Configuration, OnceCell<Arc<Module>>>,
}

/// The configuration that a module is compiled for.
struct Configuration {
    device: Cuda,
    definitions: Vec<(String, i64)>,
}

impl Configuration {
    fn new(device: Cuda, definitions: &Definitions<'_>) -> Self {
        let definitions = definitions.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        Self { device, definitions }
    }

    fn is(&self, device: Cuda, definitions: &Definitions<'_>) -> bool {
        let own = self.definitions.iter().map(|(name, value)| (name.as_str(), *value));
        self.device == device && own.eq(definitions.iter().copied())
    }
}

impl Program {
    /// A program of one source, which compiler messages call `file`.
    #[must_use]
    pub const fn new(file: &'static str, text: &'static str) -> Self {
        Self {
            source: Source::new(file, text),
            options: &[],
            modules: [const { OnceCell::new() }; MOST_DEVICES],
            configured: Recent::new(MOST_CONFIGURED),
        }
    }

    /// Adds options for NVRTC, after those of every program: C++17 and line numbers.
    #[must_use]
    pub const fn with_options(mut self, options: &'static [&'static str]) -> Self {
        self.options = options;
        self
    }

    /// The name of the source in the compiler's messages.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.source.file
    }

    /// A kernel on the device that this thread works on. The first use on a device compiles and loads the program.
    ///
    /// # Errors
    /// [`CudaError::Compile`] with file and line, [`CudaError::NoNvrtc`], [`CudaError::NoSuchKernel`], or when the
    /// device cannot be used.
    pub fn kernel(&'static self, name: &str) -> Result<Kernel<'static>, CudaError> {
        self.kernel_on(Stream::current()?.device(), name)
    }

    /// A kernel on a device.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn kernel_on(&'static self, device: Cuda, name: &str) -> Result<Kernel<'static>, CudaError> {
        let module = self.modules[device.0.index].get_or_try_init(|| self.load(device, &[]))?;
        module.lasting_kernel(name)
    }

    /// The program with these definitions, on the device that this thread works on. The first use of a
    /// configuration on a device compiles and loads it; so asking for it beforehand prepares it.
    ///
    /// The 256 configurations used last stay loaded. One that is unloaded comes back from the disk.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn module(&self, definitions: &Definitions<'_>) -> Result<Arc<Module>, CudaError> {
        self.module_on(Stream::current()?.device(), definitions)
    }

    /// The program with these definitions, on a device.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn module_on(&self, device: Cuda, definitions: &Definitions<'_>) -> Result<Arc<Module>, CudaError> {
        let module = self
            .configured
            .get(|known| known.is(device, definitions), || Configuration::new(device, definitions));
        module.get_or_try_init(|| self.load(device, definitions).map(Arc::new)).cloned()
    }

    /// Puts the machine code for `sm_ARCHITECTURE` ([`Cuda::architecture`]) with these definitions on the disk.
    /// [`module`](Self::module) loads it from there. Any thread may do that while others work on a device, which is
    /// not asked.
    ///
    /// ```no_run
    /// use nitro_cuda::Program;
    ///
    /// static FILL: Program =
    ///     Program::new("fill.cu", "extern \"C\" __global__ void fill(float* x) { x[threadIdx.x] = VALUE; }");
    ///
    /// let architecture = nitro_cuda::device(0)?.architecture();
    /// std::thread::spawn(move || FILL.prepare(architecture, &[("VALUE", 2)]));
    /// # Ok::<(), nitro_cuda::CudaError>(())
    /// ```
    ///
    /// # Errors
    /// [`CudaError::Compile`] with file and line, [`CudaError::NoNvrtc`], or when NVRTC fails.
    pub fn prepare(&self, architecture: u32, definitions: &Definitions<'_>) -> Result<(), CudaError> {
        compile::prepare(&self.source, &self.options(architecture, definitions))
    }

    /// Compiles for `sm_ARCHITECTURE` (as in `90`) with these definitions, without a device and without the disk.
    ///
    /// # Errors
    /// As [`Program::kernel`].
    pub fn compile(&self, architecture: u32, definitions: &Definitions<'_>) -> Result<Image, CudaError> {
        compile(&self.source, &self.options(architecture, definitions))
    }

    fn options(&self, architecture: u32, definitions: &Definitions<'_>) -> Options {
        let options = self.options.iter().fold(Options::new(architecture), |all, one| all.with_argument(one));
        definitions.iter().fold(options, |all, (name, value)| all.define(name, value))
    }

    fn load(&self, device: Cuda, definitions: &Definitions<'_>) -> Result<Module, CudaError> {
        let options = self.options(device.architecture(), definitions);
        Module::of_source(device, &self.source, &options)
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Program({})", self.source.file)
    }
}
