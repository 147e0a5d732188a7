//! CUDA C++ to what a device loads.

mod alone;
mod cache;
mod image;
mod nvrtc;
mod options;
mod usage;

pub use image::Image;
pub use nvrtc::{architectures, is_present, version};
pub use options::{Options, Output};
pub use usage::Usage;

pub(crate) use alone::check as check_alone;
use cache::Key;

use crate::CudaError;

/// CUDA C++, and what messages call it.
///
/// ```
/// use nitro_cuda::{CudaError, Options, Source, compile};
///
/// let source = Source::new("half.cu", "extern \"C\" __global__\nvoid half(float* x) { *x *= factor; }");
/// match compile(&source, &Options::new(90)).unwrap_err() {
///     CudaError::Compile { log, .. } => assert!(log.contains("half.cu(2)"), "{log}"), // the name and the line
///     error => assert!(matches!(error, CudaError::NoNvrtc), "{error}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source<'a> {
    /// The name in the compiler's messages.
    pub file: &'a str,
    /// The text. Kernels are declared `extern "C" __global__`.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// A source, and what messages call it.
    #[must_use]
    pub const fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text }
    }
}

/// Compiles a source by NVRTC, which needs no device. Nothing is cached.
///
/// ```
/// use nitro_cuda::{CudaError, Options, Source, compile};
///
/// let source = Source::new("fill.cu", "extern \"C\" __global__ void fill(float* x) { x[threadIdx.x] = VALUE; }");
/// match compile(&source, &Options::new(90).define("VALUE", 0.5)) {
///     Ok(image) => assert_eq!(image.usage("fill").unwrap().spill_bytes, 0),
///     Err(error) => assert!(matches!(error, CudaError::NoNvrtc), "{error}"),
/// }
/// ```
///
/// # Errors
/// [`CudaError::Compile`] with file and line, [`CudaError::NoNvrtc`], or when NVRTC fails.
pub fn compile(source: &Source<'_>, options: &Options) -> Result<Image, CudaError> {
    let nvrtc = version()?;
    let compiled = nvrtc::compile(source, options)?;
    Ok(Image::compiled(source.file, options.output(), compiled, nvrtc))
}

/// The image that was compiled of the source with these options before, on this machine.
pub(crate) fn cached(source: &Source<'_>, options: &Options) -> Result<Option<Image>, CudaError> {
    let nvrtc = version()?;
    let cached = cache::folder().and_then(|folder| cache::load(&folder, &Key { source, options, nvrtc }));
    Ok(cached.map(|compiled| Image::compiled(source.file, options.output(), compiled, nvrtc)))
}

/// Sees to it that what is compiled of the source is on the disk.
pub(crate) fn prepare(source: &Source<'_>, options: &Options) -> Result<(), CudaError> {
    match cached(source, options)? {
        Some(_) => Ok(()),
        None => compile_and_cache(source, options).map(drop),
    }
}

/// Compiles a source, and writes what comes of it to the disk.
pub(crate) fn compile_and_cache(source: &Source<'_>, options: &Options) -> Result<Image, CudaError> {
    let image = compile(source, options)?;
    if let (Some(folder), Some(nvrtc)) = (cache::folder(), image.nvrtc()) {
        cache::save(&folder, &Key { source, options, nvrtc }, image.compiler_output());
    }
    Ok(image)
}
