//! NVRTC: CUDA C++ to machine code or PTX, at run time.

use std::ffi::{CStr, CString, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use super::{Options, Output, Source};
use crate::CudaError;

/// Returns true where NVRTC's library can be loaded.
///
/// ```
/// use nitro_cuda::{nvrtc_is_present, nvrtc_version};
///
/// assert_eq!(nvrtc_is_present(), nvrtc_version().is_ok());
/// ```
#[must_use]
pub fn is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading a library runs its constructors; NVRTC's are made for being loaded so.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}

fn require() -> Result<(), CudaError> {
    if is_present() { Ok(()) } else { Err(CudaError::NoNvrtc) }
}

/// NVRTC's version, major and minor.
///
/// ```
/// match nitro_cuda::nvrtc_version() {
///     Ok((major, minor)) => println!("kernels are compiled by NVRTC {major}.{minor}"),
///     Err(error) => assert!(error.to_string().contains("install the CUDA toolkit"), "{error}"),
/// }
/// ```
///
/// # Errors
/// [`CudaError::NoNvrtc`].
pub fn version() -> Result<(u32, u32), CudaError> {
    require()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is there, and both places live through the call.
    check("NVRTC", "nvrtcVersion", unsafe { sys::nvrtcVersion(&mut major, &mut minor) })?;
    Ok((u32::try_from(major).unwrap_or(0), u32::try_from(minor).unwrap_or(0)))
}

/// Compute capabilities that NVRTC compiles for, as in `90`.
///
/// ```
/// use nitro_cuda::{CudaError, Options, Source, compile, nvrtc_architectures};
///
/// /// The image for each architecture that this NVRTC knows, by compute capability.
/// fn for_all(source: &Source<'_>) -> Result<Vec<(u32, nitro_cuda::Image)>, CudaError> {
///     let compiled = |one| Ok((one, compile(source, &Options::new(one))?));
///     nvrtc_architectures()?.into_iter().map(compiled).collect()
/// }
///
/// # let source = Source::new("half.cu", "extern \"C\" __global__ void half(float* x) { *x *= 0.5f; }");
/// match for_all(&source) {
///     Ok(images) => assert!(images.iter().any(|(architecture, _)| *architecture == 90)),
///     Err(error) => assert!(matches!(error, CudaError::NoNvrtc), "{error}"),
/// }
/// ```
///
/// # Errors
/// [`CudaError::NoNvrtc`], or when NVRTC fails.
pub fn architectures() -> Result<Vec<u32>, CudaError> {
    require()?;
    let mut count = 0;
    // SAFETY: the library is there, and `count` lives through the call.
    check("NVRTC", "nvrtcGetNumSupportedArchs", unsafe { sys::nvrtcGetNumSupportedArchs(&mut count) })?;
    let mut architectures: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
    // SAFETY: there is room for as many as NVRTC has just said.
    let answer = unsafe { sys::nvrtcGetSupportedArchs(architectures.as_mut_ptr()) };
    check("NVRTC", "nvrtcGetSupportedArchs", answer)?;
    Ok(architectures.into_iter().filter_map(|one| u32::try_from(one).ok()).collect())
}

/// An output of NVRTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CompilerOutput {
    pub(super) code: Vec<u8>,
    /// The log.
    pub(super) log: String,
}

pub(super) fn compile(source: &Source<'_>, options: &Options) -> Result<CompilerOutput, CudaError> {
    require()?;
    let file = source.file;
    let program = Program::new(source)?;
    // NVRTC's own cache, new in 13.0, gives code without what the assembler has said of it.
    let own_cache = (version()? >= (13, 0)).then(|| "--no-cache".to_owned());
    let arguments = options.arguments().chain(own_cache);
    let arguments: Vec<CString> = arguments.map(|argument| text(&argument)).collect();
    let pointers: Vec<*const c_char> = arguments.iter().map(|argument| argument.as_ptr()).collect();
    // SAFETY: the program exists, and the arguments live through the call.
    let answer =
        unsafe { sys::nvrtcCompileProgram(program.handle, pointers.len() as c_int, pointers.as_ptr()) };
    let log = program.log();
    match answer {
        nvrtcResult::NVRTC_SUCCESS => Ok(CompilerOutput { code: program.code(file, options.output())?, log }),
        nvrtcResult::NVRTC_ERROR_COMPILATION | nvrtcResult::NVRTC_ERROR_INVALID_OPTION => {
            Err(CudaError::Compile { file: file.to_owned(), architecture: options.architecture(), log })
        }
        other => Err(failure(file, "nvrtcCompileProgram", other)),
    }
}

/// A text for C: what follows a zero byte, which no source or option has, would be lost.
fn text(text: &str) -> CString {
    CString::new(text.split('\0').next().unwrap_or_default()).expect("it was cut before its first zero byte")
}

fn check(file: &str, call: &'static str, answer: nvrtcResult) -> Result<(), CudaError> {
    if answer == nvrtcResult::NVRTC_SUCCESS { Ok(()) } else { Err(failure(file, call, answer)) }
}

fn failure(file: &str, call: &'static str, answer: nvrtcResult) -> CudaError {
    CudaError::Nvrtc { file: file.to_owned(), call, name: format!("{answer:?}") }
}

/// The function that asks for the size of an output, and the one that copies it.
type Size = unsafe fn(nvrtcProgram, *mut usize) -> nvrtcResult;
type Copy = unsafe fn(nvrtcProgram, *mut c_char) -> nvrtcResult;

/// A program inside NVRTC.
struct Program {
    handle: nvrtcProgram,
    /// NVRTC may refer to both as long as the program exists.
    _source: CString,
    _file: CString,
}

impl Program {
    fn new(source: &Source<'_>) -> Result<Self, CudaError> {
        let mut program =
            Self { handle: ptr::null_mut(), _source: text(source.text), _file: text(source.file) };
        // SAFETY: source and name live as long as the program; there are no headers.
        let answer = unsafe {
            sys::nvrtcCreateProgram(
                &mut program.handle,
                program._source.as_ptr(),
                program._file.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        };
        check(source.file, "nvrtcCreateProgram", answer).map(|()| program)
    }

    /// The code that the program was compiled to.
    fn code(&self, file: &str, output: Output) -> Result<Vec<u8>, CudaError> {
        let (size_of, copy, calls): (Size, Copy, _) = match output {
            Output::Cubin => {
                (sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN, ["nvrtcGetCUBINSize", "nvrtcGetCUBIN"])
            }
            Output::Ptx => (sys::nvrtcGetPTXSize, sys::nvrtcGetPTX, ["nvrtcGetPTXSize", "nvrtcGetPTX"]),
        };
        let mut size = 0;
        // SAFETY: the program is compiled, and `size` lives through the call.
        check(file, calls[0], unsafe { size_of(self.handle, &mut size) })?;
        let mut code = vec![0u8; size];
        // SAFETY: there is room for as many bytes as NVRTC has just said.
        check(file, calls[1], unsafe { copy(self.handle, code.as_mut_ptr().cast()) }).map(|()| code)
    }

    /// The compiler's log.
    fn log(&self) -> String {
        let mut size = 0;
        // SAFETY: the program exists, and `size` lives through the call.
        if unsafe { sys::nvrtcGetProgramLogSize(self.handle, &mut size) } != nvrtcResult::NVRTC_SUCCESS {
            return "the compiler gave no reason".to_owned();
        }
        let mut log = vec![0u8; size + 1];
        // SAFETY: there is room for as many bytes as NVRTC has just said.
        unsafe { sys::nvrtcGetProgramLog(self.handle, log.as_mut_ptr().cast()) };
        let log = CStr::from_bytes_until_nul(&log).map(CStr::to_string_lossy).unwrap_or_default();
        log.trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: the program is ours and is not used again. A failure would leave memory behind, nothing else.
            unsafe { sys::nvrtcDestroyProgram(&mut self.handle) };
        }
    }
}
