//! How long a C-SVC for several classes takes to train, for `scripts/compare_libsvm_speed.py`.
//!
//! ```text
//! cargo run --release -p nitro-variants-learn --example svm_speed -- POINTS C GAMMA
//! ```
//!
//! `POINTS` is in LIBSVM's text form, without gaps: label, then `column:value` of every column. Prints the least
//! time of 31 trainings in milliseconds, kernel values included, then on one line the predicted label of every
//! point.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use nitro_learn::learners::svm::{Machine, SamplesByClass, Smo, Stop};
use nitro_learn::space::{DeviceSpace, InputSpace};
use nitro_learn::task::Sample;

const REPEATS: usize = 31;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [points, cost, gamma] = arguments.as_slice() else {
        return Err("usage: svm_speed POINTS C GAMMA".into());
    };
    let (labels, rows) = read(points)?;
    let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
    let (cost, gamma): (f64, f64) = (cost.parse()?, gamma.parse()?);
    let times_ms = (0..REPEATS).map(|_| train(&labels, &rows, cost, gamma).0);
    let mut out = std::io::stdout();
    writeln!(out, "{:.3}", times_ms.fold(f64::INFINITY, f64::min))?;
    let (_, set, machine) = train(&labels, &rows, cost, gamma);
    let space = InputSpace::scaled(&rows);
    let kernel = space.kernel(gamma);
    let predict =
        |input: usize| machine.ranking(&machine.partial_sums(&set, &kernel, &[input], 1)[0], &[1.0])[0];
    let predicted: Vec<String> = (0..rows.len()).map(|input| predict(input).to_string()).collect();
    writeln!(out, "{}", predicted.join(" "))?;
    Ok(())
}

fn train(labels: &[usize], rows: &[&[f64]], cost: f64, gamma: f64) -> (f64, SamplesByClass, Machine) {
    let begin = Instant::now();
    let space = InputSpace::scaled(rows);
    let sample = |(input, &class): (usize, &usize)| Sample { input, device: 0, class };
    let set = SamplesByClass::new(labels.iter().enumerate().map(sample));
    let machine = set.train(&Smo, Stop::default(), &space, &DeviceSpace::none(1), gamma, &[cost]).remove(0);
    (begin.elapsed().as_secs_f64() * 1e3, set, machine)
}

/// Labels, and one row of values each.
type Points = (Vec<usize>, Vec<Vec<f64>>);

fn read(path: &str) -> Result<Points, Box<dyn Error>> {
    let (mut labels, mut rows) = (Vec::new(), Vec::new());
    for line in std::fs::read_to_string(path)?.lines() {
        let mut words = line.split_whitespace();
        labels.push(words.next().ok_or("a line without label")?.parse()?);
        let value = |word: &str| Ok(word.split_once(':').ok_or("a value without column")?.1.parse()?);
        rows.push(words.map(value).collect::<Result<Vec<f64>, Box<dyn Error>>>()?);
    }
    Ok((labels, rows))
}
