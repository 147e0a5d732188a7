//! Options of the compiler.

use std::fmt::Display;

use nitro_launch::{Reach, Target};

use crate::Cuda;

/// The output of the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Output {
    /// Machine code for one architecture.
    #[default]
    Cubin,
    /// PTX, which the driver compiles for the architecture and newer ones.
    Ptx,
}

/// The options of a compilation. The language is C++17. There are line numbers, which cost nothing at run time and
/// by which compute-sanitizer names lines.
///
/// ```
/// use nitro_cuda::{CudaError, Options, Output, Source, compile};
///
/// let source = Source::new("half.cu", "extern \"C\" __global__ void half(float* x) { *x *= FACTOR; }");
/// let options = Options::new(90).define("FACTOR", "0.5f").with_argument("--use_fast_math").with_output(Output::Ptx);
/// match compile(&source, &options) {
///     Ok(image) => assert!(image.ptx().is_some_and(|text| text.contains(".target sm_90"))),
///     Err(error) => assert!(matches!(error, CudaError::NoNvrtc), "{error}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The architecture, and whether the code may have instructions that newer ones lack (`sm_90a`).
    target: Target,
    output: Output,
    /// Definitions and what else the user gives, as NVRTC takes them.
    arguments: Vec<String>,
}

impl Options {
    /// Makes options for machine code of this compute capability, as in `90`.
    #[must_use]
    pub fn new(architecture: u32) -> Self {
        let target = Target { architecture, reach: Reach::Newer };
        Self { target, output: Output::Cubin, arguments: Vec::new() }
    }

    /// Makes options for the compute capability of this device.
    #[must_use]
    pub fn for_device(device: Cuda) -> Self {
        Self::new(device.architecture())
    }

    /// Adds a definition for the preprocessor, `-DNAME=VALUE`.
    #[must_use]
    pub fn define(self, name: &str, value: impl Display) -> Self {
        self.with_argument(&format!("-D{name}={value}"))
    }

    /// Adds an argument for NVRTC, such as `--use_fast_math`.
    #[must_use]
    pub fn with_argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Chooses machine code or PTX.
    #[must_use]
    pub fn with_output(self, output: Output) -> Self {
        Self { output, ..self }
    }

    /// Permits instructions that devices beyond this reach lack: what comes of it does not run on them.
    pub(crate) fn reaching(self, reach: Reach) -> Self {
        Self { target: Target { reach, ..self.target }, ..self }
    }

    pub(crate) fn architecture(&self) -> u32 {
        self.target.architecture
    }

    pub(super) fn output(&self) -> Output {
        self.output
    }

    /// The arguments as NVRTC takes them.
    pub(super) fn arguments(&self) -> impl Iterator<Item = String> {
        let of = match self.output {
            Output::Cubin => "sm",
            Output::Ptx => "compute",
        };
        let architecture = format!("--gpu-architecture={of}_{}", self.target);
        // By `-v` the log says what each kernel takes.
        let always = ["--std=c++17", "--generate-line-info", "--ptxas-options=-v"];
        let always = always.map(str::to_owned).into_iter();
        std::iter::once(architecture).chain(always).chain(self.arguments.iter().cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_was_asked_for_becomes_an_argument_in_that_order() {
        let options =
            Options::new(90).define("BLOCK", 256).with_argument("--use_fast_math").define("T", "float");
        let arguments: Vec<String> = options.arguments().collect();
        assert!(arguments.contains(&"--gpu-architecture=sm_90".to_owned()), "{arguments:?}");
        assert!(arguments.ends_with(&["-DBLOCK=256".into(), "--use_fast_math".into(), "-DT=float".into()]));
        let ptx: Vec<String> = options.with_output(Output::Ptx).arguments().collect();
        assert_eq!((ptx[0].as_str(), &ptx[1..]), ("--gpu-architecture=compute_90", &arguments[1..]));
    }
}
