//! What the parts of generated code take reaches the colony: of two independent kernels it finds the best in fewer
//! evaluations than by the time of all.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::Ordering;

use crate::scripted::{Devices, Hidden, LOST, Scripted, TIME_NS};
use nitro::code_variant;
use nitro::recording::{PartTime, note_part, wants_parts};
use nitro_train::generate::{Crossing, Decision, Decisions, Generator, NodeKey, Step};
use nitro_train::store::{self, Evaluated};
use nitro_train::{BoxError, Session, Trainer, Tunable};

#[code_variant(
    name = "work",
    device = Scripted,
    features(size = n),
    variants(plain, found { kernel in artifacts }),
    default = plain,
)]
fn work(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    TIME_NS.set(1e7);
    n
}

/// How many values each decision has.
const OPTIONS: usize = 8;
/// The best values of both decisions of each kernel, and what it takes then.
const BEST: [([usize; 2], f64); 2] = [([5, 2], 1e6), ([1, 6], 8e5)];
const BEST_NS: f64 = 1.8e6;

/// Tells the program to say nothing of parts.
const SILENT: &str = "SILENT";
/// Tells it to lose the device while the parts of the preset are looked at.
const LOSES: &str = "LOSES";
/// What is evaluated first.
const PRESET: &str = "0 0 0 0";

/// The code of this language are the four values.
fn found(p: work::Found, n: u32) -> u32 {
    let text = p.kernel.text().expect("it runs where the text is known alone");
    let values: Vec<usize> = text.split(' ').map(|value| value.parse().unwrap()).collect();
    let times_ns = [0, 1].map(|kernel| {
        let (best, time_ns) = BEST[kernel];
        let away = [0, 1].map(|at| values[2 * kernel + at].abs_diff(best[at]) as f64);
        time_ns * (1.0 + 0.3 * away[0] + 0.2 * away[1])
    });
    TIME_NS.set(times_ns.iter().sum());
    if wants_parts() {
        TIME_NS.set(1e9); // such a run is slower
        if std::env::var(LOSES).is_ok() && text == PRESET {
            LOST.store(true, Ordering::Relaxed);
            panic!("an illegal access");
        }
        if std::env::var(SILENT).is_err() {
            // The second kernel is launched twice.
            for (kernel, time_ns) in [(0, times_ns[0]), (1, 0.75 * times_ns[1]), (1, 0.25 * times_ns[1])] {
                let metrics = vec![("throughput".to_owned(), BEST[kernel].1 / times_ns[kernel])];
                note_part(PartTime { name: format!("kernel {kernel}"), time_ns, metrics });
            }
        }
    }
    n
}

/// Two values of the first kernel, then two of the second.
struct Kernels;

impl Decisions for Kernels {
    fn next(&self, path: &[Crossing]) -> Step {
        let (kernel, at) = (path.len() / 2, path.len() % 2);
        if kernel == BEST.len() {
            return Step::Complete;
        }
        let key = NodeKey::new(["tile", "unroll"][at]).statements([kernel as u32]);
        Step::Choose(Decision::new(key, OPTIONS).part(format!("kernel {kernel}")))
    }
}

impl Generator for Kernels {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        let values: Vec<String> = path.iter().map(|crossing| crossing.option.to_string()).collect();
        Ok(values.join(" "))
    }

    fn presets(&self) -> Vec<(String, String)> {
        vec![("preset".to_owned(), PRESET.to_owned())]
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    Ok(session.input("train/1", || work(1))?)
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() {
        let tunable = Tunable::new(work::function(), record).generated("found", Kernels);
        return Trainer::new().devices(Devices).processors(Hidden).tunable(tunable).main();
    }
    the_best_of_independent_parts_is_found_in_fewer_evaluations();
    what_loses_the_device_in_the_further_run_keeps_its_time();
    ExitCode::SUCCESS
}

/// The time of the best that a search finds.
fn best_ns(folder: &Path, seed: u32, environment: &[(&str, &str)]) -> f64 {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args([
        "search",
        "--store",
        &format!("{seed}.db"),
        "--device",
        "scripted:0",
        "--variant",
        "found",
    ]);
    command.args(["--json", "--keep", "1", "--seed", &seed.to_string(), "--evaluations", EVALUATIONS]);
    let command = command.envs(environment.iter().copied()).current_dir(folder);
    let output = command.output().expect("the trainer starts");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    summary["searched"][0]["best_ns"].as_f64().expect("a time")
}

/// Of 4096 paths.
const EVALUATIONS: &str = "60";

fn the_best_of_independent_parts_is_found_in_fewer_evaluations() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let seeds = 1..=5;
    let with: Vec<f64> = seeds.clone().map(|seed| best_ns(folders[0].path(), seed, &[])).collect();
    let without: Vec<f64> = seeds.map(|seed| best_ns(folders[1].path(), seed, &[(SILENT, "1")])).collect();
    let found = |all: &[f64]| all.iter().filter(|&&time_ns| time_ns == BEST_NS).count();
    assert!(found(&with) > found(&without), "{with:?} {without:?}");

    for one in &evaluated(folders[0].path()) {
        let names: Vec<&str> = one.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["kernel 0", "kernel 1"]);
        let time_ns = one.outcome.time_ns().expect("all of them run");
        let sum: f64 = one.parts.iter().map(|part| part.time_ns).sum();
        assert!((sum / time_ns - 1.0).abs() < 1e-9 && one.spread_ns == 0.0, "the slower run did not count");
    }
    assert!(evaluated(folders[1].path()).iter().all(|one| one.parts.is_empty()));
}

/// What the first search has evaluated.
fn evaluated(folder: &Path) -> Vec<Evaluated> {
    let mut store = store::open(folder.join("1.db").to_str().unwrap()).unwrap();
    store.searches().unwrap().evaluations.into_values().collect()
}

/// The search goes on in a fresh process.
fn what_loses_the_device_in_the_further_run_keeps_its_time() {
    let folder = tempfile::tempdir().unwrap();
    assert!(best_ns(folder.path(), 1, &[(LOSES, "1")]) < 2.5e6);
    let all = evaluated(folder.path());
    assert_eq!(all.len().to_string(), EVALUATIONS);
    let without: Vec<_> = all.iter().filter(|one| one.parts.is_empty()).collect();
    assert!(without.len() == 1 && without[0].outcome.time_ns().is_some(), "{without:?}");
}
