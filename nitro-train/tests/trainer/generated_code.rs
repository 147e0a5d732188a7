//! Generated code is searched, kept, recorded on another device, fitted and dispatched by a program that has its
//! model alone; what crashes or answers wrong costs its evaluation, and a search that is killed goes on as if it
//! had not been, which also knows what the parts took.
//!
//! Without arguments this program is the test; the test runs it again as a trainer, and as the program that dispatches.

use nitro_core::choice_text;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
#[cfg(feature = "redis")]
use std::process::{Child, Stdio};
use std::process::{Command, ExitCode};

use crate::kills::{KILL_AT, kill_once};
use crate::scripted::{self, Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro::recording::{PartTime, note_part, wants_parts};
use nitro_train::generate::{Crossing, Decision, Decisions, Generator, NodeKey, Step};
use nitro_train::model::Model;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::store::Evaluated;
use nitro_train::{Artifact, BoxError, Session, ShippedRecordings, Trainer, Tunable, store};

const INPUTS: u32 = 4;

/// The last is for tests.
fn input(n: u32) -> String {
    format!("{}/{n}", if n == INPUTS { "test" } else { "train" })
}

#[code_variant(
    name = "work",
    device = Scripted,
    features(size = n),
    variants(plain, tiled { tile in 1..=4 }, found { kernel in artifacts } if fits(kernel, n)),
    default = plain,
)]
fn work(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    TIME_NS.set(3e6);
    n
}

fn tiled(p: work::Tiled, n: u32) -> u32 {
    TIME_NS.set(2.5e6 + 1e4 * p.tile as f64);
    n
}

/// The code of this language is `block=B unroll=U`.
fn numbers(text: &str) -> Option<(u32, u32)> {
    let (block, unroll) = text.strip_prefix("block=")?.split_once(" unroll=")?;
    Some((block.parse().ok()?, unroll.parse().ok()?))
}

/// The largest blocks take larger inputs than the first.
fn fits(kernel: Artifact, n: u32) -> bool {
    kernel.text().and_then(numbers).is_some_and(|(block, _)| block < 256 || n > 1)
}

/// The best block is another on every input, and 4 the best `unroll`.
fn found(p: work::Found, n: u32) -> u32 {
    if wants_parts() || std::env::var(KILL_IN_PARTS).is_err() {
        kill_once(|| evaluated(Path::new(".")).len());
    }
    let text = p.kernel.text().expect("it runs where the text is known alone");
    let (block, unroll) = numbers(text).expect("what was generated");
    let parts_ns = [1e5 * block.ilog2().abs_diff(3 + n) as f64, 5e4 * unroll.abs_diff(4) as f64];
    TIME_NS.set(1e6 + parts_ns.iter().sum::<f64>());
    if wants_parts() {
        note_parts(block, unroll, parts_ns);
    }
    match (block, unroll) {
        (32, 1) => std::process::abort(),
        (64, 2) => n + 1,
        _ => n,
    }
}

/// Tells a trainer that is killed to be so while it finds out what parts take.
const KILL_IN_PARTS: &str = "KILL_IN_PARTS";

/// Of some code there is no telling what its parts take.
fn note_parts(block: u32, unroll: u32, parts_ns: [f64; 2]) {
    TIME_NS.set(1e9); // such a run is slower
    for (name, time_ns) in ["block", "unroll"].into_iter().zip(parts_ns) {
        match (block, unroll) {
            (8, 1) => panic!("parts are too much"),
            (8, 8) => note_part(PartTime { name: name.into(), time_ns: f64::NAN, metrics: Vec::new() }),
            _ => {
                let metrics = vec![("occupancy".into(), 1.0 / f64::from(block))];
                note_part(PartTime { name: name.into(), time_ns, metrics });
            }
        }
    }
}

/// Blocks from 2 to 256, unrolled 1, 2, 4 or 8 times; of the smallest block all of this is one text, and of an
/// unrolled largest one nothing can be made.
struct Blocks;

impl Decisions for Blocks {
    fn next(&self, path: &[Crossing]) -> Step {
        match path.len() {
            0 => Step::Choose(Decision::new(NodeKey::new("block"), 8).part("block")),
            1 => Step::Choose(Decision::new(NodeKey::new("unroll"), 4).part("unroll")),
            _ => Step::Complete,
        }
    }
}

const PRESETS: [&str; 2] = ["block=16 unroll=1", "block=8 unroll=2"];

impl Generator for Blocks {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        let [block, unroll] = [path[0].option, path[1].option].map(|option| 1_u32 << option);
        match (2 * block, unroll) {
            (256, 8) => Err("too much to unroll".into()),
            (2, _) => Ok("block=2 unroll=1".to_owned()),
            (block, unroll) => Ok(format!("block={block} unroll={unroll}")),
        }
    }

    fn presets(&self) -> Vec<(String, String)> {
        let preset = |(at, text): (usize, &str)| (format!("preset {at}"), text.to_owned());
        // The last is one of the others.
        PRESETS.into_iter().chain([PRESETS[0]]).enumerate().map(preset).collect()
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for n in 1..=INPUTS {
        session.checked_input(&input(n), || work(n), |expected, found| expected == found)?;
    }
    Ok(())
}

/// What the program does that only dispatches.
const CHOOSE: &str = "choose";
/// Tells a trainer to have no generator, or one for the wrong variant.
const GENERATOR: &str = "GENERATOR";
/// Tells a trainer to carry the recordings in this folder.
const SHIPPED: &str = "SHIPPED";

fn shipped(folder: &Path) -> ShippedRecordings {
    let read = |name: &str| &*fs::read(folder.join(name)).expect("it was exported").leak();
    let [measurements, inputs, devices] = ["m.csv", "i.csv", "d.csv"].map(read);
    let (feature_times, artifacts) = (Some(read("t.csv")), Some(read("a.jsonl")));
    ShippedRecordings { measurements, inputs, devices, profiles: None, feature_times, artifacts }
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(CHOOSE) {
        for n in 1..=INPUTS {
            println!("{} → {}", work::select(n), work(n));
        }
        return ExitCode::SUCCESS;
    }
    if std::env::args().nth(1).is_some() {
        let tunable = Tunable::new(work::function(), record);
        let tunable = match std::env::var(GENERATOR).as_deref() {
            Ok("none") => tunable,
            Ok(other) => tunable.generated(other.to_owned().leak(), Blocks),
            Err(_) => tunable.generated("found", Blocks),
        };
        let tunable = match std::env::var(SHIPPED) {
            Ok(folder) => tunable.shipped(shipped(Path::new(&folder))),
            Err(_) => tunable,
        };
        return Trainer::new().devices(Devices).processors(Hidden).tunable(tunable).main();
    }
    what_is_found_is_kept_recorded_elsewhere_fitted_and_dispatched();
    #[cfg(unix)]
    for strategy in ["ants", "random"] {
        a_search_that_is_killed_goes_on_to_the_same(strategy);
    }
    #[cfg(feature = "redis")]
    several_find_together_what_one_finds();
    what_cannot_be_searched_is_said();
    ExitCode::SUCCESS
}

/// How a command ends, and what it says.
fn train(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(arguments).envs(environment.iter().copied()).current_dir(folder);
    let output = command.output().expect("the trainer starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What a command that succeeds writes, and says.
fn succeeds(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (String, String) {
    let (code, out, said) = train(folder, arguments, environment);
    assert_eq!(code, Some(0), "{arguments:?}: {said}");
    (out, said)
}

const SEARCH: [&str; 8] =
    ["search", "--store", "s.db", "--device", "scripted:0", "--deadline", "5", "--variant"];

/// What was evaluated, by input and choice.
fn evaluated(folder: &Path) -> BTreeMap<(String, String), Evaluated> {
    let mut store = store::open(folder.join("s.db").to_str().unwrap()).unwrap();
    let all = store.searches().unwrap().evaluations.into_iter();
    all.map(|(key, one)| ((key.input, choice_text(&key.variant, &key.configuration)), one)).collect()
}

fn recorded(folder: &Path, name: &str) -> Recordings {
    store::open(folder.join(name).to_str().unwrap()).unwrap().load("work").unwrap()
}

/// What was measured on a device, by input.
fn measured(recordings: &Recordings, device: &str) -> BTreeSet<(String, String)> {
    let of_device = recordings.measurements.iter().filter(|one| recordings.devices[one.device].id == device);
    let key = |one: &nitro_train::recordings::Measurement| {
        let choice = choice_text(&recordings.variants[one.variant], &one.configuration);
        (recordings.inputs[one.input].name.clone(), choice)
    };
    of_device.map(key).collect()
}

fn choice_of(text: &str) -> String {
    format!("found{{kernel={}}}", Artifact::of(text))
}

fn what_is_found_is_kept_recorded_elsewhere_fitted_and_dispatched() {
    let folder = tempfile::tempdir().unwrap();
    let search = [&SEARCH[..], &["found", "--evaluations", "40", "--keep", "3", "--json"]].concat();
    let (out, _) = succeeds(folder.path(), &search, &[]);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    let searched = summary["searched"].as_array().unwrap();
    let evaluated = evaluated(folder.path());
    for n in 1..=INPUTS {
        let one = searched.iter().find(|one| one["input"] == input(n)).expect("each input is searched");
        assert_eq!((one["strategy"].as_str(), one["configurations"].as_u64()), (Some("ants"), Some(0)));
        // Each of the 32 paths once, and the presets: 29 texts, the largest block unrolled, and all of it is found.
        let best = format!("kernel={}", Artifact::of(&format!("block={} unroll=4", 8 << n)));
        assert_eq!((one["evaluations"].as_u64(), one["best"].as_str()), (Some(29), Some(best.as_str())));
        let all = |text: &str| &evaluated[&(input(n), choice_of(text))];
        let of = |text: &str| all(text).outcome;
        assert!(PRESETS.iter().all(|preset| of(preset).time_ns().is_some()));
        assert_eq!((of("block=32 unroll=1"), of("block=64 unroll=2")), (Outcome::Failed, Outcome::Wrong));
        assert_eq!(of("block=256 unroll=4") == Outcome::Inadmissible, n == 1);
        // A run that fails, or notes what is no time, tells nothing of parts and changes nothing else.
        for text in ["block=8 unroll=1", "block=8 unroll=8"] {
            assert!(of(text).time_ns().is_some_and(|time_ns| time_ns < 2e6) && all(text).parts.is_empty());
        }
        let part = |name: &str, time_ns| PartTime {
            name: name.into(),
            time_ns,
            metrics: vec![("occupancy".into(), 1.0 / 16.0)],
        };
        let away_ns = 1e5 * f64::from(n.abs_diff(1));
        assert_eq!(all("block=16 unroll=2").parts, [part("block", away_ns), part("unroll", 1e5)]);
        assert!(all("block=32 unroll=1").parts.is_empty(), "it never ran to its end");
    }

    // What a model may pick, the best of training inputs, is measured on every input, and its text is in the store;
    // nothing else is.
    let kept: Vec<String> = summary["kept"][0]["choices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap().to_owned())
        .collect();
    let best: BTreeSet<String> =
        (1..INPUTS).map(|n| choice_of(&format!("block={} unroll=4", 8 << n))).collect();
    assert_eq!(kept.iter().cloned().collect::<BTreeSet<_>>(), best);
    let recordings = recorded(folder.path(), "s.db");
    let texts: BTreeSet<String> = recordings.artifacts.values().map(|text| choice_of(text)).collect();
    assert_eq!(texts, best);
    let defaults = ["plain".to_owned(), "tiled{tile=1}".to_owned()];
    let all = defaults.iter().chain(&kept);
    let expected: BTreeSet<_> =
        all.flat_map(|one| (1..=INPUTS).map(move |n| (input(n), one.clone()))).collect();
    assert_eq!(measured(&recordings, "scripted"), expected);
    another_device_records_the_same(folder.path(), &best);
    a_program_with_the_model_alone_runs_it(folder.path(), &kept);
    without_the_texts_nothing_of_it_is_chosen(folder.path());
}

/// It has the store, and neither the generator nor what the search was told.
fn another_device_records_the_same(folder: &Path, best: &BTreeSet<String>) {
    succeeds(folder, &["sync", "s.db", "copy.db"], &[]);
    let record = ["record", "--store", "copy.db", "--device", "scripted:0"];
    succeeds(folder, &record, &[(scripted::ID, "elsewhere"), (GENERATOR, "none")]);
    let recordings = recorded(folder, "copy.db");
    let listed = (1..=4).map(|tile| format!("tiled{{tile={tile}}}")).chain(["plain".to_owned()]);
    let all: BTreeSet<String> = best.iter().cloned().chain(listed).collect();
    let found: BTreeSet<String> =
        measured(&recordings, "elsewhere").into_iter().map(|(_, choice)| choice).collect();
    assert_eq!(found, all);
    succeeds(folder, &["sync", "s.db", "copy.db"], &[]);
    let (out, _) = succeeds(folder, &["evaluate", "--store", "s.db", "--json"], &[]);
    assert!(out.contains("\"elsewhere\""), "{out}");
}

fn a_program_with_the_model_alone_runs_it(folder: &Path, kept: &[String]) {
    let (_, said) =
        succeeds(folder, &["fit", "--store", "s.db", "--models", "models"], &[(GENERATOR, "none")]);
    assert!(!said.contains("left out, as"), "{said}");
    let (out, _) = succeeds(folder, &["inspect", "models/work.model", "--json"], &[]);
    let model: serde_json::Value = serde_json::from_str(&out).unwrap();
    let digests: BTreeSet<_> = model["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("found{{kernel={}}}", one["artifact"].as_str().unwrap()))
        .collect();
    let choices = model["choices"].as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned());
    assert_eq!(digests, choices.filter(|own| own.starts_with("found")).collect());
    assert!(!digests.is_empty() && digests.iter().all(|own| kept.contains(own)), "{digests:?}");
    assert!(model["artifacts"][0]["bytes"].as_u64() >= Some(17), "{out}");

    let alone = tempfile::tempdir().unwrap();
    let models = folder.join("models").display().to_string();
    let (out, _) = succeeds(alone.path(), &[CHOOSE], &[("NITRO_MODELS", &models)]);
    for line in out.lines() {
        let (choice, rest) = line.split_once(": ").expect("a selection");
        assert!(kept.iter().any(|own| own == choice) && !rest.starts_with("default"), "{out}");
    }
    let calls = folder.join("calls.jsonl").display().to_string();
    succeeds(alone.path(), &[CHOOSE], &[("NITRO_MODELS", &models), ("NITRO_CAPTURE", &calls)]);
    let captured = nitro_train::traffic::read(calls.as_ref()).unwrap();
    assert!(!captured.is_empty());
    assert!(captured.iter().all(|one| kept.contains(&choice_text(&one.variant, &one.configuration))));
    succeeds(folder, &["coverage", "calls.jsonl", "--models", "models"], &[]);
    let pinned = format!("work={}", kept[0]);
    let (out, _) = succeeds(alone.path(), &[CHOOSE], &[("NITRO_MODELS", &models), ("NITRO_FORCE", &pinned)]);
    assert!(out.lines().all(|line| line.starts_with(&kept[0])), "{out}");
    let (out, _) = succeeds(alone.path(), &[CHOOSE], &[("NITRO_MODELS", "."), ("NITRO_FORCE", &pinned)]);
    assert!(out.lines().all(|line| line.starts_with("plain: ")), "nobody has the text: {out}");
    let (out, _) = succeeds(
        folder,
        &["explain", "work", "size=2", "--store", "s.db", "--models", "models", "--device", "scripted"],
        &[],
    );
    assert!(kept.iter().any(|own| out.contains(own.as_str())), "{out}");
    succeeds(folder, &["report", "--store", "s.db", "--out", "report.html"], &[]);
}

fn without_the_texts_nothing_of_it_is_chosen(folder: &Path) {
    let files = [
        "--function",
        "work",
        "--measurements",
        "m.csv",
        "--inputs",
        "i.csv",
        "--devices",
        "d.csv",
        "--feature-times",
        "t.csv",
    ];
    succeeds(folder, &[&["export", "--store", "s.db", "--artifacts", "a.jsonl"], &files[..]].concat(), &[]);
    succeeds(folder, &[&["import", "--store", "t.db"], &files[..]].concat(), &[]);
    let fit = ["fit", "--store", "t.db", "--models", "lacking"];
    let (_, said) = succeeds(folder, &fit, &[]);
    assert!(said.contains("left out, as their code is not in the store: found{kernel="), "{said}");
    let (out, _) = succeeds(folder, &["inspect", "lacking/work.model", "--json"], &[]);
    assert!(!out.contains("found{"), "{out}");
    succeeds(folder, &[&["import", "--store", "t.db", "--artifacts", "a.jsonl"], &files[..]].concat(), &[]);
    let (_, said) = succeeds(folder, &fit, &[]);
    assert!(!said.contains("left out, as"), "{said}");
    // The order of variants is that of the rows there.
    let elsewhere = tempfile::tempdir().unwrap();
    let (_, said) = succeeds(elsewhere.path(), &["fit"], &[(SHIPPED, folder.to_str().unwrap())]);
    assert!(!said.contains("left out, as"), "{said}");
    let models = [folder.join("lacking"), folder.join("models"), elsewhere.path().join("models")];
    let [with, before, carried] = models.map(|models| {
        let model = Model::read(&models.join("work.model")).unwrap();
        (model.artifacts.into_iter().collect::<BTreeSet<_>>(), model.provenance.recordings_digest)
    });
    assert_eq!((&with, &carried), (&before, &before));
}

#[cfg(unix)]
fn a_search_that_is_killed_goes_on_to_the_same(strategy: &str) {
    let arguments =
        [&SEARCH[..], &["found", "--strategy", strategy, "--evaluations", "16", "--seed", "3"]].concat();
    let [undisturbed, killed] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    succeeds(undisturbed.path(), &arguments, &[]);
    let (anywhere, in_parts) = (["0", "2", "5", "11", "12", "17", "30"], ["1", "6", "14", "31"]);
    let kills = anywhere.map(|at| vec![(KILL_AT, at)]).into_iter();
    for environment in kills.chain(in_parts.map(|at| vec![(KILL_AT, at), (KILL_IN_PARTS, "1")])) {
        let (code, _, said) = train(killed.path(), &arguments, &environment);
        assert_eq!(code, None, "{environment:?}: {said}");
    }
    succeeds(killed.path(), &arguments, &[]);
    assert_eq!(evaluated(killed.path()), evaluated(undisturbed.path()), "{strategy}");
    let left = |folder: &Path| {
        let recordings = recorded(folder, "s.db");
        (measured(&recordings, "scripted"), recordings.artifacts)
    };
    assert_eq!(left(killed.path()), left(undisturbed.path()));
}

#[cfg(feature = "redis")]
fn several_find_together_what_one_finds() {
    let Some(server) = nitro_test_support::redis_server::Server::start(None) else { return };
    let (alone, url) = (tempfile::tempdir().unwrap(), server.url());
    let search = |store: &str| {
        let arguments =
            ["search", "--store", store, "--device", "scripted:0", "--variant", "found", "--json"];
        let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
        command.args(arguments).args(["--evaluations", "24", "--deadline", "60"]).current_dir(alone.path());
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the trainer starts")
    };
    let told = |trainer: Child| {
        let output = trainer.wait_with_output().expect("it was started");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a summary");
        serde_json::json!([summary["searched"], summary["kept"]])
    };
    let expected = told(search("s.db"));
    for trainer in [(); 3].map(|()| search(&url)) {
        assert_eq!(told(trainer), expected);
    }
    let artifacts = store::open(&url).unwrap().load("work").unwrap().artifacts;
    assert_eq!(artifacts, recorded(alone.path(), "s.db").artifacts);
}

fn what_cannot_be_searched_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], environment: &[(&str, &str)], expected: &str| {
        let (code, _, said) = train(folder.path(), arguments, environment);
        assert!(code == Some(1) && said.contains(expected), "{arguments:?}: {said}");
    };
    let found = [&SEARCH[..], &["found"]].concat();
    refused(
        &[&found[..], &["--strategy", "annealing"]].concat(),
        &[],
        "is searched by ants, genetic, random or prove",
    );
    refused(&found, &[(GENERATOR, "none")], "this trainer has no generator for it");
    refused(
        &found,
        &[(GENERATOR, "tiled")],
        "is for a variant with a parameter `in artifacts`; those are found",
    );
    // Of both kinds of variants each has its search.
    let both = ["search", "--store", "s.db", "--device", "scripted:0", "--evaluations", "6", "--json"];
    let (out, _) = succeeds(folder.path(), &both, &[]);
    let summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    let searched = summary["searched"].as_array().unwrap();
    let kinds: BTreeSet<_> =
        searched.iter().map(|one| (one["variant"].as_str(), one["strategy"].as_str())).collect();
    assert_eq!(kinds, [(Some("found"), Some("ants")), (Some("tiled"), Some("transfer"))].into());
    let replay = ["search", "--replay", "--store", "s.db", "--variant", "found"];
    refused(&replay, &[], "the generated code of variant `found` cannot be replayed");
}
