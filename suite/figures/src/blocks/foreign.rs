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
         30 measured inputs it is {}, after 300 {} ([what transfers](guide/src/transfer.md)).",
        mean("auto"),
        mean("static"),
        mean("target-trained"),
        cell(own.calibrated(30)),
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
    let counts: Vec<usize> =
        devices.first().map(|device| device.calibrated.keys().copied().collect()).unwrap_or_default();
    let heads = ["left out".to_owned(), "nearest source".to_owned()].into_iter();
    let heads = heads.chain(SELECTORS.map(|(_, head)| head.to_owned()));
    let heads = heads.chain(counts.iter().map(|count| format!("+{count}")));
    let heads: Vec<String> = heads.chain(["learned there".to_owned()]).collect();
    let mut table = Table::new(heads.iter().map(String::as_str));
    for device in devices {
        let nearest = own.nearest.get(&device.device).copied();
        let name = DeviceId::new(&device.device).part();
        let mut cells = vec![format!("`{name}`"), nearest.map_or("–".to_owned(), |own| format!("{own:.2}"))];
        cells.extend(figures_of(device, &counts)?.into_iter().map(|figure| cell(Some(figure))));
        table.row(cells);
    }
    let mut cells = vec!["mean".to_owned(), String::new()];
    cells.extend(SELECTORS.map(|(selector, _)| cell(own.left_out.mean(selector))));
    cells.extend(counts.iter().map(|&count| cell(own.left_out.calibrated(count))));
    cells.push(cell(own.left_out.mean("target-trained")));
    table.row(cells);
    Ok(table.text())
}

fn figures_of(device: &HeldOut, counts: &[usize]) -> Result<Vec<f64>, Error> {
    let mut figures = Vec::new();
    for (selector, _) in SELECTORS {
        figures.push(device.of(selector)?);
    }
    for count in counts {
        figures.push(
            *device.calibrated.get(count).ok_or("a device is calibrated with fewer inputs than others")?,
        );
    }
    figures.push(device.of("target-trained")?);
    Ok(figures)
}
