//! A recording survives `kill -9` at any moment, and goes on from there.
//!
//! The recording runs in a child process: this executable again, with only [`recording`] and the store's path in an
//! environment variable. The parent lets it measure a drawn number of inputs and kills it at a drawn line of its
//! output, while it is busy with one of the following.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use nitro_store::recordings::{DeviceRecord, Input, Outcome};
use nitro_store::store::{self, ChoiceName, FunctionSchema, Row};
use nitro_test_support::random::Random;

const STORE: &str = "NITRO_TEST_KILLED_STORE";
const ROUND: &str = "NITRO_TEST_KILLED_ROUND";
const KILLS: u32 = 20;
const MOST_INPUTS_A_ROUND: u64 = 60;
/// Some half a millisecond: a few inputs' worth.
const MOST_SPINS: u64 = 20_000;
const INPUTS: usize = 1500;
const VARIANTS: [&str; 4] = ["merge", "radix", "comparison", "nearly_sorted"];

fn name(input: usize) -> String {
    format!("train/{input:04}")
}

/// The child: measures what is missing, one input for every line it reads, and says which ones are in the store.
#[test]
#[ignore = "run by `killed_twenty_times` in a process of its own"]
fn recording() {
    let Ok(path) = std::env::var(STORE) else { return };
    let round: u32 = std::env::var(ROUND).unwrap().parse().unwrap();
    say("start");
    let mut store = store::open(&path).unwrap();
    let features = ["index"];
    let schema = FunctionSchema {
        function: "sort",
        variants: &VARIANTS,
        default_variant: None,
        default_configuration: "",
        features: &features,
    };
    store.register(&schema).unwrap();
    store.put_device(&DeviceRecord { id: "host:2".to_owned(), features: BTreeMap::new() }).unwrap();
    let done = store.recorded("sort", "host:2", &VARIANTS.map(ChoiceName::variant)).unwrap();
    let mut permits = std::io::stdin().lines();
    for index in (0..INPUTS).filter(|&index| !done.contains(&name(index))) {
        if permits.next().is_none() {
            return;
        }
        let input = Input { name: name(index), features: vec![index as f64] };
        // The round is in every row, so that the parent sees which round measured what.
        let rows = VARIANTS.map(|variant| Row { repeats: round, ..Row::new(variant, Outcome::Time(1.0)) });
        store.put("sort", "host:2", &input, &rows).unwrap();
        say(&input.name);
    }
}

/// One line past the test harness, which would keep it until the test ends.
fn say(line: &str) {
    let mut stdout = std::io::stdout();
    stdout.write_all(format!("\n{line}\n").as_bytes()).and_then(|()| stdout.flush()).unwrap();
}

fn start(store: &Path, round: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "recording", "--ignored", "--nocapture"])
        .env(STORE, store)
        .env(ROUND, round.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// More permits than the child has room to use are no harm: the pipe closes with it.
fn permit(stdin: &mut ChildStdin, inputs: u64) {
    let _ = stdin.write_all("\n".repeat(inputs as usize).as_bytes());
}

/// Runs one round that is killed after `lines` lines, and returns the inputs that the child said are in the store.
///
/// `spins` moves the kill away from the line, into the middle of what the child does next.
fn killed_round(store: &Path, round: u32, permits: u64, lines: u64, spins: u64) -> BTreeSet<String> {
    let mut child = start(store, round);
    permit(child.stdin.as_mut().unwrap(), permits);
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said = BTreeSet::new();
    if lines > 0 {
        output.by_ref().find(|line| line == "start").expect("the child starts");
        said.extend(output.by_ref().filter(|line| line.starts_with("train/")).take(lines as usize - 1));
    }
    (0..spins).for_each(|_| std::hint::spin_loop());
    child.kill().unwrap();
    child.wait().unwrap();
    // What it said before it died counts as said; the last line may be cut off.
    said.extend(output.filter(|line| line.len() == name(0).len() && line.starts_with("train/")));
    said
}

#[test]
fn killed_twenty_times() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("killed.db");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    let mut random = Random::new(1);
    let mut round_of: BTreeMap<String, u32> = BTreeMap::new();
    for round in 0..KILLS {
        let permits = 1 + random.below(MOST_INPUTS_A_ROUND);
        let lines = random.below(permits + 1);
        let spins = random.below(MOST_SPINS);
        for input in killed_round(&path, round, permits, lines, spins) {
            assert_eq!(round_of.insert(input.clone(), round), None, "{input} was measured twice");
        }
        // Every other time, so that a recording also finds a store that nobody opened since the kill.
        if round % 2 == 1 {
            check_killed(&path, &round_of);
        }
    }
    assert!(round_of.len() < INPUTS, "nothing was left to go on with");

    let mut last = start(&path, KILLS);
    permit(last.stdin.as_mut().unwrap(), INPUTS as u64);
    drop(last.stdin.take());
    assert!(last.wait_with_output().unwrap().status.success());
    check(&path, &round_of);
}

/// What was said to be in the store is, and nothing is there in part.
fn check_killed(path: &Path, round_of: &BTreeMap<String, u32>) {
    let mut store = store::open(path.to_str().unwrap()).unwrap();
    let recorded = store.recorded("sort", "host:2", &VARIANTS.map(ChoiceName::variant)).unwrap();
    assert!(round_of.keys().all(|name| recorded.contains(name)), "an input was lost");
    let inputs = store.load("sort").map_or(0, |recordings| recordings.inputs.len());
    assert_eq!(inputs, recorded.len(), "an input is there in part");
}

/// Every row is there once, from the round that said so, and the file is whole.
fn check(path: &Path, round_of: &BTreeMap<String, u32>) {
    let recordings = store::open(path.to_str().unwrap()).unwrap().load("sort").unwrap();
    assert_eq!(recordings.inputs.len(), INPUTS);
    let keys: BTreeSet<_> = recordings.measurements.iter().map(|m| (m.input, m.variant)).collect();
    assert_eq!((keys.len(), recordings.measurements.len()), (INPUTS * VARIANTS.len(), keys.len()));
    for measurement in &recordings.measurements {
        let name = &recordings.inputs[measurement.input].name;
        assert!(
            round_of.get(name).is_none_or(|&round| round == measurement.repeats),
            "{name} was done again"
        );
    }
    let rounds = recordings.measurements.chunk_by(|a, b| a.input == b.input);
    for rows in rounds {
        assert!(rows.iter().all(|row| row.repeats == rows[0].repeats), "an input of two rounds: {rows:?}");
    }
    let connection = rusqlite::Connection::open(path).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}
