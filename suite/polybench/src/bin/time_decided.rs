//! Times points of a space of decisions on a GPU, and keeps their times as lines of JSON.

use std::collections::{BTreeSet, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use nitro_decide::{Candidate, DecidedSpace};
use nitro_polybench::decided::{Asked, Runs, Timed, read};
use nitro_polybench::program::{append, ended};
use nitro_stats::random::Random;

/// Times points of a space of decisions on a GPU
///
/// Each point is compared with what plain loops give before it is timed. Results are appended to a file of lines of
/// JSON; what stands there already is not timed again, so that a run that was ended goes on.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    asked: Asked,
    #[command(flatten)]
    runs: Runs,
    /// Points, drawn at random, of which none is timed twice; 0 are all of them
    #[arg(long, default_value_t = 0)]
    leaves: usize,
    /// Of the drawing
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Of so many parts that are timed by themselves, say on several GPUs: which, and how many, as 0/2
    #[arg(long, value_name = "PART/PARTS", value_parser = part)]
    part: Option<(usize, usize)>,
    /// Stop after so many seconds
    #[arg(long)]
    seconds: Option<f64>,
    /// The file of results
    #[arg(long, default_value = "decided.jsonl")]
    out: PathBuf,
    /// Instead of timing, show so many of the fastest points in the file of results, with their code
    #[arg(long, value_name = "POINTS")]
    best: Option<usize>,
}

fn part(text: &str) -> Result<(usize, usize), String> {
    let found =
        text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    found.filter(|(part, parts)| part < parts).ok_or_else(|| "write 0/2 or 1/2, say".to_owned())
}

type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    ended(run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Failed> {
    let space = arguments.asked.space()?;
    let name = arguments.asked.name();
    let done = read(&arguments.out, &name, &space)?;
    if let Some(points) = arguments.best {
        show(&space, done, points);
        return Ok(());
    }
    let known: HashSet<Vec<usize>> = done.into_iter().map(|one| one.0).collect();
    let (part, parts) = arguments.part.unwrap_or((0, 1));
    let points = points(space.root(), arguments).into_iter().skip(part).step_by(parts);
    let open: Vec<Vec<usize>> = points.filter(|values| !known.contains(values)).collect();
    println!("{name}: {} points, {} are timed already", open.len() + known.len(), known.len());
    time(arguments, &space, &open)
}

/// All points, or some that are drawn: each choice in turn one of what is open.
fn points(root: &Candidate, arguments: &Arguments) -> Vec<Vec<usize>> {
    let mut random = Random::new(arguments.seed);
    if arguments.leaves > 0 {
        let draw = || root.draw(|count| random.below(count))?.solution();
        let drawn = std::iter::repeat_with(draw).flatten();
        let mut seen = HashSet::new();
        return drawn.take(arguments.leaves).filter(|point| seen.insert(point.clone())).collect();
    }
    let mut found: Vec<Vec<usize>> = root.points().filter_map(|point| point.solution()).collect();
    random.shuffle(&mut found); // a run that is ended has seen some of everything
    found
}

/// Keeps what each point takes.
fn time(arguments: &Arguments, space: &DecidedSpace, open: &[Vec<usize>]) -> Result<(), Failed> {
    let (device, mut bench) = arguments.asked.bench(space)?;
    let mut out = append(&arguments.out)?;
    let start = Instant::now();
    let (mut count, mut best_ns, mut kept) = (0, f64::INFINITY, Ok(()));
    let mut told = |_, timed: Timed| {
        count += 1;
        best_ns = timed.time_ns.map_or(best_ns, |time_ns| time_ns.min(best_ns));
        kept =
            serde_json::to_string(&timed).map_err(Failed::from).and_then(|line| Ok(writeln!(out, "{line}")?));
        let seconds = start.elapsed().as_secs_f64();
        if count % 500 == 0 || count == open.len() {
            println!("{count} of {} in {seconds:.0} s, best {:.4} ms", open.len(), best_ns / 1e6);
        }
        kept.is_err() || arguments.seconds.is_some_and(|most| seconds > most)
    };
    arguments.asked.time(space, (device, &mut bench), arguments.runs, open, &mut told);
    kept
}

fn show(space: &DecidedSpace, mut timed: Vec<(Vec<usize>, Timed)>, points: usize) {
    let failed: Vec<&Timed> = timed.iter().map(|one| &one.1).filter(|one| one.time_ns.is_none()).collect();
    println!("{} points are timed, {} failed", timed.len(), failed.len());
    let reasons: BTreeSet<&str> = failed.iter().filter_map(|one| one.error.as_deref()).collect();
    reasons.iter().take(10).for_each(|reason| println!("failed: {reason}"));
    let time_ns = |one: &(Vec<usize>, Timed)| one.1.time_ns.unwrap_or(f64::INFINITY);
    timed.retain(|one| time_ns(one).is_finite());
    timed.sort_unstable_by(|one, other| time_ns(one).total_cmp(&time_ns(other)));
    for one in timed.iter().take(points) {
        let (time_ms, values) = (time_ns(one) / 1e6, &one.0);
        let Timed { registers, shared_bytes, spill_bytes, .. } = one.1;
        println!(
            "\n{time_ms:.4} ms, {registers} registers, {shared_bytes} bytes shared, {spill_bytes} spilled"
        );
        println!("{}\n{}", space.show(values), space.program(values));
    }
}
