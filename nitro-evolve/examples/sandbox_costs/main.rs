//! What a sandbox costs on a GPU: starting and replacing workers, loading, and how steady times are. `cargo run
//! --release -p nitro-variants-evolve --example sandbox_costs`.

mod loads;

use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nitro_cuda::{Options, Output, Source, compile};
use nitro_evolve::Effort;
use nitro_evolve::runner::{Code, RunOutcome, Runner};
use nitro_evolve::sandbox::{Assembler, CudaRunner, Limits, Sandbox, serve};
use nitro_evolve::{Set, Workload};

const EFFORT: Effort = Effort::new(7, 2);
const REPEATS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("worker") => Ok(serve(|| CudaRunner::open("cuda:0"), std::io::stdin(), std::io::stdout())?),
        Some("loads") => loads::measure(),
        _ => measure(),
    }
}

fn measure() -> Result<(), Box<dyn Error>> {
    let workload =
        Workload::parse(Path::new("faults.toml"), include_str!("../../tests/sandbox/faults.toml"))?;
    let program = std::env::current_exe()?;
    let mut command = Command::new(&program);
    command.arg("worker");
    let (sandbox, start) = timed(|| Sandbox::start(command, Limits::default()));
    let mut sandbox = sandbox?;
    row("worker started (process, context, comparison kernels)", start);
    let assembler = sandbox.architecture().and_then(Assembler::find);
    println!("{} with{} ptxas", sandbox.name(), if assembler.is_some() { "" } else { "out" });
    let code = |fault: &str| code(fault, assembler.as_ref());

    let original = code("RIGHT")?;
    let (begun, begin) = timed(|| sandbox.begin(&workload, &original, &[Set::Search]));
    begun?;
    row("begun with a workload of 0.4 MB", begin);
    let right = code("SLOWER")?;
    run(&mut sandbox, &right)?; // and the original, for the deadline
    let mut questions = [(); REPEATS].map(|()| timed(|| run(&mut sandbox, &right)).1);
    questions.sort();
    row("candidate, from question to answer (median)", questions[REPEATS / 2]);

    for fault in ["FAR_BEHIND", "TRAP", "ENDLESS"] {
        let code = code(fault)?;
        let (outcome, taken) = timed(|| sandbox.run(&code, Set::Search, EFFORT));
        println!("  {fault}: {:?}", outcome?);
        row(&format!("{fault}, from question to answer"), taken);
        let (next, taken) = timed(|| run(&mut sandbox, &right));
        next?;
        row("  the next one, with its new worker", taken);
    }
    println!("{:?}", sandbox.statistics());
    steadiness(&mut sandbox, &right)?;
    drop(sandbox);
    Command::new(program).arg("loads").env("CUDA_CACHE_DISABLE", "1").status()?;
    Ok(())
}

/// How far times are apart that should be the same.
fn steadiness(sandbox: &mut Sandbox, code: &Code) -> Result<(), Box<dyn Error>> {
    for runs in [1, 3, 7, 21] {
        let effort = Effort::new(runs, 1);
        let mut times_ns = Vec::new();
        for _ in 0..REPEATS {
            match sandbox.run(code, Set::Search, effort)? {
                RunOutcome::Ran(results) => times_ns.push(results[0].time_ns),
                RunOutcome::Failed(_, why) => return Err(why.into()),
            }
        }
        times_ns.sort_by(f64::total_cmp);
        let [least, median, most] = [0, REPEATS / 2, REPEATS - 1].map(|at| times_ns[at]);
        println!(
            "{:<60} {median:>10.0} ns, {:+.2} % to {:+.2} %",
            format!("time of a kernel, median of {runs} runs, {REPEATS} times"),
            100.0 * (least / median - 1.0),
            100.0 * (most / median - 1.0)
        );
    }
    Ok(())
}

fn run(sandbox: &mut Sandbox, code: &Code) -> Result<(), Box<dyn Error>> {
    match sandbox.run(code, Set::Search, EFFORT)? {
        RunOutcome::Ran(_) => Ok(()),
        RunOutcome::Failed(_, why) => Err(why.into()),
    }
}

/// The kernels of the tests with one of their faults.
fn code(fault: &str, assembler: Option<&Assembler>) -> Result<Code, Box<dyn Error>> {
    let source = Source::new("faults.cu", include_str!("../../tests/sandbox/faults.cu"));
    let options = Options::new(80).define("FAULT", fault).with_output(Output::Ptx);
    let image = compile(&source, &options)?;
    let ptx = image.ptx().ok_or("NVRTC makes PTX")?;
    let images = assembler.map(|assembler| assembler.assemble(ptx)).transpose()?;
    Ok(Code { ptx: ptx.into(), images: images.into_iter().collect() })
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed())
}

fn row(what: &str, taken: Duration) {
    println!("{what:<60} {:>10.3} ms", taken.as_secs_f64() * 1e3);
}
