//! Images: the code that a device loads.

use std::fmt;

use super::Output;
use super::nvrtc::CompilerOutput;
use super::usage::{self, Usage};

/// Machine code or PTX, without a device. [`Module::load`](crate::Module::load) brings it to one.
///
/// ```
/// use nitro_cuda::Image;
///
/// # let text = ".version 8.0\n.target sm_70\n.address_size 64\n";
/// let image = Image::from_ptx("shipped.ptx", text); // `text` came with a model, say
/// assert_eq!((image.file(), image.ptx()), ("shipped.ptx", Some(text)));
/// assert!(image.cubin().is_none() && image.usage("fill").is_none(), "the driver is yet to compile it");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    file: String,
    output: Output,
    /// PTX ends with a zero byte, as the driver wants it.
    compiled: CompilerOutput,
    /// Version of what compiled it here.
    nvrtc: Option<(u32, u32)>,
}

impl Image {
    /// PTX that something else has made, such as code that ships with a model; errors call it `file`.
    ///
    /// Whether it is right shows when the driver loads it. Of a text with a zero byte, what stands before it counts.
    #[must_use]
    pub fn from_ptx(file: &str, text: &str) -> Self {
        let mut code = text.split('\0').next().unwrap_or_default().as_bytes().to_vec();
        code.push(0);
        let compiled = CompilerOutput { code, log: String::new() };
        Self { file: file.to_owned(), output: Output::Ptx, compiled, nvrtc: None }
    }

    /// Machine code that something else has made, such as NVIDIA's assembler; errors call it `file`. Whether it is
    /// right shows when the driver loads it.
    ///
    /// ```
    /// use nitro_cuda::Image;
    ///
    /// # let bytes = b"\x7fELF";
    /// let image = Image::from_cubin("evolved.cubin", bytes); // `bytes` came from ptxas, say
    /// assert_eq!((image.ptx(), image.cubin()), (None, Some(&bytes[..])));
    /// ```
    #[must_use]
    pub fn from_cubin(file: &str, code: &[u8]) -> Self {
        let compiled = CompilerOutput { code: code.to_vec(), log: String::new() };
        Self { file: file.to_owned(), output: Output::Cubin, compiled, nvrtc: None }
    }

    pub(super) fn compiled(file: &str, output: Output, compiled: CompilerOutput, nvrtc: (u32, u32)) -> Self {
        Self { file: file.to_owned(), output, compiled, nvrtc: Some(nvrtc) }
    }

    /// The name in messages.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text, unless it is machine code.
    #[must_use]
    pub fn ptx(&self) -> Option<&str> {
        match self.output {
            Output::Cubin => None,
            Output::Ptx => str::from_utf8(self.compiled.code.strip_suffix(&[0])?).ok(),
        }
    }

    /// The machine code, unless it is PTX.
    #[must_use]
    pub fn cubin(&self) -> Option<&[u8]> {
        (self.output == Output::Cubin).then_some(&*self.compiled.code)
    }

    /// The compiler's log: warnings, and of machine code what each kernel takes.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.compiled.log
    }

    /// A kernel's use of a multiprocessor, as the compiler's log says. None of PTX, which is yet to be compiled. Of
    /// what is loaded, [`Kernel::resources`](crate::Kernel::resources) asks the driver, which always knows.
    #[must_use]
    pub fn usage(&self, kernel: &str) -> Option<Usage> {
        usage::of(kernel, self.log())
    }

    /// The code as the driver takes it.
    pub(crate) fn code(&self) -> &[u8] {
        &self.compiled.code
    }

    pub(crate) fn nvrtc(&self) -> Option<(u32, u32)> {
        self.nvrtc
    }

    pub(super) fn compiler_output(&self) -> &CompilerOutput {
        &self.compiled
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, output, compiled, .. } = self;
        write!(formatter, "Image({output:?} of {file}, {} bytes)", compiled.code.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_the_text_given_and_ends_as_the_driver_wants_it() {
        let image = Image::from_ptx("evolved.ptx", ".version 8.0");
        assert_eq!((image.ptx(), image.cubin()), (Some(".version 8.0"), None));
        assert_eq!(image.code(), b".version 8.0\0");
        assert_eq!(Image::from_ptx("cut.ptx", ".version\0 8.0").code(), b".version\0");
        assert_eq!(image.usage("k"), None);
    }
}
