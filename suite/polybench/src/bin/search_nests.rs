//! Searches for fast kernels of the nests on the first GPU, and keeps what it finds as lines of JSON.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use nitro_nest::{Kernel, Mapping, MappingSpace, Nest, Program};
use nitro_polybench::given;
use nitro_polybench::gpu::{Bench, Error, reference};
use nitro_polybench::program::ended;
use nitro_polybench::results::Found;
use nitro_polybench::{kernels, sizes};
use nitro_search::{
    AntColony, Ants, Ask, Budget, Engine, GeneticPaths, Observation, PartReport, Path, PathStrategy, Paths,
    RandomPaths, Report,
};

/// Searches for fast CUDA kernels of PolyBench's nests on the first GPU
///
/// Each candidate is compared with what the preset `naive` gives before it is timed; presets are timed too. The
/// searches of a nest go on side by side, so that all cores have something to compile; a program that several of
/// them propose is timed once. Results are appended to a file of lines of JSON; what stands there already is not
/// searched again, so that a run that was ended goes on.
#[derive(Parser)]
struct Arguments {
    /// `large`, the sizes of PolyBench/C 4.2.1, or `huge`, which no cache holds
    #[arg(long, default_value = "huge")]
    size: String,
    /// Nests, such as gemm; all of them unless given
    nests: Vec<String>,
    /// Strategies: presets, ants, genetic, random, base, without-part-updates, without-metrics, without-tree,
    /// without-recombination, without-local-search
    #[arg(long, value_delimiter = ',', default_value = "presets,ants,random")]
    strategies: Vec<String>,
    /// Seeds from 0; each is a search
    #[arg(long, default_value_t = 3)]
    seeds: u64,
    /// Evaluations of each search
    #[arg(long, default_value_t = 50)]
    evaluations: usize,
    /// The file of results
    #[arg(long, default_value = "nests.jsonl")]
    out: PathBuf,
    /// Instead of searching, time what this file says: a line of JSON each, a `Tiling` for all kernels of a nest or
    /// a `Mapping` as it stands in results
    #[arg(long, value_name = "FILE")]
    mappings: Option<PathBuf>,
}

fn main() -> ExitCode {
    ended(run(&Arguments::parse()))
}

type Failed = Box<dyn std::error::Error>;

/// What was timed.
struct Evaluated {
    mapping: Mapping,
    has_fused_loops: bool,
    report: Report,
}

fn run(arguments: &Arguments) -> Result<(), Failed> {
    if let Some(file) = &arguments.mappings {
        return time(arguments, &given::read(file)?);
    }
    let device = nitro_cuda::device(0)?;
    let done = done(arguments)?;
    let mut out = OpenOptions::new().create(true).append(true).open(&arguments.out)?;
    for (nest, sizes) in wanted(arguments) {
        let is_open = |(strategy, seed): &(String, u64)| {
            !done.contains(&(nest.name().to_owned(), arguments.size.clone(), strategy.clone(), *seed))
        };
        let open: Vec<_> = wanted_searches(arguments).into_iter().filter(is_open).collect();
        if open.is_empty() {
            continue;
        }
        let space = MappingSpace::new(&nest)?;
        let mut bench = Bench::new(&nest, &space.map(&reference()), sizes, device)?;
        for found in searches(&space, &mut bench, arguments, &open)? {
            let best = found.best_ms.map_or("-".to_owned(), |best_ms| format!("{best_ms:.4} ms"));
            println!(
                "{:12} {:6} {:22} {} {best:>14} {:3} failed {:6.1} s",
                found.nest, found.size, found.strategy, found.seed, found.failures, found.seconds
            );
            writeln!(out, "{}", serde_json::to_string(&found)?)?;
        }
    }
    Ok(())
}

/// The nests that were asked for and have such sizes.
fn wanted(arguments: &Arguments) -> impl Iterator<Item = (Nest, Vec<i64>)> {
    let is_named = |nest: &Nest| arguments.nests.iter().any(|name| name == nest.name());
    let nests = kernels().into_iter().map(|kernel| (kernel.nest)());
    nests
        .filter(move |nest| arguments.nests.is_empty() || is_named(nest))
        .filter_map(|nest| sizes(nest.name(), &arguments.size).map(|sizes| (nest, sizes)))
}

/// Times these mappings of each nest, and prints a line for each: the time, then what each kernel takes of it, its
/// registers and the bytes of spilled ones.
fn time(arguments: &Arguments, given: &[(usize, Mapping)]) -> Result<(), Failed> {
    let device = nitro_cuda::device(0)?;
    for (nest, sizes) in wanted(arguments) {
        let space = MappingSpace::new(&nest)?;
        let mut bench = Bench::new(&nest, &space.map(&reference()), sizes, device)?;
        for (line, mapping) in given {
            let program = space.map(mapping);
            let shown = match bench.reports(std::slice::from_ref(&program)).remove(0) {
                Ok(report) => described(&bench, &program, &report)?,
                Err(error) => error.to_string(),
            };
            println!("{:12} {:6} line {line:3} {shown}", nest.name(), arguments.size);
        }
    }
    Ok(())
}

fn described(bench: &Bench<'_>, program: &Program, report: &Report) -> Result<String, Failed> {
    let compiled = bench.compile(program)?;
    let time_ms = report.evaluation.time_ns().map_or(f64::NAN, |time_ns| time_ns / 1e6);
    let of_kernel = |(kernel, part): (&Kernel, &PartReport)| {
        let usage = compiled.usage(&kernel.name);
        format!("{:.4} ms {} registers {} spilled", part.time_ns / 1e6, usage.registers, usage.spill_bytes)
    };
    let parts: Vec<String> = program.kernels.iter().zip(&report.parts).map(of_kernel).collect();
    Ok(format!("{time_ms:9.4} ms  ({})", parts.join(", ")))
}

/// Presets have one seed.
fn wanted_searches(arguments: &Arguments) -> Vec<(String, u64)> {
    let seeds = |strategy: &String| if strategy == "presets" { 1 } else { arguments.seeds };
    let of =
        |strategy: &String| (0..seeds(strategy)).map(|seed| (strategy.clone(), seed)).collect::<Vec<_>>();
    arguments.strategies.iter().flat_map(of).collect()
}

fn done(arguments: &Arguments) -> Result<BTreeSet<(String, String, String, u64)>, Failed> {
    let Ok(file) = File::open(&arguments.out) else { return Ok(BTreeSet::new()) };
    let mut done = BTreeSet::new();
    for (number, line) in BufReader::new(file).lines().enumerate() {
        let found: Found = serde_json::from_str(&line?).map_err(|error| {
            format!("{}, line {}: {error}; remove the line", arguments.out.display(), number + 1)
        })?;
        done.insert((found.nest, found.size, found.strategy, found.seed));
    }
    Ok(done)
}

fn strategy(name: &str, seed: u64) -> Result<Box<dyn PathStrategy>, Failed> {
    let all = Ants::default();
    let ants = match name {
        "random" => return Ok(Box::new(RandomPaths::new(seed))),
        "genetic" => return Ok(Box::new(GeneticPaths::new(seed))),
        "ants" => all,
        "base" => Ants::base(),
        "without-part-updates" => Ants { part_updates: false, ..all },
        "without-metrics" => Ants { metrics: false, ..all },
        "without-tree" => Ants { tree: false, ..all },
        "without-recombination" => Ants { recombination: false, ..all },
        "without-local-search" => Ants { local_search: false, ..all },
        _ => return Err(format!("there is no strategy `{name}`: `--help` names those that there are").into()),
    };
    Ok(Box::new(AntColony::with(ants, seed)))
}

/// What these searches find.
fn searches(
    space: &MappingSpace,
    bench: &mut Bench<'_>,
    arguments: &Arguments,
    wanted: &[(String, u64)],
) -> Result<Vec<Found>, Failed> {
    let begun = Instant::now();
    let (presets, others): (Vec<_>, Vec<_>) = wanted.iter().partition(|(strategy, _)| strategy == "presets");
    let mut evaluated: Vec<_> = presets.into_iter().map(|own| (own, self::presets(space, bench))).collect();
    let mut searches = Vec::new();
    for (name, seed) in &others {
        let paths = Paths::new(space, strategy(name, *seed)?);
        searches.push(Engine::new(paths, Budget::evaluations(arguments.evaluations)));
    }
    evaluated.extend(others.into_iter().zip(paths(space, bench, searches)?));
    let seconds = begun.elapsed().as_secs_f64() / wanted.len() as f64;
    let of = |((strategy, seed), evaluated): (&(String, u64), Vec<Evaluated>)| Found {
        nest: space.nest().name().to_owned(),
        size: arguments.size.clone(),
        strategy: strategy.clone(),
        seed: *seed,
        seconds,
        ..found(&evaluated)
    };
    Ok(evaluated.into_iter().map(|(own, evaluated)| of((own, evaluated))).collect())
}

/// What was found by these evaluations.
fn found(evaluated: &[Evaluated]) -> Found {
    let times = evaluated.iter().map(|one| one.report.evaluation.time_ns().map(|time_ns| time_ns / 1e6));
    let mut best: Option<f64> = None;
    let course_ms = times.map(|time_ms| {
        best = [best, time_ms].into_iter().flatten().reduce(f64::min);
        best
    });
    let course_ms: Vec<Option<f64>> = course_ms.collect();
    let cost = |one: &&Evaluated| one.report.evaluation.time_ns().unwrap_or(f64::INFINITY);
    let fastest = evaluated.iter().min_by(|one, other| cost(one).total_cmp(&cost(other)));
    Found {
        best_ms: course_ms.last().copied().flatten(),
        failures: evaluated.iter().filter(|one| one.report.evaluation.time_ns().is_none()).count(),
        course_ms,
        mapping: fastest.map(|one| one.mapping.clone()),
        has_fused_loops: fastest.is_some_and(|one| one.has_fused_loops),
        ..Found::default()
    }
}

fn presets(space: &MappingSpace, bench: &mut Bench<'_>) -> Vec<Evaluated> {
    let mappings = Mapping::presets().map(|(_, mapping)| mapping);
    let programs: Vec<_> = mappings.iter().map(|mapping| space.map(mapping)).collect();
    let pairs = mappings.into_iter().zip(reports(bench, &programs));
    pairs.map(|(mapping, report)| Evaluated { mapping, has_fused_loops: false, report }).collect()
}

/// What each of these searches evaluates, side by side, step by step.
fn paths(
    space: &MappingSpace,
    bench: &mut Bench<'_>,
    mut searches: Vec<Engine<Paths<&MappingSpace>>>,
) -> Result<Vec<Vec<Evaluated>>, Failed> {
    let mut known: HashMap<Program, Report> = HashMap::new();
    loop {
        let mut asked = Vec::new();
        for (at, search) in searches.iter_mut().enumerate() {
            if let Ask::Evaluate(paths) = search.ask(usize::MAX)? {
                for path in paths {
                    let program = space.program(&path);
                    asked.push((at, path, program));
                }
            }
        }
        if asked.is_empty() {
            break;
        }
        let mut new: Vec<Program> = Vec::new();
        for (_, _, program) in &asked {
            if !known.contains_key(program) && !new.contains(program) {
                new.push(program.clone());
            }
        }
        let reports = reports(bench, &new);
        known.extend(new.into_iter().zip(reports));
        for (at, path, program) in asked {
            searches[at].tell(&path, known[&program].clone())?;
        }
    }
    let of = |own: &Observation<Path, Report>| Evaluated {
        mapping: space.mapping(&own.proposal),
        has_fused_loops: space.has_fused_loops(&own.proposal),
        report: own.report.clone(),
    };
    Ok(searches.iter().map(|search| search.observations().iter().map(of).collect()).collect())
}

fn reports(bench: &mut Bench<'_>, programs: &[Program]) -> Vec<Report> {
    let told = |result: Result<Report, Error>| {
        result.unwrap_or_else(|error| {
            eprintln!("{error}");
            Report::failed(error.failure())
        })
    };
    bench.reports(programs).into_iter().map(told).collect()
}
