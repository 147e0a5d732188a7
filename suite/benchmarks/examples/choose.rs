//! What the shipped models choose on this machine, with one thread and with all of them. In the repository, where
//! `models/` is found:
//!
//! ```sh
//! cargo run --release -p nitro-benchmarks --example choose
//! ```
//!
//! Nothing is measured beforehand. A part of the machine with fewer threads is another device, and the same input
//! may want another variant there.

mod shown;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use nitro::host;
use nitro_benchmarks::{inputs, spmv, transpose};
use rayon::ThreadPoolBuilder;
use shown::{BoxError, by_model, shown};

fn main() -> ExitCode {
    shown(run)
}

fn run(out: &mut dyn Write) -> Result<(), BoxError> {
    for threads in [1, host::available_threads()] {
        // The pool's threads know that they are this part of the machine.
        let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(move |_| host::enter(threads));
        let lines = pool.build()?.install(lines)?;
        write!(out, "host:{threads}\n{lines}")?;
    }
    Ok(())
}

/// What is chosen for each input, and how long it takes.
fn lines() -> Result<String, BoxError> {
    let mut lines = String::new();
    for name in ["test/suitesparse/bcsstk13", "test/suitesparse/rajat01", "test/suitesparse/zenios"] {
        let matrix = inputs::spmv::load(name)?;
        let (x, mut y) = (vec![1.0; matrix.columns()], vec![0.0; matrix.rows()]);
        let selection = by_model(spmv::function(), spmv::select(&matrix, &x, &mut y))?;
        lines += &line(name, &selection, || spmv(&matrix, &x, &mut y));
    }
    for (rows, columns) in [(1000, 1000), (1200, 800), (3, 200_000)] {
        let mut values: Vec<f64> = (0..rows * columns).map(|n| n as f64).collect();
        let selection = by_model(transpose::function(), transpose::select(&mut values, rows, columns))?;
        let input = format!("{rows} x {columns}");
        lines += &line(&input, &selection, || transpose(&mut values, rows, columns));
    }
    Ok(lines)
}

/// A selection, and how long the call that selects again and runs it takes.
fn line(input: &str, selection: &impl std::fmt::Display, call: impl FnOnce()) -> String {
    let begin = Instant::now();
    call();
    format!("  {input:26} {:8.0} us  {selection}\n", begin.elapsed().as_secs_f64() * 1e6)
}
