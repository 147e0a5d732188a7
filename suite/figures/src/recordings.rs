//! The recordings that ship.

use std::path::{Path, PathBuf};

use nitro_benchmarks::cuda::{cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose};
use nitro_benchmarks::{histogram, sort, spmv, transpose};
use nitro_learn::evaluate::Split;
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
/// Convolutions that MIOpen measured on GPUs of several architectures.
pub const CONVOLUTIONS: &str = "miopen_conv";
/// Stable sorts on processors that have little in common.
pub const SORTS: &str = "sort_cpus";

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
    let folder = match data_folder(function) {
        Some(folder) => folder,
        None => models().join("recordings").join(function),
    };
    let files = Files {
        measurements: packed(&folder, "measurements"),
        inputs: packed(&folder, "inputs"),
        devices: folder.join("devices.csv"),
        parameters: None,
        feature_times: None,
        artifacts: None,
        units: None,
    };
    let profiles = Folder::new(models().join("recordings")).read(function)?;
    Ok(Recordings { profiles, ..import(function, &files)? })
}

/// The training and test inputs of [`CONVOLUTIONS`] or [`SORTS`], which are listed beside their recordings.
///
/// # Errors
/// When a list cannot be read, or names an input that there is not.
pub fn listed_split(recordings: &Recordings) -> Result<Split, Error> {
    let folder = data_folder(&recordings.function).ok_or("the inputs of what others measured are listed")?;
    let list = |name: &str| -> Result<Vec<String>, Error> {
        Ok(std::fs::read_to_string(folder.join(name))?.lines().map(String::from).collect())
    };
    let (train, test) = (list("train-inputs.txt")?, list("test-inputs.txt")?);
    Ok(Split::from_lists(recordings, Some(&train), Some(&test))?)
}

/// The folder of what others measured.
fn data_folder(function: &str) -> Option<PathBuf> {
    let name = match function {
        GINKGO => "ginkgo-spmv",
        CONVOLUTIONS => "miopen-conv",
        SORTS => "sort-cpus",
        _ => return None,
    };
    Some(root().join("suite/figures/data").join(name))
}

/// A table, compressed or not.
fn packed(folder: &Path, table: &str) -> PathBuf {
    let endings = ["csv.xz", "csv.gz"].map(|ending| folder.join(format!("{table}.{ending}")));
    endings.into_iter().find(|path| path.exists()).unwrap_or_else(|| folder.join(format!("{table}.csv")))
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
