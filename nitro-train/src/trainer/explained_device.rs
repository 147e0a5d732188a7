//! The device that [`explain`](super::Trainer::explain) selects for.

use nitro_core::DeviceEntry;
use nitro_core::DeviceId;
use nitro_core::model::Model;
use nitro_store::recordings::{DeviceRecord, Recordings};

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use crate::measure::{describe_device, whole_host};

/// A device to select for.
pub(super) struct ExplainedDevice {
    pub(super) record: DeviceRecord,
    /// The device, if it is one of this machine.
    entry: Option<&'static DeviceEntry>,
    /// The kind of device that this machine lacks, where a recorded one was taken for that.
    pub(super) stands_for: Option<String>,
}

impl ExplainedDevice {
    /// Returns the device that was asked for, of this machine or in the store.
    ///
    /// Without a name: one of the kind that the function runs on, of this machine if it has one, or else recorded; or
    /// else the whole host.
    pub(super) fn find(
        trainer: &Trainer,
        (function, name): (&str, Option<&str>),
        model: &Model,
        store: &mut LayeredStore<'_>,
        recordings: Option<&Recordings>,
    ) -> Result<Self, TrainError> {
        if let Some(name) = name {
            return Self::named(trainer, store, name);
        }
        let host = whole_host();
        let runs_on = trainer.find(function).and_then(|tunable| tunable.runs_on);
        let sources = model.provenance.sources.iter().map(|source| DeviceId::new(source).kind());
        let kind =
            runs_on.or_else(|| sources.into_iter().next()).unwrap_or_else(|| DeviceId::new(&host).kind());
        if kind == DeviceId::new(&host).kind() {
            return Self::here(trainer, &host);
        }
        if let Some(name) = trainer.first_of_kind(kind) {
            return Self::here(trainer, &name);
        }
        let recorded = recordings.map_or(&[][..], |recordings| &recordings.devices).iter();
        let recorded =
            recorded.filter(|device| DeviceId::new(&device.id).kind() == kind || runs_on.is_none());
        // A part of a device has a longer name than the whole of it.
        match recorded.min_by_key(|device| device.id.len()) {
            Some(device) => {
                Ok(Self { record: device.clone(), entry: None, stands_for: Some(kind.to_owned()) })
            }
            None => Self::here(trainer, &host),
        }
    }

    fn named(trainer: &Trainer, store: &mut LayeredStore<'_>, name: &str) -> Result<Self, TrainError> {
        let stored = store.devices()?;
        if let Some(device) = stored.iter().find(|device| device.id == *name) {
            return Ok(Self { record: device.clone(), entry: None, stands_for: None });
        }
        Self::here(trainer, name).map_err(|source| TrainError::DeviceNowhere {
            name: name.to_owned(),
            known: stored.into_iter().map(|device| device.id).collect(),
            source: source.into(),
        })
    }

    fn here(trainer: &Trainer, name: &str) -> Result<Self, TrainError> {
        let device = trainer.open_device(name)?;
        Ok(Self { record: describe_device(&*device), entry: Some(device.entry()), stands_for: None })
    }

    /// Checks that it has all device features of the model.
    pub(super) fn check(&self, model: &Model) -> Result<(), TrainError> {
        match model.device_features.iter().find(|name| self.record.feature(name).is_none()) {
            None => Ok(()),
            Some(missing) => Err(TrainError::DeviceFeatureMissing {
                device: self.record.id.clone(),
                feature: missing.clone(),
                example: model.provenance.sources.first().map_or("cuda:0", String::as_str).to_owned(),
            }),
        }
    }

    /// Returns the distance to the training devices, as dispatch takes it on this machine.
    ///
    /// From a record it is taken over all features that it has.
    pub(super) fn distance(&self, model: &Model) -> Option<f64> {
        match self.entry {
            Some(entry) => model.device_distance(entry),
            None => model.coverage.devices.as_ref()?.distance(|name| self.record.feature(name)),
        }
    }
}
