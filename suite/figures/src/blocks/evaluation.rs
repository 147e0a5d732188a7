//! Selectors, function by function.

use super::means::over;
use super::summary::{H100, SETS};
use super::table::{Table, both, cell, paragraph};
use crate::Error;
use crate::compute::evaluation::RANDOM_SUCCESSFUL;
use crate::figures::Figures;
use crate::recordings::{GINKGO, ON_GPU, ON_HOST};

const SELECTORS: [&str; 6] =
    [RANDOM_SUCCESSFUL, "static", "majority", "auto", "nitro-2014", "target-trained"];
/// What knows the device that is left out, so that nothing hangs on the others.
const OF_THE_DEVICE: [&str; 2] = ["nitro-2014", "target-trained"];

/// The functions on the host.
pub fn host(figures: &Figures) -> Result<String, Error> {
    functions(figures, &ON_HOST)
}

/// The functions on GPUs.
pub fn gpu(figures: &Figures) -> Result<String, Error> {
    functions(figures, &ON_GPU)
}

fn functions(figures: &Figures, functions: &[&str]) -> Result<String, Error> {
    let mut table = Table::new(["function"].into_iter().chain(SELECTORS.map(head)));
    for name in functions {
        let of = |selector: &str| {
            let [device, machine] = over(figures, &[name], |mode| mode.mean(selector))?;
            // What learns nothing of other devices does not change with them.
            let hangs_on_sources = selector != RANDOM_SUCCESSFUL && !OF_THE_DEVICE.contains(&selector);
            Ok(both([device, machine.filter(|_| hangs_on_sources)]))
        };
        let cells = SELECTORS.iter().map(|selector| of(selector)).collect::<Result<Vec<_>, Error>>()?;
        table.row(std::iter::once((*name).to_owned()).chain(cells));
    }
    Ok(table.text())
}

fn head(selector: &str) -> &str {
    match selector {
        RANDOM_SUCCESSFUL => "random",
        "auto" => "auto (shipped)",
        "nitro-2014" => "an SVM trained on the device itself (Nitro 2014)",
        "target-trained" => "trained on the device itself",
        other => other,
    }
}

/// The worst single choices of what is shipped.
pub fn worst(figures: &Figures) -> Result<String, Error> {
    let range = |functions: &[&str]| {
        let worst = |name: &&str| {
            let devices = figures.function(name)?.device.devices.iter().map(|device| device.auto_worst);
            Ok(devices.fold(f64::INFINITY, f64::min))
        };
        let worst: Vec<f64> = functions.iter().map(worst).collect::<Result<_, Error>>()?;
        let least = worst.iter().copied().fold(f64::INFINITY, f64::min);
        let most = worst.iter().copied().fold(0.0, f64::max);
        Ok::<_, Error>(format!("{least:.0} to {most:.0}"))
    };
    Ok(paragraph(&format!(
        "With a device left out, the worst single choice of `auto` runs, by function, at {} % of the best speed on the \
         host. On GPUs it runs at {} % (0: a solver that does not converge).",
        range(&ON_HOST)?,
        range(&ON_GPU)?,
    )))
}

/// How much hangs on the device.
pub fn sensitivity(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "function",
        "test inputs",
        "% of them whose best variant is not the same on all devices",
        "% where no variant is within 5 % of the best on all devices",
    ]);
    for name in ON_HOST.iter().chain(&ON_GPU).chain(&[GINKGO]) {
        let own = figures.function(name)?;
        let shares = [own.best_differs, own.none_is_near].map(|share| format!("{share:.0}"));
        table.row([(*name).to_owned(), own.test_inputs.to_string()].into_iter().chain(shares));
    }
    Ok(table.text())
}

/// The line of each GPU function in which the H100 is left out.
pub fn h100(figures: &Figures) -> Result<String, Error> {
    let sets = SETS.map(|(_, head)| format!("forest: {head}"));
    let heads = ["function", "random", "static", "majority"].into_iter();
    let heads = heads.chain(sets.iter().map(String::as_str)).chain([
        "auto",
        "an SVM trained on the H100 itself",
        "trained on the H100 itself",
    ]);
    let mut table = Table::new(heads);
    for name in ON_GPU {
        let mode = figures.function(name)?.device.only(H100);
        let mut cells = vec![name.to_owned()];
        cells.extend([RANDOM_SUCCESSFUL, "static", "majority"].map(|selector| cell(mode.mean(selector))));
        cells.extend(SETS.map(|(set, _)| cell(mode.with_set("forest", set))));
        cells.extend(["auto", "nitro-2014", "target-trained"].map(|selector| cell(mode.mean(selector))));
        table.row(cells);
    }
    Ok(table.text())
}

/// Each of Ginkgo's GPUs.
pub fn ginkgo(figures: &Figures) -> Result<String, Error> {
    let mode = &figures.function(GINKGO)?.device;
    let counts: Vec<usize> = mode.devices.first().ok_or("no GPU")?.calibrated.keys().copied().collect();
    let sets: Vec<String> =
        SETS.iter().filter(|(set, _)| *set != "profile").map(|(_, head)| format!("forest: {head}")).collect();
    let calibrated: Vec<String> = counts.iter().map(|count| format!("+{count}")).collect();
    let heads = ["left out", "random", "random, a failure counts as 0", "static", "majority"].into_iter();
    let heads = heads.chain(sets.iter().map(String::as_str));
    let heads = heads.chain(["auto"]).chain(calibrated.iter().map(String::as_str));
    let mut table =
        Table::new(heads.chain(["an SVM trained on the GPU itself", "trained on the GPU itself"]));
    let each = mode.devices.iter().map(|device| (device.device.clone(), mode.only(&device.device)));
    for (name, mode) in each.chain([("mean".to_owned(), mode.clone())]) {
        let mut cells = vec![name];
        let simple = [RANDOM_SUCCESSFUL, "random", "static", "majority"];
        cells.extend(simple.map(|selector| cell(mode.mean(selector))));
        let with_set = |(set, _): &(&str, &str)| cell(mode.with_set("forest", set));
        cells.extend(SETS.iter().filter(|(set, _)| *set != "profile").map(with_set));
        cells.push(cell(mode.mean("auto")));
        cells.extend(counts.iter().map(|&count| cell(mode.calibrated(count))));
        cells.extend(OF_THE_DEVICE.map(|selector| cell(mode.mean(selector))));
        table.row(cells);
    }
    Ok(table.text())
}

/// The test inputs next to a training input, by function, and what `auto` reaches without them.
pub fn near(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "function",
        "test inputs",
        "of these next to a training input",
        "`auto` on all",
        "`auto` without them",
    ]);
    for name in ON_HOST.iter().chain(&ON_GPU).chain(&[GINKGO]) {
        let own = figures.function(name)?;
        if own.near_training > 0 {
            let inputs = [own.test_inputs, own.near_training].map(|count| count.to_string());
            let shares = [own.device.mean("auto"), Some(own.auto_without_near)].map(cell);
            table.row([(*name).to_owned()].into_iter().chain(inputs).chain(shares));
        }
    }
    Ok(table.text())
}
