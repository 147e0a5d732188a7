//! A search measures few configurations, survives those that crash, hang or answer wrong, goes on after `kill -9` as if it had not been stopped, and
//! leaves in the store what `fit` learns from.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::scripted::{Devices, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::recordings::{Outcome, Recordings};
use nitro_train::{BoxError, Session, Trainer, store};

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
    kill_once();
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

/// Once the logs have as many lines as the environment says, the supervisor is killed, and this process ends with it.
fn kill_once() {
    let at: usize = std::env::var("KILL_AT").ok().and_then(|at| at.parse().ok()).unwrap_or(usize::MAX);
    let lines: usize = logs(Path::new(".")).values().map(|log| log.lines().count()).sum();
    if lines >= at && fs::File::create_new(format!("killed-{at}")).is_ok() {
        #[cfg(unix)]
        let supervisor = std::os::unix::process::parent_id().to_string();
        #[cfg(not(unix))]
        let supervisor = String::new();
        Command::new("kill").args(["-9", &supervisor]).status().expect("kill is there");
        loop {
            std::thread::park();
        }
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for n in 1..=INPUTS {
        session.checked_input(&format!("train/{n}"), || work(n), |expected, found| expected == found)?;
    }
    Ok(())
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() {
        return Trainer::new().devices(Devices).function(work::function(), record).main();
    }
    faults_cost_an_evaluation_each_and_the_best_is_kept();
    #[cfg(unix)]
    a_search_that_is_killed_goes_on_to_the_same();
    what_cannot_be_searched_is_said();
    ExitCode::SUCCESS
}

/// A search with a log of its own, and what it says on stderr.
fn search(folder: &Path, arguments: &[&str], kill_at: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command.args(["search", "--store", "s.db", "--device", "scripted:0", "--deadline", "1"]).args(arguments);
    let output = command.env("KILL_AT", kill_at).current_dir(folder).output().expect("the trainer starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn logs(folder: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(folder.join("s.db.search")) else { return BTreeMap::new() };
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap_or_default())).collect()
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
    let best: Vec<_> = searched.iter().map(|one| one["best"].as_str().unwrap()).collect();
    assert_eq!(best, ["tile=3,unroll=4", "tile=6,unroll=4", "tile=9,unroll=4"]);
    let log =
        logs(folder.path()).into_values().find(|log| log.contains("timeout")).expect("the hang is in a log");
    assert!(log.contains("crash") && log.contains("wrong"), "{log}");

    let recordings = recorded(folder.path());
    let kept = summary["kept"][0]["choices"].as_array().unwrap();
    assert_eq!(kept.len(), 2);
    for (input, best) in best.iter().enumerate() {
        let times: Vec<String> = recordings
            .measurements
            .iter()
            .filter(|one| one.input == input && matches!(one.outcome, Outcome::Time(_)))
            .map(|one| one.configuration.clone())
            .collect();
        assert!(times.contains(&(*best).to_owned()), "the best of {input} is in the store: {times:?}");
        for choice in kept {
            let configuration = choice.as_str().unwrap().trim_start_matches("tiled{").trim_end_matches('}');
            assert!(
                times.contains(&configuration.to_owned()),
                "{configuration} is measured on {input}: {times:?}"
            );
        }
    }
}

#[cfg(unix)]
fn a_search_that_is_killed_goes_on_to_the_same() {
    let arguments = ["--strategy", "genetic", "--evaluations", "20", "--seed", "3"];
    let [undisturbed, killed] = [(), ()].map(|()| tempfile::tempdir().unwrap());
    let (code, _, said) = search(undisturbed.path(), &arguments, "");
    assert_eq!(code, Some(0), "{said}");
    let times = ["1", "2", "9", "15", "16", "22", "30", "41", "50", "62"];
    for kill_at in times {
        let (code, _, said) = search(killed.path(), &arguments, kill_at);
        assert_eq!(code, None, "killed at {kill_at}: {said}");
    }
    let (code, _, said) = search(killed.path(), &arguments, "");
    assert_eq!(code, Some(0), "{said}");
    let texts = |folder: &Path| logs(folder).into_values().collect::<Vec<_>>();
    assert_eq!(texts(killed.path()), texts(undisturbed.path()));
    assert_eq!(texts(killed.path()).len(), INPUTS as usize);
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
