//! Devices by name: the host's and those that the program's providers bring.

use nitro_core::provide::{DeviceProvider, Workplace};
use serde::Serialize;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use super::tunable::kind_of;
use crate::measure::{describe_device, whole_host};
use crate::recordings::DeviceRecord;

/// What the devices at hand look like to a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Devices {
    /// Those of this machine.
    pub here: Vec<DeviceRecord>,
    /// Those with recordings.
    pub recorded: Vec<DeviceRecord>,
}

/// The named devices; the whole host when there are none.
pub(super) fn or_whole_host(names: &[String]) -> Vec<String> {
    if names.is_empty() { vec![whole_host()] } else { names.to_vec() }
}

impl Trainer {
    /// Describes devices of this machine, by name (all threads of the host without names), and those with recordings. Device features
    /// that have to be measured are measured once and kept.
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let store = folder.path().join("my.db").display().to_string();
    /// let data = nitro_train::DataRequest { store: Some(store), ..Default::default() };
    /// let devices = nitro_train::Trainer::new().describe(&["host:1".into()], &data)?;
    /// assert!(devices.here[0].id.starts_with("host:1@") && devices.recorded.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When a name is that of no device or the device cannot be used, and when the store cannot be read.
    pub fn describe(&self, names: &[String], data: &DataRequest) -> Result<Devices, TrainError> {
        let describe = |name: &String| Ok(describe_device(&*self.open_device(name)?));
        let here = or_whole_host(names).iter().map(describe).collect::<Result<_, TrainError>>()?;
        Ok(Devices { here, recorded: LayeredStore::open(self, data)?.devices()? })
    }

    /// Every GPU of this machine, which can record at the same time.
    pub(crate) fn all_devices(&self) -> Result<Vec<String>, TrainError> {
        let (mut names, mut reasons) = (Vec::new(), Vec::new());
        for provider in &self.providers {
            match provider.all() {
                Ok(found) => names.extend(found),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        match names.is_empty() {
            true => Err(TrainError::NoGpu { reasons, host: whole_host() }),
            false => Ok(names),
        }
    }

    /// Whether a device is written so, as far as can be told without touching it.
    pub(crate) fn check_device_name(&self, name: &str) -> Result<(), TrainError> {
        self.provider(name)?.check(name).map_err(TrainError::Device)
    }

    /// The device of this name.
    pub(super) fn open_device(&self, name: &str) -> Result<Box<dyn Workplace>, TrainError> {
        self.provider(name)?.open(name).map_err(TrainError::Device)
    }

    /// The first device of a kind that this machine has.
    pub(super) fn first_of_kind(&self, kind: &str) -> Option<String> {
        let provider = self.providers.iter().find(|provider| provider.kind() == kind)?;
        provider.all().ok()?.into_iter().next()
    }

    /// The provider of the kind that the name begins with.
    fn provider(&self, name: &str) -> Result<&dyn DeviceProvider, TrainError> {
        let found = self.providers.iter().find(|provider| provider.kind() == kind_of(name));
        found.map(|provider| &**provider).ok_or_else(|| TrainError::UnknownDevice {
            name: name.to_owned(),
            forms: self.providers.iter().map(|provider| provider.forms()).collect(),
        })
    }
}
