//! `train search --strategy prove`: nothing else is faster, it is said, and a search that is killed or ended goes on
//! to the same.
//!
//! Without arguments this program is the test; the test runs it again as a trainer.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::kills::{KILL_AT, kill_once};
use crate::scripted::{Devices, Hidden, Scripted, TIME_NS};
use nitro::code_variant;
use nitro_train::generate::{
    Crossing, Decisions, Evaluation, Generator, Observation, ProofPlan, Proposer, Prover, Step, TellError,
};
use nitro_train::{Artifact, BoxError, Session, Trainer, Tunable, store};

#[code_variant(
    name = "work",
    device = Scripted,
    features(size = n),
    variants(plain, tiled { tile in 1..=4 }, found { kernel in artifacts }),
    default = plain,
)]
fn work(n: u32) -> u32;

fn plain(n: u32) -> u32 {
    TIME_NS.set(3e6);
    n
}

fn tiled(_: work::Tiled, n: u32) -> u32 {
    TIME_NS.set(2.5e6);
    n
}

const POINTS: u32 = 100;

/// Nothing takes less than its point says.
fn bound_ns(point: u32) -> f64 {
    1e6 + 1e4 * f64::from(point)
}

fn found(p: work::Found, n: u32) -> u32 {
    kill_once(|| evaluated(Path::new(".")).len());
    let point: u32 = p.kernel.text().and_then(|text| text.parse().ok()).expect("what was generated");
    // The fastest is one that its bound says little of.
    TIME_NS.set(bound_ns(point) + if point == 9 { 1e4 } else { 2e5 });
    match point {
        3 => std::process::abort(),
        5 => n + 1,
        _ => n,
    }
}

/// Points by their number.
struct Points;

impl Decisions for Points {
    fn next(&self, _: &[Crossing]) -> Step {
        Step::Complete
    }
}

impl Generator for Points {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, _: &[Crossing]) -> Result<String, BoxError> {
        Err("nobody walks here".into())
    }

    fn presets(&self) -> Vec<(String, String)> {
        vec![("sane".to_owned(), "60".to_owned())]
    }

    fn prover(&self, _: &dyn Fn(&str) -> Option<f64>, _: &ProofPlan) -> Option<Prover<'_>> {
        let has_bound = std::env::var(NO_BOUND).is_err();
        has_bound.then(|| Box::new(InOrder { next: 0, best_ns: f64::INFINITY }) as Prover<'_>)
    }
}

/// Tells a trainer to know no bound.
const NO_BOUND: &str = "NO_BOUND";

/// Proposes point after point until the bound of the next is no better than the best.
struct InOrder {
    next: u32,
    best_ns: f64,
}

impl Proposer for InOrder {
    type Proposal = String;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, room: usize) -> Result<Vec<String>, Infallible> {
        let left = (self.next..POINTS).filter(|&point| bound_ns(point) < self.best_ns);
        let step: Vec<u32> = left.take(room.min(4)).collect();
        self.next += step.len() as u32;
        Ok(step.into_iter().map(|point| point.to_string()).collect())
    }

    fn learn(&mut self, step: &[Observation<String, Evaluation>]) {
        let times_ns = step.iter().filter_map(|own| own.report.time_ns());
        self.best_ns = times_ns.fold(self.best_ns, f64::min);
    }

    fn recall(&mut self, known: &Observation<String, Evaluation>) -> Result<bool, TellError> {
        self.learn(std::slice::from_ref(known));
        Ok(true)
    }

    fn proved_ns(&self) -> f64 {
        if self.next < POINTS { self.best_ns.min(bound_ns(self.next)) } else { self.best_ns }
    }
}

fn record(session: &mut Session<'_>) -> Result<(), BoxError> {
    Ok(session.checked_input("only", || work(1), |expected, found| expected == found)?)
}

pub fn main() -> ExitCode {
    if std::env::args().nth(1).is_some() {
        let work = Tunable::new(work::function(), record).generated("found", Points);
        return Trainer::new().devices(Devices).processors(Hidden).tunable(work).main();
    }
    what_is_proved_is_said();
    a_proof_that_is_certified_is_checked_without_running_anything();
    a_search_that_ends_before_goes_on_with_more_evaluations();
    #[cfg(unix)]
    a_proof_that_is_killed_goes_on_to_the_same();
    what_cannot_be_proved_is_said();
    ExitCode::SUCCESS
}

/// How a search ends, and what it says.
fn search(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    command
        .args(["search", "--store", "s.db", "--device", "scripted:0", "--strategy", "prove"])
        .args(arguments);
    let output = command.envs(environment.iter().copied()).current_dir(folder).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let (code, out, said) = search(folder, &[arguments, &["--json"]].concat(), &[]);
    assert_eq!(code, Some(0), "{said}");
    let mut summary: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["searched"].as_array().unwrap().len(), 1, "what is listed is not searched: {out}");
    summary["searched"][0].take()
}

/// The points that the store has an evaluation of.
fn evaluated(folder: &Path) -> Vec<u32> {
    let mut store = store::open(folder.join("s.db").to_str().unwrap()).unwrap();
    let known: BTreeSet<String> =
        store.searches().unwrap().evaluations.into_keys().map(|key| key.configuration).collect();
    let is_known = |point: &u32| known.contains(&format!("kernel={}", Artifact::of(&point.to_string())));
    (0..POINTS).filter(is_known).collect()
}

/// Up to the point whose bound is not under the best, in whole steps, and the preset.
fn whole_proof() -> Vec<u32> {
    (0..12).chain([60]).collect()
}

fn what_is_proved_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, said) = search(folder.path(), &[], &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(out.ends_with("only: proved: the best is the fastest of its space\n"), "{out}");
    assert_eq!(evaluated(folder.path()), whole_proof());
    let found = json(folder.path(), &[]);
    assert_eq!((&found["best_ns"], &found["proved_ns"]), (&1.1e6.into(), &1.1e6.into()));
    assert_eq!((&found["gap"], &found["is_complete"]), (&0.0.into(), &true.into()));
    assert_eq!((&found["evaluations"], &found["failed"]), (&13.into(), &2.into()), "a crash, a wrong answer");
}

/// How a check of certificates ends, and what it says.
fn check(folder: &Path) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program is somewhere"));
    let output = command.args(["check", "--certificate", "proofs"]).current_dir(folder).output();
    let output = output.expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn a_proof_that_is_certified_is_checked_without_running_anything() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = search(folder.path(), &["--certificate", "proofs"], &[]);
    assert_eq!(code, Some(0), "{said}");
    let (code, out, said) = check(folder.path());
    assert_eq!((code, said.as_str()), (Some(0), ""), "{out}");
    assert!(
        out.starts_with("work found on scripted, input only: nothing takes less than 1.1000 ms\n"),
        "{out}"
    );
    assert!(out.contains("rests on 11 times on scripted,") && out.contains("2 points that failed"), "{out}");
    let file = folder.path().join("proofs");
    let text = std::fs::read_to_string(&file).unwrap();
    for (changed, expected) in [
        (text.replacen("1100000", "1000000", 1), "not as it was written"),
        (String::new(), "there is no certificate in it"),
    ] {
        std::fs::write(&file, changed).unwrap();
        let (code, _, said) = check(folder.path());
        assert_eq!(code, Some(1));
        assert!(said.contains(expected), "{said}");
    }
}

fn a_search_that_ends_before_goes_on_with_more_evaluations() {
    let folder = tempfile::tempdir().unwrap();
    let found = json(folder.path(), &["--evaluations", "5"]);
    assert_eq!((&found["proved_ns"], &found["is_complete"]), (&1.04e6.into(), &false.into()));
    let (_, out, _) = search(folder.path(), &["--evaluations", "5"], &[]);
    assert!(
        out.contains("only: not proved yet: something may take 1.0400 ms, 13.3 % less than the best"),
        "{out}"
    );
    assert_eq!(evaluated(folder.path()), [0, 1, 2, 3, 60]);
    assert_eq!(json(folder.path(), &[])["is_complete"], true);
    assert_eq!(evaluated(folder.path()), whole_proof());
}

#[cfg(unix)]
fn a_proof_that_is_killed_goes_on_to_the_same() {
    let folder = tempfile::tempdir().unwrap();
    for at in ["0", "1", "4", "7", "11"] {
        let (code, _, said) = search(folder.path(), &[], &[(KILL_AT, at)]);
        assert_eq!(code, None, "killed at {at}: {said}");
    }
    assert_eq!(json(folder.path(), &[])["is_complete"], true);
    assert_eq!(evaluated(folder.path()), whole_proof());
}

fn what_cannot_be_proved_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = search(folder.path(), &[], &[(NO_BOUND, "")]);
    assert!(code == Some(1) && said.contains("nothing can be proved of any variant of `work`"), "{said}");
    let (code, _, said) = search(folder.path(), &["--variant", "tiled"], &[]);
    assert!(code == Some(1) && said.contains("nothing can be proved of variant `tiled` of `work`"), "{said}");
    let (code, _, said) = search(folder.path(), &["--replay"], &[]);
    assert!(code == Some(2) && said.contains("--strategy prove goes without --replay"), "{said}");
}
