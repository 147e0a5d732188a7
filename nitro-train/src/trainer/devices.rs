//! The devices by name: those of the host, and those that the providers of the program bring.

use std::path::PathBuf;

use nitro_core::provide::{DeviceProvider, OpenDevice};
use nitro_core::{Device, DeviceId, MeasuredFeature, Regime};
use nitro_store::recordings::DeviceRecord;
use serde::{Serialize, Serializer};

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use crate::measure::{InRegime, describe_device, whole_host};

/// The devices at hand as a model sees them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Devices {
    /// The devices of this machine.
    pub here: Vec<DeviceRecord>,
    /// The features of these that took a benchmark.
    pub measured: Vec<MeasuredDevice>,
    /// The devices with recordings.
    pub recorded: Vec<DeviceRecord>,
}

/// The device features of a device that took a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredDevice {
    /// The device's identity.
    pub id: String,
    /// The measured features, with their time and how sure they are.
    #[serde(serialize_with = "measured_features")]
    pub features: Vec<MeasuredFeature>,
    /// The file in which they are kept; none when the user has no folder for such files.
    pub kept_in: Option<PathBuf>,
}

/// Writes measured device features for scripts. `doubt` says why a figure may be wrong, and is null for a steady one.
fn measured_features<S: Serializer>(features: &[MeasuredFeature], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(features.iter().map(measured_feature))
}

fn measured_feature(own: &MeasuredFeature) -> serde_json::Value {
    serde_json::json!({
        "name": own.feature.name,
        "value": own.feature.value,
        "spread": own.spread,
        "load": own.load,
        "unix_s": own.unix_s,
        "doubt": own.doubt.map(|reason| reason.to_string()),
    })
}

impl MeasuredDevice {
    fn new(device: &dyn Device, features: Vec<MeasuredFeature>) -> Self {
        let entry = device.entry();
        Self { id: entry.id().to_owned(), features, kept_in: entry.kept_in() }
    }
}

/// Returns the named devices; the whole host when there are none.
pub(crate) fn or_whole_host(names: &[String]) -> Vec<String> {
    if names.is_empty() { vec![whole_host()] } else { names.to_vec() }
}

/// Returns the name of a device in a regime, where one is asked for.
///
/// # Errors
/// When the name is that of a device in another regime.
fn named_in_regime(name: &str, regime: Option<Regime>) -> Result<String, TrainError> {
    let id = DeviceId::new(name);
    match (id.regime(), regime) {
        (_, None) => Ok(name.to_owned()),
        (Regime::Eager, Some(regime)) => Ok(id.in_regime(regime)),
        (own, Some(regime)) if own == regime => Ok(name.to_owned()),
        (_, Some(regime)) => Err(TrainError::TwoRegimes { device: name.to_owned(), regime }),
    }
}

/// Returns the names of devices in a regime, where one is asked for; of the whole host when there are none.
///
/// # Errors
/// When a name is that of a device in another regime.
pub(crate) fn all_in_regime(names: &[String], regime: Option<Regime>) -> Result<Vec<String>, TrainError> {
    or_whole_host(names).iter().map(|name| named_in_regime(name, regime)).collect()
}

impl Trainer {
    /// Describes devices of this machine, by name, or all threads of the host without names, and those with recordings.
    ///
    /// Device features that have to be measured are measured once and kept, unless they are noisy.
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
        let devices = self.open_devices(names)?;
        let here = devices.iter().map(|device| describe_device(&**device)).collect();
        let measured =
            devices.iter().map(|device| MeasuredDevice::new(&**device, device.entry().measured().to_vec()));
        Ok(Devices {
            here,
            measured: measured.collect(),
            recorded: LayeredStore::open(self, data)?.devices()?,
        })
    }

    /// Measures devices of this machine now, by name, or all threads of the host without names.
    ///
    /// What is not noisy replaces what is kept. This process goes on with the measured features that it has already
    /// used.
    ///
    /// ```no_run
    /// let measured = nitro_train::Trainer::new().measure_devices(&["host:1".into()])?;
    /// for feature in &measured[0].features {
    ///     println!("{}: {}", feature.feature.name, feature.feature.value);
    /// }
    /// # Ok::<(), nitro_train::TrainError>(())
    /// ```
    ///
    /// # Errors
    /// When a name is that of no device or the device cannot be used.
    pub fn measure_devices(&self, names: &[String]) -> Result<Vec<MeasuredDevice>, TrainError> {
        let devices = self.open_devices(names)?.into_iter();
        Ok(devices.map(|device| MeasuredDevice::new(&*device, device.entry().measure_again())).collect())
    }

    /// Returns the named devices; the whole host when there are none.
    fn open_devices(&self, names: &[String]) -> Result<Vec<Box<dyn OpenDevice>>, TrainError> {
        or_whole_host(names).iter().map(|name| self.open_device(name)).collect()
    }

    /// Returns every GPU of this machine; all of them can record at the same time.
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

    /// Checks that a device's name has a known form, as far as that shows without touching the device, and that it can
    /// be measured in a regime, where one is asked for.
    pub(crate) fn check_device_name(&self, name: &str, regime: Option<Regime>) -> Result<(), TrainError> {
        let (provider, eager_name) = self.provider(&named_in_regime(name, regime)?)?;
        provider.check(&eager_name).map_err(TrainError::Device)
    }

    /// Returns the device of this name.
    pub(super) fn open_device(&self, name: &str) -> Result<Box<dyn OpenDevice>, TrainError> {
        let (provider, eager_name) = self.provider(name)?;
        let device = provider.open(&eager_name).map_err(TrainError::Device)?;
        Ok(match DeviceId::new(name).regime() {
            Regime::Eager => device,
            regime => Box::new(InRegime { device, regime }),
        })
    }

    /// Returns the first device of a kind that this machine has.
    pub(super) fn first_of_kind(&self, kind: &str) -> Option<String> {
        let provider = self.providers.iter().find(|provider| provider.kind() == kind)?;
        provider.all().ok()?.into_iter().next()
    }

    /// Returns the provider of the kind that the name begins with, and the name without a regime. The provider has the
    /// regime of the name.
    fn provider(&self, name: &str) -> Result<(&dyn DeviceProvider, String), TrainError> {
        let id = DeviceId::new(name);
        let found = self.providers.iter().find(|provider| provider.kind() == id.kind());
        let provider = found.ok_or_else(|| TrainError::UnknownDevice {
            name: name.to_owned(),
            forms: self.providers.iter().map(|provider| provider.forms()).collect(),
        })?;
        let (kind, regime, known) = (provider.kind(), id.regime(), provider.regimes());
        match known.contains(&regime) {
            true => Ok((&**provider, id.in_regime(Regime::Eager))),
            false => {
                let known = known.iter().map(|own| own.name()).collect();
                Err(TrainError::NoSuchRegime { kind, regime, known })
            }
        }
    }
}
