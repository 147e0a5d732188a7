//! The trainer of these functions.

use std::cell::RefCell;
use std::process::ExitCode;

use nitro_benchmarks::cuda::transpose::reference;
use nitro_cuda::Buffer;
use nitro_train::{BoxError, Session, Trainer, Tunable};
use nitro_tuning::cuda::cuda_transpose;
use nitro_tuning::{sum, transpose};

/// Rows and columns; of the last two of each list the caches of a core or a GPU are too small.
const TRAIN: [(usize, usize); 6] = [(8, 8), (40, 30), (100, 300), (513, 257), (1024, 1024), (2000, 1500)];
const TEST: [(usize, usize); 4] = [(16, 12), (200, 90), (700, 700), (1200, 2048)];

fn main() -> ExitCode {
    let names = || names().into_iter();
    Trainer::new()
        .devices(nitro_cuda::Devices::new())
        .tunable(Tunable::new(sum::function(), record_sum).generated_inputs(names()).runs_on("host"))
        .tunable(
            Tunable::new(transpose::function(), record_transpose).generated_inputs(names()).runs_on("host"),
        )
        .tunable(
            Tunable::new(cuda_transpose::function(), record_cuda).generated_inputs(names()).runs_on("cuda"),
        )
        .main()
}

fn names() -> Vec<String> {
    let name = |split: &str, &(rows, columns): &(usize, usize)| format!("{split}/{rows}x{columns}");
    TRAIN
        .iter()
        .map(|shape| name("train", shape))
        .chain(TEST.iter().map(|shape| name("test", shape)))
        .collect()
}

/// The matrix of a name such as `train/40x30`.
fn matrix(name: &str) -> Result<(Vec<f64>, usize, usize), BoxError> {
    let shape = name.rsplit('/').next().and_then(|shape| shape.split_once('x'));
    let (rows, columns) = shape.ok_or_else(|| format!("`{name}` is not named like `train/40x30`"))?;
    let (rows, columns): (usize, usize) = (rows.parse()?, columns.parse()?);
    Ok(((0..rows * columns).map(|index| index as f64).collect(), rows, columns))
}

fn record_sum(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (values, ..) = matrix(name)?;
        // The sums of small whole numbers round nowhere, whatever the order.
        session.checked_input(name, || sum(&values), |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_transpose(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (values, rows, _) = matrix(name)?;
        let into = RefCell::new(vec![0.0; values.len()]);
        let run = || {
            transpose(&values, rows, &mut into.borrow_mut());
            into.borrow().clone()
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_cuda(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (values, rows, columns) = matrix(name)?;
        let (expected, original) = (reference(&values, rows, columns), Buffer::from_slice(&values)?);
        let buffer = RefCell::new(Buffer::uninit(values.len())?);
        let run = || {
            let buffer = &mut *buffer.borrow_mut();
            buffer.copy_from(&original)?;
            cuda_transpose(buffer, rows, columns)
        };
        let is_right = || buffer.borrow().to_vec().is_ok_and(|found| found == expected);
        session.checked_input(name, run, |_, found| found.is_ok() && is_right())?;
    }
    Ok(())
}
