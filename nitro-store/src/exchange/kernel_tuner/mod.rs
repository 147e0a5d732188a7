//! Kernel Tuner's own files: caches and T4 results, each of one kernel on one device and problem.
//!
//! - A **cache** has `device_name`, `kernel_name`, `problem_size`, `tune_params_keys`, and in `cache` one entry a
//!   configuration with `time` in milliseconds or what went wrong. One that was not closed, as a run leaves it that
//!   goes on or was stopped, is read too.
//! - **T4 results** have in `results` one entry a configuration with `measurements`, and `invalidity` where it has
//!   none. They do not name device and kernel: the device is what the file is called without its endings
//!   (`A100_T4.json.gz`: `A100`), the kernel `kernel`.
//! - **Results of KTT**, the Kernel Tuning Toolkit, have `Metadata` with device and unit, and in `Results` one entry a
//!   run.
//!
//! A value that is an empty text is written `""` in the configuration, and one that is none `null`.

mod cache;
mod document;
mod entry;
mod field;
mod join;
mod ktt;
mod repair;
mod results;
mod row;
mod tuning;
mod units;
mod wrong;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use self::document::Document;
use self::tuning::Tuning;
use super::compressed;
use super::error::{ImportError, Problem, check_function};
use crate::recordings::Recordings;

/// Reads files of Kernel Tuner or KTT: each a cache, T4 results or results of KTT, of one device and one input, plain
/// or compressed.
///
/// The variant is called as the kernel, the input as the problem's size (`4096x4096`; `only` where the file does
/// not say), the device as the file says or is called. A configuration that is invalid on the device, could not be
/// compiled or did not run has failed, with its reason. All configurations in the files are listed as those that
/// exist.
///
/// ```
/// use nitro_store::exchange::import_kernel_tuner;
///
/// let folder = tempfile::tempdir()?;
/// let cache = folder.path().join("mm.json"); // of a run that goes on, so that the last brackets are still to come
/// std::fs::write(&cache, r#"{
///     "device_name": "NVIDIA A100-PCIE-40GB", "kernel_name": "matmul", "problem_size": [4096, 4096],
///     "tune_params_keys": ["block", "tile"], "tune_params": {"block": [16, 32], "tile": [1]}, "objective": "time",
///     "cache": {
///         "16,1": {"block": 16, "tile": 1, "time": 3.5, "times": [3.4, 3.5, 3.6]},
///         "32,1": {"block": 32, "tile": 1, "time": "CompilationFailedConfig"},"#)?;
/// let recordings = import_kernel_tuner("mm", &[cache])?;
/// assert_eq!(recordings.devices[0].id, "NVIDIA A100-PCIE-40GB");
/// assert_eq!((&*recordings.variants[0], &*recordings.inputs[0].name), ("matmul", "4096x4096"));
/// assert_eq!(recordings.measurements[0].outcome.time_ns(), Some(3.5e6));
/// assert_eq!(recordings.measurements[1].reason, "CompilationFailedConfig");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the function cannot be called so, when a file cannot be read or is none of Kernel Tuner, at the first entry
/// without a time or a reason for that, when files have other parameters of one kernel, or when a configuration is
/// there twice for a device and input.
pub fn import_kernel_tuner(function: &str, files: &[PathBuf]) -> Result<Recordings, ImportError> {
    check_function(function)?;
    let tuned: Vec<Tuning> = files.par_iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    join::join(function, tuned)
}

fn read(path: &Path) -> Result<Tuning, ImportError> {
    let file = path.display().to_string();
    let bytes = compressed::read(path)?;
    parse(&file, &compressed::unpack(&file, &bytes)?)
}

/// `file` says what messages call it, and the device where nothing else does.
fn parse(file: &str, text: &str) -> Result<Tuning, ImportError> {
    let text = repair::repaired(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    let tuned = match text.trim().is_empty() {
        true => Err((1, "the file is empty; name a cache file or T4 results".to_owned())),
        false => Document::read(&text).and_then(|document| document.tuned(file, &text)),
    };
    tuned.map_err(|(line, what)| {
        let problem = Problem::KernelTuner { what };
        ImportError::Row { file: file.to_owned(), line, problem }
    })
}
