//! Four trainers search together through one Redis server, while trainers and server are killed thirty times, and
//! ten times in searches that begin with what another device measured: what is evaluated and what is kept in the
//! end is what one trainer finds that nobody disturbs.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use nitro_core::choice_text;

use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_test_support::random::Random;
use nitro_test_support::redis_server::Server;
use nitro_train::measure::Candidate;
use nitro_train::recordings::{DeviceRecord, Input, Outcome};
use nitro_train::store::{FunctionSchema, Row, Store};
use nitro_train::{BoxError, Session, Trainer, store};

const TRAINERS: usize = 4;
/// Strategies, and how often somebody is killed.
const CASES: [(&str, u64); 2] = [("genetic", 30), ("transfer", 10)];
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
        return Trainer::new().devices(Devices).processors(Hidden).function(tuned::function(), record).main();
    }
    for (strategy, kills) in CASES {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if let Some(server) = Server::start(Some(folder.path().to_owned())) {
            kills_change_nothing(server, folder.path(), strategy, kills);
        }
    }
    ExitCode::SUCCESS
}

/// What another device measured, whose fastest configurations are others.
fn measure_elsewhere(store: &mut dyn Store) {
    let elsewhere = DeviceRecord { id: "elsewhere".to_owned(), features: BTreeMap::new() };
    let schema = FunctionSchema {
        function: "tuned",
        variants: &["plain", "tiled"],
        default_variant: Some("plain"),
        default_configuration: "",
        features: &["size"],
    };
    store.register(&schema).and_then(|()| store.put_device(&elsewhere)).expect("a store that can be written");
    let candidates = Candidate::all(tuned::function());
    for n in 0..INPUTS {
        let time = |at: usize| Outcome::Time(1e6 + 1e4 * at.abs_diff(5 * n as usize) as f64);
        let row = |(at, own)| {
            let Candidate { variant, configuration, .. }: &Candidate = own;
            Row { configuration, ..Row::new(variant, time(at)) }
        };
        let rows: Vec<Row<'_>> = candidates.iter().enumerate().map(row).collect();
        let of_input = Input { name: input(n), features: vec![f64::from(n)] };
        store.put("tuned", &elsewhere.id, &of_input, &rows).expect("a store that can be written");
    }
}

/// A trainer of this name, whose outputs are in files of the name.
fn start(url: &str, name: &str, folder: &Path, strategy: &str) -> Child {
    let errors = File::options().create(true).append(true).open(folder.join(format!("{name}.log")));
    Command::new(std::env::current_exe().expect("this program is somewhere"))
        .args([
            "search",
            "--store",
            url,
            "--device",
            "scripted:0",
            "--strategy",
            strategy,
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

fn kills_change_nothing(mut server: Server, folder: &Path, strategy: &str, kills: u64) {
    let start = |url: &str, name: &str| start(url, name, folder, strategy);
    let alone = folder.join("alone.db").display().to_string();
    measure_elsewhere(&mut *store::open(&alone).expect("it is made"));
    assert!(start(&alone, "alone").wait().expect("it was started").success());
    let undisturbed = found(&mut *store::open(&alone).expect("it was made"));
    let all = undisturbed.len() as u64;

    let url = server.url();
    measure_elsewhere(&mut *store::open(&url).expect("the server is there"));
    let name = |number: usize| format!("trainer-{number}");
    let mut trainers: Vec<Child> = (0..TRAINERS).map(|number| start(&url, &name(number))).collect();
    let (mut random, mut known) = (Random::new(1), 0);
    for kill in 0..kills {
        // The next kill comes when some more is in the store; when exactly is drawn.
        known += random.below(all / kills);
        while found_at(&url) < known {
            std::hint::spin_loop();
        }
        let victim = random.below(TRAINERS as u64 + 1) as usize;
        match trainers.get_mut(victim) {
            Some(trainer) => {
                let _ = trainer.kill();
                let _ = trainer.wait();
                *trainer = start(&url, &name(victim));
            }
            None => server.restart(),
        }
        assert!(kill + 1 < kills || found_at(&url) < all, "nothing was left to go on with");
    }
    for (number, trainer) in trainers.iter_mut().enumerate() {
        // A trainer that could not start because the server was just away has said so; one that runs ends in order.
        if !trainer.wait().expect("it was started").success() {
            let again = start(&url, &name(number)).wait().expect("it was started");
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
    let sources = if strategy == "transfer" { r#"["elsewhere"]"# } else { "[]" };
    assert_eq!(told("alone")[0][0]["sources"].to_string(), sources, "what is searched with {strategy}");
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
    for one in recordings.measurements.iter().filter(|one| recordings.devices[one.device].id == "scripted") {
        let input = recordings.inputs[one.input].name.clone();
        let choice = choice_text(&recordings.variants[one.variant], &one.configuration);
        found.insert(("measured", input, choice), format!("{:?}", one.outcome));
    }
    found
}
