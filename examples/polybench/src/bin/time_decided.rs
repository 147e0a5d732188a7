//! Times points of a space of decisions on the first GPU, and keeps their times as lines of JSON.

use std::collections::{BTreeSet, HashSet};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use nitro_codegen::{DecidedSpace, Mapping, Program, Schedule, TileSizes};
use nitro_cuda::{Cuda, Options, Usage};
use nitro_polybench::gpu::{Bench, Compiled, Error};
use nitro_search::partial::{Limits, Partial, Values};
use nitro_search::random::Random;
use serde::{Deserialize, Serialize};

/// Times points of a space of decisions on the first GPU
///
/// Each point is compared with what plain loops give before it is timed. Results are appended to a file of lines of JSON; what stands there already is not timed again, so
/// that a run that was ended goes on.
#[derive(Parser)]
struct Arguments {
    /// The kernel
    #[arg(long, value_enum, default_value_t = Space::Sgemm)]
    space: Space,
    /// The size of each dimension
    #[arg(long, default_value_t = 1024)]
    size: u64,
    /// Products of a batch
    #[arg(long, default_value_t = 512)]
    batch: u64,
    /// Which tiles
    #[arg(long, value_enum, default_value_t = Tiles::Reduced)]
    tiles: Tiles,
    /// Points, drawn at random; 0 are all of them
    #[arg(long, default_value_t = 0)]
    leaves: usize,
    /// Of the drawing
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Runs of each point, of which the median counts
    #[arg(long, default_value_t = 7)]
    runs: usize,
    /// Launches in a row of each run
    #[arg(long, default_value_t = 1)]
    launches: usize,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Space {
    Sgemm,
    BatchedSgemm,
    Axpy,
    Matvec,
    Gesummv,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Tiles {
    Reduced,
    Full,
}

/// A line of results.
#[derive(Serialize, Deserialize)]
struct Timed {
    /// Kernel, sizes and tiles.
    space: String,
    /// One value of each choice.
    values: Vec<usize>,
    /// The median of its runs; none: it does not run, or gives something else.
    time_ns: Option<f64>,
    /// All runs.
    times_ns: Vec<f64>,
    registers: u32,
    shared_bytes: u32,
    spill_bytes: u32,
    error: Option<String>,
}

type Failed = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failed> {
    let space = space(arguments)?;
    let name = name(arguments);
    let done: Vec<Timed> = read(&arguments.out)?.into_iter().filter(|timed| timed.space == name).collect();
    if let Some(points) = arguments.best {
        return show(&space, done, points);
    }
    let known: HashSet<Vec<usize>> = done.into_iter().map(|timed| timed.values).collect();
    let points = points(space.root(), arguments);
    let open: Vec<Vec<usize>> = points.into_iter().filter(|values| !known.contains(values)).collect();
    println!("{name}: {} points, {} are timed already", open.len() + known.len(), known.len());
    time(arguments, &space, &name, &open)
}

fn space(arguments: &Arguments) -> Result<DecidedSpace, Failed> {
    let tiles = if arguments.tiles == Tiles::Full { TileSizes::full() } else { TileSizes::reduced() };
    let (size, limits) = (arguments.size, Limits::default());
    Ok(match arguments.space {
        Space::Sgemm => DecidedSpace::sgemm([size; 3], &tiles, &limits)?,
        Space::BatchedSgemm => DecidedSpace::batched_sgemm(arguments.batch, [size; 3], &tiles, &limits)?,
        Space::Axpy => DecidedSpace::axpy(size, &tiles, &limits)?,
        Space::Matvec => DecidedSpace::matvec([size; 2], &tiles, &limits)?,
        Space::Gesummv => DecidedSpace::gesummv(size, &tiles, &limits)?,
    })
}

fn name(arguments: &Arguments) -> String {
    let batch = match arguments.space {
        Space::BatchedSgemm => format!("{} x ", arguments.batch),
        _ => String::new(),
    };
    format!("{:?} {batch}{} {:?}", arguments.space, arguments.size, arguments.tiles).to_lowercase()
}

fn read(path: &Path) -> Result<Vec<Timed>, Failed> {
    let text = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// All points, or some that are drawn: each choice in turn one of what is open.
fn points(root: &Partial, arguments: &Arguments) -> Vec<Vec<usize>> {
    let mut random = Random::new(arguments.seed);
    if arguments.leaves > 0 {
        let drawn = std::iter::repeat_with(|| draw(root, &mut random)).flatten();
        return drawn.take(arguments.leaves).collect();
    }
    let (mut found, mut open) = (Vec::new(), vec![root.clone()]);
    while let Some(partial) = open.pop() {
        let Some(choice) = partial.first_open() else {
            found.extend(partial.solution());
            continue;
        };
        open.extend(partial.values(choice).iter().filter_map(|value| {
            let mut child = partial.clone();
            child.restrict(choice, Values::of([value])).ok()?;
            Some(child)
        }));
    }
    random.shuffle(&mut found); // a run that is ended has seen some of everything
    found
}

fn draw(root: &Partial, random: &mut Random) -> Option<Vec<usize>> {
    let mut partial = root.clone();
    while let Some(choice) = partial.first_open() {
        let open: Vec<usize> = partial.values(choice).iter().collect();
        partial.restrict(choice, Values::of([open[random.below(open.len())]])).ok()?;
    }
    partial.solution()
}

/// A point that is compiled: its position, and what it takes of a multiprocessor.
type Built = (usize, Result<(Usage, Compiled), Error>);

/// Compiles on all cores, and times what is compiled one after the other.
fn time(arguments: &Arguments, space: &DecidedSpace, name: &str, open: &[Vec<usize>]) -> Result<(), Failed> {
    let device = nitro_cuda::device(0)?;
    let reference = reference(space)?;
    let mut bench = Bench::new(space.nest(), &reference, Vec::new(), device)?;
    let mut out = OpenOptions::new().create(true).append(true).open(&arguments.out)?;
    writeln!(out)?; // the last line of a run that was ended may be half of one
    let (next, start) = (AtomicUsize::new(0), Instant::now());
    let is_over = || arguments.seconds.is_some_and(|seconds| start.elapsed().as_secs_f64() > seconds);
    let (sender, compiled) = mpsc::sync_channel::<Built>(64);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let (sender, next, is_over) = (sender.clone(), &next, &is_over);
            scope.spawn(move || {
                let position = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !is_over());
                while let Some((at, values)) = position().and_then(|at| Some((at, open.get(at)?))) {
                    let built = build(&space.program(values), device);
                    if sender.send((at, built)).is_err() {
                        return; // timing ended with an error
                    }
                }
            });
        }
        drop(sender);
        let mut best_ns = f64::INFINITY;
        for (count, (at, built)) in compiled.into_iter().enumerate() {
            let timed = timed(&mut bench, arguments, name, &open[at], built);
            best_ns = timed.time_ns.map_or(best_ns, |time_ns| time_ns.min(best_ns));
            writeln!(out, "{}", serde_json::to_string(&timed)?)?;
            if (count + 1) % 500 == 0 || count + 1 == open.len() {
                let seconds = start.elapsed().as_secs_f64();
                println!("{} of {} in {seconds:.0} s, best {:.4} ms", count + 1, open.len(), best_ns / 1e6);
            }
        }
        Ok(())
    })
}

fn build(program: &Program, device: Cuda) -> Result<(Usage, Compiled), Error> {
    let compiled = Compiled::new(program, &[], Options::for_device(device))?;
    Ok((compiled.usage(&program.kernels[0].name), compiled))
}

fn timed(
    bench: &mut Bench<'_>,
    arguments: &Arguments,
    name: &str,
    values: &[usize],
    built: Result<(Usage, Compiled), Error>,
) -> Timed {
    let times = built.and_then(|(usage, compiled)| {
        Ok((usage, bench.times_ns(compiled, arguments.runs, arguments.launches)?))
    });
    let (usage, mut times_ns, error) = match times {
        Ok((usage, times_ns)) => (usage, times_ns, None),
        Err(error) => (Usage::default(), Vec::new(), Some(error.to_string())),
    };
    times_ns.sort_unstable_by(f64::total_cmp);
    Timed {
        space: name.to_owned(),
        values: values.to_vec(),
        time_ns: times_ns.get(times_ns.len() / 2).copied().filter(|time_ns| time_ns.is_finite()),
        times_ns,
        registers: usage.registers,
        shared_bytes: usage.static_shared_bytes,
        spill_bytes: usage.spill_bytes,
        error,
    }
}

/// A thread for each element, every sum in its order.
fn reference(space: &DecidedSpace) -> Result<Program, Failed> {
    let schedule = Schedule { coalesces: true, ..Schedule::default() };
    let mapping = Mapping::naive().with_register_promotion().with_schedule(schedule);
    let nest = space.nest();
    Ok(nest.map(&nest.dependences()?, &mapping))
}

fn show(space: &DecidedSpace, mut timed: Vec<Timed>, points: usize) -> Result<(), Failed> {
    let failed: Vec<&Timed> = timed.iter().filter(|one| one.time_ns.is_none()).collect();
    println!("{} points are timed, {} failed", timed.len(), failed.len());
    let reasons: BTreeSet<&str> = failed.iter().filter_map(|one| one.error.as_deref()).collect();
    reasons.iter().take(10).for_each(|reason| println!("failed: {reason}"));
    timed.retain(|one| one.time_ns.is_some());
    timed.sort_unstable_by(|one, other| one.time_ns.partial_cmp(&other.time_ns).expect("times are finite"));
    for one in timed.iter().take(points) {
        let time_ms = one.time_ns.unwrap_or(f64::NAN) / 1e6;
        let Timed { registers, shared_bytes, spill_bytes, .. } = one;
        println!(
            "\n{time_ms:.4} ms, {registers} registers, {shared_bytes} bytes shared, {spill_bytes} spilled"
        );
        println!("{}\n{}", space.show(&one.values), space.program(&one.values));
    }
    Ok(())
}
