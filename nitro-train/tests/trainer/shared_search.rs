//! Four trainers search together through one Redis server, while trainers and server are killed thirty times: what is evaluated and what is kept in
//! the end is what one trainer finds that nobody disturbs.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use crate::scripted::{Devices, Scripted, TIME_NS};
use crate::store_server::Server;
use nitro::code_variant;
use nitro_core::choice_text;
use nitro_test_support::random::Random;
use nitro_train::measure::Candidate;
use nitro_train::store::Store;
use nitro_train::{BoxError, Session, Trainer, store};

const TRAINERS: usize = 4;
const KILLS: u64 = 30;
const INPUTS: u32 = 10;

#[code_variant(
    name = "tuned",
    device = Scripted,
    features(size = n),
    variants(plain, tiled { tile in 1..=16, unroll in [1, 2, 4, 8] } if tile * unroll <= 64),
    default = plain,
)]
fn tuned(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    TIME_NS.set(3e6);
    n
}

/// Takes a while, so that a kill finds trainers at work. The best tile is another on every input.
fn tiled(p: tuned::Tiled, n: u32) -> u32 {
    (0..20_000).for_each(|_| std::hint::spin_loop());
    TIME_NS.set(1e6 + 1e5 * p.tile.abs_diff(1 + n as usize) as f64 + 5e4 * p.unroll.abs_diff(4) as f64);
    match (p.tile, p.unroll) {
        (6, 1) => std::process::abort(),
        (9, 2) => n + 1,
        _ => n,
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    for n in 0..INPUTS {
        session.checked_input(&input(n), || tuned(n), |expected, found| expected == found)?;
    }
    Ok(())
}

fn input(n: u32) -> String {
    format!("train/{n}")
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() {
        return Trainer::new().devices(Devices).function(tuned::function(), record).main();
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    if let Some(server) = Server::start(Some(folder.path().to_owned())) {
        thirty_kills_change_nothing(server, folder.path());
    }
    ExitCode::SUCCESS
}

/// A trainer of this name, whose outputs are in files of the name.
fn start(url: &str, name: &str, folder: &Path) -> Child {
    let errors = File::options().create(true).append(true).open(folder.join(format!("{name}.log")));
    Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args([
            "search",
            "--store",
            url,
            "--device",
            "scripted:0",
            "--strategy",
            "genetic",
            "--evaluations",
            "40",
        ])
        .args(["--seed", "3", "--keep", "3", "--deadline", "3600", "--json"])
        .stdout(File::create(folder.join(format!("{name}.json"))).expect("a file for the summary"))
        .stderr(errors.expect("a log file"))
        .stdin(Stdio::null())
        .spawn()
        .expect("the trainer starts")
}

fn thirty_kills_change_nothing(mut server: Server, folder: &Path) {
    let alone = folder.join("alone.db").display().to_string();
    assert!(start(&alone, "alone", folder).wait().expect("it was started").success());
    let undisturbed = found(&mut *store::open(&alone).expect("it was made"));
    let all = undisturbed.len() as u64;

    let url = server.url();
    let name = |number: usize| format!("trainer-{number}");
    let mut trainers: Vec<Child> = (0..TRAINERS).map(|number| start(&url, &name(number), folder)).collect();
    let (mut random, mut known) = (Random::new(1), 0);
    for kill in 0..KILLS {
        // The next kill comes when some more is in the store; when exactly is drawn.
        known += random.below(all / KILLS);
        while found_at(&url) < known {
            std::hint::spin_loop();
        }
        let victim = random.below(TRAINERS as u64 + 1) as usize;
        match trainers.get_mut(victim) {
            Some(trainer) => {
                let _ = trainer.kill();
                let _ = trainer.wait();
                *trainer = start(&url, &name(victim), folder);
            }
            None => server.restart(),
        }
        assert!(kill + 1 < KILLS || found_at(&url) < all, "nothing was left to go on with");
    }
    for (number, trainer) in trainers.iter_mut().enumerate() {
        // A trainer that could not start because the server was just away has said so; one that runs ends in order.
        if !trainer.wait().expect("it was started").success() {
            let again = start(&url, &name(number), folder).wait().expect("it was started");
            let log = fs::read_to_string(folder.join(format!("{}.log", name(number)))).unwrap_or_default();
            assert!(again.success(), "{log}");
        }
    }
    assert_eq!(found(&mut *store::open(&url).expect("the server is there")), undisturbed);
    let told = |name: &str| -> serde_json::Value {
        let text = fs::read_to_string(folder.join(format!("{name}.json"))).expect("it was told");
        let summary: serde_json::Value = serde_json::from_str(&text).expect("a summary");
        serde_json::json!([summary["searched"], summary["kept"]])
    };
    for number in 0..TRAINERS {
        assert_eq!(told(&name(number)), told("alone"), "what trainer {number} says of the search");
    }
}

/// How much is in the store at this address; nothing while the server is away.
fn found_at(url: &str) -> u64 {
    store::open(url).map_or(0, |mut store| found(&mut *store).len() as u64)
}

/// What was evaluated and what was measured, each by input and choice.
fn found(store: &mut dyn Store) -> BTreeMap<(&'static str, String, String), String> {
    let candidates = Candidate::all(tuned::function());
    let names: Vec<_> = candidates.iter().map(Candidate::name).collect();
    let mut found = BTreeMap::new();
    for input in (0..INPUTS).map(input) {
        let evaluations = store.evaluations("tuned", "scripted", &input, &names).unwrap_or_default();
        for (candidate, one) in candidates.iter().zip(evaluations) {
            let Some(one) = one else { continue };
            found.insert(("evaluated", input.clone(), candidate.text()), format!("{:?}", one.outcome));
        }
    }
    let Ok(recordings) = store.load("tuned") else { return found };
    for one in &recordings.measurements {
        let input = recordings.inputs[one.input].name.clone();
        let choice = choice_text(&recordings.variants[one.variant], &one.configuration);
        found.insert(("measured", input, choice), format!("{:?}", one.outcome));
    }
    found
}
