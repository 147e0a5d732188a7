//! A search measures few configurations, survives those that crash, hang or answer wrong, goes on after `kill -9`
//! as if it had not been stopped, and leaves in the store what `fit` learns from.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode};

use nitro_core::choice_text;

use crate::kills::{KILL_AT, kill_once};
use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::measure::Candidate;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::store::Evaluated;
use nitro_train::{BoxError, Session, Trainer, Tunable, store};

const INPUTS: u32 = 3;

#[code_variant(
    name = "work",
    device = Scripted,
    features(size = n),
    variants(plain, tiled { tile in 1..=12, unroll in [1, 2, 4, 8] } if tile * unroll <= 64 && unroll <= 2 * n as usize + 2),
    default = plain,
)]
fn work(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    TIME_NS.set(2e6);
    n
}

/// The best tile is another on every input, and 4 the best `unroll`.
fn tiled(p: work::Tiled, n: u32) -> u32 {
    kill_once(|| evaluated(Path::new(".")).len());
    TIME_NS.set(1e6 + 1e5 * p.tile.abs_diff(3 * n as usize) as f64 + 5e4 * p.unroll.abs_diff(4) as f64);
    match (p.tile, p.unroll, n) {
        (5, 1, _) => std::process::abort(),
        (7, 2, 2) => loop {
            std::thread::park();
        },
        (8, ..) => n + 1,
        _ => n,
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for n in 1..=INPUTS {
        session.checked_input(&format!("train/{n}"), || work(n), |expected, found| expected == found)?;
    }
    Ok(())
}

/// In the place of compiling.
fn note_prepared(choice: work::Choice, device: &str) {
    let file = fs::File::options().create(true).append(true).open("prepared");
    let line = format!("{device} {choice}\n");
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the folder can be written");
}

/// What the program does that only dispatches.
const CHOOSE: &str = "choose";

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(CHOOSE) {
        let n = std::env::args().nth(2).and_then(|n| n.parse().ok()).expect("a number");
        println!("{}", work::select(n));
        return ExitCode::SUCCESS;
    }
    if std::env::args().nth(1).is_some() {
        let work = Tunable::new(work::function(), record).prepare(note_prepared);
        return Trainer::new().devices(Devices).processors(Hidden).tunable(work).main();
    }
    faults_cost_an_evaluation_each_and_the_best_is_kept();
    the_next_are_prepared_for_the_device_in_any_regime();
    #[cfg(unix)]
    {
        let often = ["0", "1", "8", "13", "14", "20", "28", "39", "48", "59"];
        a_search_that_is_killed_goes_on_to_the_same("genetic", &often);
        a_search_that_is_killed_goes_on_to_the_same("ants", &["1", "13", "28"]);
    }
    what_cannot_be_searched_is_said();
    ExitCode::SUCCESS
}

/// How a search ends, and what it says.
fn search(folder: &Path, arguments: &[&str], kill_at: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(["search", "--store", "s.db", "--device", "scripted:0", "--deadline", "1"]).args(arguments);
    let output = command.env(KILL_AT, kill_at).current_dir(folder).output().expect("the trainer starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn the_next_are_prepared_for_the_device_in_any_regime() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = search(folder.path(), &["--device", "scripted:0+graph", "--evaluations", "12"], "");
    assert_eq!(code, Some(0), "{said}");
    let prepared = fs::read_to_string(folder.path().join("prepared")).unwrap();
    assert!(prepared.lines().all(|line| line.starts_with("scripted:0 tiled")), "{prepared}");
}

/// What was evaluated, by input and choice.
fn evaluated(folder: &Path) -> BTreeMap<(u32, String), Evaluated> {
    let mut store = store::open(folder.join("s.db").to_str().unwrap()).unwrap();
    let candidates = Candidate::all(work::function());
    let names: Vec<_> = candidates.iter().map(Candidate::name).collect();
    let mut found = BTreeMap::new();
    for n in 1..=INPUTS {
        let evaluations = store.evaluations("work", "scripted", &format!("train/{n}"), &names).unwrap();
        let texts = candidates.iter().map(|own| (n, own.text()));
        found.extend(texts.zip(evaluations).filter_map(|(key, one)| Some((key, one?))));
    }
    found
}

fn recorded(folder: &Path) -> Recordings {
    store::open(folder.join("s.db").to_str().unwrap()).unwrap().load("work").unwrap()
}

fn faults_cost_an_evaluation_each_and_the_best_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, said) = search(folder.path(), &["--strategy", "exhaustive", "--keep", "2", "--json"], "");
    assert_eq!(code, Some(0), "{said}");
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    // An unroll of 8 is admissible for the last input alone, and there with a tile up to 8.
    let searched = summary["searched"].as_array().unwrap();
    let counts: Vec<_> =
        searched.iter().map(|one| (one["configurations"].as_u64(), one["evaluations"].as_u64())).collect();
    assert_eq!(counts, [(Some(36), Some(36)), (Some(36), Some(36)), (Some(44), Some(44))]);
    assert_eq!(searched[1]["failed"], 1 + 1 + 3, "a crash, a hang and three wrong answers");
    let took = &summary["took"][0];
    assert_eq!(took["function"], "work");
    for part in [
        "proposing_s",
        "waiting_s",
        "restoring_s",
        "first_runs_s",
        "timed_runs_s",
        "preparing_s",
        "keeping_s",
    ] {
        assert!(took[part].as_f64().is_some_and(|seconds| seconds >= 0.0), "{took}");
    }
    assert!(said.contains(" to restore inputs, "), "{said}");
    let best: Vec<_> = searched.iter().map(|one| one["best"].as_str().unwrap()).collect();
    assert_eq!(best, ["tile=3,unroll=4", "tile=6,unroll=4", "tile=9,unroll=4"]);
    let evaluated = evaluated(folder.path());
    let of = |n, choice: &str| &evaluated[&(n, choice.to_owned())];
    assert_eq!(of(2, "tiled{tile=7,unroll=2}").reason, "did not end within 1 s");
    assert!(of(2, "tiled{tile=5,unroll=1}").reason.starts_with("ended its process"));
    assert_eq!(of(2, "tiled{tile=8,unroll=4}").outcome, Outcome::Wrong);
    assert_eq!(of(3, "tiled{tile=7,unroll=2}").outcome, Outcome::Time(1e6 + 2e5 + 1e5));

    // The hang left time for the others of its step.
    let prepared = fs::read_to_string(folder.path().join("prepared")).unwrap();
    assert!(prepared.lines().count() > 0);
    let choices =
        Candidate::all(work::function()).into_iter().map(|own| format!("scripted:0 {}", own.text()));
    let tiled: BTreeSet<String> = choices.filter(|line| line.contains("tiled")).collect();
    assert!(prepared.lines().all(|line| tiled.contains(line)), "{prepared}");

    // What a model may pick is measured on every input, and nothing else is a measurement.
    let kept: Vec<&str> =
        summary["kept"][0]["choices"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(kept.len(), 2);
    let recordings = recorded(folder.path());
    let choices = ["plain", "tiled{tile=1,unroll=1}"].into_iter().chain(kept.iter().copied());
    let expected: BTreeSet<_> = choices.flat_map(|one| (0..3).map(move |n| (n, one.to_owned()))).collect();
    let measured = recordings
        .measurements
        .iter()
        .map(|one| (one.input, choice_text(&recordings.variants[one.variant], &one.configuration)));
    assert_eq!(measured.collect::<BTreeSet<_>>(), expected);
    what_a_search_has_left_is_fitted_and_dispatched(folder.path(), &kept);
}

/// Of the 48 configurations few were measured on every input.
fn what_a_search_has_left_is_fitted_and_dispatched(folder: &Path, kept: &[&str]) {
    let program = || Command::new(std::env::current_exe().expect("this program is somewhere"));
    let output = |command: &mut Command| {
        let output = command.current_dir(folder).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    output(program().args(["fit", "--store", "s.db", "--models", "m"]));
    let inspected = output(program().args(["inspect", "m/work.model", "--json"]));
    let model: serde_json::Value = serde_json::from_str(&inspected).unwrap();
    let choices: BTreeSet<&str> =
        model["choices"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let known = ["plain", "tiled{tile=1,unroll=1}"].into_iter().chain(kept.iter().copied());
    assert!(choices.is_subset(&known.collect()), "{choices:?}");
    for n in 1..=INPUTS {
        let chosen = output(program().args([CHOOSE, &n.to_string()]).env("NITRO_MODELS", "m"));
        let (choice, reason) = chosen.trim_end().split_once(": ").expect("a selection");
        assert!(kept.contains(&choice) && !reason.starts_with("default"), "{n}: {chosen}");
    }
}

#[cfg(unix)]
fn a_search_that_is_killed_goes_on_to_the_same(strategy: &str, kills: &[&str]) {
    let arguments = ["--strategy", strategy, "--evaluations", "20", "--seed", "3"];
    let [undisturbed, killed] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let (code, _, said) = search(undisturbed.path(), &arguments, "");
    assert_eq!(code, Some(0), "{said}");
    for kill_at in kills {
        let (code, _, said) = search(killed.path(), &arguments, kill_at);
        assert_eq!(code, None, "killed at {kill_at}: {said}");
    }
    let (code, _, said) = search(killed.path(), &arguments, "");
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(evaluated(undisturbed.path()).len(), 20 * INPUTS as usize);
    let outcomes = |folder: &Path| {
        evaluated(folder).into_iter().map(|(key, one)| (key, one.outcome)).collect::<BTreeMap<_, _>>()
    };
    assert_eq!(outcomes(killed.path()), outcomes(undisturbed.path()));
    let rows = |folder: &Path| {
        recorded(folder)
            .measurements
            .into_iter()
            .map(|one| (one.input, one.configuration, one.outcome))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(killed.path()), rows(undisturbed.path()));
}

fn what_cannot_be_searched_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = search(folder.path(), &["--variant", "plain"], "");
    assert!(code == Some(1) && said.contains("those that have are tiled"), "{said}");
    let (code, _, said) = search(folder.path(), &["--strategy", "all"], "");
    assert!(code == Some(2) && said.contains("--strategy all goes with --replay"), "{said}");
    let (code, _, said) = search(folder.path(), &["--sources", "moon"], "");
    assert!(code == Some(1) && said.contains("nothing was measured of `work` on device `moon`"), "{said}");
}
