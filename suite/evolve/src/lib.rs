//! The subjects on which the evolution of PTX is tried.
//!
//! They are kernels of the Rodinia kind, written from the definitions of their algorithms and never measured, a trainer
//! of support vector machines, and kernels with planted defects. The kernels of this project's own functions and two
//! launch plans are subjects too.
//!
//! A subject is CUDA C++ and a workload; the program `compile` writes both, as PTX and text, into a folder where
//! `train evolve` finds them.

mod ours;
mod planted;

use std::io;
use std::path::Path;

use nitro_cuda::{CudaError, Image, Options, Output, Source, compile};

pub use self::ours::ours;
pub use self::planted::{Defect, Planted, planted};

/// Kernels with their workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The name of its files.
    pub name: &'static str,
    /// The name of the source in messages of the compiler.
    pub file: &'static str,
    /// CUDA C++, whose kernels are `extern "C"`.
    pub source: &'static str,
    /// The definitions for the preprocessor.
    pub definitions: &'static [(&'static str, i64)],
    /// The workload, as TOML.
    pub workload: &'static str,
}

macro_rules! subject {
    ($folder:literal, $name:literal) => {
        $crate::Subject {
            name: $name,
            file: concat!($name, ".cu"),
            source: include_str!(concat!("../", $folder, "/", $name, ".cu")),
            definitions: &[],
            workload: include_str!(concat!("../", $folder, "/", $name, ".toml")),
        }
    };
}
pub(crate) use subject;

/// Returns all subjects without planted defects.
///
/// ```
/// let names: Vec<&str> = nitro_evolve_subjects::subjects().iter().map(|subject| subject.name).collect();
/// assert!(names.contains(&"hotspot") && names.contains(&"svm"));
/// ```
#[must_use]
pub fn subjects() -> &'static [Subject] {
    &SUBJECTS
}

static SUBJECTS: [Subject; 15] = [
    subject!("subjects", "backprop"),
    subject!("subjects", "bfs"),
    subject!("subjects", "cfd"),
    subject!("subjects", "gaussian"),
    subject!("subjects", "hotspot"),
    subject!("subjects", "kmeans"),
    subject!("subjects", "lavamd"),
    subject!("subjects", "lud"),
    subject!("subjects", "nn"),
    subject!("subjects", "nw"),
    subject!("subjects", "particlefilter"),
    subject!("subjects", "pathfinder"),
    subject!("subjects", "srad"),
    subject!("subjects", "streamcluster"),
    subject!("subjects", "svm"),
];

/// Returns the texts of launch plans by the names of their nests.
///
/// `train evolve NAME.plan.json --sizes ..` takes them. One is a product of matrices in tiles, the other a stencil
/// whose steps in time are loops of the host.
///
/// ```
/// let [(name, text), _] = nitro_evolve_subjects::plans() else { panic!("there are two") };
/// assert!(*name == "gemm" && text.starts_with('{'));
/// ```
#[must_use]
pub fn plans() -> &'static [(&'static str, &'static str)] {
    &[
        ("gemm", include_str!("../plans/gemm.plan.json")),
        ("jacobi_2d", include_str!("../plans/jacobi_2d.plan.json")),
    ]
}

impl Subject {
    /// Compiles it by NVRTC to PTX for a compute capability such as `90`, with no option but its definitions.
    ///
    /// ```
    /// use nitro_cuda::CudaError;
    ///
    /// let subject = nitro_evolve_subjects::subjects()[0];
    /// match subject.compile(90) {
    ///     Ok(image) => assert!(image.ptx().is_some_and(|text| text.contains(".target sm_90"))),
    ///     Err(error) => assert!(matches!(error, CudaError::NoNvrtc), "{error}"),
    /// }
    /// ```
    ///
    /// # Errors
    /// As [`nitro_cuda::compile`].
    pub fn compile(&self, architecture: u32) -> Result<Image, CudaError> {
        let options = Options::new(architecture).with_output(Output::Ptx);
        let options = self.definitions.iter().fold(options, |all, (name, value)| all.define(name, value));
        compile(&Source::new(self.file, self.source), &options)
    }

    /// Compiles it and writes `NAME.ptx` and `NAME.toml` into a folder, which is made where there is none.
    ///
    /// ```no_run
    /// let subject = nitro_evolve_subjects::subjects()[0];
    /// subject.write("kernels".as_ref(), 90)?; // for `train evolve kernels/backprop.ptx`
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`nitro_cuda::compile`], and when a file cannot be written.
    pub fn write(&self, folder: &Path, architecture: u32) -> Result<(), Box<dyn std::error::Error>> {
        let image = self.compile(architecture)?;
        let ptx = image.ptx().ok_or("NVRTC has made no PTX")?;
        std::fs::create_dir_all(folder)?;
        for (ending, text) in [("ptx", ptx), ("toml", self.workload)] {
            let file = folder.join(format!("{}.{ending}", self.name));
            std::fs::write(&file, text).map_err(|error| {
                io::Error::new(error.kind(), format!("cannot write {}: {error}", file.display()))
            })?;
        }
        Ok(())
    }
}
