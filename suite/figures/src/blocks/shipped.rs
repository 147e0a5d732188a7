//! What the shipped models, profiles and recordings tell.

use super::table::{Table, paragraph};
use crate::Error;
use crate::figures::Figures;

/// Choices on the whole GPU and on a slice.
pub fn slice(figures: &Figures) -> Result<String, Error> {
    let slice = &figures.remade.slice;
    Ok(paragraph(&format!(
        "On {} of {} test matrices the shipped model's choices differ. There the other device's choice would take \
         {:.2} times as long on the whole H200 and {:.2} times on the slice (geometric means of recorded times).",
        slice.differ, slice.matrices, slice.whole, slice.slice
    )))
}

/// Own variants beside those of libraries.
pub fn vendor(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "function",
        "library",
        "inputs",
        "time of the best own variant over the library's",
        "the 20 largest",
        "by kind of input",
        "`auto` with the library among the variants",
    ]);
    for (name, own) in &figures.remade.vendor {
        let library = if name == "cuda_spmv" { "cuSPARSE" } else { "CUB" };
        let kinds: Vec<String> =
            own.by_kind.iter().map(|(kind, ratio)| format!("{kind} {ratio:.2}")).collect();
        table.row([
            name.clone(),
            library.to_owned(),
            own.inputs.to_string(),
            format!("{:.2}", own.time_ratio),
            format!("{:.2}", own.largest),
            kinds.join(", "),
            format!("{:.1}", own.auto),
        ]);
    }
    Ok(table.text())
}

/// What P-DFS finds.
pub fn profiles(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "function",
        "proxies, with the number of variants that resemble each",
        "device features",
    ]);
    for (name, own) in &figures.remade.profiles {
        let proxies: Vec<String> =
            own.proxies.iter().map(|(proxy, variants)| format!("{proxy} {variants}")).collect();
        let features: Vec<String> =
            own.device_features.iter().map(|feature| format!("`{feature}`")).collect();
        table.row([name.clone(), proxies.join(", "), features.join(", ")]);
    }
    Ok(table.text())
}

/// How steady the hosts were.
pub fn spread(figures: &Figures) -> Result<String, Error> {
    let spread = &figures.remade.spread;
    Ok(paragraph(&format!(
        "All machines are virtual and share their hosts with others. The spread of a measurement (quartile to \
         quartile) is at most {:.1} % of its median for half of them, and at most {:.0} % for nine in ten. Measured \
         device features vary by some ten per cent from start to start.",
        spread.median, spread.p90
    )))
}
