//! Holds the lower bounds of points of a space of decisions against their measured times, and replays branch and
//! bound on these.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use nitro_decide::{
    Ablation, BranchAndBound, BranchPlan, DecidedSpace, LowerBound, PointTime, Rates, SearchView, Statistics,
    TimeBound, TimeTerm, TimeTerms,
};
use nitro_polybench::decided::{Asked, rates, read};
use nitro_polybench::program::ended;
use nitro_search::{Ask, Budget, Engine, Evaluation, Failure};

/// Holds the lower bounds of points of a space of decisions against their measured times
///
/// Of a space that is not too large all points are bounded, timed or not. Where all are timed, a search by branch
/// and bound is replayed, too, with the whole bound and without parts of it. Ends with an error if a point took
/// less than its bound.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// What the device does at most: the file that the example `rates` of nitro-variants-cuda writes
    #[arg(long, value_name = "FILE")]
    rates: PathBuf,
    /// The file of results that time-decided wrote
    #[arg(long, value_name = "FILE", default_value = "decided.jsonl")]
    results: PathBuf,
    /// The page to write
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Of so many points a space may have for all to be bounded: some seconds' worth.
const MOST_BOUNDED: u64 = 100_000;
/// Of a larger one so many are drawn.
const WALKS: usize = 1000;

type Failed = Box<dyn std::error::Error>;
/// What each point gave.
type Timed = BTreeMap<Vec<usize>, Evaluation>;

fn main() -> ExitCode {
    ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failed> {
    let (space, name) = (arguments.asked.space()?, arguments.asked.name());
    let judge = Judge { space: &space, rates: rates(&arguments.rates)? };
    let timed: Timed = read(&arguments.results, &name, &space)?
        .into_iter()
        .map(|(values, one)| (values, one.evaluation()))
        .collect();
    if timed.is_empty() {
        return Err(format!("{}: there are no results of {name}", arguments.results.display()).into());
    }
    let (measured, wrong) = judge.measured(&timed);
    let best_ns = measured.iter().map(|own| own.time_ns).fold(f64::INFINITY, f64::min);
    report(&name, &measured, wrong, best_ns);
    print!("{}", judge.left(best_ns));
    let replayed = if wrong == 0 { judge.replays(&timed)? } else { None };
    let (statistics, without) = replayed.unwrap_or_default();
    if let Some(page) = &arguments.html {
        let problem = &space.nesting().problem;
        let view = SearchView {
            title: &name,
            problem,
            statistics: &statistics,
            measured: &measured,
            without: &without,
        };
        fs::write(page, view.page()).map_err(|error| format!("{}: {error}", page.display()))?;
    }
    if wrong > 0 { Err("the bound is wrong".into()) } else { Ok(()) }
}

fn report(name: &str, measured: &[PointTime], wrong: usize, best_ns: f64) {
    let largest = measured.iter().map(|own| own.bound_ns / own.time_ns).fold(0.0, f64::max);
    let left = measured.iter().filter(|own| own.bound_ns < best_ns).count();
    println!(
        "{name}: {} points, {wrong} took less than their bound; largest bound / time {largest:.3}",
        measured.len()
    );
    println!(
        "{left} of them have a bound under the best time of {best_ns} ns: no search by this bound is spared them"
    );
}

struct Judge<'a> {
    space: &'a DecidedSpace,
    rates: Rates,
}

impl Judge<'_> {
    /// Bounds and times, and how many times are under their bounds: these are explained.
    fn measured(&self, timed: &Timed) -> (Vec<PointTime>, usize) {
        let bound = self.space.time_bound(self.rates);
        let (mut measured, mut wrong) = (Vec::new(), 0);
        for (values, time_ns) in timed.iter().filter_map(|one| Some((one.0, one.1.time_ns()?))) {
            let leaf = self.space.root().decide(values).expect("results are of points of the space");
            let bound_ns = bound.bound_ns(&leaf);
            measured.push(PointTime { bound_ns, time_ns, limit: bound.limit(&leaf).unwrap_or("nothing") });
            if time_ns < bound_ns {
                wrong += 1;
                println!("took {time_ns} ns: {}\n{}", bound.explain(&leaf), self.space.show(values));
            }
        }
        (measured, wrong)
    }

    /// How many points of the space have a bound under a time, timed or not: by sampling where these are too many
    /// to look at each.
    fn left(&self, best_ns: f64) -> String {
        let Some(points) = self.space.root().count(MOST_BOUNDED) else {
            return self.left_by_sampling(best_ns);
        };
        let with = |terms| self.space.time_bound(self.rates).with_terms(terms);
        let whole = (String::new(), with(TimeTerms::default()), 0);
        let without = parts().map(|(part, terms)| (format!(", without {part}"), with(terms), 0));
        let mut bounds: Vec<(String, TimeBound, usize)> = std::iter::once(whole).chain(without).collect();
        for point in self.space.root().points() {
            for (_, bound, left) in &mut bounds {
                *left += usize::from(bound.bound_ns(&point) < best_ns);
            }
        }
        let line = |(what, _, left): &(String, TimeBound, usize)| {
            let percent = 100.0 * *left as f64 / points as f64;
            format!("of all {points} points of the space, timed or not, {left} have{what}: {percent:.1} %\n")
        };
        bounds.iter().map(line).collect()
    }

    fn left_by_sampling(&self, best_ns: f64) -> String {
        let (root, bound) = (self.space.root(), self.space.time_bound(self.rates));
        let points = root.estimate(WALKS, 1);
        let left = root.estimate_where(WALKS, 1, |state| bound.bound_ns(state) < best_ns);
        let (least, most) = left.interval();
        let percent = |count: f64| 100.0 * count / points.mean;
        format!(
            "of all points of the space, {:.2e} by sampling, {:.1e} ({least:.1e} to {most:.1e}) have: {:.4} % ({:.4} \
             to {:.4})\n",
            points.mean,
            left.mean,
            percent(left.mean),
            percent(least),
            percent(most)
        )
    }

    /// What became of the states of a search with the whole bound, and what searches without parts of it take; none
    /// if not all points are timed.
    fn replays(&self, timed: &Timed) -> Result<Option<(Statistics, Vec<Ablation>)>, Failed> {
        if self.space.root().count(timed.len() as u64) != Some(timed.len() as u64) {
            println!("not all points are timed, so no search is replayed");
            return Ok(None);
        }
        let all = self.replay(TimeTerms::default(), timed)?;
        let mut without = vec![row("nothing", &all)];
        for (part, terms) in parts() {
            without.push(row(part, &self.replay(terms, timed)?));
        }
        for own in &without {
            println!("without {}: {} evaluated, {} expanded", own.term, own.evaluated, own.expanded);
        }
        println!("best of the search: {:?} ns", all.best().and_then(|found| found.report.time_ns()));
        Ok(Some((all.proposer().statistics().clone(), without)))
    }

    /// A search that gets the times of a table; what the table lacks has failed.
    fn replay(&self, terms: TimeTerms, timed: &Timed) -> Result<Engine<BranchAndBound<TimeBound>>, Failed> {
        let bound = self.space.time_bound(self.rates).with_terms(terms);
        let plan = BranchPlan { counted_points: timed.len() as u64, ..BranchPlan::default() };
        let strategy = BranchAndBound::new(self.space.root().clone(), bound, plan);
        let mut search = Engine::new(strategy, Budget::default());
        while let Ok(Ask::Evaluate(points)) = search.ask(1) {
            for values in points {
                let found = timed.get(&values[..]).copied();
                search.tell(&values, found.unwrap_or(Evaluation::Failed(Failure::Launch)))?;
            }
        }
        Ok(search)
    }
}

/// What can be left out of a bound, and the rest.
fn parts() -> impl Iterator<Item = (&'static str, TimeTerms)> {
    let all = TimeTerms::default();
    let (mut blocks, mut warps, mut iterations, mut sums) = (all, all, all, all);
    blocks.whole_blocks = false;
    warps.whole_warps = false;
    iterations.whole_iterations = false;
    sums.kept_sums = false;
    let whole = [
        ("whole blocks", blocks),
        ("whole warps", warps),
        ("whole iterations", iterations),
        ("sums in registers", sums),
    ];
    TimeTerm::ALL.into_iter().map(move |term| (term.name(), all.without(term))).chain(whole)
}

fn row(term: &str, search: &Engine<BranchAndBound<TimeBound>>) -> Ablation {
    let statistics = search.proposer().statistics();
    let (evaluated, expanded) = (statistics.evaluated, statistics.total().expanded);
    Ablation { term: term.to_owned(), evaluated, expanded }
}
