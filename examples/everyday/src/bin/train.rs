//! The trainer of these functions: `models/README.md` beside this package says how the shipped models were made.

use std::cell::RefCell;
use std::process::ExitCode;

use nitro_everyday::inputs;
use nitro_everyday::{
    Compressed, Matrix, big_product, compress, difference, find, group, matmul, sort, transform,
};
use nitro_train::{BoxError, Session, ShippedRecordings, Trainer, Tunable};

/// A function with its built-in inputs and its recordings in `models/recordings`.
macro_rules! tunable {
    ($function:ident, $name:literal, $record:expr) => {
        Tunable::new($function::function(), $record)
            .generated_inputs(inputs::$function::names())
            .runs_on("host")
            .shipped(ShippedRecordings {
                measurements: include_bytes!(concat!(
                    "../../models/recordings/",
                    $name,
                    "/measurements.csv.gz"
                )),
                inputs: include_bytes!(concat!("../../models/recordings/", $name, "/inputs.csv.gz")),
                devices: include_bytes!(concat!("../../models/recordings/", $name, "/devices.csv")),
                profiles: None,
                artifacts: None,
                feature_times: Some(include_bytes!(concat!(
                    "../../models/recordings/",
                    $name,
                    "/feature_times.csv.gz"
                ))),
            })
    };
}

fn main() -> ExitCode {
    Trainer::new()
        .tunable(tunable!(sort, "sort", record_sort))
        .tunable(tunable!(find, "find", record_find))
        .tunable(tunable!(matmul, "matmul", record_matmul))
        .tunable(tunable!(group, "group", record_group))
        .tunable(tunable!(big_product, "big_product", record_big_product))
        .tunable(tunable!(compress, "compress", record_compress))
        .tunable(tunable!(transform, "transform", record_transform))
        .main()
}

/// Keys of one kind that take turns where there are few: sorted again and again, the processor would know the
/// outcome of every comparison. A prime, so that each variant meets them all, however many variants there are.
const INSTANCES: u64 = 13;

/// Above so many keys their comparisons are too many to be known by heart.
const MOST_VARIED: usize = 10_000;

fn record_sort(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let first = inputs::sort::load(name, 0)?;
        let count = if first.len() <= MOST_VARIED { INSTANCES } else { 1 };
        let mut all = vec![first];
        for instance in 1..count {
            all.push(inputs::sort::load(name, instance)?);
        }
        let run = |turn: usize| {
            let mut keys = all[turn].clone();
            sort(&mut keys);
            (turn, keys)
        };
        let is_sorted = |_: &_, (turn, found): &(usize, Vec<u64>)| {
            let mut expected = all[*turn].clone();
            expected.sort_unstable();
            *found == expected
        };
        session.checked_input_in_turns(name, all.len(), run, is_sorted)?;
    }
    Ok(())
}

fn record_find(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let search = inputs::find::load(name)?;
        let needles = search.needles();
        session.checked_input(name, || find(&search.text, &needles), |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_matmul(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (a, b) = inputs::matmul::load(name)?;
        let into = RefCell::new(Matrix::zeros(a.rows(), b.columns()));
        let run = || {
            matmul(&a, &b, &mut into.borrow_mut());
            into.borrow().values().to_vec()
        };
        session.checked_input(name, run, |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_group(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (keys, values) = inputs::group::load(name)?;
        let in_order = |groups: &[(u64, u64)]| {
            let mut groups = groups.to_vec();
            groups.sort_unstable();
            groups
        };
        let same = |expected: &Vec<_>, found: &Vec<_>| in_order(expected) == in_order(found);
        session.checked_input(name, || group(&keys, &values), same)?;
    }
    Ok(())
}

fn record_big_product(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (a, b) = inputs::big_product::load(name)?;
        session.checked_input(name, || big_product(&a, &b), |expected, found| expected == found)?;
    }
    Ok(())
}

fn record_compress(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let (data, least_ratio) = inputs::compress::load(name)?;
        // What misses the ratio has to be what the strongest variant, the default, makes.
        let suits = |strongest: &Compressed, found: &Compressed| {
            let suits = found.ratio() >= least_ratio || found == strongest;
            suits && found.decompress().is_some_and(|found| found == data)
        };
        session.checked_input(name, || compress(&data, least_ratio), suits)?;
    }
    Ok(())
}

fn record_transform(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let signal = inputs::transform::load(name)?;
        let run = |mut signal: Vec<_>| {
            transform(&mut signal);
            signal
        };
        let near = |expected: &Vec<_>, found: &Vec<_>| difference(expected, found) < 1e-5;
        session.checked_input_with_setup(name, || signal.clone(), run, near)?;
    }
    Ok(())
}
