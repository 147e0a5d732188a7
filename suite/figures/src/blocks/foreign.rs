//! What transfers to devices that are like no source.

use std::collections::BTreeMap;

use nitro_core::DeviceId;

use super::table::{Table, cell, paragraph};
use crate::Error;
use crate::figures::{Figures, Foreign, HeldOut};
use crate::recordings::{CONVOLUTIONS, SORTS};

/// The selectors of the tables by device, as the documents call them.
const SELECTORS: [(&str, &str); 5] = [
    ("random", "random"),
    ("static", "one order"),
    ("forest-none", "forest, no device features"),
    ("forest-all", "forest, all of them"),
    ("auto", "`auto`"),
];

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

/// A row of means a count.
fn by_count(head: &str, means: &BTreeMap<usize, BTreeMap<String, f64>>) -> String {
    let mut table = Table::new([head, "one order", "no device features", "all of them"]);
    for (count, means) in means {
        let cells =
            ["static", "forest-none", "forest-all"].map(|selector| cell(means.get(selector).copied()));
        table.row(std::iter::once(count.to_string()).chain(cells));
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
    let mut table = Table::new(heads.iter().map(String::as_str));
    let (mut sums, width) = (vec![0.0; heads.len() - 2], devices.len().max(1) as f64);
    for device in devices {
        let nearest = own.nearest.get(&device.device).copied();
        let name = DeviceId::new(&device.device).part();
        let mut cells = vec![format!("`{name}`"), nearest.map_or("–".to_owned(), |own| format!("{own:.2}"))];
        let figures = figures_of(device, &counts, &seconds)?;
        sums.iter_mut().zip(&figures).for_each(|(sum, figure)| *sum += figure / width);
        cells.extend(figures.into_iter().map(|figure| cell(Some(figure))));
        table.row(cells);
    }
    let mean = ["mean".to_owned(), String::new()];
    table.row(mean.into_iter().chain(sums.into_iter().map(|figure| cell(Some(figure)))));
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
