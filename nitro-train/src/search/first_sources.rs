//! The sources that a search began with: what other devices had measured by then, and how alike they are.
//!
//! What is known grows while others search, and is measured anew by each machine. A search whose worker was killed, or
//! that has several, has to propose what it would have.

use std::collections::BTreeMap;

use nitro_search::{Evaluation, Source, Sources, Strategy};
use nitro_store::printable::excerpt;
use nitro_store::store::{Store, StoreError};
use nitro_store::unique;
use serde::de::Error;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::SearchPlan;
use super::error::SearchError;
use super::listed::InputSpace;
use super::sources::known_sources;

/// Returns what was known of other devices when somebody was first with this search.
pub(crate) fn first_sources(
    plan: &SearchPlan<'_>,
    of_input: &InputSpace<'_>,
    store: &mut dyn Store,
) -> Result<Sources, SearchError> {
    if plan.listed_strategy() != Strategy::Transfer {
        return Ok(Sources::default());
    }
    let InputSpace { function, device, input, space, .. } = of_input;
    let (asked, seed) = (plan.sources.as_ref(), plan.seed);
    let name = json!([function, of_input.variant(), device.id(), input, seed, asked, space.digest()]);
    let known = known_sources(plan, of_input, store)?;
    // Whoever comes later may know more: the store gives everybody what the first began with.
    let candidates = of_input.candidates.len();
    first(&name.to_string(), known, candidates, |name, with| store.begin_search(name, with))
}

/// A record of sources, as the store keeps it.
#[derive(Serialize, Deserialize)]
struct SourcesRecord {
    features: Vec<f64>,
    devices: Vec<SourceRecord>,
}

/// A record of one device.
#[derive(Serialize, Deserialize)]
struct SourceRecord {
    device: String,
    features: Vec<f64>,
    /// Number of candidates.
    candidates: usize,
    /// The evaluations that are known, by candidate.
    #[serde(deserialize_with = "unique::map")]
    evaluations: BTreeMap<usize, Evaluation>,
}

/// Returns what the search of this name, among so many candidates, began with.
///
/// That is what is known now, where nobody has begun it before.
fn first(
    name: &str,
    known: Sources,
    candidates: usize,
    begin_search: impl FnOnce(&str, &str) -> Result<String, StoreError>,
) -> Result<Sources, SearchError> {
    let known =
        serde_json::to_string(&SourcesRecord::from(known)).map_err(|error| unreadable(name, error))?;
    let first = begin_search(name, &known)?;
    SourcesRecord::parse(&first, candidates).map_err(|error| unreadable(name, error)).map(Sources::from)
}

/// Creates the error of a search whose record of sources cannot be read.
fn unreadable(name: &str, source: serde_json::Error) -> SearchError {
    SearchError::UnreadableSources { search: name.to_owned(), source }
}

impl SourcesRecord {
    /// Reads a record, each device of which has evaluated some of so many candidates: others may write to the store.
    fn parse(text: &str, candidates: usize) -> Result<Self, serde_json::Error> {
        let record: Self = serde_json::from_str(text)?;
        for SourceRecord { device, candidates: own, evaluations, .. } in &record.devices {
            let device = excerpt(device);
            if *own != candidates {
                let problem = format_args!("device `{device}` has {own} candidates of {candidates}");
                return Err(Error::custom(problem));
            }
            if let Some((last, _)) = evaluations.last_key_value().filter(|(last, _)| **last >= candidates) {
                let problem = format_args!("device `{device}` has candidate {last} of {candidates}, from 0");
                return Err(Error::custom(problem));
            }
        }
        Ok(record)
    }
}

impl From<Sources> for SourcesRecord {
    fn from(sources: Sources) -> Self {
        let mut devices = Vec::new();
        for Source { device, evaluations: all, features } in sources.devices {
            let candidates = all.len();
            let mut evaluations = BTreeMap::new();
            for (at, evaluation) in all.into_iter().enumerate() {
                evaluations.extend(evaluation.map(|own| (at, own)));
            }
            devices.push(SourceRecord { device, features, candidates, evaluations });
        }
        Self { features: sources.features, devices }
    }
}

impl From<SourcesRecord> for Sources {
    fn from(record: SourcesRecord) -> Self {
        let mut devices = Vec::new();
        for SourceRecord { device, features, candidates, evaluations } in record.devices {
            let evaluations = (0..candidates).map(|at| evaluations.get(&at).copied()).collect();
            devices.push(Source { device, evaluations, features });
        }
        Self { features: record.features, devices }
    }
}

#[cfg(test)]
mod tests {
    use nitro_core::{DeviceEntry, Function, Parameter, ParameterKind, VariantInfo};
    use nitro_search::Failure;
    use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings};
    use nitro_store::store::{self, Row};

    use super::*;
    use crate::search::{ListedSearch, VariantSearch};

    /// Returns one device, on which one candidate of three took so long.
    fn known(time_ns: f64) -> Sources {
        let failed = Evaluation::Failed(Failure::Crash);
        let evaluations = vec![None, Some(Evaluation::TimeNs(time_ns)), Some(failed)];
        let source = Source { device: "A".to_owned(), evaluations, features: vec![0.1] };
        Sources { devices: vec![source], features: vec![1.0 / 3.0] }
    }

    #[test]
    fn who_comes_later_begins_with_the_same() {
        let mut kept = String::new();
        let begun = first("s", known(5.5), 3, |_, with| {
            kept = with.to_owned();
            Ok(with.to_owned())
        });
        assert_eq!(begun.unwrap(), known(5.5));
        assert_eq!(first("s", known(7.0), 3, |_, _| Ok(kept)).unwrap(), known(5.5));
    }

    #[test]
    fn what_is_kept_of_a_beginning_is_whole_and_of_its_candidates_or_refused() {
        let begin = |candidates: u64, evaluations: &str| {
            let device = format!(r#""device":"A","features":[],"candidates":{candidates}"#);
            let kept =
                format!(r#"{{"features":[],"devices":[{{{device},"evaluations":{{{evaluations}}}}}]}}"#);
            first("s", Sources::default(), 3, |_, _| Ok(kept.clone()))
        };
        assert!(begin(3, r#""1":{"time_ns":5.5},"2":{"time_ns":7.0}"#).is_ok());
        for (candidates, evaluations, problem) in [
            (3, r#""1":{"time_ns":5.5},"1":{"time_ns":7.0}"#, "there twice"),
            (3, r#""1":{"time_ns":5.5},"01":{"time_ns":7.0}"#, ""),
            (3, r#""3":{"time_ns":5.5}"#, "candidate 3 of 3"),
            (u64::MAX, r#""1":{"time_ns":5.5}"#, "candidates of 3"),
            (3, r#""1":"#, ""),
        ] {
            let error = begin(candidates, evaluations).unwrap_err();
            assert!(matches!(error, SearchError::UnreadableSources { .. }), "{error}");
            assert!(error.to_string().contains(problem), "{error}");
        }
    }

    const TILE: Parameter =
        Parameter::new("tile", ParameterKind::Number, &["1", "2", "3", "4", "5", "6", "7", "8"], 0);
    static VARIANTS: [VariantInfo; 1] = [VariantInfo::new("tiled").with_parameters(&[TILE])];
    static FUNCTION: Function = Function::new("f", &VARIANTS);

    /// Returns a plan that knows of the input on these devices, one measurement each.
    fn plan(devices: &[&str]) -> SearchPlan<'static> {
        let measurement = |device| Measurement {
            device,
            input: 0,
            variant: 0,
            configuration: "tile=1".to_owned(),
            outcome: Outcome::Time(9e3),
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
        };
        let record = |id: &&str| DeviceRecord { id: (*id).to_owned(), features: Default::default() };
        let others = Recordings {
            function: "f".to_owned(),
            variants: vec!["tiled".to_owned()],
            inputs: vec![Input { name: "x".to_owned(), features: Vec::new() }],
            devices: devices.iter().map(record).collect(),
            measurements: (0..devices.len()).map(measurement).collect(),
            ..Recordings::default()
        };
        SearchPlan { evaluations: 8, seed: 1, others, ..SearchPlan::default() }
    }

    /// Returns what is proposed first, and the devices that the search learns from.
    fn begun(plan: &SearchPlan<'_>, store: &mut dyn Store) -> (Vec<String>, Vec<String>) {
        let device = DeviceEntry::intern("here", Vec::new, |_| Vec::new());
        let candidates = plan.candidates(&FUNCTION).unwrap();
        let of_input = InputSpace::new("f", device, "x", &candidates).unwrap();
        let sources = first_sources(plan, &of_input, store).unwrap();
        let mut search = Box::new(ListedSearch::new(plan, of_input, sources));
        let open = search.open().unwrap();
        (open.into_iter().map(|own| own.configuration).collect(), search.finish().sources)
    }

    fn evaluate(store: &mut dyn Store, device: &str, fastest: usize) {
        for tile in 1..=8_usize {
            let configuration = format!("tile={tile}");
            let outcome = Outcome::Time(1e3 * (1 + tile.abs_diff(fastest)) as f64);
            let row = Row { configuration: &configuration, ..Row::new("tiled", outcome) };
            store.put_evaluation("f", device, "x", &row).unwrap();
        }
    }

    #[test]
    fn a_search_begins_with_what_searches_of_other_devices_evaluated_and_keeps_to_that() {
        let mut store = store::memory().unwrap();
        evaluate(&mut *store, "A", 6);
        let (proposed, sources) = begun(&plan(&["A"]), &mut *store);
        assert_eq!((&*proposed[0], &*sources), ("tile=6", &["A".to_owned()][..]));
        evaluate(&mut *store, "B", 2);
        let both = plan(&["A", "B"]);
        assert_eq!(begun(&both, &mut *store), (proposed.clone(), sources), "another worker, later");
        let other = SearchPlan { seed: 2, ..both };
        assert_eq!(begun(&other, &mut *store).1, ["A", "B"], "another search");
        let none = SearchPlan { sources: Some(Vec::new()), ..plan(&["A"]) };
        assert!(begun(&none, &mut *store).1.is_empty());
    }
}
