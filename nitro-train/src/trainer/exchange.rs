//! Measurements from and to other tools.

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use crate::exchange::{self, Files};
use crate::recordings::Recordings;

impl Trainer {
    /// Takes measurements of a function from files into the store; returns what was taken.
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

    /// Writes measurements of a function to files; returns what was written.
    ///
    /// # Errors
    /// When there are no measurements, and when a file cannot be written.
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
        exchange::export(&recordings, files)?;
        Ok(recordings)
    }
}
