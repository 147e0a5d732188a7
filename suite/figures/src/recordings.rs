//! The recordings that ship.

use std::path::PathBuf;

use nitro_benchmarks::cuda::{cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose};
use nitro_benchmarks::{histogram, sort, spmv, transpose};
use nitro_store::exchange::{Files, import};
use nitro_store::recordings::Recordings;
use nitro_train::Function;
use nitro_train::profile::Folder;

use crate::{Error, root};

/// The functions of the suite on the host.
pub const ON_HOST: [&str; 4] = ["histogram", "sort", "spmv", "transpose"];
/// Those on a GPU.
pub const ON_GPU: [&str; 6] =
    ["cuda_bfs", "cuda_histogram", "cuda_solver", "cuda_sort", "cuda_spmv", "cuda_transpose"];
/// What the Ginkgo project measured.
pub const GINKGO: &str = "ginkgo_spmv";

/// The recordings of a function of the suite with the variants that a program without the feature `vendor` has, or
/// those of [`GINKGO`].
///
/// # Errors
/// When there are none, or they cannot be read.
pub fn shipped(function: &str) -> Result<Recordings, Error> {
    let mut recordings = with_vendor(function)?;
    if let Some(known) = function_of(function) {
        recordings.keep_known(known);
    }
    Ok(recordings)
}

/// As [`shipped`], with the variants of CUB and cuSPARSE.
///
/// # Errors
/// As [`shipped`].
pub fn with_vendor(function: &str) -> Result<Recordings, Error> {
    let (folder, ending) = match function {
        GINKGO => (root().join("suite/figures/data/ginkgo-spmv"), "xz"),
        _ => (models().join("recordings").join(function), "gz"),
    };
    let files = Files {
        measurements: folder.join(format!("measurements.csv.{ending}")),
        inputs: folder.join(format!("inputs.csv.{ending}")),
        devices: folder.join("devices.csv"),
        parameters: None,
        feature_times: None,
        artifacts: None,
    };
    let profiles = Folder::new(models().join("recordings")).read(function)?;
    Ok(Recordings { profiles, ..import(function, &files)? })
}

/// The folder of the shipped models.
pub fn models() -> PathBuf {
    root().join("models")
}

/// The function of the suite that is called so.
fn function_of(name: &str) -> Option<&'static Function> {
    let all = [
        histogram::function(),
        sort::function(),
        spmv::function(),
        transpose::function(),
        cuda_bfs::function(),
        cuda_histogram::function(),
        cuda_solver::function(),
        cuda_sort::function(),
        cuda_spmv::function(),
        cuda_transpose::function(),
    ];
    all.into_iter().find(|function| function.name() == name)
}
