//! A search of generated code with a lower bound, on a device that tells its rate.

use nitro_core::{Artifact, DeviceEntry, DeviceFeature, Function, Parameter, VariantInfo};
use nitro_search::{BoxError, Crossing, Decision, Decisions, Generator, NodeKey, PathBound, Step, Strategy};
use nitro_store::recordings::Outcome;
use nitro_store::store::Evaluated;

use super::{GeneratedSearch, GeneratedVariant, SearchPlan, SearchResult, VariantSearch, search_tables};

const PARAMETERS: [Parameter; 1] = [Parameter::artifact("kernel")];
static VARIANTS: [VariantInfo; 1] = [VariantInfo::new("found").with_parameters(&PARAMETERS)];
static FUNCTION: Function = Function::new("f", &VARIANTS);

/// 16 blocks by 16 unrolls. A path takes so many rounds of the device at least as its block says, times a factor
/// that is 1 where the bound is true; what its unroll adds, no bound knows.
struct Blocks {
    factor: f64,
}

impl Decisions for Blocks {
    fn next(&self, path: &[Crossing]) -> Step {
        match path.len() {
            0 => Step::Choose(Decision::new(NodeKey::new("block"), 16)),
            1 => Step::Choose(Decision::new(NodeKey::new("unroll"), 16)),
            _ => Step::Complete,
        }
    }
}

impl Generator for Blocks {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        Ok(format!("{} {}", path[0].option, path[1].option))
    }

    fn path_bound(&self, device: &dyn Fn(&str) -> Option<f64>) -> Option<PathBound<'_>> {
        let round_ns = device("round_ns")?;
        Some(Box::new(move |path| Some(self.factor * least_ns(path[0].option) * round_ns)))
    }
}

fn least_ns(block: usize) -> f64 {
    (10 + block) as f64
}

fn time_ns(text: &str) -> f64 {
    let (block, unroll) = text.split_once(' ').unwrap();
    let [block, unroll]: [usize; 2] = [block, unroll].map(|number| number.parse().unwrap());
    100.0 * least_ns(block) * (1.0 + 0.05 * unroll.abs_diff(5) as f64)
}

fn device(name: &'static str, round_ns: Option<f64>) -> &'static DeviceEntry {
    let feature = |value| DeviceFeature { name: "round_ns".to_owned(), value };
    DeviceEntry::intern(name, || round_ns.map(feature).into_iter().collect(), |_| Vec::new())
}

/// Returns what a search with so many evaluations found, and the texts that it asked for, step by step.
fn search(
    factor: f64,
    strategy: Strategy,
    evaluations: usize,
    device: &'static DeviceEntry,
) -> (SearchResult, Vec<Vec<String>>) {
    let plan = SearchPlan { strategy: Some(strategy.into()), evaluations, seed: 3, ..SearchPlan::default() };
    let blocks = Blocks { factor };
    let sought = GeneratedVariant { variant: 0, generator: &blocks };
    let mut search = Box::new(GeneratedSearch::new(&plan, &sought, &FUNCTION, device, "x"));
    let mut steps = Vec::new();
    loop {
        let open = search.open().unwrap();
        if open.is_empty() {
            return (search.finish(), steps);
        }
        let texts =
            open.iter().map(|own| Artifact::from(own.choice.configuration).text().unwrap().to_owned());
        let texts: Vec<String> = texts.collect();
        let evaluated = |text: &String| Evaluated {
            outcome: Outcome::Time(time_ns(text)),
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
            parts: Vec::new(),
        };
        search.tell(texts.iter().map(|text| Some(evaluated(text))).collect());
        steps.push(texts);
    }
}

#[test]
fn what_is_no_faster_by_its_bound_is_skipped_counted_and_never_the_best() {
    for strategy in [Strategy::Ants, Strategy::Genetic, Strategy::Random] {
        let (found, steps) = search(1.0, strategy, 256, device("bounded:0", Some(100.0)));
        let mut best_ns = f64::INFINITY;
        for texts in &steps {
            for text in texts {
                let (block, _) = text.split_once(' ').unwrap();
                assert!(
                    100.0 * least_ns(block.parse().unwrap()) < best_ns,
                    "{text} was asked for at {best_ns} ns"
                );
            }
            best_ns = texts.iter().map(|text| time_ns(text)).fold(best_ns, f64::min);
        }
        // all that was left out is slower
        assert_eq!((found.best_ns, best_ns), (Some(1000.0), 1000.0));
        let asked = steps.iter().map(Vec::len).sum::<usize>();
        assert_eq!((found.evaluations, found.failed, found.evaluations + found.skipped), (asked, 0, 256));
        assert!(found.skipped > 100, "{strategy}: {} skipped", found.skipped);
        let told = search_tables(std::slice::from_ref(&found)).to_string();
        assert!(told.contains(&format!("{} paths skipped", found.skipped)), "{told}");
    }
}

#[test]
fn what_is_skipped_costs_no_evaluation() {
    let evaluations = |device| search(1.0, Strategy::Random, 20, device).0;
    let (with, without) =
        (evaluations(device("bounded:0", Some(100.0))), evaluations(device("bounded:1", None)));
    assert_eq!((with.evaluations, without.evaluations), (20, 20));
    assert!(with.skipped > 0 && without.skipped == 0);
    assert!(with.best_ns <= without.best_ns);
}

#[test]
fn what_takes_less_than_its_bound_ends_the_skipping() {
    let (found, steps) = search(5.0, Strategy::Random, 256, device("bounded:0", Some(100.0)));
    let asked: Vec<usize> = steps.iter().map(Vec::len).collect();
    assert_eq!((found.skipped, found.evaluations), (0, 256), "{asked:?}"); // the first step told so
}
