//! The device that `explain` selects for.

use anyhow::{Context, Result, bail};
use nitro_core::DeviceEntry;
use nitro_core::model::Model;

use crate::cli::args::ExplainArgs;
use crate::cli::data::Stores;
use crate::cli::named;
use crate::measure::{describe_device, whole_host};
use crate::recordings::{DeviceRecord, Recordings};
use crate::trainer::{Trainer, kind_of};

/// The device that is selected for.
pub(super) struct Subject {
    pub(super) record: DeviceRecord,
    /// Where it is one of this machine.
    entry: Option<&'static DeviceEntry>,
    /// The kind of device that this machine lacks, where a recorded one was taken for that.
    pub(super) stands_for: Option<String>,
}

impl Subject {
    /// The device of the command line, of this machine or in the store. Where it names none: one of the kind that the function runs on, of
    /// this machine if it has one, or else recorded; or else the whole host.
    pub(super) fn find(
        trainer: &Trainer,
        args: &ExplainArgs,
        model: &Model,
        stores: &mut Stores<'_>,
        recordings: Option<&Recordings>,
    ) -> Result<Self> {
        if let Some(name) = &args.device {
            return Self::named(trainer, stores, name);
        }
        let host = whole_host();
        let registered = trainer.registered(&args.function).and_then(|registered| registered.runs_on);
        let sources = model.provenance.sources.iter().map(|source| kind_of(source));
        let kind = registered.or_else(|| sources.into_iter().next()).unwrap_or_else(|| kind_of(&host));
        if kind == kind_of(&host) {
            return Self::here(trainer, &host);
        }
        if let Some(name) = first_of_kind(trainer, kind) {
            return Self::here(trainer, &name);
        }
        let recorded = recordings.map_or(&[][..], |recordings| &recordings.devices).iter();
        let recorded = recorded.filter(|device| kind_of(&device.id) == kind || registered.is_none());
        // A part of a device has a longer name than the whole of it.
        match recorded.min_by_key(|device| device.id.len()) {
            Some(device) => {
                Ok(Self { record: device.clone(), entry: None, stands_for: Some(kind.to_owned()) })
            }
            None => Self::here(trainer, &host),
        }
    }

    fn named(trainer: &Trainer, stores: &mut Stores<'_>, name: &str) -> Result<Self> {
        let stored = stores.devices()?;
        if let Some(device) = stored.iter().find(|device| device.id == *name) {
            return Ok(Self { record: device.clone(), entry: None, stands_for: None });
        }
        Self::here(trainer, name).with_context(|| {
            let known = stored.iter().map(|device| device.id.as_str()).collect::<Vec<_>>().join(", ");
            format!("no device `{name}` in the store (it has {known}) and none of that name here")
        })
    }

    fn here(trainer: &Trainer, name: &str) -> Result<Self> {
        let device = named::open(trainer, name)?;
        Ok(Self { record: describe_device(&*device), entry: Some(device.entry()), stands_for: None })
    }

    /// That it has all device features of the model.
    pub(super) fn check(&self, model: &Model) -> Result<()> {
        if let Some(missing) =
            model.device_features.iter().find(|name| !self.record.features.contains_key(*name))
        {
            bail!(
                "device {} has no device feature `{missing}`, which the model needs: name a device like those it learned from with --device, for example {}",
                self.record.id,
                model.provenance.sources.first().map_or("cuda:0", String::as_str)
            );
        }
        Ok(())
    }

    /// As dispatch takes it on this machine; from a record over all features that it has.
    pub(super) fn distance(&self, model: &Model) -> Option<f64> {
        match self.entry {
            Some(entry) => model.device_distance(entry),
            None => model.coverage.devices.as_ref()?.distance(|name| self.record.features.get(name).copied()),
        }
    }
}

/// The first device of a kind that this machine has.
fn first_of_kind(trainer: &Trainer, kind: &str) -> Option<String> {
    let provider = trainer.providers.iter().find(|provider| provider.kind() == kind)?;
    provider.all().ok()?.into_iter().next()
}
