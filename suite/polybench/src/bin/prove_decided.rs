//! Searches a space of decisions by branch and bound on a GPU, until nothing that is left can be faster.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use nitro_cuda::Cuda;
use nitro_decide::{BranchAndBound, BranchPlan, DecidedSpace, LowerBound, Rates, TimeBound};
use nitro_polybench::decided::{Asked, Runs, Tiles, Timed, rates, read};
use nitro_polybench::gpu::Bench;
use nitro_polybench::program::{append, ended};
use nitro_search::{Ask, Budget, Engine, Observation, Proposer};

/// Searches a space of decisions by branch and bound on a GPU
///
/// Families whose lower bound is not under the best time go without being timed. When the search ends by itself,
/// nothing in the space takes less than the best, less the percent given. A point that takes less than its bound
/// ends the run with the explanation: then nothing is proved. Results are appended to a file of lines of JSON; what
/// stands there already is known from the beginning.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    runs: Runs,
    /// What the device does at most: the file that the example `rates` of nitro-variants-cuda writes
    #[arg(long, value_name = "FILE")]
    rates: PathBuf,
    /// What may be lost, in percent of the best time
    #[arg(long, default_value_t = 0.0)]
    percent: f64,
    /// Begin with the fastest points that the file of results has of the space with these tiles, as far as this one
    /// has them, too: the sooner something fast is known, the more is left out
    #[arg(long, value_enum, value_name = "TILES")]
    begin_with: Option<Tiles>,
    /// The sizes of that space; those of this one unless given
    #[arg(long, value_name = "SIZE", requires = "begin_with")]
    begin_with_size: Option<u64>,
    /// Points that are compiled and timed together
    #[arg(long, default_value_t = 64)]
    at_once: usize,
    /// Of all chance
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Stop after so many points
    #[arg(long)]
    evaluations: Option<u64>,
    /// Stop after so many seconds
    #[arg(long)]
    seconds: Option<f64>,
    /// The file of results
    #[arg(long, default_value = "proved.jsonl")]
    out: PathBuf,
}

/// So many points of another space are begun with.
const BEGUN_WITH: usize = 32;

type Failed = Box<dyn std::error::Error>;
type Search = Engine<BranchAndBound<TimeBound>>;
/// With its values.
type Point = (Vec<usize>, Timed);

fn main() -> ExitCode {
    ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failed> {
    let space = arguments.asked.space()?;
    let rates = rates(&arguments.rates)?;
    let mut known = read(&arguments.out, &arguments.asked.name(), &space)?;
    let (device, mut bench) = arguments.asked.bench(&space)?;
    begin(arguments, &space, (device, &mut bench), &mut known)?;
    let search = search(arguments, &space, rates, known)?;
    println!(
        "{}, bounded by {:.4} ms",
        arguments.asked.name(),
        search.proposer().proved_ns().min(search.proposer().bound().bound_ns(space.root())) / 1e6
    );
    let (search, is_done, spent) = evaluate(arguments, &space, (device, &mut bench), search)?;
    summarize(&space, &search, is_done, spent);
    Ok(())
}

/// Times points that were fast in another space, as far as they are not known.
fn begin(
    arguments: &Arguments,
    space: &DecidedSpace,
    (device, bench): (Cuda, &mut Bench<'_>),
    known: &mut Vec<Point>,
) -> Result<(), Failed> {
    let Some(tiles) = arguments.begin_with else { return Ok(()) };
    let size = arguments.begin_with_size.unwrap_or(arguments.asked.size);
    let other = Asked { tiles, size, ..arguments.asked.clone() };
    let (name, other) = (other.name(), other.space()?);
    let mut fast = read(&arguments.out, &name, &other)?;
    if fast.is_empty() {
        return Err(
            format!("{}: there are no results of {name} to begin with", arguments.out.display()).into()
        );
    }
    let time_ns = |one: &Point| one.1.time_ns.unwrap_or(f64::INFINITY);
    fast.sort_by(|one, other| time_ns(one).total_cmp(&time_ns(other)));
    let points = fast.iter().filter_map(|(values, _)| space.as_in(&other, values)).take(BEGUN_WITH);
    let points = points.filter(|point| known.iter().all(|(known, _)| known != point));
    let points: Vec<Vec<usize>> = points.collect();
    println!("beginning with {} points of {name}", points.len());
    let (mut out, mut kept) = (append(&arguments.out)?, Ok(()));
    arguments.asked.time(space, (device, bench), arguments.runs, &points, &mut |at, timed| {
        kept = keep(&mut out, &timed);
        known.push((points[at].clone(), timed));
        kept.is_err()
    });
    kept
}

fn keep(out: &mut impl Write, timed: &Timed) -> Result<(), Failed> {
    Ok(writeln!(out, "{}", serde_json::to_string(timed)?)?)
}

fn search(
    arguments: &Arguments,
    space: &DecidedSpace,
    rates: Rates,
    known: Vec<Point>,
) -> Result<Search, Failed> {
    let bound = space.time_bound(rates);
    let plan = BranchPlan { percent: arguments.percent, seed: arguments.seed, ..BranchPlan::default() };
    let mut observations = Vec::new();
    for (proposal, timed) in known {
        observations.push(Observation { proposal, report: timed.evaluation() });
    }
    let strategy = BranchAndBound::new(space.root().clone(), bound, plan);
    let mut search = Engine::new(strategy, Budget::default());
    search.restore(&observations).map_err(|error| format!("{}: {error}", arguments.out.display()))?;
    Ok(search)
}

/// Asks and tells until it is done, or ends before: whether it is done, and how long it thought and how long it
/// measured.
fn evaluate(
    arguments: &Arguments,
    space: &DecidedSpace,
    (device, bench): (Cuda, &mut Bench<'_>),
    mut search: Search,
) -> Result<(Search, bool, [Duration; 2]), Failed> {
    let mut out = append(&arguments.out)?;
    let (start, mut thought) = (Instant::now(), Duration::ZERO);
    loop {
        let asked = Instant::now();
        let Ok(Ask::Evaluate(points)) = search.ask(arguments.at_once) else {
            thought += asked.elapsed();
            return Ok((search, true, [thought, start.elapsed() - thought]));
        };
        thought += asked.elapsed();
        let mut told = Ok(());
        arguments.asked.time(space, (device, &mut *bench), arguments.runs, &points, &mut |at, timed| {
            told = tell(&mut search, &mut out, &points[at], &timed);
            told.is_err()
        });
        told?;
        let (evaluated, seconds) = (search.proposer().statistics().evaluated, start.elapsed().as_secs_f64());
        println!("{}", progress(&search, seconds));
        let is_over = arguments.evaluations.is_some_and(|most| evaluated >= most)
            || arguments.seconds.is_some_and(|most| seconds >= most);
        if is_over {
            return Ok((search, false, [thought, start.elapsed() - thought]));
        }
    }
}

fn tell(search: &mut Search, out: &mut impl Write, values: &Vec<usize>, timed: &Timed) -> Result<(), Failed> {
    keep(out, timed)?;
    Ok(search.tell(values, timed.evaluation())?)
}

fn progress(search: &Search, seconds: f64) -> String {
    let total = search.proposer().statistics().total();
    let best_ms =
        search.best().and_then(|best| best.report.time_ns()).map_or(f64::NAN, |time_ns| time_ns / 1e6);
    format!(
        "{seconds:6.1} s: {} evaluated, best {best_ms:.4} ms, nothing under {:.4} ms; {} expanded, {} pruned, {} dead ends",
        search.proposer().statistics().evaluated,
        search.proposer().proved_ns() / 1e6,
        total.expanded,
        total.pruned,
        total.dead_ends
    )
}

fn summarize(space: &DecidedSpace, search: &Search, is_done: bool, [thought, measured]: [Duration; 2]) {
    let statistics = search.proposer().statistics();
    let estimate = space.root().estimate(1000, 1);
    let (least, most) = estimate.interval();
    let evaluated = statistics.evaluated as f64;
    let nodes = statistics.total().expanded;
    println!("{}", if is_done { "proved" } else { "ended before it was proved" });
    println!(
        "{:.2e} points by sampling ({least:.1e} to {most:.1e}), {:.6} % of them not timed",
        estimate.mean,
        100.0 * (1.0 - evaluated / estimate.mean)
    );
    println!(
        "{:.1} s of thought ({:.0} nodes a second), {:.1} s of compiling and timing",
        thought.as_secs_f64(),
        nodes as f64 / thought.as_secs_f64(),
        measured.as_secs_f64()
    );
    for (level, counts) in statistics.levels.iter().enumerate() {
        println!(
            "level {level:3}: {:8} expanded {:8} pruned {:8} dead ends {:8} timed",
            counts.expanded, counts.pruned, counts.dead_ends, counts.leaves
        );
    }
    if let Some(best) = search.best() {
        let time_ms = best.report.time_ns().map_or(f64::NAN, |time_ns| time_ns / 1e6);
        println!("best: {time_ms:.4} ms\n{}", space.show(&best.proposal));
    }
    println!("{}", search.proposer().bound().explain(space.root()));
}
