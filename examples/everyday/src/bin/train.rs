//! The trainer of these functions: `models/README.md` beside this package says how the shipped models were made.

use std::cell::RefCell;
use std::process::ExitCode;

use nitro_everyday::inputs::find::Search;
use nitro_everyday::inputs::group::Columns;
use nitro_everyday::inputs::transform::Signal;
use nitro_everyday::inputs::{self, NameError};
use nitro_everyday::{
    Compressed, Matrix, Natural, Product, big_product, compress, difference, find, group, matmul, sort,
    transform,
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

/// Instances of an input that take turns. With one alone the processor would know the outcome of every comparison,
/// and would find all data in its nearest caches: an application's calls come with other data. A prime, so that each
/// variant meets them all, however many variants there are.
const INSTANCES: u64 = 13;

/// Measures the instances of an input in turns; `is_right` judges what a run has given for one.
fn in_turns<I, R>(
    session: &Session<'_>,
    name: &str,
    load: impl Fn(u64) -> Result<I, NameError>,
    run: impl Fn(&I) -> R,
    is_right: impl Fn(&I, &R) -> bool,
) -> Result<(), BoxError> {
    let all = (0..INSTANCES).map(load).collect::<Result<Vec<I>, NameError>>()?;
    let numbered = |turn: usize| (turn, run(&all[turn]));
    let is_right = |_: &_, (turn, found): &(usize, R)| is_right(&all[*turn], found);
    Ok(session.checked_input_in_turns(name, all.len(), numbered, is_right)?)
}

fn record_sort(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let run = |keys: &Vec<u64>| {
            let mut keys = keys.clone();
            sort(&mut keys);
            keys
        };
        let is_sorted = |keys: &Vec<u64>, found: &Vec<u64>| {
            let mut expected = keys.clone();
            expected.sort_unstable();
            *found == expected
        };
        in_turns(session, name, |instance| inputs::sort::load(name, instance), run, is_sorted)?;
    }
    Ok(())
}

fn record_find(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let run = |search: &Search| find(&search.text, &search.needles());
        let is_first = |search: &Search, found: &Option<usize>| {
            *found == find::call(find::Variant::OneByOne, &search.text, &search.needles())
        };
        in_turns(session, name, |instance| inputs::find::load(name, instance), run, is_first)?;
    }
    Ok(())
}

fn record_matmul(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let load = |instance| {
            let (a, b) = inputs::matmul::load(name, instance)?;
            let into = Matrix::zeros(a.rows(), b.columns());
            Ok((a, b, RefCell::new(into)))
        };
        let run = |(a, b, into): &(Matrix, Matrix, RefCell<Matrix>)| {
            matmul(a, b, &mut into.borrow_mut());
            into.borrow().values().to_vec()
        };
        let is_product = |(a, b, _): &(Matrix, Matrix, RefCell<Matrix>), found: &Vec<f32>| {
            let mut expected = Matrix::zeros(a.rows(), b.columns());
            matmul::call(matmul::Variant::Packed, a, b, &mut expected);
            expected.values() == found
        };
        in_turns(session, name, load, run, is_product)?;
    }
    Ok(())
}

fn record_group(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let in_order = |mut groups: Vec<(u64, u64)>| {
            groups.sort_unstable();
            groups
        };
        let are_groups = |(keys, values): &Columns, found: &Vec<(u64, u64)>| {
            in_order(found.clone()) == in_order(group::call(group::Variant::StdTable, keys, values))
        };
        let run = |(keys, values): &Columns| group(keys, values);
        in_turns(session, name, |instance| inputs::group::load(name, instance), run, are_groups)?;
    }
    Ok(())
}

fn record_big_product(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let run = |(a, b): &(Natural, Natural)| big_product(a, b);
        let is_product = |(a, b): &(Natural, Natural), found: &Product| {
            *found == big_product::call(big_product::Variant::Num, a, b)
        };
        in_turns(session, name, |instance| inputs::big_product::load(name, instance), run, is_product)?;
    }
    Ok(())
}

fn record_compress(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let run = |(data, least_ratio): &(Vec<u8>, f64)| compress(data, *least_ratio);
        // What misses the ratio has to be what the strongest variant, the default, makes.
        let suits = |(data, least_ratio): &(Vec<u8>, f64), found: &Compressed| {
            let strongest = || compress::call(compress::Variant::Strongest, data, *least_ratio);
            let suits = found.ratio() >= *least_ratio || *found == strongest();
            suits && found.decompress().is_some_and(|found| found == *data)
        };
        in_turns(session, name, |instance| inputs::compress::load(name, instance), run, suits)?;
    }
    Ok(())
}

fn record_transform(session: &mut Session<'_>) -> Result<(), BoxError> {
    for name in session.inputs("") {
        let run = |signal: &Signal| {
            let mut signal = signal.clone();
            transform(&mut signal);
            signal
        };
        let is_near = |signal: &Signal, found: &Signal| {
            let mut expected = signal.clone();
            transform::call(transform::Variant::Planned, &mut expected);
            difference(&expected, found) < 1e-5
        };
        in_turns(session, name, |instance| inputs::transform::load(name, instance), run, is_near)?;
    }
    Ok(())
}
