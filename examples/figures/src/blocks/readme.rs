//! How good it is, in one table.

use nitro_learn::statistics::mean;

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

/// Groups of functions, each way of leaving out.
pub fn table(figures: &Figures) -> Result<String, Error> {
    let sets = SETS.map(|(_, head)| format!("forest, device features: {head}"));
    let (before, after) = SELECTORS.split_at(3);
    let heads =
        |selectors: &[(&str, &'static str)]| selectors.iter().map(|(_, head)| *head).collect::<Vec<_>>();
    let mut table = Table::new(
        [""].into_iter().chain(heads(before)).chain(sets.iter().map(String::as_str)).chain(heads(after)),
    );
    let whole: fn(&Mode) -> Mode = Mode::clone;
    let h100: fn(&Mode) -> Mode = |mode| mode.only(H100);
    for (name, functions, devices) in [
        (
            "four functions on the host: parts of a 16-core server, two 2-core machines of two vendors",
            &ON_HOST[..],
            whole,
        ),
        ("six functions on GPUs: an H200, five slices of it, an H100", &ON_GPU[..], whole),
        ("of those the H100 alone, learned on the H200 and its slices", &ON_GPU[..], h100),
        (
            "ten SpMV kernels on four GPUs and 1,581 matrices, measured by others (Ginkgo)",
            &[GINKGO][..],
            whole,
        ),
    ] {
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
        "With a device left out the least of the ten functions is `{}` with {:.1}, the least of all pairs of a function and a device \
         `{name}` on `{device}` with {least:.1}; with its machine left out `{}` with {:.1}, and `{name_m}` on `{device_m}` with {least_m:.1}. \
         (With CUB and cuSPARSE among the variants, where more variants are close to each other, the six functions on GPUs are at {}.) \
         On Ginkgo's data the worst GPU, the {gpu}, is at {worst:.1}.",
        by_device.0,
        by_device.1,
        by_machine.0,
        by_machine.2,
        cell(vendor),
    )))
}
