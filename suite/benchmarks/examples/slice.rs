//! The same product of a sparse matrix and a vector, on a whole GPU and on 16 of its multiprocessors: what the
//! shipped model chooses on each where the choices differ, and what the other choice would have cost. In the
//! repository, where `models/` is found:
//!
//! ```sh
//! cargo run --release -p nitro-benchmarks --example slice
//! ```
//!
//! The model has learned from other matrices.

mod shown;

use std::io::Write;
use std::process::ExitCode;

use nitro::Device;
use nitro_benchmarks::cuda::cuda_spmv;
use nitro_benchmarks::cuda::spmv::{Matrix, inputs};
use nitro_cuda::{Buffer, Cuda, CudaError};
use shown::{BoxError, by_model, shown};

/// Matrices that are shown.
const SHOWN: usize = 5;

/// Smaller matrices take about as long as a launch, whatever the variant.
const LEAST_NONZEROS: usize = 1_000_000;

/// Calls whose median is printed.
const CALLS: usize = 51;

fn main() -> ExitCode {
    shown(run)
}

fn run(out: &mut dyn Write) -> Result<(), BoxError> {
    let devices = [nitro_cuda::device(0)?, nitro_cuda::partition(0, 16)?];
    let mut shown = 0;
    for name in inputs::names().iter().filter(|name| name.starts_with("test/")) {
        let csr = inputs::load(name)?;
        if csr.pattern().nonzeros() < LEAST_NONZEROS {
            continue;
        }
        let problems = devices.map(|device| device.scope(|| Problem::new(device, &csr)));
        let mut problems = problems.into_iter().collect::<Result<Vec<_>, _>>()?;
        let choices = problems.iter_mut().map(Problem::choice).collect::<Result<Vec<_>, _>>()?;
        if choices[0] == choices[1] {
            continue;
        }
        writeln!(out, "{name}")?;
        for (index, problem) in problems.iter_mut().enumerate() {
            let (own, other) = (choices[index], choices[1 - index]);
            let (own_us, other_us) = (problem.time_us(own)?, problem.time_us(other)?);
            let device = problem.device.to_string();
            writeln!(
                out,
                "  {device:34} {own:10} {own_us:8.1} us   {other:10} would take {other_us:8.1} us"
            )?;
        }
        shown += 1;
        if shown == SHOWN {
            break;
        }
    }
    match shown {
        0 => Err("the model chooses the same on both for every matrix: there is nothing to show".into()),
        _ => Ok(()),
    }
}

/// A matrix and vectors on one device.
struct Problem {
    device: Cuda,
    a: Matrix,
    x: Buffer<f64>,
    y: Buffer<f64>,
}

impl Problem {
    fn new(device: Cuda, csr: &nitro_benchmarks::cuda::spmv::Csr) -> Result<Self, CudaError> {
        let a = Matrix::new(csr)?;
        let (x, y) = (Buffer::from_slice(&vec![1.0; a.columns()])?, Buffer::zeroed(a.rows())?);
        Ok(Self { device, a, x, y })
    }

    /// What a call would run here.
    fn choice(&mut self) -> Result<cuda_spmv::Variant, BoxError> {
        let selection = self.device.scope(|| cuda_spmv::select(&self.a, &self.x, &mut self.y));
        Ok(by_model(cuda_spmv::function(), selection)?.variant())
    }

    /// Median time of a variant here, in microseconds.
    fn time_us(&mut self, variant: cuda_spmv::Variant) -> Result<f64, CudaError> {
        let mut stopwatch = self.device.stopwatch();
        let times = (0..CALLS).map(|_| {
            stopwatch.start();
            self.device.scope(|| cuda_spmv::call(variant, &self.a, &self.x, &mut self.y))?;
            Ok(stopwatch.stop() / 1e3)
        });
        let mut times = times.collect::<Result<Vec<f64>, CudaError>>()?;
        times.sort_by(f64::total_cmp);
        Ok(times[CALLS / 2])
    }
}
