//! Which recordings a call works on: a store that the user names, or `nitro.db` over what the program carries.

use std::collections::BTreeSet;

use super::builder::Trainer;
use super::error::TrainError;
use super::request::DataRequest;
use super::tunable::{ShippedRecordings, Tunable};
use crate::exchange;
use crate::profile::{Folder, files};
use crate::recordings::{DeviceRecord, Profiles, Recordings, choice_text};
use crate::store::{self, Store};

/// The store, and under it the recordings that the program carries.
pub(super) struct LayeredStore<'t> {
    trainer: &'t Trainer,
    url: String,
    store: Option<Box<dyn Store>>,
    /// Whether the recordings that the program carries take part.
    has_shipped: bool,
    /// The user's profiles, in the place of those that the program carries.
    profiles: Option<Folder>,
}

impl<'t> LayeredStore<'t> {
    /// Opens the store if it exists. Recordings that the program carries take part only when the user names no store.
    pub(super) fn open(trainer: &'t Trainer, data: &DataRequest) -> Result<Self, TrainError> {
        Ok(Self { has_shipped: data.store.is_none(), ..Self::over_shipped(trainer, data)? })
    }

    /// Opens the store if it exists, over the recordings that the program carries.
    pub(super) fn over_shipped(trainer: &'t Trainer, data: &DataRequest) -> Result<Self, TrainError> {
        let url = data.store_url().to_owned();
        let store = if store::exists(&url) { Some(store::open(&url)?) } else { None };
        let profiles = data.profiles.as_deref().map(Folder::new);
        Ok(Self { trainer, url, store, has_shipped: true, profiles })
    }

    /// The store itself, made when absent.
    pub(super) fn writable(&mut self) -> Result<&mut dyn Store, TrainError> {
        if self.store.is_none() {
            self.store = Some(store::open(&self.url)?);
        }
        Ok(self.store.as_deref_mut().expect("it was opened above"))
    }

    /// The names of all functions with recordings, or those of `wanted`, each of which must have some.
    pub(super) fn functions(&mut self, wanted: &[String]) -> Result<Vec<String>, TrainError> {
        let mut known: BTreeSet<String> =
            self.shipped().map(|(tunable, _)| tunable.name().to_owned()).collect();
        if let Some(store) = &mut self.store {
            known.extend(store.functions()?);
        }
        let store = || store::shown(&self.url);
        if known.is_empty() {
            return Err(TrainError::NoRecordings { store: store() });
        }
        if let Some(missing) = wanted.iter().find(|name| !known.contains(*name)) {
            let (function, known) = (missing.clone(), known.into_iter().collect());
            return Err(TrainError::NoneOfFunction { store: store(), function, known });
        }
        Ok(if wanted.is_empty() { known.into_iter().collect() } else { wanted.to_vec() })
    }

    /// What was recorded of one function, of the variants that this program has: what is fitted, judged and shipped is for the code at
    /// hand, and a store may be shared with programs of other Cargo features.
    pub(super) fn load(&mut self, function: &str) -> Result<Recordings, TrainError> {
        self.load_if_recorded(function)?.ok_or_else(|| self.has_none_of(function))
    }

    /// As [`Stores::load`], if anything was recorded.
    pub(super) fn load_if_recorded(&mut self, function: &str) -> Result<Option<Recordings>, TrainError> {
        let mut recordings = self.everything(function)?;
        if let Some(recordings) = &mut recordings
            && let Some(tunable) = self.trainer.find(function)
        {
            let own = tunable.function.variants();
            let is_own = |name: &str| own.iter().any(|variant| variant.name() == name);
            // With none in common they are of a namesake, which is for others to find.
            let is_known = recordings.variants.iter().any(|name| is_own(name));
            let left_out = if is_known { recordings.keep_variants(is_own) } else { Vec::new() };
            let function = tunable.function;
            let is_own = |variant: &str, text: &str| function.choice(&choice_text(variant, text)).is_ok();
            let others = if is_known { recordings.keep_configurations(is_own) } else { 0 };
            let name = function.name();
            if !left_out.is_empty() {
                let names = left_out.join(", ");
                self.trainer.tell(format!("{name}: left out, as this program does not have them: {names}"));
            }
            if others > 0 {
                self.trainer.tell(format!(
                    "{name}: left out, {others} configurations that this program does not have"
                ));
            }
        }
        Ok(recordings)
    }

    /// Everything recorded of one function, whatever this program has.
    pub(super) fn load_all(&mut self, function: &str) -> Result<Recordings, TrainError> {
        self.everything(function)?.ok_or_else(|| self.has_none_of(function))
    }

    fn has_none_of(&self, function: &str) -> TrainError {
        let (store, function) = (store::shown(&self.url), function.to_owned());
        TrainError::NoneOfFunction { store, function, known: Vec::new() }
    }

    /// The recordings that the program carries, as far as they take part.
    fn shipped(&self) -> impl Iterator<Item = (&'t Tunable, &'t ShippedRecordings)> + use<'t> {
        let tunables: &'t [Tunable] = if self.has_shipped { &self.trainer.tunables } else { &[] };
        tunables.iter().flat_map(|tunable| tunable.shipped.iter().map(move |shipped| (tunable, shipped)))
    }

    fn shipped_of(&self, function: &str) -> impl Iterator<Item = (&'t Tunable, &'t ShippedRecordings)> {
        self.shipped().filter(move |(tunable, _)| tunable.name() == function)
    }

    fn everything(&mut self, function: &str) -> Result<Option<Recordings>, TrainError> {
        let mut recordings: Option<Recordings> = None;
        if let Some(store) = &mut self.store
            && store.functions()?.iter().any(|name| name == function)
        {
            recordings = Some(store.load(function)?);
        }
        for (tunable, shipped) in self.shipped_of(function) {
            let below = read_shipped(tunable, shipped)?;
            match &mut recordings {
                None => recordings = Some(below),
                Some(own) => {
                    if !own.overlay_onto(&below) {
                        tracing::warn!(
                            function,
                            "the carried recordings have other features and are left out"
                        );
                    }
                }
            }
        }
        if let Some(recordings) = &mut recordings {
            recordings.profiles = self.profiles(function)?;
        }
        Ok(recordings)
    }

    fn profiles(&self, function: &str) -> Result<Profiles, TrainError> {
        if let Some(folder) = &self.profiles {
            return Ok(folder.read(function)?);
        }
        let Some(bytes) = self.shipped_of(function).find_map(|(_, shipped)| shipped.profiles) else {
            return Ok(Profiles::default());
        };
        let proxies = self.trainer.shipped_proxies;
        let variants = files::read_variants(&format!("profiles of {function}"), bytes);
        let proxies = proxies.map(|bytes| files::read_proxies("profiles of the proxies", bytes));
        let read = variants.and_then(|variants| {
            Ok(Profiles { variants, proxies: proxies.transpose()?.unwrap_or_default() })
        });
        read.map_err(|source| TrainError::ShippedProfiles {
            function: function.to_owned(),
            source: source.into(),
        })
    }

    /// All devices with recordings.
    pub(super) fn devices(&mut self) -> Result<Vec<DeviceRecord>, TrainError> {
        let mut devices = match &mut self.store {
            Some(store) => store.devices()?,
            None => Vec::new(),
        };
        for (tunable, shipped) in self.shipped() {
            for device in read_shipped(tunable, shipped)?.devices {
                if !devices.iter().any(|own| own.id == device.id) {
                    devices.push(device);
                }
            }
        }
        devices.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(devices)
    }
}

fn read_shipped(tunable: &Tunable, shipped: &ShippedRecordings) -> Result<Recordings, TrainError> {
    let function = tunable.name();
    let read = exchange::read_bytes(function, shipped.measurements, shipped.inputs, shipped.devices);
    read.map_err(|source| TrainError::Shipped { function: function.to_owned(), source: source.into() })
}
