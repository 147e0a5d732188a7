//! Replays on a small store.

use nitro_core::{Function, VariantInfo};
use nitro_learn::configurations::{ConfigurationsError, Measured, answers};
use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome, Recordings, SpaceRecord};
use tempfile::TempDir;

use super::{Floor, ReplayResult, SearchError, Strategy};
use crate::trainer::{DataRequest, ReplayRequest, TrainError, Trainer, Tunable};

const BLOCKS: [u32; 5] = [16, 32, 64, 128, 256];
const DEVICES: [&str; 3] = ["A", "B", "C"];

/// 5 blocks by 6 unrolls by 2 orders; the best block differs from device to device, `order=column` with a large
/// block fails, and a block of 256 with `unroll=6` breaks a constraint.
fn recordings() -> Recordings {
    let (mut measurements, mut space) = (
        Vec::new(),
        SpaceRecord {
            variant: 0,
            parameters: ["block", "unroll", "order"].map(str::to_owned).into(),
            configurations: Default::default(),
        },
    );
    for (device, (at, block)) in
        (0..3).flat_map(|device| BLOCKS.into_iter().enumerate().map(move |own| (device, own)))
    {
        for (unroll, order) in (1..=6_u32).flat_map(|unroll| ["row", "column"].map(|order| (unroll, order))) {
            let configuration = format!("block={block},unroll={unroll},order={order}");
            let values = [block.to_string(), unroll.to_string(), order.to_owned()];
            space.configurations.insert(configuration.clone(), values.into());
            let time_ns =
                1000.0 + 300.0 * (at.abs_diff(device + 1) as f64) + 50.0 * f64::from(unroll.abs_diff(4));
            let outcome = match (block, order, unroll) {
                (256, _, 6) => Outcome::Inadmissible,
                (128.., "column", _) => Outcome::Failed,
                (_, "column", _) => Outcome::Time(time_ns * 1.2),
                _ => Outcome::Time(time_ns),
            };
            measurements.push(Measurement {
                device,
                input: 0,
                variant: 0,
                configuration,
                outcome,
                spread_ns: 0.0,
                repeats: 1,
                load: None,
                reason: String::new(),
            });
        }
    }
    Recordings {
        function: "mm".to_owned(),
        variants: vec!["tiled".to_owned()],
        inputs: vec![Input { name: "only".to_owned(), features: Vec::new() }],
        devices: DEVICES.map(|id| DeviceRecord { id: id.to_owned(), features: Default::default() }).into(),
        measurements,
        spaces: vec![space],
        ..Recordings::default()
    }
}

struct Scene {
    request: ReplayRequest,
    _folder: TempDir,
}

impl Scene {
    fn new(recordings: &Recordings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = folder.path().join("s.db").display().to_string();
        nitro_store::store::open(&url).unwrap().import(recordings).unwrap();
        let data = DataRequest { store: Some(url), ..DataRequest::default() };
        let request = ReplayRequest { data, evaluations: 20, seeds: 4, ..ReplayRequest::default() };
        Self { request, _folder: folder }
    }

    fn replay(&self, change: impl FnOnce(&mut ReplayRequest)) -> Result<Vec<ReplayResult>, TrainError> {
        let mut request = self.request.clone();
        change(&mut request);
        Trainer::new().replay(&request)?.collect()
    }
}

#[test]
fn every_device_is_searched_on_in_turn_by_every_strategy_and_the_others_are_its_sources() {
    let scene = Scene::new(&recordings());
    let replayed = scene.replay(|request| request.strategies = Strategy::ALL.into()).unwrap();
    let names: Vec<_> = replayed.iter().map(|one| (one.device.as_str(), one.strategy.as_str())).collect();
    let expected = DEVICES.map(|device| Strategy::ALL.map(|strategy| (device, strategy.name())));
    assert_eq!(names, expected.concat());
    for one in &replayed {
        assert_eq!(
            (one.configurations, one.valid, one.seeds),
            (58, 47, 4),
            "the constraint is known beforehand"
        );
        let shares: Vec<f64> = one.best_after.values().copied().collect();
        assert_eq!(one.best_after.keys().copied().collect::<Vec<_>>(), [1, 5, 10, 20]);
        assert!(shares.is_sorted() && shares.iter().all(|share| (0.0..=1.0).contains(share)), "{one:?}");
        let others: Vec<_> = DEVICES.into_iter().filter(|device| *device != one.device).collect();
        let told = if one.strategy == "transfer" { others } else { Vec::new() };
        assert_eq!(one.sources, told);
    }
}

#[test]
fn the_same_seed_finds_the_same_and_another_something_else() {
    let scene = Scene::new(&recordings());
    let with_seed = |seed| {
        scene
            .replay(|request| {
                (request.strategies, request.seed, request.seeds) = (vec![Strategy::Random], seed, 3)
            })
            .unwrap()
    };
    assert_eq!(with_seed(5), with_seed(5));
    assert_ne!(with_seed(5), with_seed(6));
}

#[test]
fn sources_are_those_that_are_named() {
    let scene = Scene::new(&recordings());
    let with = |sources: &[&str]| {
        let sources = Some(sources.iter().map(|&name| name.to_owned()).collect());
        scene.replay(|request| (request.sources, request.devices) = (sources, vec!["C".to_owned()]))
    };
    assert_eq!(with(&["A"]).unwrap()[0].sources, ["A"]);
    assert_eq!(
        with(&["A", "C"]).unwrap()[0].sources,
        ["A"],
        "nobody learns from the device that is searched on"
    );
    assert_eq!(with(&[]).unwrap()[0].sources, [""; 0]);
    assert!(with(&["D"]).unwrap_err().to_string().contains("devices with measurements are A, B, C"));
}

/// In whatever order recordings have the measurements of inputs and variants.
#[test]
fn what_was_measured_on_an_input_is_found_among_that_of_others() {
    let mut own = recordings();
    own.variants.push("plain".to_owned());
    own.inputs.push(Input { name: "other".to_owned(), features: Vec::new() });
    for one in own.measurements.clone() {
        let slower = one.outcome.time_ns().map_or(one.outcome, |time_ns| Outcome::Time(2.0 * time_ns));
        let place = own.measurements.len() / 2;
        own.measurements.insert(place, Measurement { input: 1, outcome: slower, ..one.clone() });
        let configuration = String::new();
        own.measurements.push(Measurement { variant: 1, configuration, ..one });
    }
    own.measurements.retain(|one| (one.device, one.input) != (2, 1));
    let only = recordings();
    let alone = Measured::of(&only, None).unwrap().remove(0).answers(0);
    let measured = Measured::of(&own, None).unwrap().remove(0);
    assert_eq!(measured.answers(0), alone);
    let of_other = measured.answers(1);
    assert_eq!(of_other.keys().copied().collect::<Vec<_>>(), [0, 1]);
    for device in 0..3 {
        assert_eq!(measured.answers_on(device, 1).as_ref(), of_other.get(&device));
        for (own, slower) in alone[&device].iter().zip(of_other.get(&device).into_iter().flatten()) {
            let times = (own.unwrap().time_ns(), slower.unwrap().time_ns());
            assert_eq!(times.0.map(|time_ns| 2.0 * time_ns), times.1);
        }
    }
}

/// What nobody paid for does not show: of a device whose times a search did not ask for, other times make no
/// difference.
#[test]
fn a_strategy_sees_no_time_that_it_did_not_pay_for() {
    use std::collections::BTreeSet;

    use nitro_search::{Ask, Budget, Candidate, Engine, Evaluation, Failure};

    let own = recordings();
    let measured = Measured::of(&own, None).unwrap().remove(0);
    let found = measured.answers(0);
    let answers = answers(&found[&0]);
    let sources = measured.sources(&found, 0, &[1, 2]);
    let sequence = |strategy: Strategy, answers: &[Evaluation]| {
        let strategy = strategy.over(&measured.space, 3, &sources);
        let mut search = Engine::new(strategy, Budget::evaluations(15));
        let mut asked: Vec<Candidate> = Vec::new();
        while let Ok(Ask::Evaluate(candidates)) = search.ask(1) {
            for candidate in candidates {
                search.tell(&candidate, answers[candidate.index()]).unwrap();
                asked.push(candidate);
            }
        }
        asked
    };
    for strategy in Strategy::ALL {
        let asked = sequence(strategy, &answers);
        assert_eq!(
            asked.iter().collect::<BTreeSet<_>>().len(),
            asked.len(),
            "{strategy}: nothing is proposed twice"
        );
        let mut hidden = vec![Evaluation::Failed(Failure::Launch); answers.len()];
        asked.iter().for_each(|candidate| hidden[candidate.index()] = answers[candidate.index()]);
        assert_eq!(sequence(strategy, &hidden), asked, "{strategy}");
    }
}

#[test]
fn what_was_never_measured_counts_as_failed_and_what_has_no_time_is_not_searched() {
    let mut own = recordings();
    own.measurements.retain(|one| one.device != 1 || one.configuration.starts_with("block=32"));
    own.measurements.iter_mut().filter(|one| one.device == 2).for_each(|one| one.outcome = Outcome::Failed);
    let replayed =
        Scene::new(&own).replay(|request| request.strategies = vec![Strategy::Exhaustive]).unwrap();
    let counts: Vec<_> =
        replayed.iter().map(|one| (one.device.as_str(), one.configurations, one.valid)).collect();
    assert_eq!(counts, [("A", 60, 47), ("B", 60, 12)]);
}

#[test]
fn a_space_that_nobody_listed_is_what_was_measured() {
    let own = Recordings { spaces: Vec::new(), ..recordings() };
    let listed = Scene::new(&recordings()).replay(|_| {}).unwrap();
    assert_eq!(Scene::new(&own).replay(|_| {}).unwrap(), listed);
    let mut odd = own;
    odd.measurements[7].configuration = "odd".to_owned();
    let error = Scene::new(&odd).replay(|_| {}).unwrap_err();
    assert!(
        matches!(error, TrainError::Search(SearchError::Configurations(ConfigurationsError::Values { .. }))),
        "{error}"
    );
}

#[test]
fn without_configurations_the_message_says_how_to_get_some() {
    let mut own = Recordings { spaces: Vec::new(), ..recordings() };
    own.measurements.truncate(1);
    own.measurements[0].configuration.clear();
    let error = Scene::new(&own).replay(|_| {}).unwrap_err().to_string();
    assert!(error.starts_with("no variant of `mm` has configurations to search: "), "{error}");
    let error = Scene::new(&recordings())
        .replay(|request| request.variant = Some("x".to_owned()))
        .unwrap_err()
        .to_string();
    assert!(error.ends_with("those that have are tiled"), "{error}");
}

#[test]
fn the_json_is_the_contract_s() {
    let one =
        Scene::new(&recordings()).replay(|request| request.devices = vec!["A".to_owned()]).unwrap().remove(0);
    let text = serde_json::to_string(&one).unwrap();
    let shares: Vec<_> = one
        .best_after
        .iter()
        .map(|(count, share)| format!("\"{count}\":{}", serde_json::json!(share)))
        .collect();
    let to_95 = one.evaluations_to_95.map_or("null".to_owned(), |count| count.to_string());
    assert_eq!(
        text,
        format!(
            "{{\"function\":\"mm\",\"device\":\"A\",\"input\":\"only\",\"strategy\":\"transfer\",\"sources\":[\"B\",\"C\"],\"configurations\":58,\"valid\":47,\
             \"seeds\":4,\"best_after\":{{{}}},\"evaluations_to_95\":{to_95},\"never_95\":{}}}",
            shares.join(","),
            one.never_95
        )
    );
}

#[test]
fn a_trainer_without_functions_has_nothing_to_search() {
    let error = Trainer::new().search(&crate::trainer::SearchRequest::default()).unwrap_err();
    assert!(matches!(error, TrainError::NoFunctions), "{error}");
}

static TILED: [VariantInfo; 1] = [VariantInfo::new("tiled")];
static FUNCTION: Function = Function::new("mm", &TILED);

/// Replays with a floor of so many ns on each device.
fn with_floor(ns: f64, until: Option<&str>) -> Result<Vec<ReplayResult>, TrainError> {
    let scene = Scene::new(&recordings());
    let floor = Floor { ns, limit: "memory".into(), reason: "as the test says".into() };
    let tunable =
        Tunable::new(&FUNCTION, |_| Ok(())).floor(move |input, _| (input == "only").then(|| floor.clone()));
    let until = until.map(|text| text.parse().unwrap());
    let request = ReplayRequest { until, strategies: Strategy::ALL.into(), ..scene.request.clone() };
    Trainer::new().tunable(tunable).replay(&request)?.collect()
}

#[test]
fn a_replay_stops_by_its_rule_and_says_how_much_that_saved() {
    let (whole, stopped) =
        (with_floor(990.0, None).unwrap(), with_floor(990.0, Some("90%-of-floor")).unwrap());
    for (whole, stopped) in whole.iter().zip(&stopped) {
        assert_eq!(whole.stopped, None);
        let rule = stopped.stopped.as_ref().unwrap();
        assert!(rule.evaluations <= 20.0 && rule.share_of_best > 0.0 && rule.by_rule <= 4, "{stopped:?}");
        assert!((rule.floor_share - 0.99).abs() < 1e-9);
        assert!(rule.by_rule < 4 || rule.share_of_best >= 0.9, "{stopped:?}");
    }
    let saved = stopped.iter().filter(|one| one.stopped.as_ref().is_some_and(|rule| rule.evaluations < 15.0));
    assert!(saved.count() > 5);
    let told = super::replay_tables(&stopped).to_string();
    assert!(told.contains("searches stopped near the floor"), "{told}");
}

#[test]
fn a_recorded_time_under_its_floor_ends_a_replay_and_a_rule_needs_a_floor() {
    let error = with_floor(1010.0, None).unwrap_err().to_string();
    assert!(
        error.contains("recorded of mm on A, input only") && error.contains("as the test says"),
        "{error}"
    );
    let scene = Scene::new(&recordings());
    let error = scene.replay(|request| request.until = "90%-of-floor".parse().ok()).unwrap_err().to_string();
    assert!(error.contains("no floor is known of `mm` on A"), "{error}");
}
