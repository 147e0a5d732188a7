//! The arguments of commands that bring measurements from one place to another.

use std::path::PathBuf;

use clap::Args;
use nitro_store::exchange::Files;

use super::common::NoStoreArgs;
use super::show::JsonArgs;
use crate::trainer::DataRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct StoreArgs {
    /// Store of measurements: a file (made when absent) or redis://host:port/db. Without one, nitro.db in the working
    /// directory over the recordings that the program carries
    #[arg(long, value_name = "S", env = "NITRO_STORE", hide_env_values = true)]
    // an address may have a password
    pub(in crate::cli) store: Option<String>,
}

impl StoreArgs {
    /// Returns the request for all functions in this store.
    pub(in crate::cli) fn request(&self) -> DataRequest {
        DataRequest { store: self.store.clone(), ..DataRequest::default() }
    }
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ExportArgs {
    /// Function that was measured
    #[arg(long, value_name = "F")]
    pub(in crate::cli) function: String,
    #[command(flatten)]
    pub(in crate::cli) files: FilesArgs,
    #[command(flatten)]
    pub(in crate::cli) store: StoreArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

/// The options of [`FilesArgs`].
const FILES: [&str; 6] = ["measurements", "inputs", "devices", "parameters", "feature_times", "artifacts"];

#[derive(Args, Clone, Debug)]
pub(in crate::cli) struct FilesArgs {
    /// Measurements: device,input,variant,time_ns
    #[arg(long, value_name = "M.csv")]
    measurements: PathBuf,
    /// Inputs and their features; the first row may be their units, as `unit,Bytes,,Operations`
    #[arg(long, value_name = "I.csv")]
    inputs: PathBuf,
    /// Devices and their features, with or without units
    #[arg(long, value_name = "D.csv")]
    devices: PathBuf,
    /// Configurations that exist, of a variant with tuning parameters: configuration, then one column a parameter
    #[arg(long, value_name = "P.csv")]
    parameters: Option<PathBuf>,
    /// Times to compute features, in nanoseconds: device,input, then one column a feature
    #[arg(long, value_name = "T.csv")]
    feature_times: Option<PathBuf>,
    /// Generated code, one object a line: {"artifact": DIGEST, "text": CODE}
    #[arg(long, value_name = "A.jsonl")]
    artifacts: Option<PathBuf>,
}

impl FilesArgs {
    /// Returns these files for the library.
    pub(in crate::cli) fn files(&self) -> Files {
        let Self { measurements, inputs, devices, parameters, feature_times, artifacts } = self.clone();
        Files { measurements, inputs, devices, parameters, feature_times, artifacts, units: None }
    }
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ImportArgs {
    /// Function that was measured
    #[arg(long, value_name = "F")]
    pub(in crate::cli) function: String,
    /// Cache files or T4 results of Kernel Tuner, each of one device and one input; .gz and .xz too
    #[arg(long, value_name = "CACHE.json", num_args = 1.., required_unless_present = "measurements")]
    #[arg(conflicts_with_all = FILES)]
    pub(in crate::cli) kernel_tuner: Vec<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) files: Option<FilesArgs>,
    /// Units of features: feature,unit. Bytes, Operations, Count or Parallelism; of devices also Bytes/s and
    /// Operations/s. Forests then compare what an input needs with what a device has
    #[arg(long, value_name = "U.csv", conflicts_with = "kernel_tuner")]
    units: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) store: StoreArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}

impl ImportArgs {
    /// Returns the tables for the library, where they are no files of Kernel Tuner.
    pub(in crate::cli) fn tables(&self) -> Option<Files> {
        let files = self.files.as_ref()?.files();
        Some(Files { units: self.units.clone(), ..files })
    }
}

#[derive(Args, Debug)]
pub(in crate::cli) struct SyncArgs {
    /// A store: a file, or redis://host:port/db. One of the two may be a file that is still to be made
    #[arg(value_name = "A")]
    pub(in crate::cli) first: String,
    /// Another store
    #[arg(value_name = "B")]
    pub(in crate::cli) second: String,
    #[command(flatten)]
    no_store: NoStoreArgs,
    #[command(flatten)]
    pub(in crate::cli) output: JsonArgs,
}
