//! The trainer of the benchmark suite: measures its functions, learns selectors, shows how good they are.
//!
//! Every variant's output is compared with the default variant's.

mod evolve;

use std::process::ExitCode;

use nitro_benchmarks::cuda::{
    self, cuda_bfs, cuda_histogram, cuda_solver, cuda_sort, cuda_spmv, cuda_transpose,
};
use nitro_benchmarks::inputs::{self, sort::Keys};
use nitro_benchmarks::variants::{sort::Key, spmv::Matrix};
use nitro_benchmarks::{histogram, sort, spmv, transpose};
use nitro_train::{BoxError, Session, ShippedRecordings, Trainer, Tunable};

/// A file of the recordings of a function in `models/recordings`.
macro_rules! recorded {
    ($function:literal, $file:literal) => {
        include_bytes!(concat!("../../../../../models/recordings/", $function, "/", $file))
    };
}

/// The recordings of one function: with what its features take, or `profiled`, with hardware counters of its variants.
macro_rules! shipped {
    ($function:literal) => {
        ShippedRecordings {
            feature_times: Some(recorded!($function, "feature_times.csv.gz")),
            artifacts: None,
            profiles: None,
            ..shipped!($function, measured)
        }
    };
    ($function:literal, profiled) => {
        ShippedRecordings {
            profiles: Some(recorded!($function, "profiles.csv")),
            ..shipped!($function, measured)
        }
    };
    ($function:literal, measured) => {
        ShippedRecordings {
            measurements: recorded!($function, "measurements.csv.gz"),
            inputs: recorded!($function, "inputs.csv.gz"),
            devices: recorded!($function, "devices.csv"),
            profiles: None,
            feature_times: None,
            artifacts: None,
        }
    };
}

/// A function of the suite that runs on the host, with its built-in inputs and its recordings.
macro_rules! on_host {
    ($function:ident, $name:literal, $record:expr) => {
        Tunable::new($function::function(), $record)
            .generated_inputs(inputs::$function::names())
            .runs_on("host")
            .shipped(shipped!($name))
    };
}

/// A function of the suite that runs on a GPU, as [`on_host`].
macro_rules! on_gpu {
    ($function:ident, $name:literal, $module:ident) => {
        Tunable::new($function::function(), cuda::$module::record)
            .generated_inputs(cuda::$module::inputs::names())
            .runs_on("cuda")
            .shipped(shipped!($name, profiled))
    };
}

fn main() -> ExitCode {
    Trainer::new()
        .devices(nitro_cuda::Devices::new())
        .command(evolve::EvolveProgram)
        .tunable(on_host!(histogram, "histogram", record_histogram))
        .tunable(on_host!(spmv, "spmv", record_spmv))
        .tunable(on_host!(sort, "sort", record_sort))
        .tunable(on_host!(transpose, "transpose", record_transpose))
        .tunable(on_gpu!(cuda_histogram, "cuda_histogram", histogram))
        .tunable(on_gpu!(cuda_spmv, "cuda_spmv", spmv))
        .tunable(on_gpu!(cuda_sort, "cuda_sort", sort))
        .tunable(on_gpu!(cuda_transpose, "cuda_transpose", transpose))
        .tunable(on_gpu!(cuda_bfs, "cuda_bfs", bfs))
        .tunable(on_gpu!(cuda_solver, "cuda_solver", solver))
        .shipped_proxies(include_bytes!("../../../../../models/recordings/proxies.csv"))
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
    for name in session.inputs(inputs::spmv::FILES) {
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
