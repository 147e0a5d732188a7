//! What choosing a variant, or a module that may be dropped, adds to the host's time of a kernel launch:
//! `cargo bench -p nitro-variants-cuda --bench launch`.
//!
//! All lines are measured in one run, in turn, and compared with launching alone.

#[path = "../../benches/dispatch/models.rs"]
#[allow(dead_code)] // `dispatch` uses more of it
mod models;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Kernel, Module, Program};

static PROGRAM: Program =
    Program::new("touch.cu", "extern \"C\" __global__ void touch(unsigned *x) { atomicAdd(x, 1u); }");

/// What a call works on: a kernel that does next to nothing, and six features.
struct Work {
    kernel: Kernel<'static>,
    module: Arc<Module>,
    counter: Buffer<u32>,
    features: [f64; 6],
}

fn launch(kernel: Kernel<'_>, work: &Work, threads: u32) -> Result<(), CudaError> {
    // SAFETY: the kernel counts in one number, which the buffer has.
    unsafe { kernel.launch(Grid::linear(1, threads), &[(&work.counter).into()]) }
}

#[inline(never)]
fn warp(work: &Work) -> Result<(), CudaError> {
    launch(work.kernel, work, 32)
}

fn two_warps(work: &Work) -> Result<(), CudaError> {
    launch(work.kernel, work, 64)
}

fn three_warps(work: &Work) -> Result<(), CudaError> {
    launch(work.kernel, work, 96)
}

fn four_warps(work: &Work) -> Result<(), CudaError> {
    launch(work.kernel, work, 128)
}

/// Definitions as a variant with two parameters has them.
const DEFINITIONS: [(&str, i64); 2] = [("TILE", 32), ("BLOCK_ROWS", 8)];

fn of_program(work: &Work) -> Result<(), CudaError> {
    launch(PROGRAM.kernel("touch")?, work, 32)
}

fn of_module(work: &Work) -> Result<(), CudaError> {
    launch(work.module.kernel("touch")?, work, 32)
}

fn of_configuration(work: &Work) -> Result<(), CudaError> {
    launch(PROGRAM.module(&DEFINITIONS)?.kernel("touch")?, work, 32)
}

/// A function of the name that is chosen by the model of that name.
macro_rules! dispatched {
    ($($name:ident $(= $model:expr)?;)*) => {$(
        #[code_variant(
            name = "bench",
            device = nitro_cuda::current(),
            features(
                a = work.features[0], b = work.features[1], c = work.features[2],
                d = work.features[3], e = work.features[4], f = work.features[5],
            ),
            variants(warp, two_warps, three_warps, four_warps),
            default = warp,
            $(model = $model,)?
        )]
        fn $name(work: &Work) -> Result<(), CudaError>;
    )*};
}

dispatched! {
    no_model;
    svm_200 = embedded(models::svm(200));
    forest_64 = embedded(models::forest(64));
}

fn embedded(selector: nitro::model::Selector) -> &'static [u8] {
    models::embedded(selector, (None, false), ["warp", "two_warps", "three_warps", "four_warps"], "sm_count")
}

type Call = fn(&Work) -> Result<(), CudaError>;

const ROUNDS: usize = 101;
/// Few enough that the queue of the device never fills.
const LAUNCHES: usize = 256;

/// Median over the rounds of the host's time of a call, in nanoseconds, for each line.
fn medians_ns(
    lines: &[(&str, bool, Call)],
    work: &mut Work,
    points: &[[f64; 6]],
) -> Result<Vec<f64>, CudaError> {
    let mut times = vec![Vec::with_capacity(ROUNDS); lines.len()];
    for _ in 0..ROUNDS {
        for ((_, repeated, call), times) in lines.iter().zip(&mut times) {
            let begin = Instant::now();
            for index in 0..LAUNCHES {
                work.features = points[if *repeated { 0 } else { index }];
                black_box(call)(black_box(work))?;
            }
            times.push(begin.elapsed().as_nanos() as f64 / LAUNCHES as f64);
            work.counter.stream().synchronize()?;
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    Ok(times.iter().map(|times| times[ROUNDS / 2]).collect())
}

fn run() -> Result<(), CudaError> {
    let lines: [(&str, bool, Call); 9] = [
        ("launch alone", false, warp),
        ("program's kernel, by name", false, of_program),
        ("module's kernel, by name", false, of_module),
        ("configuration's kernel, by name", false, of_configuration),
        ("dispatched, no model", false, no_model),
        ("repeated input, 200 support vectors", true, svm_200),
        ("repeated input, forest of 64 trees", true, forest_64),
        ("new input, 200 support vectors", false, svm_200),
        ("new input, forest of 64 trees", false, forest_64),
    ];
    let points: Vec<[f64; 6]> = models::points(LAUNCHES).collect();
    let mut work = Work {
        kernel: PROGRAM.kernel("touch")?,
        module: PROGRAM.module(&DEFINITIONS)?,
        counter: Buffer::zeroed(1)?,
        features: points[0],
    };
    let reasons = [svm_200::select(&work).reason(), forest_64::select(&work).reason()];
    assert_eq!(reasons, [nitro::Reason::Predicted; 2], "the models decide");
    let times = medians_ns(&lines, &mut work, &points)?;
    println!("{:38} {:>9} {:>9} {:>8}", "host time of a launch", "ns", "more ns", "ratio");
    for ((name, ..), time) in lines.iter().zip(&times) {
        println!("{name:38} {time:9.1} {:9.1} {:8.3}", time - times[0], time / times[0]);
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error @ (CudaError::NoDriver | CudaError::NoDevice)) => {
            println!("Nothing was measured: {error}");
            std::process::ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}
