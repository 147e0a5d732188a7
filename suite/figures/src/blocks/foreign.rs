//! What transfers to devices that are like no source.

use std::collections::BTreeMap;

use nitro_core::DeviceId;
use nitro_stats::statistics::mean;

use super::interval::Interval;
use super::table::{Table, cell, paragraph, signed};
use crate::Error;
use crate::figures::{ByDevice, Figures, Foreign, HeldOut};
use crate::recordings::{CONVOLUTIONS, SORTS};

/// The selectors of the tables by device, as the documents call them.
const SELECTORS: [(&str, &str); 5] = [
    ("random", "random"),
    ("static", "one order"),
    ("forest-none", "forest, no device features"),
    ("forest-all", "forest, all of them"),
    ("auto", "`auto`"),
];

/// The head of what device features bring.
const GAIN: &str = "all − none (95 %)";
/// Its column in the tables by device: behind the forest with all device features.
const GAIN_COLUMN: usize = 6;

/// Convolutions, by device.
pub fn convolutions(figures: &Figures) -> Result<String, Error> {
    by_device(of(figures, CONVOLUTIONS)?)
}

/// What the README says of GPUs of another architecture.
pub fn short(figures: &Figures) -> Result<String, Error> {
    let own = &of(figures, CONVOLUTIONS)?.left_out;
    let mean = |selector: &str| cell(own.mean(selector));
    Ok(paragraph(&format!(
        "Elsewhere less is known: on six AMD GPUs, each left out with its architecture, a model chooses among MIOpen's \
         59 convolution solvers at {}, where one order of the solvers reaches {} and a model of the GPU itself {}. After \
         ten seconds of measuring it is {}, after 300 inputs {} ([what transfers](guide/src/transfer.md)).",
        mean("auto"),
        mean("static"),
        mean("target-trained"),
        cell(own.measured_for(10)),
        cell(own.calibrated(300)),
    )))
}

/// Sorts, by device.
pub fn sorts(figures: &Figures) -> Result<String, Error> {
    by_device(of(figures, SORTS)?)
}

/// Convolutions by number of training inputs.
pub fn training(figures: &Figures) -> Result<String, Error> {
    Ok(by_count("training inputs", &of(figures, CONVOLUTIONS)?.by_training))
}

/// Convolutions by number of source architectures.
pub fn sources(figures: &Figures) -> Result<String, Error> {
    Ok(by_count("source architectures", &of(figures, CONVOLUTIONS)?.by_sources))
}

/// What device features bring on GPUs that are like no source.
pub fn gain(figures: &Figures) -> Result<String, Error> {
    let devices = &of(figures, CONVOLUTIONS)?.left_out.devices;
    let gains = devices.iter().map(gain_of).collect::<Result<Vec<f64>, Error>>()?;
    let named = devices.iter().map(|device| &*device.device).zip(gains.iter().copied());
    let (over_devices, over_machines) =
        Interval::of(&gains).zip(Interval::by_machine(named)).ok_or("no devices")?;
    let better = gains.iter().filter(|gain| **gain > 0.0).count();
    let is_certain = |interval: &Interval| interval.ends.is_some_and(|(low, high)| low > 0.0 || high < 0.0);
    let says = match (is_certain(&over_devices), is_certain(&over_machines)) {
        (true, true) => "So they bring something.",
        (true, false) => "Over so few architectures that is no proof.",
        (false, _) => "Over so few GPUs that is no proof.",
    };
    Ok(paragraph(&format!(
        "All device features bring the forest {} points in the mean over the {} GPUs (95 % interval of Student's t \
         over pairs); they help on {better} of them. Where the GPUs of an architecture count as one it is {}. {says}",
        over_devices.text(),
        devices.len(),
        over_machines.text(),
    )))
}

/// What all device features bring the forest on a device, in points.
fn gain_of(device: &HeldOut) -> Result<f64, Error> {
    Ok(device.of("forest-all")? - device.of("forest-none")?)
}

/// The mean of what device features bring on some devices, with its interval, in one line of a cell.
fn gain_cell(gains: &[f64]) -> String {
    Interval::of(gains).map_or("–".to_owned(), |gain| gain.text().replace(' ', "\u{a0}"))
}

/// A row of means a count.
fn by_count(head: &str, means: &BTreeMap<usize, ByDevice>) -> String {
    let mut table = Table::new([head, "one order", "no device features", "all of them", GAIN]);
    for (count, devices) in means {
        let of = |selector: &str| devices.values().filter_map(|means| means.get(selector)).copied().collect();
        let columns: [Vec<f64>; 3] = ["static", "forest-none", "forest-all"].map(of);
        let gains: Vec<f64> = columns[2].iter().zip(&columns[1]).map(|(all, none)| all - none).collect();
        let cells = columns.map(|column| cell(mean(column)));
        table.row(std::iter::once(count.to_string()).chain(cells).chain([gain_cell(&gains)]));
    }
    table.text()
}

fn of<'a>(figures: &'a Figures, function: &str) -> Result<&'a Foreign, Error> {
    let found = figures.remade.foreign.get(function);
    Ok(found.ok_or_else(|| format!("there are no figures of `{function}`: run with --only foreign"))?)
}

/// A row a device and one of means: selectors, `auto` after some measurements, and what is learned there.
fn by_device(own: &Foreign) -> Result<String, Error> {
    let devices = &own.left_out.devices;
    let (counts, seconds) = match devices.first() {
        Some(first) => (efforts(&first.calibrated), efforts(&first.calibrated_seconds)),
        None => (Vec::new(), Vec::new()),
    };
    let mut heads = vec!["left out".to_owned(), "nearest source".to_owned()];
    heads.extend(SELECTORS.map(|(_, head)| head.to_owned()));
    heads.extend(counts.iter().map(|count| format!("+{count}")));
    heads.extend(seconds.iter().map(|seconds| format!("+{seconds} s")));
    heads.push("learned there".to_owned());
    let (mut sums, width) = (vec![0.0; heads.len() - 2], devices.len().max(1) as f64);
    let (mut gains, mut rows) = (Vec::new(), Vec::new());
    for device in devices {
        let nearest = own.nearest.get(&device.device).copied();
        let name = DeviceId::new(&device.device).part();
        let mut cells = vec![format!("`{name}`"), nearest.map_or("–".to_owned(), |own| format!("{own:.2}"))];
        let figures = figures_of(device, &counts, &seconds)?;
        sums.iter_mut().zip(&figures).for_each(|(sum, figure)| *sum += figure / width);
        cells.extend(figures.into_iter().map(|figure| cell(Some(figure))));
        let gain = gain_of(device)?;
        cells.insert(GAIN_COLUMN, signed(gain));
        gains.push(gain);
        rows.push(cells);
    }
    let mut means = vec!["mean".to_owned(), String::new()];
    means.extend(sums.into_iter().map(|figure| cell(Some(figure))));
    means.insert(GAIN_COLUMN, gain_cell(&gains));
    rows.push(means);
    heads.insert(GAIN_COLUMN, GAIN.to_owned());
    let mut table = Table::new(heads.iter().map(String::as_str));
    rows.into_iter().for_each(|row| table.row(row));
    Ok(table.text())
}

fn efforts(figures: &BTreeMap<usize, f64>) -> Vec<usize> {
    figures.keys().copied().collect()
}

/// The figures of a device in the order of the table's columns.
fn figures_of(device: &HeldOut, counts: &[usize], seconds: &[usize]) -> Result<Vec<f64>, Error> {
    let mut figures = Vec::new();
    for (selector, _) in SELECTORS {
        figures.push(device.of(selector)?);
    }
    let by_count = counts.iter().map(|count| device.calibrated.get(count));
    let by_seconds = seconds.iter().map(|seconds| device.calibrated_seconds.get(seconds));
    for figure in by_count.chain(by_seconds) {
        figures.push(*figure.ok_or("a device is calibrated with less than others")?);
    }
    figures.push(device.of("target-trained")?);
    Ok(figures)
}
