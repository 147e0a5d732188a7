//! The import and export of measurements from and to other tools.

use std::path::PathBuf;

use nitro_core::Function;
use nitro_store::exchange::{self, Files};
use nitro_store::recordings::Recordings;
use nitro_store::store::Store;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;

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
    /// let files = Files { measurements, inputs, devices, parameters: None, feature_times: None, artifacts: None, units: None };
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
        self.take(exchange::import(function, files)?, data)
    }

    /// Imports measurements of a function from files of Kernel Tuner, and returns them.
    ///
    /// [`import_kernel_tuner`](exchange::import_kernel_tuner) reads them.
    ///
    /// # Errors
    /// When anything is wrong in the files, or contradicts the store: then nothing is imported.
    pub fn import_kernel_tuner(
        &self,
        function: &str,
        files: &[PathBuf],
        data: &DataRequest,
    ) -> Result<Recordings, TrainError> {
        self.take(exchange::import_kernel_tuner(function, files)?, data)
    }

    fn take(&self, mut recordings: Recordings, data: &DataRequest) -> Result<Recordings, TrainError> {
        let mut store = LayeredStore::open(self, data)?;
        let store = store.writable()?;
        self.order_parameters(&mut recordings, store);
        store.import(&recordings)?;
        Ok(recordings)
    }

    /// Orders parameters as the function's declaration does, or as the store.
    ///
    /// Configurations are told apart by their names, which have the parameters in that order.
    fn order_parameters(&self, recordings: &mut Recordings, store: &mut dyn Store) {
        let function = self.find(&recordings.function).map(|tunable| tunable.function);
        let configured: Vec<usize> =
            (0..recordings.variants.len()).filter(|&own| recordings.parameters(own).is_some()).collect();
        let stored = if configured.is_empty() { None } else { store.load(&recordings.function).ok() };
        for variant in configured {
            let name = &recordings.variants[variant];
            let order = declared_parameters(function, name)
                .or_else(|| stored_parameters(stored.as_ref(), name))
                .or_else(|| recordings.parameters(variant));
            recordings.order_parameters(variant, &order.unwrap_or_default());
        }
    }

    /// Writes measurements of a function to files; returns what was written.
    ///
    /// # Errors
    /// When there are no measurements, when `files` asks for configurations, times of features or generated code
    /// and there is none, and when a file cannot be written.
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

/// Returns the parameters of a variant in the order of its declaration.
fn declared_parameters(function: Option<&Function>, variant: &str) -> Option<Vec<String>> {
    let function = function?;
    let parameters = function.variants()[function.variant_named(variant)?].parameters().list();
    Some(parameters.iter().map(|parameter| parameter.name().to_owned()).collect())
}

/// Returns the parameters of a variant in the order of recordings.
fn stored_parameters(recordings: Option<&Recordings>, variant: &str) -> Option<Vec<String>> {
    let recordings = recordings?;
    recordings.parameters(recordings.variant_index(variant)?)
}
