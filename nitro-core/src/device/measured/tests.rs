use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;

use tempfile::TempDir;

use super::*;
use crate::device::Lookup;
use crate::device::feature::NOISY_FOR_S;
use crate::{DeviceEntry, Regime};

/// A machine of 1000 ticks between two looks, of which other processes take a part.
struct Scripted {
    unix_s: u64,
    others: u64,
    is_optimized: bool,
    looks: Cell<u64>,
    /// After so many questions there is no time left.
    time_for: Cell<usize>,
}

impl Scripted {
    fn with_load(others: u64) -> Self {
        Self { unix_s: 7, others, is_optimized: true, looks: Cell::new(0), time_for: Cell::new(usize::MAX) }
    }
}

impl Surroundings for Scripted {
    fn unix_s(&self) -> u64 {
        self.unix_s
    }

    fn processor_time(&self) -> Option<ProcessorTime> {
        let look = self.looks.replace(self.looks.get() + 1);
        let (total, busy, own) = (1000 * look, (self.others + 500) * look, 500 * look);
        Some(ProcessorTime { processors: 1, total, busy, stolen: 0, own })
    }

    fn is_optimized_build(&self) -> bool {
        self.is_optimized
    }

    fn is_late(&self) -> bool {
        let left = self.time_for.get();
        self.time_for.set(left.saturating_sub(1));
        left == 0
    }
}

/// A cache file that is not there yet.
fn empty_cache() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.features");
    (folder, file)
}

const STEADY: [f64; 5] = [10.0, 10.1, 9.9, 10.0, 1e9];
const SPREAD: [f64; 5] = [10.0, 15.0, 10.0, 20.0, 10.0];

fn on_host(name: &'static str, runs: [f64; 5]) -> Benchmark {
    Benchmark::on_host(name, move || runs.into())
}

#[test]
fn what_is_kept_is_not_measured_again_and_has_date_and_spread() {
    let (_folder, file) = empty_cache();
    let runs = Rc::new(Cell::new(0));
    let counted = {
        let runs = Rc::clone(&runs);
        Benchmark::on_host("copy_gbps", move || {
            runs.set(runs.get() + 1);
            STEADY.into()
        })
    };
    let first = kept_or_measured(Some(&file), &[counted], &Scripted::with_load(0));
    let [own] = &first[..] else { panic!("{first:?}") };
    assert_eq!((own.feature.value, own.unix_s, own.doubt), (10.0, 7, None), "an outlier moves nothing");
    assert!((own.spread - 0.01).abs() < 1e-9, "{own:?}");

    let others = [on_host("new", STEADY), on_host("copy_gbps", SPREAD)];
    let later = kept_or_measured(Some(&file), &others, &Scripted { unix_s: 9, ..Scripted::with_load(0) });
    let found: Vec<_> = later.iter().map(|own| (own.feature.name.as_str(), own.unix_s)).collect();
    assert_eq!(found, [("new", 9), ("copy_gbps", 7)]);
    assert_eq!(runs.get(), ROUNDS);
}

#[test]
fn what_other_processes_disturb_is_kept_with_the_load_until_it_is_an_hour_old() {
    let (_folder, file) = empty_cache();
    let measured = kept_or_measured(Some(&file), &[on_host("copy_gbps", STEADY)], &Scripted::with_load(200));
    assert_eq!((measured[0].feature.value, measured[0].doubt), (10.0, Some(Doubt::Load(0.2))));
    assert_eq!(feature_cache::load(&file), Some(measured));
    let measured_at = |unix_s, others| {
        let surroundings = Scripted { unix_s, ..Scripted::with_load(others) };
        let measured = kept_or_measured(Some(&file), &[on_host("copy_gbps", STEADY)], &surroundings);
        (measured[0].unix_s, measured[0].load)
    };
    assert_eq!(measured_at(7 + NOISY_FOR_S - 1, 0), (7, 0.2));
    assert_eq!(measured_at(7 + NOISY_FOR_S, 100), (7 + NOISY_FOR_S, 0.1));
    assert_eq!(measured_at(1, 0), (1, 0.0), "a date that is to come is none");
    assert_eq!(measured_at(1 << 40, 0), (1, 0.0), "a steady figure stays");
    let on_device = Benchmark::new("shared_atomic_ms", || Ok(STEADY.into()));
    let measured = kept_or_measured(Some(&file), &[on_device], &Scripted::with_load(200));
    assert_eq!(measured[0].doubt, None, "a GPU does not notice");
}

#[test]
fn of_several_those_that_spread_are_kept_with_their_spread() {
    let (_folder, file) = empty_cache();
    let benchmarks = [on_host("copy_gbps", SPREAD), on_host("gflops_sp", STEADY)];
    let measured = kept_or_measured(Some(&file), &benchmarks, &Scripted::with_load(0));
    assert_eq!(measured[0].doubt, Some(Doubt::Spread(0.5)));
    assert_eq!(feature_cache::load(&file), Some(measured));
}

#[test]
fn measuring_again_replaces_what_is_kept_unless_that_is_steadier() {
    let (_folder, file) = empty_cache();
    let again = |runs: [f64; 5], unix_s| {
        let surroundings = Scripted { unix_s, ..Scripted::with_load(0) };
        measure(Some(&file), [on_host("copy_gbps", runs)].iter(), &surroundings);
        let kept = feature_cache::load(&file).unwrap().remove(0);
        (kept.unix_s, kept.doubt.is_some())
    };
    assert_eq!(again(SPREAD, 1), (1, true));
    assert_eq!(again(STEADY, 2), (2, false));
    assert_eq!(again(STEADY, 3), (3, false));
    assert_eq!(again(SPREAD, 4), (4, false), "the steadier figure, so that no process tries at once again");
}

#[test]
fn a_build_without_optimisation_keeps_no_figures_of_the_host() {
    let (_folder, file) = empty_cache();
    let surroundings = Scripted { is_optimized: false, ..Scripted::with_load(0) };
    let measured = kept_or_measured(Some(&file), &[on_host("copy_gbps", STEADY)], &surroundings);
    assert_eq!(measured[0].doubt, Some(Doubt::Unoptimized));
    assert!(!file.exists());
}

#[test]
fn what_cannot_be_measured_is_absent() {
    let benchmarks = [
        Benchmark::new("failing", || Err("no device".into())),
        Benchmark::new("nan", || Ok(vec![1.0, f64::NAN])),
        Benchmark::new("empty", || Ok(Vec::new())),
        Benchmark::new("zero", || Ok(vec![0.0; 3])),
    ];
    let measured = kept_or_measured(None, &benchmarks, &Scripted::with_load(0));
    let found: Vec<_> = measured.iter().map(|own| (own.feature.name.as_str(), own.spread)).collect();
    assert_eq!(found, [("zero", 0.0)]);
}

#[test]
fn without_time_fewer_runs_count_and_what_has_none_is_absent() {
    let benchmarks = || ["first", "second"].map(|name| on_host(name, STEADY));
    for (time_for, found) in
        [(0, vec![]), (1, vec!["first"]), (2, vec!["first", "second"]), (3, vec!["first", "second"])]
    {
        let surroundings = Scripted::with_load(0);
        surroundings.time_for.set(time_for);
        let measured = kept_or_measured(None, &benchmarks(), &surroundings);
        assert_eq!(measured.iter().map(|own| own.feature.name.as_str()).collect::<Vec<_>>(), found);
        let absent: Vec<_> = ["first", "second"].into_iter().filter(|name| !found.contains(name)).collect();
        assert_eq!(missing(&benchmarks(), &measured), absent.join(", "));
    }
}

#[test]
fn a_slow_phase_shows_in_the_spread() {
    let calls = Cell::new(0);
    let slower = move || {
        calls.set(calls.get() + 1);
        vec![if calls.get() == ROUNDS { 20.0 } else { 10.0 }; 5]
    };
    let measured =
        kept_or_measured(None, &[Benchmark::on_host("gflops_sp", slower)], &Scripted::with_load(0));
    assert_eq!((measured[0].feature.value, measured[0].doubt), (10.0, Some(Doubt::Spread(1.0))));
}

/// Every regime would measure the same copies.
#[test]
fn what_is_measured_of_a_device_is_measured_once_for_all_its_regimes() {
    let described = || vec![DeviceFeature { name: "lanes".into(), value: 64.0 }];
    let benchmarks = |_: &DeviceEntry| vec![Benchmark::new("copy_gbps", || Err("it is measured".into()))];
    let eager = DeviceEntry::intern("acc:0@regimes", described, benchmarks);
    let (cold, graph) = (eager.in_regime(Regime::Cold), eager.in_regime(Regime::Graph));
    assert!(cold.has_to_be_measured() && cold.kept_in() == eager.kept_in());
    assert_eq!(cold.look_up("copy_gbps"), Lookup::Pending);
    let copy = DeviceFeature { name: "copy_gbps".into(), value: 12.0 };
    eager.measured.get_or_init(|| vec![MeasuredFeature::kept(copy, 0.0, 0.0, 7)]);
    assert_eq!([cold, graph, eager].map(|own| own.feature("copy_gbps")), [Some(12.0); 3]);
    let names: Vec<&str> = cold.features().map(|own| own.name.as_str()).collect();
    assert_eq!(names, ["regime_cold", "lanes", "copy_gbps"]);
    assert_eq!(eager.features().count(), 2, "nobody states that it is in no regime");
}
