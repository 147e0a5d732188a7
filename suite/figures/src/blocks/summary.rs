//! The summaries of the evaluation: a short table for the README, the whole one, and the least figures.

use nitro_stats::statistics::mean;

use super::means::{over, suite};
use super::table::{Table, both, cell, paragraph};
use crate::Error;
use crate::compute::evaluation::RANDOM_SUCCESSFUL;
use crate::figures::{Figures, Mode};
use crate::recordings::{GINKGO, ON_GPU, ON_HOST};

/// The GPU that shares a machine with no other device.
pub const H100: &str = "cuda:0@nvidia-h100-80gb-hbm3-79gb";

const SELECTORS: [(&str, &str); 6] = [
    (RANDOM_SUCCESSFUL, "random"),
    ("static", "one variant"),
    ("majority", "majority of the sources"),
    ("auto", "`auto`, what `fit` ships"),
    ("nitro-2014", "an SVM trained on the device itself (Nitro 2014)"),
    ("target-trained", "trained on the device itself"),
];
/// Sets of device features, as strategies and as people call them.
pub const SETS: [(&str, &str); 4] =
    [("none", "none"), ("profile", "P-DFS"), ("cross-validation", "CV-DFS"), ("all", "all")];

/// Groups of functions of which the tables have a row: name in the short table, in the whole one, functions, devices.
type Group = (&'static str, &'static str, &'static [&'static str], fn(&Mode) -> Mode);

const GROUPS: [Group; 4] = [
    (
        "four functions on nine parts of three hosts",
        "four functions on the host: parts of a 16-core server, two 2-core machines of two vendors",
        &ON_HOST,
        Mode::clone,
    ),
    (
        "six functions on an H200, five slices of it and an H100",
        "six functions on GPUs: an H200, five slices of it, an H100",
        &ON_GPU,
        Mode::clone,
    ),
    (
        "of these the H100, learned on the H200 and its slices",
        "of those the H100 alone, learned on the H200 and its slices",
        &ON_GPU,
        only_h100,
    ),
    (
        "Ginkgo's ten SpMV kernels on four GPUs, 1,581 matrices",
        "ten SpMV kernels on four GPUs and 1,581 matrices, measured by others (Ginkgo)",
        &[GINKGO],
        Mode::clone,
    ),
];

fn only_h100(mode: &Mode) -> Mode {
    mode.only(H100)
}

/// Returns the README's table: groups of functions, and the selectors that a reader decides by.
pub fn short(figures: &Figures) -> Result<String, Error> {
    let selectors = [
        (RANDOM_SUCCESSFUL, "random"),
        ("static", "one variant"),
        ("majority", "majority of the sources"),
        ("auto", "a model of Nitro"),
        ("target-trained", "a model of the device itself"),
    ];
    let mut table = Table::new([""].into_iter().chain(selectors.map(|(_, head)| head)));
    for (name, _, functions, devices) in GROUPS {
        let mut cells = vec![name.to_owned()];
        for (selector, _) in selectors {
            cells.push(both(once(over(figures, functions, |mode| devices(mode).mean(selector))?)));
        }
        table.row(cells);
    }
    Ok(table.text())
}

/// Returns groups of functions with every selector and every set of device features, each way of leaving out.
pub fn table(figures: &Figures) -> Result<String, Error> {
    let sets = SETS.map(|(_, head)| format!("forest, device features: {head}"));
    let (before, after) = SELECTORS.split_at(3);
    let heads =
        |selectors: &[(&str, &'static str)]| selectors.iter().map(|(_, head)| *head).collect::<Vec<_>>();
    let mut table = Table::new(
        [""].into_iter().chain(heads(before)).chain(sets.iter().map(String::as_str)).chain(heads(after)),
    );
    for (_, name, functions, devices) in GROUPS {
        let mean =
            |selector: &str| Ok(both(once(over(figures, functions, |mode| devices(mode).mean(selector))?)));
        let with_set = |set: &str| {
            Ok(both(once(over(figures, functions, |mode| devices(mode).with_set("forest", set))?)))
        };
        let mut cells = vec![Ok(name.to_owned())];
        cells.extend(before.iter().map(|(selector, _)| mean(selector)));
        cells.extend(SETS.iter().map(|(set, _)| with_set(set)));
        cells.extend(after.iter().map(|(selector, _)| mean(selector)));
        table.row(cells.into_iter().collect::<Result<Vec<_>, Error>>()?);
    }
    Ok(table.text())
}

/// A figure that the way of leaving out does not change stands once.
fn once([device, machine]: [Option<f64>; 2]) -> [Option<f64>; 2] {
    let same = cell(device) == cell(machine);
    [device, machine.filter(|_| !same)]
}

/// The least figures behind the means.
pub fn least(figures: &Figures) -> Result<String, Error> {
    let mut functions = Vec::new();
    for name in suite() {
        let [device, machine] = over(figures, &[name], |mode| mode.mean("auto"))?;
        functions.push((name, device.ok_or("no auto")?, machine.ok_or("no auto")?));
    }
    let by_device = functions.iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no function")?;
    let by_machine = functions.iter().min_by(|a, b| a.2.total_cmp(&b.2)).ok_or("no function")?;
    let pair = |of_machine: bool| {
        let of_function = |name: &&'static str| {
            let function = figures.function(name).ok()?;
            let mode = if of_machine { function.machine.as_ref()? } else { &function.device };
            let auto =
                mode.devices.iter().filter_map(|device| Some((device.of("auto").ok()?, &device.device)));
            auto.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(least, device)| (*name, least, device.clone()))
        };
        suite().iter().filter_map(of_function).min_by(|a, b| a.1.total_cmp(&b.1)).ok_or("no pair")
    };
    let ((name, least, device), (name_m, least_m, device_m)) = (pair(false)?, pair(true)?);
    let vendor = |name: &&str| match figures.remade.vendor.get(*name) {
        Some(vendor) => Ok(vendor.auto),
        None => figures.function(name)?.device.mean("auto").ok_or_else(|| Error::from("no auto")),
    };
    let vendor = mean(ON_GPU.iter().map(vendor).collect::<Result<Vec<_>, _>>()?);
    let ginkgo = &figures.function(GINKGO)?.device.devices;
    let worst = ginkgo.iter().filter_map(|device| Some((device.of("auto").ok()?, &device.device)));
    let (worst, gpu) = worst.min_by(|a, b| a.0.total_cmp(&b.0)).ok_or("no GPU")?;
    Ok(paragraph(&format!(
        "With a device left out the least of the ten functions is `{}` with {:.1}. The least of all pairs of a \
         function and a device is `{name}` on `{device}` with {least:.1}. With its machine left out they are `{}` with \
         {:.1}, and `{name_m}` on `{device_m}` with {least_m:.1}. With CUB and cuSPARSE among the variants, which are \
         close to others, the six functions on GPUs are at {}. On Ginkgo's data the worst GPU, the {gpu}, is at \
         {worst:.1}.",
        by_device.0,
        by_device.1,
        by_machine.0,
        by_machine.2,
        cell(vendor),
    )))
}
