//! What can be known of a choice, and of the figures of Ginkgo's data.

use nitro_stats::statistics::mean;

use super::table::{Table, cell, paragraph};
use crate::Error;
use crate::figures::Figures;

/// What margins and distances tell.
pub fn margins(figures: &Figures) -> Result<String, Error> {
    let mut table = Table::new([
        "GPU left out",
        "all choices",
        "the quarter with the largest margins",
        "choices for inputs that are far",
        "such inputs",
    ]);
    for (gpu, own) in &figures.remade.trust {
        let shares = [own.all, own.large_margin, own.far].map(|share| cell(Some(share)));
        table.row([gpu.clone()].into_iter().chain(shares).chain([own.far_inputs.to_string()]));
    }
    Ok(table.text())
}

/// Other splits.
pub fn splits(figures: &Figures) -> Result<String, Error> {
    let of = |strategy: &str| {
        let means = figures.remade.splits.get(strategy).ok_or_else(|| Error::from("no split"))?;
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(0.0, f64::max);
        Ok::<_, Error>(format!("{} ({least:.1} to {most:.1})", cell(mean(means.iter().copied()))))
    };
    let count = figures.remade.splits.values().next().map_or(0, Vec::len);
    Ok(paragraph(&format!(
        "On {count} other splits by group, drawn at random, `forest-all` reaches {} in the mean, `forest-none` {}.",
        of("forest-all")?,
        of("forest-none")?
    )))
}

/// Where it is lost.
pub fn lost(figures: &Figures) -> Result<String, Error> {
    let lost = &figures.remade.lost;
    Ok(paragraph(&format!(
        "Of all that `auto` loses on these GPUs, {:.0} % are lost on the {} test matrices of the group {}; without \
         them it is at {:.1}.",
        lost.part, lost.matrices, lost.group, lost.mean_without
    )))
}
