//! Islands that find what a map holds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nitro_codegen::ptx::{Edit, Operation};
use nitro_search::evolve::{EvolvePlan, PatchSpace};
use nitro_test_support::random::Random;
use nitro_train::BoxError;

use super::{REVERSE, REVERSE_RUN, TWICE, TWICE_RUN, assemble, subject};
use crate::bench::Bench;
use crate::emulated::EmulatorBench;
use crate::{Efforts, EvolveRequest, Evolved, Exchange, Island, Observer, State, Subject, evolve};

const HERE: &str = "here";

/// What others have left; where it is none, asking for it fails.
#[derive(Clone, Default)]
struct Others(BTreeMap<String, Option<String>>);

impl Others {
    /// One island with these patches of a subject, which claims that they take no time at all.
    fn with(island: &str, subject: &Subject, patches: &[&str]) -> Self {
        let base = subject.base().module().digest();
        let patch = |edits: &&str| serde_json::json!({ "patch": format!("patch of {base}\n{edits}"), "time_ns": 0.5, "error": 0.0 });
        let migrants: Vec<_> = patches.iter().map(patch).collect();
        Self::text(island, &letter(&migrants))
    }

    fn text(island: &str, text: &str) -> Self {
        Self([(island.to_owned(), Some(text.to_owned()))].into())
    }
}

fn letter(migrants: &[serde_json::Value]) -> String {
    serde_json::json!({ "generation": 9, "on": ["emulator"], "migrants": migrants }).to_string()
}

impl Exchange for Others {
    fn leave(&mut self, text: &str) -> Result<(), BoxError> {
        self.0.insert(HERE.to_owned(), Some(text.to_owned()));
        Ok(())
    }

    fn islands(&mut self) -> Result<Vec<String>, BoxError> {
        Ok(self.0.keys().cloned().collect())
    }

    fn left_by(&mut self, island: &str) -> Result<Option<String>, BoxError> {
        self.0
            .get(island)
            .cloned()
            .unwrap_or_default()
            .map(Some)
            .ok_or_else(|| "the disk\u{1b}[2J is gone".into())
    }
}

#[derive(Default)]
struct Lines(RefCell<Vec<String>>);

impl Observer for Lines {
    fn message(&self, line: &str) {
        self.0.borrow_mut().push(line.to_owned());
    }

    fn progress(&self, _: &State) {}
}

struct Run {
    evolved: Evolved,
    others: Others,
    log: String,
    /// What was said.
    lines: Vec<String>,
}

impl Run {
    /// Lines about exchanges, and about trials.
    fn log_lines(&self) -> (Vec<&str>, Vec<&str>) {
        self.log.lines().skip(1).partition(|line| line.starts_with("{\"exchange\":"))
    }
}

fn run(subject: &Subject, log: &Path, most_trials: usize, mut others: Option<Others>) -> Run {
    let exchange = others.as_mut().map(|own| own as &mut dyn Exchange);
    let run = with_exchange(subject, log, most_trials, exchange);
    Run { others: others.unwrap_or_default(), ..run }
}

/// An island that exchanges every other generation; alone without others.
fn with_exchange(
    subject: &Subject,
    log: &Path,
    most_trials: usize,
    exchange: Option<&mut dyn Exchange>,
) -> Run {
    let lines = Lines::default();
    let request = EvolveRequest {
        plan: EvolvePlan {
            population: 16,
            generations: usize::MAX,
            max_error: 0.0,
            seed: 4,
            ..EvolvePlan::default()
        },
        most_time: Duration::MAX,
        most_trials,
        efforts: Efforts::COUNTED,
        threads: 1,
        checks: Vec::new(),
        probe: None,
        relies_on_inputs: false,
        disassembler: Err("it is not asked for".to_owned()),
        log,
        island: exchange.map(|exchange| Island { name: HERE.to_owned(), every: 2, migrants: 3, exchange }),
        elapsed: &|| Duration::ZERO,
    };
    let benches: Vec<Box<dyn Bench>> = vec![Box::new(EmulatorBench::new())];
    let evolved = evolve(subject, benches, &assemble, request, &lines).unwrap();
    let log = std::fs::read_to_string(log).unwrap();
    Run { evolved, others: Others::default(), log, lines: lines.0.into_inner() }
}

fn log(folder: &tempfile::TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// The store that is overwritten and the barrier that nobody waits for.
const BOTH: &str = "delete b6\ndelete b11\n";

#[test]
fn what_comes_from_another_island_is_evaluated_anew_before_it_counts() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let others = Others::with("there", &subject, &[BOTH, "delete b11\ndelete b13\n"]);
    let found = run(&subject, &log(&folder, "log"), 120, Some(others));
    let (exchanges, trials) = found.log_lines();
    assert!(
        exchanges[0].contains("\"from\":\"there\"") && exchanges[0].contains("\"time_ns\":0.5"),
        "{exchanges:?}"
    );
    assert_eq!(
        exchanges[1..].iter().filter(|line| line.contains("there")).count(),
        0,
        "what is known is not taken again"
    );
    let of =
        |edits: &str| trials.iter().find(|line| line.contains("\"search\"") && line.contains(edits)).unwrap();
    let both = of("\"edits\":[\"delete b6\\n\",\"delete b11\\n\"]");
    assert!(both.contains("\"ran\"") && !both.contains("\"time_ns\":0.5"), "{both}");
    assert!(both.contains("\"generation\":3"), "{both}");
    assert!(
        of("\"edits\":[\"delete b11\\n\",\"delete b13\\n\"]").contains("\"failed\""),
        "a claim saves nothing that is wrong"
    );
    let migrations = found.evolved.migrations.as_ref().unwrap();
    assert_eq!((migrations.island.as_str(), migrations.taken_in["there"]), (HERE, 2));
    let page = crate::report::page("twice", &found.evolved);
    assert!(page.contains("took in 2 patches of there"));
    assert!(
        found.lines.iter().any(|line| line == "generation 3 takes in 2 patches of island there"),
        "{:?}",
        found.lines
    );
}

#[test]
fn an_island_leaves_its_best_as_patches_that_another_takes() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let first = run(&subject, &log(&folder, "first"), 200, Some(Others::default()));
    let left = first.others.0[HERE].clone().unwrap();
    let second = run(&subject, &log(&folder, "second"), 60, Some(Others::text("first", &left)));
    assert!((1..=3).contains(&second.evolved.migrations.unwrap().taken_in["first"]), "{left}");
    assert_eq!(first.evolved.migrations.unwrap().taken_in.len(), 0, "nobody takes in its own");
    assert!(!second.lines.iter().any(|line| line.contains("refused")), "{:?}", second.lines);
}

#[test]
fn an_island_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let others = Others::with("there", &subject, &[BOTH, "delete b13\n"]);
    let whole = run(&subject, &log(&folder, "whole"), 100, Some(others.clone()));
    let lines: Vec<&str> = whole.log.split_inclusive('\n').collect();
    let made = lines.iter().position(|line| line.starts_with("{\"exchange\":")).unwrap();
    for kept in [1, 9, made - 1, made, made + 1, made + 2, made + 9, made + 20, lines.len()] {
        let cut = log(&folder, "cut");
        // What was taken in comes from the log: whoever left it may be gone.
        let left = if kept > made { Others::default() } else { others.clone() };
        std::fs::write(&cut, lines[..kept].concat() + "{\"exchange\":{\"at").unwrap();
        let again = run(&subject, &cut, 100, Some(left));
        assert_eq!(again.log, whole.log, "stopped after line {kept}");
        assert_eq!(again.evolved.findings, whole.evolved.findings);
        assert_eq!(again.evolved.migrations, whole.evolved.migrations);
    }
}

#[test]
fn what_is_garbled_is_refused_with_a_line_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let other = super::subject(REVERSE, REVERSE_RUN);
    let base = subject.base().module().digest();
    let alone = run(&subject, &log(&folder, "alone"), 60, None);
    let of = |patch: String, time: f64| {
        letter(&[serde_json::json!({ "patch": patch, "time_ns": time, "error": 0.0 })])
    };
    let many: String = (0..300).map(|_| "delete b6\n").collect();
    let patch = |edits: &str| format!("patch of {base}\n{edits}");
    let other_base = Others::with("there", &other, &["delete b3\n"]).0["there"].clone();
    let cases = [
        (Some("\u{1b}[2J no JSON".to_owned()), "what it left is no list of patches: expected value"),
        (Some("{}".to_owned()), "what it left is no list of patches: missing field"),
        (other_base, "patch 1: the patch is for the text with digest"),
        (Some(of("delete b6".to_owned(), 1.0)), "patch 1: line 1: a patch begins with `patch of`"),
        (Some(of(patch("delete b99\n"), 1.0)), "patch 1: `delete b99`: there is no b99"),
        (Some(of(patch("delete b6\nexplode\n"), 1.0)), "patch 1: line 3: this is no edit"),
        (Some(of(patch(&"# \n".repeat(40_000)), 1.0)), "patch 1: it has 120026 bytes, and 65536 are read"),
        (Some(of(patch(&many), 1.0)), "patch 1: it has 300 edits, and 256 are taken"),
        (Some(of(patch("delete b6\n"), -1.0)), "patch 1: its time or error is below 0"),
        (None, "the disk [2J is gone"),
    ];
    for (number, (text, expected)) in cases.into_iter().enumerate() {
        let others = Others([("there".to_owned(), text)].into());
        let found = run(&subject, &log(&folder, &number.to_string()), 60, Some(others));
        let said: Vec<&String> =
            found.lines.iter().filter(|line| line.starts_with("refused, of island there: ")).collect();
        assert!(said.len() == 1 && said[0].contains(expected), "{expected}: {:?}", found.lines);
        assert!(!said[0].contains(char::is_control) && said[0].chars().count() <= 240, "{said:?}");
        let (exchanges, trials) = found.log_lines();
        assert_eq!(trials, alone.log_lines().1, "{expected}");
        assert!(exchanges.iter().all(|line| line.contains("\"migrants\":[]")), "{exchanges:?}");
        assert_eq!(found.evolved.findings, alone.evolved.findings);
    }
}

/// What letters are written with.
const SIGNS: &[u8] = b"0123456789bcr%{}[]\",\\-. ";

#[test]
fn however_a_letter_is_changed_it_is_refused_or_has_patches_that_fit() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let left = run(&subject, &log(&folder, "log"), 200, Some(Others::default())).others;
    let letter = left.0[HERE].clone().unwrap();
    let (mut random, mut taken, mut refused) = (Random::new(3), 0, 0);
    for _ in 0..3000 {
        let mut bytes = letter.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[at] = SIGNS[random.below(SIGNS.len() as u64) as usize],
                1 => drop(bytes.drain(at..(at + 1 + random.below(9) as usize).min(bytes.len()))),
                _ => bytes.extend_from_within(at..),
            }
        }
        let text = String::from_utf8(bytes).unwrap();
        for migrant in crate::letter::read(&text, &subject, "there", 8).unwrap_or_else(|why| vec![Err(why)]) {
            taken += usize::from(migrant.is_ok());
            refused += usize::from(migrant.is_err());
            assert!(migrant.is_err() || subject.candidate(&migrant.unwrap().0.edits).is_ok());
        }
    }
    assert!(taken > 100 && refused > 1000, "{taken} {refused}");
}

#[test]
fn however_many_there_are_half_a_generation_is_an_islands_own() {
    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let mut others = Others::default();
    for at in 0..15 {
        let edits = ["", "delete b6\n"].map(|more| format!("{more}operand b9 slot 2 = {}\n", at + 5));
        others.0.extend(Others::with(&format!("island {at:02}"), &subject, &[&edits[0], &edits[1]]).0);
    }
    let found = run(&subject, &log(&folder, "log"), 70, Some(others));
    let (exchanges, _) = found.log_lines();
    assert!(exchanges.len() >= 2);
    let taken = |line: &str| line.matches("\"from\":").count();
    assert!(exchanges.iter().all(|line| taken(line) <= 8) && taken(exchanges[0]) == 8, "{exchanges:?}");
    assert!(taken(exchanges[1]) > 0, "the others come the next time");
}

#[test]
fn a_store_that_is_away_costs_exchanges_alone() {
    /// Asked for anything it fails, and counts that.
    #[derive(Default)]
    struct Away(usize);

    impl Exchange for Away {
        fn leave(&mut self, _: &str) -> Result<(), BoxError> {
            self.0 += 1;
            Err("no server answers".into())
        }

        fn islands(&mut self) -> Result<Vec<String>, BoxError> {
            unreachable!("whoever cannot leave anything does not ask")
        }

        fn left_by(&mut self, _: &str) -> Result<Option<String>, BoxError> {
            unreachable!("nothing was left")
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let alone = run(&subject, &log(&folder, "alone"), 200, None);
    let mut away = Away::default();
    let away_run = with_exchange(&subject, &log(&folder, "away"), 200, Some(&mut away));
    let (exchanges, trials) = away_run.log_lines();
    assert_eq!(trials, alone.log_lines().1);
    assert!(exchanges.len() > away.0 && away.0 > 0, "{} of {}", away.0, exchanges.len());
    assert_eq!(away_run.lines.iter().filter(|line| line.contains("no server answers")).count(), 1);
}

#[test]
fn a_second_process_of_the_same_name_is_told_of() {
    /// Somebody else writes over what is left.
    struct Twin(Others);

    impl Exchange for Twin {
        fn leave(&mut self, text: &str) -> Result<(), BoxError> {
            self.0.leave(&format!("{text} "))
        }

        fn islands(&mut self) -> Result<Vec<String>, BoxError> {
            self.0.islands()
        }

        fn left_by(&mut self, island: &str) -> Result<Option<String>, BoxError> {
            self.0.left_by(island)
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let subject = subject(TWICE, TWICE_RUN);
    let mut twin = Twin(Others::default());
    let found = with_exchange(&subject, &log(&folder, "log"), 120, Some(&mut twin));
    let told = found.lines.iter().filter(|line| line.starts_with("another process is island here too"));
    assert_eq!(told.count(), 1);
}

/// So patches of several islands can be crossed: an instruction is the same one wherever the edit that made it was found.
#[test]
fn created_instructions_are_called_by_what_made_them() {
    let [here, there] = [(), ()].map(|()| subject(REVERSE, REVERSE_RUN));
    let drawn = |subject: &Subject, seeds: std::ops::Range<u64>| -> Vec<Edit> {
        seeds.filter_map(|seed| subject.base().mutate(&[], seed)).collect()
    };
    let (one, other) = (drawn(&here, 0..1500), drawn(&there, 1_000_000..1_001_500));
    let mut made: BTreeMap<String, Operation> = BTreeMap::new();
    let mut shared = 0;
    for edit in one.iter().chain(&other).filter(|edit| makes(&edit.operation)) {
        let id = edit.operation.created().to_string();
        let known = made.entry(id).or_insert_with(|| edit.operation.clone());
        assert_eq!(*known, edit.operation, "another edit has this number");
    }
    for edit in one.iter().filter(|edit| makes(&edit.operation)) {
        // The same operation with other repairs: together they would make one instruction twice.
        let repaired = other.iter().filter(|own| own.operation == edit.operation && own.fixes != edit.fixes);
        for twin in repaired.take(1) {
            shared += 1;
            assert!(!here.base().is_valid(&[edit.clone(), twin.clone()]), "{edit}{twin}");
        }
    }
    assert!(made.len() > 100 && shared > 0, "{} {shared}", made.len());
}

fn makes(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Copy { .. } | Operation::Move { .. } | Operation::Replace { .. } | Operation::Swap(..)
    )
}
