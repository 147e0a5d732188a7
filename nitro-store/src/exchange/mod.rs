//! Recordings as CSV tables, from and to other tools, and files of Kernel Tuner ([`import_kernel_tuner`]).
//!
//! Tables with a header line each, comma-separated, quoted as in RFC 4180 where a name needs it:
//!
//! - **measurements**: `device,input,variant,time_ns`, where an empty time means that the variant failed or is not
//!   admissible. Optional columns: `outcome` (`time`, `failed`, `wrong` or `inadmissible`), `spread_ns`, `repeats`,
//!   `configuration` (tuning parameters), `reason` (why a variant failed or is wrong) and `load` (what others took
//!   of the processors that it needed, from 0 to 1; empty where that is not known). The order of the columns is
//!   free.
//! - **inputs**: `input`, then one column a feature.
//! - **devices**: `device`, then one column a device feature; an empty field means that it is not known there.
//! - **units**: the first row below the header of inputs and devices may be `unit`, then one of [`nitro_core::Unit`]
//!   or an empty field a feature. They may also be a table of their own, `feature,unit`.
//! - **parameters**, where a variant has tuning parameters: `configuration`, then one column a parameter, and one
//!   row for every configuration that exists, measured or not. A column `variant` says whose each is; it is needed
//!   where several variants have configurations, and then a parameter that a variant does not have is empty.
//!
//! - **feature times**, where what features take was measured: `device,input`, then one column a feature with
//!   nanoseconds; an empty field means that it is not known.
//!
//! - **artifacts**, where configurations are generated code: no table but a JSON object a line,
//!   `{"artifact": DIGEST, "text": CODE}`.
//!
//! Numbers are decimal, finite, and times above zero. Names are those of [`nitro_core::name`]; there may be
//! [`MAX_VARIANTS`](nitro_core::MAX_VARIANTS) variants, and [`MAX_FEATURES`](crate::recordings::MAX_FEATURES)
//! features of inputs and of devices. A text that a spreadsheet would take for a formula (`=1+1`) has a `'` before
//! it, which is not part of it. Tables may be compressed as `.gz` or `.xz`. The one file of a `.zip` is read too. A
//! table is read whole, with all its cross-references, before a store sees any of it; [`export`] writes every
//! column, so that importing what was exported gives the same recordings.
//!
//! ```
//! use nitro_store::exchange::read_bytes;
//!
//! let recordings = read_bytes(
//!     "spmv",
//!     b"device,input,variant,time_ns\nV100,a,csr,1300\nV100,a,ell,\n",
//!     b"input,rows\na,4096\n",
//!     b"device,sm_count\nV100,80\n",
//! )?;
//! assert_eq!(recordings.variants, ["csr", "ell"]);
//! assert_eq!(recordings.measurements[0].outcome.time_ns(), Some(1300.0));
//! # Ok::<(), nitro_store::exchange::ImportError>(())
//! ```

mod artifacts;
pub mod compressed;
pub mod csv_table;
mod error;
mod feature_times;
mod features;
pub mod formula;
mod kernel_tuner;
mod measurements;
mod parameters;
mod units;

pub mod shortest;
pub mod write;

use std::path::PathBuf;

use self::csv_table::CsvTable;
pub use self::error::{ExportError, ImportError, Problem};
pub use self::kernel_tuner::import_kernel_tuner;
use self::parameters::ConfigurationTable;
pub use self::write::export;
use crate::recordings::{Meanings, Recordings};

/// The files of one function's recordings.
#[derive(Clone, Debug)]
pub struct Files {
    /// Times of variants.
    pub measurements: PathBuf,
    /// Features of inputs.
    pub inputs: PathBuf,
    /// Features of devices.
    pub devices: PathBuf,
    /// The configurations that exist, of variants with tuning parameters.
    pub parameters: Option<PathBuf>,
    /// The times that features take to compute.
    pub feature_times: Option<PathBuf>,
    /// The texts of generated code.
    pub artifacts: Option<PathBuf>,
    /// The units of features, `feature,unit`. Only an import reads it: an export writes them into the tables of inputs
    /// and devices.
    pub units: Option<PathBuf>,
}

/// Reads recordings from files.
///
/// Variants come in the order of their first appearance. Which of them is the default variant, the files do not say.
///
/// ```
/// use nitro_store::exchange::{Files, import};
///
/// let folder = tempfile::tempdir()?;
/// let [measurements, inputs, devices] = ["m.csv", "i.csv", "d.csv"].map(|name| folder.path().join(name));
/// std::fs::write(&measurements, "device,input,variant,time_ns\nV100,b,csr,1300\n")?;
/// std::fs::write(&inputs, "input,rows\na,4096\n")?;
/// std::fs::write(&devices, "device,sm_count\nV100,80\n")?;
/// let files = Files { measurements, inputs, devices, parameters: None, feature_times: None, artifacts: None, units: None };
/// let error = import("spmv", &files).unwrap_err();
/// assert!(error.to_string().contains("m.csv:2"), "{error}"); // there is no input `b`
/// std::fs::write(&files.inputs, "input,rows\na,4096\nb,512\n")?;
/// assert_eq!(import("spmv", &files)?.measurements.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// When the function cannot be called so, when a file cannot be read or unpacked, and at the first row that has
/// another form than the [module](self) says, names an unknown input or device, or repeats a key.
pub fn import(function: &str, files: &Files) -> Result<Recordings, ImportError> {
    let read = |path: &PathBuf| {
        let file = path.display().to_string();
        let bytes = compressed::read(path)?;
        compressed::unpack(&file, &bytes).map(|text| (file, text))
    };
    let (devices, inputs) = (read(&files.devices)?, read(&files.inputs)?);
    let parameters = files.parameters.as_ref().map(read).transpose()?;
    let mut recordings =
        parse(function, &read(&files.measurements)?, &inputs, &devices, parameters.as_ref())?;
    if let Some(path) = &files.units {
        let (name, text) = read(path)?;
        units::read(CsvTable::open(&name, &text)?, &mut recordings)?;
    }
    if let Some(path) = &files.feature_times {
        let (name, text) = read(path)?;
        feature_times::read(CsvTable::open(&name, &text)?, &mut recordings)?;
    }
    if let Some(path) = &files.artifacts {
        let (name, text) = read(path)?;
        artifacts::read(&name, &text, &mut recordings)?;
    }
    Ok(recordings)
}

/// Reads recordings that a program carries in it, compressed or not.
///
/// # Errors
///
/// As [`import`]; messages call the tables `measurements`, `inputs` and `devices` of the function.
pub fn read_bytes(
    function: &str,
    measurements: &[u8],
    inputs: &[u8],
    devices: &[u8],
) -> Result<Recordings, ImportError> {
    read_tables(function, measurements, inputs, devices, None, None)
}

/// Reads tables as [`read_bytes`] does, with the times of features and the file of generated code.
pub fn read_tables(
    function: &str,
    measurements: &[u8],
    inputs: &[u8],
    devices: &[u8],
    feature_times: Option<&[u8]>,
    artifacts: Option<&[u8]>,
) -> Result<Recordings, ImportError> {
    let read = |table: &str, bytes| {
        let name = format!("{table} of {function}");
        compressed::unpack(&name, bytes).map(|text| (name, text))
    };
    let (devices, inputs) = (read("devices", devices)?, read("inputs", inputs)?);
    let mut recordings = parse(function, &read("measurements", measurements)?, &inputs, &devices, None)?;
    if let Some(bytes) = feature_times {
        let (name, text) = read("feature times", bytes)?;
        feature_times::read(CsvTable::open(&name, &text)?, &mut recordings)?;
    }
    if let Some(bytes) = artifacts {
        let (name, text) = read("artifacts", bytes)?;
        artifacts::read(&name, &text, &mut recordings)?;
    }
    Ok(recordings)
}

type Named = (String, String);

fn parse(
    function: &str,
    (measurements_name, measurements): &Named,
    (inputs_name, inputs): &Named,
    (devices_name, devices): &Named,
    parameters: Option<&Named>,
) -> Result<Recordings, ImportError> {
    error::check_function(function)?;
    let mut recordings = Recordings { function: function.to_owned(), ..Recordings::default() };
    let Meanings { units, device_units, .. } = &mut recordings.meanings;
    recordings.devices = features::devices(CsvTable::open(devices_name, devices)?, device_units)?;
    (recordings.features, recordings.inputs) = features::inputs(CsvTable::open(inputs_name, inputs)?, units)?;
    let listed =
        parameters.map(|(name, text)| ConfigurationTable::read(CsvTable::open(name, text)?)).transpose()?;
    measurements::read(CsvTable::open(measurements_name, measurements)?, listed.as_ref(), &mut recordings)?;
    if let (Some(listed), Some((name, _))) = (listed, parameters) {
        listed.assign(&mut recordings).map_err(|problem| ImportError::Row {
            file: name.clone(),
            line: 1,
            problem,
        })?;
    }
    Ok(recordings)
}
