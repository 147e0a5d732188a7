//! The recordings that a call works on: a store that the user names, or `nitro.db` over what the program carries.

use std::collections::BTreeSet;

use nitro_core::Function;
use nitro_store::exchange;
use nitro_store::printable::list;
use nitro_store::recordings::{DeviceRecord, Incomplete, LeftOut, Meanings, Profiles, Recordings};
use nitro_store::store::{self, SharedStore};

use super::builder::Trainer;
use super::error::{TrainError, are};
use super::request::DataRequest;
use super::tunable::{ShippedRecordings, Tunable};
use crate::measure::Candidate;
use crate::profile::{Folder, files};

/// The store, and under it the recordings that the program carries.
pub(super) struct LayeredStore<'t> {
    trainer: &'t Trainer,
    url: String,
    store: Option<Box<dyn SharedStore>>,
    /// True if the store was opened for writing.
    is_writable: bool,
    /// True if the recordings that the program carries take part.
    has_shipped: bool,
    /// The user's profiles, in the place of those that the program carries.
    profiles: Option<Folder>,
    /// The lines that were told of what is left out. Recordings may be loaded several times.
    told: BTreeSet<String>,
}

impl<'t> LayeredStore<'t> {
    /// Opens the store for reading, if it exists. Recordings that the program carries take part only when the user
    /// names no store.
    pub(super) fn open(trainer: &'t Trainer, data: &DataRequest) -> Result<Self, TrainError> {
        Ok(Self { has_shipped: data.store.is_none(), ..Self::over_shipped(trainer, data)? })
    }

    /// Opens the store for reading, if it exists, over the recordings that the program carries.
    pub(super) fn over_shipped(trainer: &'t Trainer, data: &DataRequest) -> Result<Self, TrainError> {
        trainer.check_names()?;
        let url = data.store_url().to_owned();
        let store = if store::exists(&url) { Some(store::open_to_read(&url)?) } else { None };
        let profiles = data.profiles.as_deref().map(Folder::new);
        let (is_writable, told) = Default::default();
        Ok(Self { trainer, url, store, is_writable, has_shipped: true, profiles, told })
    }

    /// Returns the store itself, for writing, made when absent.
    pub(super) fn writable(&mut self) -> Result<&mut dyn SharedStore, TrainError> {
        if !self.is_writable {
            self.store = Some(store::open(&self.url)?);
            self.is_writable = true;
        }
        Ok(self.store.as_deref_mut().expect("it was opened above"))
    }

    /// Returns the names of all functions with recordings, or those of `wanted`, each of which must have some.
    pub(super) fn functions(&mut self, wanted: &[String]) -> Result<Vec<String>, TrainError> {
        let mut known: BTreeSet<String> =
            self.shipped().map(|(tunable, _)| tunable.name().to_owned()).collect();
        if let Some(store) = &mut self.store {
            known.extend(store.functions()?);
        }
        let store = store::shown(&self.url);
        if known.is_empty() {
            return Err(TrainError::NoRecordings { store });
        }
        if let Some(missing) = wanted.iter().find(|name| !known.contains(*name)) {
            let (function, known) = (missing.clone(), known.into_iter().collect());
            return Err(TrainError::NoneOfFunction { store, function, known });
        }
        self.tell_of_strangers(&known, wanted);
        Ok(if wanted.is_empty() { known.into_iter().collect() } else { wanted.to_vec() })
    }

    /// Says of which functions there are recordings and no code here, or code and no recordings.
    fn tell_of_strangers(&mut self, known: &BTreeSet<String>, wanted: &[String]) {
        let own: BTreeSet<String> =
            self.trainer.functions().map(|function| function.name().to_owned()).collect();
        if own.is_empty() {
            return; // a program that only looks at what others have recorded
        }
        let is_wanted = |name: &&String| wanted.is_empty() || wanted.contains(name);
        for name in known.difference(&own).filter(is_wanted) {
            self.tell_once(format!(
                "{name}: recorded by another program, this one has no function of the name"
            ));
        }
        let unrecorded: Vec<&str> = own.difference(known).filter(is_wanted).map(String::as_str).collect();
        if !unrecorded.is_empty() {
            self.tell_once(format!("left out, as nothing was recorded of them: {}", unrecorded.join(", ")));
        }
    }

    fn tell_once(&mut self, line: String) {
        if self.told.insert(line.clone()) {
            self.trainer.tell(line);
        }
    }

    /// Loads the recordings of one function, of the variants that this program has.
    ///
    /// What is fitted, judged and shipped is for the code at hand, and a store may be shared with programs of other
    /// Cargo features.
    pub(super) fn load(&mut self, function: &str) -> Result<Recordings, TrainError> {
        self.load_if_recorded(function)?.ok_or_else(|| self.has_none_of(function))
    }

    /// Loads them as [`LayeredStore::load`] does, if anything was recorded.
    pub(super) fn load_if_recorded(&mut self, function: &str) -> Result<Option<Recordings>, TrainError> {
        let mut recordings = self.everything(function)?;
        if let (Some(recordings), Some(tunable)) = (&mut recordings, self.trainer.find(function)) {
            recordings.take_new_names(tunable.function);
            self.tell_of_changes(recordings, tunable.function);
            self.keep_own(recordings, tunable.function);
        }
        let without_text = recordings.as_mut().map(Recordings::keep_artifacts).unwrap_or_default();
        if !without_text.is_empty() {
            let choices = list(&without_text);
            self.tell_once(format!(
                "{function}: left out, as their code is not in the store: {choices}; `sync` or `import --artifacts` \
                 brings it along"
            ));
        }
        Ok(recordings)
    }

    /// Says what is declared otherwise by now, and what is to be measured again.
    fn tell_of_changes(&mut self, recordings: &Recordings, function: &Function) {
        let (name, changes) = (function.name(), Meanings::of(function).changes(&recordings.meanings));
        if !changes.is_empty() {
            let changes = are(&changes);
            self.tell_once(format!(
                "{name}: {changes} declared otherwise than when it was recorded: `record` it again"
            ));
        }
        if !recordings.due.is_empty() {
            let due = recordings.due.len();
            self.tell_once(format!("{name}: {due} measurements are to be made again: `record` does"));
        }
    }

    /// Leaves the variants and configurations that the function has, and makes its default known.
    fn keep_own(&mut self, recordings: &mut Recordings, function: &Function) {
        if recordings.variants.iter().all(|name| function.variant_named(name).is_none()) {
            return; // they are of a namesake, which is for others to find
        }
        let LeftOut { variants, configurations } = recordings.keep_known(function);
        let name = function.name();
        if !variants.is_empty() {
            let names = variants.join(", ");
            self.tell_once(format!("{name}: left out, as this program does not have them: {names}"));
        }
        if configurations > 0 {
            self.tell_once(format!(
                "{name}: left out, {configurations} configurations that this program does not have"
            ));
        }
    }

    /// Returns the candidates of a function: of generated code what was measured before, here or elsewhere. None where
    /// all of it can be listed.
    pub(super) fn candidates(
        &mut self,
        function: &'static Function,
    ) -> Result<Option<Vec<Candidate>>, TrainError> {
        if function.variants().iter().all(|own| own.parameters().artifact().is_none()) {
            return Ok(None);
        }
        let recordings = self.load_if_recorded(function.name())?.unwrap_or_default();
        Ok(Some(Candidate::known(function, &recordings)))
    }

    /// Loads all recordings of one function, with variants that this program lacks.
    pub(super) fn load_all(&mut self, function: &str) -> Result<Recordings, TrainError> {
        self.everything(function)?.ok_or_else(|| self.has_none_of(function))
    }

    fn has_none_of(&self, function: &str) -> TrainError {
        let (store, function) = (store::shown(&self.url), function.to_owned());
        TrainError::NoneOfFunction { store, function, known: Vec::new() }
    }

    /// Returns the recordings that the program carries, as far as they take part.
    fn shipped(&self) -> impl Iterator<Item = (&'t Tunable, &'t ShippedRecordings)> + use<'t> {
        let tunables: &'t [Tunable] = if self.has_shipped { &self.trainer.tunables } else { &[] };
        tunables.iter().flat_map(|tunable| tunable.shipped.iter().map(move |shipped| (tunable, shipped)))
    }

    fn shipped_of(&self, function: &str) -> impl Iterator<Item = (&'t Tunable, &'t ShippedRecordings)> {
        self.shipped().filter(move |(tunable, _)| tunable.name() == function)
    }

    /// Loads all recordings of one function, if there are any.
    pub(super) fn everything(&mut self, function: &str) -> Result<Option<Recordings>, TrainError> {
        let mut recordings: Option<Recordings> = None;
        if let Some(store) = &mut self.store
            && store.functions()?.iter().any(|name| name == function)
        {
            recordings = Some(store.load(function)?);
        }
        if let Some(recordings) = &recordings {
            self.tell_of_incomplete(recordings);
        }
        let shipped: Vec<_> = self.shipped_of(function).collect();
        for (tunable, shipped) in shipped {
            let below = read_shipped(tunable, shipped)?;
            match &mut recordings {
                None => recordings = Some(below),
                Some(own) => {
                    if !own.overlay_onto(&below) {
                        self.tell_once(format!(
                            "{function}: the recordings that this program carries are left out, as they do not know \
                             all of its features"
                        ));
                    }
                }
            }
        }
        if let Some(recordings) = &mut recordings {
            recordings.profiles = self.profiles(function)?;
        }
        Ok(recordings)
    }

    fn tell_of_incomplete(&mut self, recordings: &Recordings) {
        let Incomplete { inputs, features } = &recordings.incomplete;
        if *inputs > 0 {
            let (function, all) = (&recordings.function, inputs + recordings.inputs.len());
            let features = features.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            self.tell_once(format!(
                "{function}: {inputs} of {all} inputs in the store are left out, recorded before it had all its \
                 features; `record` them again, they lack: {features}"
            ));
        }
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

    /// Returns all devices with recordings.
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
    let ShippedRecordings { measurements, inputs, devices, feature_times, artifacts, .. } = *shipped;
    let read = exchange::read_tables(function, measurements, inputs, devices, feature_times, artifacts);
    read.map_err(|source| TrainError::Shipped { function: function.to_owned(), source: source.into() })
}
