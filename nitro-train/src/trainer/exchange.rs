//! Measurements from and to other tools.

use std::path::PathBuf;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use crate::exchange::{self, Files};
use crate::recordings::Recordings;

impl Trainer {
    /// Takes measurements of a function from files into the store; returns what was taken.
    ///
    /// ```
    /// use nitro_train::exchange::Files;
    /// use nitro_train::{DataRequest, Trainer};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let [measurements, inputs, devices] = ["m.csv", "i.csv", "d.csv"].map(|name| folder.path().join(name));
    /// std::fs::write(&measurements, "device,input,variant,time_ns\nV100,a,csr,1300\nV100,a,ell,\n")?;
    /// std::fs::write(&inputs, "input,rows\na,4096\n")?;
    /// std::fs::write(&devices, "device,sm_count\nV100,80\n")?;
    /// let files = Files { measurements, inputs, devices, parameters: None, feature_times: None, artifacts: None };
    ///
    /// let store = folder.path().join("my.db").display().to_string();
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let trainer = Trainer::new();
    /// assert_eq!(trainer.import("spmv", &files, &data)?.variants, ["csr", "ell"]);
    /// assert_eq!(trainer.export("spmv", &files, &data)?.measurements.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When anything is wrong in the files, or contradicts the store: then nothing is imported.
    pub fn import(
        &self,
        function: &str,
        files: &Files,
        data: &DataRequest,
    ) -> Result<Recordings, TrainError> {
        let recordings = exchange::import(function, files)?;
        LayeredStore::open(self, data)?.writable()?.import(&recordings)?;
        Ok(recordings)
    }

    /// Takes measurements of a function from files of Kernel Tuner into the store, as
    /// [`import_kernel_tuner`](exchange::import_kernel_tuner) reads them; returns what was taken.
    ///
    /// # Errors
    /// When anything is wrong in the files, or contradicts the store: then nothing is imported.
    pub fn import_kernel_tuner(
        &self,
        function: &str,
        files: &[PathBuf],
        data: &DataRequest,
    ) -> Result<Recordings, TrainError> {
        let recordings = exchange::import_kernel_tuner(function, files)?;
        LayeredStore::open(self, data)?.writable()?.import(&recordings)?;
        Ok(recordings)
    }

    /// Writes measurements of a function to files; returns what was written.
    ///
    /// # Errors
    /// When there are no measurements, when `files` asks for configurations, times of features or generated code and there is none, and when a file cannot be written.
    pub fn export(
        &self,
        function: &str,
        files: &Files,
        data: &DataRequest,
    ) -> Result<Recordings, TrainError> {
        let mut store = LayeredStore::open(self, data)?;
        store.functions(&[function.to_owned()])?;
        let recordings = store.load_all(function)?;
        if recordings.measurements.is_empty() {
            return Err(TrainError::NothingToExport { function: function.to_owned() });
        }
        if files.parameters.is_some() && recordings.spaces.is_empty() {
            return Err(TrainError::NoSpaceToExport { function: function.to_owned() });
        }
        if files.feature_times.is_some() && recordings.feature_times.is_empty() {
            return Err(TrainError::NoTimesToExport { function: function.to_owned() });
        }
        if files.artifacts.is_some() && recordings.artifacts.is_empty() {
            return Err(TrainError::NoArtifactsToExport { function: function.to_owned() });
        }
        exchange::export(&recordings, files)?;
        Ok(recordings)
    }
}
