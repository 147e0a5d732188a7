//! The ranking of devices that nobody measured.

use std::collections::BTreeMap;

use nitro_core::DeviceId;
use nitro_learn::evaluate::Split;
use nitro_learn::next_device::{Experience, Worth, between_and_beyond, distinct, rank};
use nitro_store::recordings::DeviceRecord;
use serde::Serialize;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::DataRequest;
use crate::measure::describe_device;

/// The expected worth of measuring devices of one kind, to the functions that run on it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DeviceRanking {
    /// The functions.
    pub functions: Vec<String>,
    /// The source of the candidates.
    pub candidates: Candidates,
    /// The candidates, the most worth first; empty where the recorded devices know no device feature in common.
    pub ranked: Vec<Worth>,
    /// The record of the first, if it is known.
    pub first: Option<DeviceRecord>,
}

/// The source of devices that could be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Candidates {
    /// The devices of this machine.
    Here,
    /// The points among the recorded devices, as all devices of this machine are recorded.
    Points,
}

impl Trainer {
    /// Ranks devices by what recording on them is expected to bring, for each kind of device.
    ///
    /// ```
    /// # let recordings = nitro_store::example();
    #[doc = include_str!("example_store.md")]
    /// use nitro_train::{Candidates, DataRequest, Trainer};
    ///
    /// let data = DataRequest { store: Some(store), ..DataRequest::default() };
    /// let rankings = Trainer::new().next_devices(&data)?;
    /// assert_eq!((rankings[0].functions[0].as_str(), rankings[0].candidates), ("sort", Candidates::Points));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there are no recordings, or nothing to learn from.
    pub fn next_devices(&self, data: &DataRequest) -> Result<Vec<DeviceRanking>, TrainError> {
        let mut store = LayeredStore::open(self, data)?;
        let mut by_kind: BTreeMap<String, Vec<Experience>> = BTreeMap::new();
        for function in store.functions(&data.functions)? {
            let recordings = store.load(&function)?;
            self.tell(format!(
                "{function}: leaving out each of {} devices in turn",
                recordings.devices.len()
            ));
            let inputs = Split::by_name(&recordings).train;
            let experience = Experience::new(&recordings, &inputs, crate::DEFAULT_SEED)?;
            by_kind.entry(kind(&experience)).or_default().push(experience);
        }
        Ok(by_kind.iter().map(|(kind, experiences)| self.ranking(kind, experiences)).collect())
    }

    fn ranking(&self, kind: &str, experiences: &[Experience]) -> DeviceRanking {
        let functions = experiences.iter().map(|experience| experience.function.clone()).collect();
        let (candidates, records) = self.candidates(kind, experiences);
        let ranked = rank(experiences, &records);
        let first = ranked.first().and_then(|first| records.into_iter().find(|own| own.id == first.id));
        DeviceRanking { functions, candidates, ranked, first }
    }

    /// Returns the candidates of a kind: devices that can be named here, else points among the sources.
    fn candidates(&self, kind: &str, experiences: &[Experience]) -> (Candidates, Vec<DeviceRecord>) {
        let provider = self.providers.iter().find(|provider| provider.kind() == kind);
        let names = provider.map_or_else(Vec::new, |provider| provider.names());
        // Devices that can be named here can be measured. Where all are recorded, points between them tell where to
        // look.
        let mut here: Vec<DeviceRecord> = Vec::new();
        for name in names {
            match self.open_device(&name) {
                Ok(device) => here.push(describe_device(&*device)),
                Err(error) => self.tell(format!("{name} is left out: {error}")),
            }
        }
        if here.iter().any(|device| experiences.iter().any(|experience| !experience.knows(&device.id))) {
            return (Candidates::Here, here);
        }
        let sources = distinct(experiences.iter().flat_map(|experience| experience.sources.clone()));
        (Candidates::Points, between_and_beyond(&sources))
    }
}

/// Returns the kind of device that a function was recorded on. Where this program cannot name the devices, each
/// function is a kind.
fn kind(experience: &Experience) -> String {
    let kinds: Vec<&str> = experience.sources.iter().map(|source| DeviceId::new(&source.id).kind()).collect();
    match kinds.as_slice() {
        [first, rest @ ..] if rest.iter().all(|kind| kind == first) => (*first).to_owned(),
        _ => experience.function.clone(),
    }
}
