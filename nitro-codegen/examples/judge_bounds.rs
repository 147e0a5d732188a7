//! Holds the lower bounds of points of a space of decisions against their measured times, and replays branch and bound on these:
//!
//! `cargo run --release -p nitro-variants-codegen --features search,show --example judge_bounds -- decided.jsonl rates.json page.html`
//!
//! The first file is what `time-decided` writes, the second what the example `rates` of `nitro-variants-cuda` does. Ends with an error if a point took less than its bound.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fs;

use nitro_codegen::{Bounded, DecidedSpace, SearchView, TileSizes, Without};
use nitro_search::partial::{
    BranchAndBound, BranchPlan, Limits, LowerBound, Partial, Rates, Statistics, TimeBound, TimeTerm,
    TimeTerms, Values,
};
use nitro_search::{Ask, Evaluation, Failure};

type Failed = Box<dyn Error>;
type Times = HashMap<Vec<usize>, Option<f64>>;

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [results, rates, page] = &arguments[..] else {
        return Err("three files: results, rates, and the page to write".into());
    };
    let features: BTreeMap<String, f64> = serde_json::from_str(&fs::read_to_string(rates)?)?;
    let rates = Rates::from_features(|name| features.get(name).copied())?;
    let mut failed = Ok(());
    for (name, times) in read(results)? {
        let judged = judge(&name, &space(&name)?, rates, &times, page);
        failed = failed.and(judged);
    }
    failed
}

/// Times by space and values; none where a point failed.
fn read(path: &str) -> Result<BTreeMap<String, Times>, Failed> {
    let mut found: BTreeMap<String, Times> = BTreeMap::new();
    for line in fs::read_to_string(path)?.lines() {
        let Ok(line) = serde_json::from_str::<serde_json::Value>(line) else { continue }; // half a line of a run that was ended
        let name = line["space"].as_str().ok_or("a line names no space")?.to_owned();
        let values: Vec<usize> = serde_json::from_value(line["values"].clone())?;
        found.entry(name).or_default().insert(values, line["time_ns"].as_f64());
    }
    Ok(found)
}

/// As `time-decided` calls it: `sgemm 1024 reduced`.
fn space(name: &str) -> Result<DecidedSpace, Failed> {
    let words: Vec<&str> = name.split(' ').filter(|word| !word.ends_with("sm")).collect();
    let number = |word: &str| word.parse::<u64>();
    let tiles = |word: &str| if word == "full" { TileSizes::full() } else { TileSizes::reduced() };
    let limits = Limits::default();
    Ok(match words[..] {
        ["sgemm", size, sizes] => DecidedSpace::sgemm([number(size)?; 3], &tiles(sizes), &limits)?,
        ["batchedsgemm", batch, "x", size, sizes] => {
            DecidedSpace::batched_sgemm(number(batch)?, [number(size)?; 3], &tiles(sizes), &limits)?
        }
        ["axpy", size, sizes] => DecidedSpace::axpy(number(size)?, &tiles(sizes), &limits)?,
        ["matvec", size, sizes] => DecidedSpace::matvec([number(size)?; 2], &tiles(sizes), &limits)?,
        ["gesummv", size, sizes] => DecidedSpace::gesummv(number(size)?, &tiles(sizes), &limits)?,
        _ => return Err(format!("{name} is no space that is known here").into()),
    })
}

fn judge(name: &str, space: &DecidedSpace, rates: Rates, times: &Times, page: &str) -> Result<(), Failed> {
    let bound = TimeBound::new(space.kernel(), space.nesting(), rates);
    let (mut measured, mut wrong) = (Vec::new(), 0);
    for (values, time_ns) in times.iter().filter_map(|(values, time_ns)| Some((values, (*time_ns)?))) {
        let leaf = decided(space.root(), values)?;
        let bound_ns = bound.bound_ns(&leaf);
        measured.push(Bounded { bound_ns, time_ns, limit: bound.limit(&leaf).unwrap_or("nothing") });
        if time_ns < bound_ns {
            wrong += 1;
            println!("took {time_ns} ns: {}\n{}", bound.explain(&leaf), space.show(values));
        }
    }
    let largest = measured.iter().map(|own| own.bound_ns / own.time_ns).fold(0.0, f64::max);
    println!(
        "{name}: {} points, {wrong} took less than their bound; largest bound / time {largest:.3}",
        measured.len()
    );
    let best_ns = measured.iter().map(|own| own.time_ns).fold(f64::INFINITY, f64::min);
    let left = measured.iter().filter(|own| own.bound_ns < best_ns).count();
    println!(
        "{left} of them have a bound under the best time of {best_ns} ns: no search by this bound is spared them"
    );
    if wrong > 0 {
        return Err("the bound is wrong".into());
    }
    if space.root().count(times.len() as u64) != Some(times.len() as u64) {
        // of a space that is not measured whole nothing can be replayed
        let (problem, statistics) = (&space.nesting().problem, Statistics::default());
        let view =
            SearchView { title: name, problem, statistics: &statistics, measured: &measured, without: &[] };
        return Ok(fs::write(page, view.page())?);
    }
    let all = replay(space, rates, TimeTerms::default(), times)?;
    let mut without = vec![row("nothing", &all)];
    let parts = TimeTerm::ALL.map(|term| (term.name().to_owned(), TimeTerms::default().without(term)));
    let but = |off: fn(&mut TimeTerms)| {
        let mut terms = TimeTerms::default();
        off(&mut terms);
        terms
    };
    let whole = [
        ("whole blocks", but(|terms| terms.whole_blocks = false)),
        ("whole warps", but(|terms| terms.whole_warps = false)),
        ("whole iterations", but(|terms| terms.whole_iterations = false)),
    ];
    for (term, terms) in parts.into_iter().chain(whole.map(|(term, terms)| (term.to_owned(), terms))) {
        without.push(row(&term, &replay(space, rates, terms, times)?));
    }
    for own in &without {
        println!("without {}: {} evaluated, {} expanded", own.term, own.evaluated, own.expanded);
    }
    println!("best of all {best_ns} ns, best of the search {:?}", all.best().map(|found| found.1));
    let problem = &space.nesting().problem;
    let view = SearchView {
        title: name,
        problem,
        statistics: all.statistics(),
        measured: &measured,
        without: &without,
    };
    Ok(fs::write(page, view.page())?)
}

fn decided(root: &Partial, values: &[usize]) -> Result<Partial, Failed> {
    let mut leaf = root.clone();
    for (choice, &value) in root.problem().choices().zip(values) {
        leaf.restrict(choice, Values::of([value]))
            .map_err(|error| format!("a point that the space does not have: {error}"))?;
    }
    Ok(leaf)
}

/// A search that gets the times of a table; what the table lacks has failed.
fn replay(
    space: &DecidedSpace,
    rates: Rates,
    terms: TimeTerms,
    times: &Times,
) -> Result<BranchAndBound<TimeBound>, Failed> {
    let bound = TimeBound::new(space.kernel(), space.nesting(), rates).with_terms(terms);
    let mut search = BranchAndBound::new(space.root().clone(), bound, BranchPlan::default());
    while let Ask::Evaluate(leaves) = search.ask(1) {
        for leaf in leaves {
            let time_ns = times.get(&leaf.values[..]).copied().flatten();
            let evaluation = time_ns.map_or(Evaluation::Failed(Failure::Launch), Evaluation::TimeNs);
            search.tell(&leaf.values, evaluation)?;
        }
    }
    Ok(search)
}

fn row(term: &str, search: &BranchAndBound<TimeBound>) -> Without {
    let (evaluated, expanded) = (search.statistics().evaluated, search.statistics().total().expanded);
    Without { term: term.to_owned(), evaluated, expanded }
}
