//! The trainer of the benchmark suite: measures its functions, learns selectors, shows how good they are.
//!
//! Every variant's output is compared with the default variant's.

use std::process::ExitCode;

use nitro_benchmarks::cuda::{
    self, cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose,
};
use nitro_benchmarks::inputs::{self, sort::Keys};
use nitro_benchmarks::variants::{sort::Key, spmv::Matrix};
use nitro_benchmarks::{histogram, sort, spmv, transpose};
use nitro_train::{BoxError, Session, Shipped, Trainer};

/// The recordings of one function in `models/recordings`, `profiled` if hardware counters of its variants are there too.
macro_rules! shipped {
    ($function:literal) => {
        shipped!($function, None)
    };
    ($function:literal, profiled) => {
        shipped!(
            $function,
            Some(include_bytes!(concat!("../../../../models/recordings/", $function, "/profiles.csv")))
        )
    };
    ($function:literal, $profiles:expr) => {
        Shipped {
            function: $function,
            measurements: include_bytes!(concat!(
                "../../../../models/recordings/",
                $function,
                "/measurements.csv.gz"
            )),
            inputs: include_bytes!(concat!("../../../../models/recordings/", $function, "/inputs.csv.gz")),
            devices: include_bytes!(concat!("../../../../models/recordings/", $function, "/devices.csv")),
            profiles: $profiles,
        }
    };
}

/// Adds a function of the suite that runs on one kind of device, with its built-in inputs.
macro_rules! with {
    ($trainer:ident, $kind:literal, $function:ident, $record:expr, $names:expr) => {
        $trainer.function($function::function(), $record).generated_inputs($names).runs_on($kind)
    };
}

fn main() -> ExitCode {
    let trainer = Trainer::new().devices(nitro_cuda::Devices::new());
    let trainer = with!(trainer, "host", histogram, record_histogram, inputs::histogram::names());
    let trainer = with!(trainer, "host", spmv, record_spmv, inputs::spmv::names());
    let trainer = with!(trainer, "host", sort, record_sort, inputs::sort::names());
    let trainer = with!(trainer, "host", transpose, record_transpose, inputs::transpose::names());
    let trainer =
        with!(trainer, "cuda", cuda_histogram, cuda::histogram::record, cuda::histogram::inputs::names());
    let trainer = with!(trainer, "cuda", cuda_spmv, cuda::spmv::record, cuda::spmv::inputs::names());
    let trainer = with!(trainer, "cuda", cuda_sort, cuda::sort::record, cuda::sort::inputs::names());
    let trainer =
        with!(trainer, "cuda", cuda_transpose, cuda::transpose::record, cuda::transpose::inputs::names());
    let trainer = with!(trainer, "cuda", cuda_bfs, cuda::bfs::record, cuda::bfs::inputs::names());
    let trainer = with!(trainer, "cuda", cuda_solver, cuda::solver::record, cuda::solver::inputs::names());
    trainer
        .shipped(shipped!("histogram"))
        .shipped(shipped!("spmv"))
        .shipped(shipped!("sort"))
        .shipped(shipped!("transpose"))
        .shipped(shipped!("cuda_histogram", profiled))
        .shipped(shipped!("cuda_spmv", profiled))
        .shipped(shipped!("cuda_sort", profiled))
        .shipped(shipped!("cuda_transpose", profiled))
        .shipped(shipped!("cuda_solver", profiled))
        .shipped(shipped!("cuda_bfs", profiled))
        .shipped_proxies(include_bytes!("../../../../models/recordings/proxies.csv"))
        .main()
}

fn record_histogram(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("*.{png,jpg,jpeg}") {
        let image = inputs::histogram::load(name)?;
        let run = || {
            let mut bins = [0; 256];
            histogram(&image.pixels, &mut bins);
            bins
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_spmv(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("*.mtx") {
        let matrix = inputs::spmv::load(name)?;
        let x: Vec<f64> = (0..matrix.columns()).map(|column| 1.0 + (column % 17) as f64 / 16.0).collect();
        let run = || {
            let mut y = vec![0.0; matrix.rows()];
            spmv(&matrix, &x, &mut y);
            y
        };
        let tolerance = tolerance(&matrix);
        session.checked_input(name, run, |expected: &Vec<f64>, found| {
            expected.iter().zip(found).zip(&tolerance).all(|((a, b), tolerance)| (a - b).abs() <= *tolerance)
        })?;
    }
    Ok(())
}

/// For each row how far sums in another order may differ: a few units in the last place of the sum of magnitudes.
fn tolerance(matrix: &Matrix) -> Vec<f64> {
    let mut magnitude = vec![0.0; matrix.rows()];
    for (row, _, value) in matrix.entries() {
        magnitude[row as usize] += 2.0 * value.abs();
    }
    magnitude.iter().map(|sum| sum * 1e-12 + f64::MIN_POSITIVE).collect()
}

fn record_sort(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        match inputs::sort::load(name)? {
            Keys::F32(keys) => record_keys(session, name, &keys)?,
            Keys::F64(keys) => record_keys(session, name, &keys)?,
        }
    }
    Ok(())
}

fn record_keys<K: Key + PartialEq>(session: &Session<'_>, name: &str, keys: &[K]) -> Result<(), BoxError> {
    let run = || {
        let mut keys = keys.to_vec();
        sort(&mut keys);
        keys
    };
    Ok(session.checked_input(name, run, |expected, found| expected == found)?)
}

fn record_transpose(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let matrix = inputs::transpose::load(name)?;
        let run = || {
            let mut values = matrix.values.clone();
            transpose(&mut values, matrix.rows, matrix.columns);
            values
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}
