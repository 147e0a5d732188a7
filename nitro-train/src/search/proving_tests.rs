//! A proof by branch and bound over generated code, behind a toy generator whose bound is a table.

use std::collections::HashMap;
use std::convert::Infallible;

use nitro_core::{Artifact, DeviceEntry, DeviceFeature, Function, Parameter, VariantInfo};
use nitro_search::{
    BoxError, Crossing, Decisions, Evaluation, Generator, Observation, ProofPlan, Proposer, Prover, Step,
    TellError,
};
use nitro_store::recordings::Outcome;
use nitro_store::store::{self, Evaluated};

use super::{Proof, SearchError, SearchPlan, SearchResult, SearchStrategy, Searches, search_tables};
use crate::measure::{Candidate, Proposer as _};

const PARAMETERS: [Parameter; 1] = [Parameter::artifact("kernel")];
static VARIANTS: [VariantInfo; 2] = [
    VariantInfo::new("found").with_parameters(&PARAMETERS),
    VariantInfo::new("listed").with_parameters(&[Parameter::new(
        "tile",
        nitro_core::ParameterKind::Number,
        &["1", "2"],
        0,
    )]),
];
static FUNCTION: Function = Function::new("f", &VARIANTS);

const POINTS: usize = 200;

/// Points whose bound grows with their number, in rounds of the device, times a factor that is 1 where it is true.
pub(super) struct Points {
    pub(super) factor: f64,
    pub(super) presets: &'static [&'static str],
}

fn bound_ns(point: usize) -> f64 {
    100.0 * (10 + point) as f64
}

/// What no bound knows makes the point 7 the fastest.
fn time_ns(text: &str) -> Option<f64> {
    match text.parse::<usize>() {
        Ok(3) => None,
        Ok(7) => Some(bound_ns(7) + 50.0),
        Ok(point) => Some(bound_ns(point) + 1000.0),
        Err(_) => Some(4000.0), // of a preset that is no point
    }
}

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
        self.presets.iter().map(|text| ("preset".to_owned(), (*text).to_owned())).collect()
    }

    fn prover(&self, device: &dyn Fn(&str) -> Option<f64>, plan: &ProofPlan) -> Option<Prover<'_>> {
        let round_ns = self.factor * device("round_ns")? / 100.0;
        let bounds_ns = (0..POINTS).map(|point| (point.to_string(), round_ns * bound_ns(point)));
        Some(Box::new(InOrder {
            left: bounds_ns.collect(),
            waiting: HashMap::new(),
            kept: 1.0 - plan.within_percent / 100.0,
            best_ns: f64::INFINITY,
        }))
    }
}

/// Proposes points by their bounds, the smallest first, as long as these are under the best.
struct InOrder {
    left: Vec<(String, f64)>,
    waiting: HashMap<String, f64>,
    kept: f64,
    best_ns: f64,
}

impl Proposer for InOrder {
    type Proposal = String;
    type Report = Evaluation;
    type Error = Infallible;

    fn propose(&mut self, room: usize) -> Result<Vec<String>, Infallible> {
        let limit_ns = self.kept * self.best_ns;
        self.left.retain(|(_, bound_ns)| *bound_ns < limit_ns);
        let step: Vec<_> = self.left.drain(..room.min(self.left.len())).collect();
        self.waiting.extend(step.iter().cloned());
        Ok(step.into_iter().map(|(text, _)| text).collect())
    }

    fn judge(&mut self, text: &String, report: &Evaluation) -> Result<Evaluation, TellError> {
        match (self.waiting.get(text), report.time_ns()) {
            (Some(&bound_ns), Some(time_ns)) if time_ns < bound_ns => {
                let (proposal, explanation) = (text.clone(), "the table says so".to_owned());
                Err(TellError::Unsound { proposal, time_ns, bound_ns, explanation })
            }
            _ => Ok(*report),
        }
    }

    fn learn(&mut self, step: &[Observation<String, Evaluation>]) {
        for own in step {
            self.waiting.remove(&own.proposal);
            self.best_ns = own.report.time_ns().map_or(self.best_ns, |time_ns| self.best_ns.min(time_ns));
        }
    }

    fn recall(&mut self, known: &Observation<String, Evaluation>) -> Result<bool, TellError> {
        let points = self.left.len();
        self.left.retain(|(text, _)| *text != known.proposal);
        if self.left.len() == points {
            return Err(TellError::Foreign(known.proposal.clone()));
        }
        self.learn(std::slice::from_ref(known));
        Ok(true)
    }

    fn overlaps(&self) -> bool {
        true
    }

    fn proved_ns(&self) -> f64 {
        let open = self.left.iter().map(|own| own.1).chain(self.waiting.values().copied());
        open.fold(self.kept * self.best_ns, f64::min)
    }
}

fn device(name: &'static str, round_ns: Option<f64>) -> &'static DeviceEntry {
    let feature = |value| DeviceFeature { name: "round_ns".to_owned(), value };
    DeviceEntry::intern(name, || round_ns.map(feature).into_iter().collect(), |_| Vec::new())
}

fn bounded() -> &'static DeviceEntry {
    device("proved:0", Some(100.0))
}

pub(super) fn plan(points: &Points, evaluations: usize) -> SearchPlan<'_> {
    SearchPlan {
        strategy: Some(SearchStrategy::Prove),
        generators: super::Generators(vec![("found", points)]),
        evaluations,
        ..SearchPlan::default()
    }
}

fn evaluated(candidate: &Candidate) -> Evaluated {
    let text = Artifact::from(candidate.choice.configuration).text().unwrap();
    Evaluated {
        outcome: time_ns(text).map_or(Outcome::Failed, Outcome::Time),
        spread_ns: 0.0,
        repeats: 1,
        load: None,
        reason: String::new(),
        parts: Vec::new(),
    }
}

/// Returns what a search found, and the texts that it asked for: so many of a step are told at once.
pub(super) fn search(plan: SearchPlan<'_>, at_once: usize) -> (SearchResult, Vec<String>) {
    let mut searches = Searches::new(plan, &FUNCTION, bounded()).unwrap();
    searches.begin("x", Vec::new()).unwrap();
    searches.consult(&mut *store::memory().unwrap()).unwrap();
    let mut asked = Vec::new();
    loop {
        let open = searches.open().unwrap();
        if open.is_empty() {
            break;
        }
        let first = open.len().saturating_sub(at_once); // the last of a step are told first
        let known = open.iter().enumerate().map(|(at, own)| (at >= first).then(|| evaluated(own)));
        let known: Vec<_> = known.collect();
        let texts = open.iter().zip(&known).filter(|(_, known)| known.is_some());
        asked.extend(
            texts.map(|(own, _)| Artifact::from(own.choice.configuration).text().unwrap().to_owned()),
        );
        searches.tell(known);
    }
    searches.finish();
    (searches.into_found().remove(0), asked)
}

#[test]
fn what_is_found_is_proved_and_what_cannot_be_faster_is_not_asked_for() {
    let points = Points { factor: 1.0, presets: &["150", "no point", "150"] };
    let (found, asked) = search(plan(&points, 200), 1);
    assert_eq!(asked[..2], ["no point", "150"], "presets come first, each once");
    assert_eq!((found.best_ns, found.failed, found.evaluations), (Some(bound_ns(7) + 50.0), 1, asked.len()));
    assert!(asked.len() < 40, "{asked:?}");
    let proved_ns = Some(bound_ns(7) + 50.0);
    let proof = Proof { proved_ns, gap: Some(0.0), is_complete: true, classes: None, refuted: None };
    assert_eq!(found.proof, Some(proof));
    let table = search_tables(std::slice::from_ref(&found)).to_string();
    assert!(table.ends_with("x: proved: the best is the fastest of its space\n"), "{table}");
    let json = serde_json::to_value(&found).unwrap();
    assert_eq!((&json["proved_ns"], &json["gap"]), (&found.best_ns.into(), &0.0.into()));
}

#[test]
fn who_was_done_first_changes_nothing() {
    let points = Points { factor: 1.0, presets: &["150"] };
    let sorted = |at_once| {
        let (found, mut asked) = search(plan(&points, 25), at_once);
        asked.sort();
        (found, asked)
    };
    assert_eq!(sorted(1), sorted(7));
    assert_eq!(sorted(1), sorted(usize::MAX));
}

#[test]
fn where_the_evaluations_end_it_what_is_left_is_said() {
    let points = Points { factor: 1.0, presets: &["150"] };
    let (found, asked) = search(plan(&points, 5), 1);
    assert_eq!((asked.len(), found.evaluations), (5, 5));
    let proof = found.proof.clone().unwrap();
    assert_eq!((proof.proved_ns, proof.is_complete), (Some(bound_ns(4)), false));
    assert_eq!(proof.gap, Some(1.0 - bound_ns(4) / found.best_ns.unwrap()));
    let said = proof.to_string();
    assert!(
        said.starts_with("not proved yet: something may take 0.0014 ms, 30.0 % less than the best;"),
        "{said}"
    );
}

#[test]
fn a_proof_within_some_percent_ends_sooner_and_says_so() {
    let points = Points { factor: 1.0, presets: &["7"] };
    let (exact, whole) = search(plan(&points, 200), 1);
    let (within, part) = search(SearchPlan { within_percent: 20.0, ..plan(&points, 200) }, 1);
    assert_eq!((within.best_ns, exact.best_ns), (exact.best_ns, Some(bound_ns(7) + 50.0)));
    assert!(part.len() < whole.len(), "{part:?} {whole:?}");
    let proof = within.proof.unwrap();
    assert!(proof.is_complete && (proof.gap.unwrap() - 0.2).abs() < 1e-9, "{proof:?}");
    assert!(proof.to_string().contains("20.0 % less than the best"), "{proof}");
}

#[test]
fn what_takes_less_than_its_bound_ends_the_proof_with_its_reasons() {
    let points = Points { factor: 3.0, presets: &[] };
    let (found, _) = search(plan(&points, 200), 1);
    let proof = found.proof.unwrap();
    assert_eq!((proof.proved_ns, proof.gap, proof.is_complete), (None, None, false));
    assert!(proof.refuted.as_ref().unwrap().contains("the table says so"), "{proof:?}");
    assert!(found.best.is_some(), "what was found is found all the same");
}

#[test]
fn what_has_no_bound_is_said() {
    let points = Points { factor: 1.0, presets: &[] };
    let error = |plan, device| match Searches::new(plan, &FUNCTION, device) {
        Err(error @ SearchError::NoProof { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("there is nothing to prove"),
    };
    let unknown = error(plan(&points, 9), device("proved:1", None));
    assert!(unknown.starts_with("nothing can be proved of any variant of `f` on proved:1"), "{unknown}");
    let listed = SearchPlan { variant: Some("listed".to_owned()), ..plan(&points, 9) };
    assert!(error(listed, bounded()).contains("variant `listed` of `f`"));
}
