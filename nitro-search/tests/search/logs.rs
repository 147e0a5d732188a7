//! A search that is killed goes on from its log as if it had not been.

use std::fs;
use std::io::Write;
use std::path::Path;

use nitro_search::{Ask, Budget, Candidate, Log, Outcome, Search, Strategy};

use crate::fake::{answer, begin, constrained, finish, sparse};

/// Evaluates with a log until so many are done, and leaves the rest of what was asked for undone.
fn run(search: &mut Search, log: &mut Log, evaluations: usize) {
    let space = search.space().clone();
    while search.evaluations() < evaluations {
        let Ask::Evaluate(candidates) = search.ask(3) else { return };
        let left = evaluations - search.evaluations();
        for &candidate in candidates.iter().rev().take(left) {
            let outcome = Outcome { candidate, evaluation: answer(&space, candidate, 1.2) };
            log.append(search, outcome).unwrap();
            search.tell(candidate, outcome.evaluation).unwrap();
        }
    }
}

/// The candidates of a log's whole lines.
fn logged(path: &Path) -> Vec<Candidate> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Outcome>(line).unwrap());
    lines.map(|outcome| outcome.candidate).collect()
}

#[test]
fn thirty_kills_change_nothing() {
    let (folder, space) = (tempfile::tempdir().unwrap(), constrained());
    for strategy in [Strategy::Local, Strategy::Genetic, Strategy::Transfer] {
        let path = folder.path().join(strategy.name());
        for kill in 1..=30 {
            let mut search = begin(&space, strategy, 4, Budget::evaluations(70));
            let mut log = Log::open(&path, &mut search).unwrap();
            run(&mut search, &mut log, 2 * kill);
            fs::OpenOptions::new()
                .append(true)
                .open(&path)
                .unwrap()
                .write_all(b"{\"candidate\":1,\"ti")
                .unwrap();
        }
        let mut search = begin(&space, strategy, 4, Budget::evaluations(70));
        Log::open(&path, &mut search).unwrap();
        assert_eq!(search.evaluations(), 60);
        let mut proposed = finish(&mut search, 1);
        proposed.extend(logged(&path));
        let mut whole = begin(&space, strategy, 4, Budget::evaluations(70));
        let mut undisturbed = finish(&mut whole, 1);
        proposed.sort_unstable();
        undisturbed.sort_unstable();
        assert_eq!(proposed, undisturbed, "{strategy}");
        assert_eq!(search.best(), whole.best(), "{strategy}");
    }
}

#[test]
fn a_log_of_another_search_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut search = begin(&constrained(), Strategy::Local, 4, Budget::default());
    let mut log = Log::open(&path, &mut search).unwrap();
    run(&mut search, &mut log, 5);
    let before = fs::read(&path).unwrap();
    let other = |space, strategy, seed| {
        let mut search = begin(&space, strategy, seed, Budget::default());
        Log::open(&path, &mut search).unwrap_err().to_string()
    };
    assert!(other(sparse(), Strategy::Local, 4).contains("the space"));
    assert!(
        other(constrained(), Strategy::Random, 4).contains("the strategy local, and this one has random")
    );
    assert!(other(constrained(), Strategy::Local, 5).contains("the seed 4, and this one has 5"));
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_line_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let open = || Log::open(&path, &mut begin(&constrained(), Strategy::Local, 4, Budget::default()));
    let message = |lines: &str| {
        fs::write(&path, lines).unwrap();
        open().unwrap_err().to_string()
    };
    assert!(message("nonsense\n").contains("line 1"));
    fs::remove_file(&path).unwrap();
    open().unwrap();
    let header = fs::read_to_string(&path).unwrap();
    assert!(message(&format!("{header}\n")).contains("line 2"));
    let beyond = r#"{"candidate":99999,"configuration":"","time_ns":1.0}"#;
    assert!(message(&format!("{header}{beyond}\n")).contains("the space has no such candidate"));
    assert!(message(&format!("{header}{}\n", beyond.replace("1.0", "-1.0"))).contains("line 2"));
    fs::write(&path, [header.as_bytes(), b"\xff\n"].concat()).unwrap();
    assert!(open().unwrap_err().to_string().contains("line 2"));
}

#[test]
fn lines_have_the_documented_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let mut search = begin(&constrained(), Strategy::Exhaustive, 4, Budget::default());
    let mut log = Log::open(&path, &mut search).unwrap();
    let Ask::Evaluate(candidates) = search.ask(4) else { panic!("there is something to evaluate") };
    for &candidate in &candidates[2..] {
        let evaluation = answer(search.space(), candidate, 0.0);
        log.append(&search, Outcome { candidate, evaluation }).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with(r#"{"search_log":1,"strategy":"exhaustive","seed":4,"space":""#),
        "{}",
        lines[0]
    );
    let third = r#"{"candidate":2,"configuration":"block=16,unroll=1,order=column,staged=false","time_ns":"#;
    assert!(lines[1].starts_with(third), "{}", lines[1]);
    assert!(lines[2].ends_with(r#","failed":"launch"}"#), "{}", lines[2]);
}
