//! The genealogy: when the edits of a patch came, spread and came together.

use maud::{Markup, html};
use nitro_page::{HEIGHT, Percent, WIDTH, path, plural};

use super::thin;
use crate::evolve::EvolveResult;
use crate::history::Lineage;

/// The most points; more than pixels show nothing more.
const MOST_POINTS: usize = 240;
/// The most rows of a patch, for the edits that came first.
const MOST_ROWS: usize = 40;

/// Writes the section.
pub(super) fn section(evolved: &EvolveResult) -> Markup {
    let known = (1..).zip(&evolved.lineages).filter(|(_, lineages)| !lineages.is_empty());
    let known: Vec<(usize, &Vec<Lineage>)> = known.collect();
    html! {
        @if !known.is_empty() {
            section {
                h2 { "How the edits came together" }
                p {
                    "A row is an edit, as the evolution had it before the patch was put in simpler words: when it "
                    "first came, and which share of each generation's new candidates had it, from none to all. The "
                    "last row is how many of them one candidate had at most."
                }
                @for (number, lineages) in &known {
                    @if known.len() > 1 { h3 { a href={ "#patch-" (number) } { "Patch " (number) } } }
                    (rows(lineages, evolved.together.get(number - 1).map_or(&[], Vec::as_slice)))
                }
            }
        }
    }
}

/// Writes the rows of a patch.
fn rows(lineages: &[Lineage], together: &[usize]) -> Markup {
    let mut ordered: Vec<&Lineage> = lineages.iter().collect();
    ordered.sort_by_key(|lineage| lineage.first_trial);
    let generations = lineages.iter().map(|lineage| lineage.shares.len()).max().unwrap_or(0);
    let all = lineages.len();
    let shares: Vec<f64> = together.iter().map(|some| *some as f64 / all as f64).collect();
    html! {
        div.lineages {
            @for lineage in ordered.iter().take(MOST_ROWS) {
                @let name = html! { code { (lineage.edit) } small { (born(lineage)) } };
                (row("", &name, &lineage.shares, &label(lineage)))
            }
            @if all > MOST_ROWS { p.axis-note { "and " (plural(all - MOST_ROWS, "edit")) " that came later." } }
            @if all > 1 && !shares.is_empty() {
                @let label = collected(together, all);
                (row("together", &html! { b { "in one candidate" } small { (label) } }, &shares, &label))
            }
            div.lineage.scale-row aria-hidden="true" {
                span {} div.scale { span { "generation 0" } span { (generations.saturating_sub(1)) } }
            }
        }
    }
}

/// Writes a row.
fn row(class: &str, name: &Markup, shares: &[f64], label: &str) -> Markup {
    let points = points(shares);
    let mut area = vec![(0.0, 0.0)];
    area.extend(&points);
    area.push((100.0, 0.0));
    html! {
        div.lineage.(class) {
            span.lineage-name { (name) }
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" role="img"
                aria-label=(label) {
                path.area d=(path(&area)) {}
                path.line d=(path(&points)) {}
            }
        }
    }
}

/// Returns the points of shares in percent, by generation in percent of all.
fn points(shares: &[f64]) -> Vec<(f64, f64)> {
    let last = shares.len().saturating_sub(1).max(1) as f64;
    let mut all = Vec::with_capacity(shares.len());
    for (at, share) in shares.iter().enumerate() {
        let percent = if share.is_finite() { 100.0 * share.clamp(0.0, 1.0) } else { 0.0 };
        all.push((100.0 * at as f64 / last, percent));
    }
    let mut points: Vec<(f64, f64)> = thin::last_of_each(&all, MOST_POINTS).into_iter().copied().collect();
    // One generation is as wide as the picture.
    if let [(_, percent)] = all[..] {
        points.push((100.0, percent));
    }
    points
}

/// Says when an edit first came.
fn born(lineage: &Lineage) -> String {
    let generation = lineage.shares.iter().position(|share| *share > 0.0).unwrap_or(0);
    format!("first in generation {generation}, candidate {}", lineage.first_trial)
}

/// Describes a row for a reader who does not see it.
fn label(lineage: &Lineage) -> String {
    let last = lineage.shares.last().copied().unwrap_or(0.0);
    format!(
        "{}: {}, in {} % of the last generation's new candidates",
        lineage.edit,
        born(lineage),
        Percent(last)
    )
}

/// Says when one candidate had more of the edits than any before.
fn collected(together: &[usize], all: usize) -> String {
    let mut most = 0;
    let mut steps: Vec<String> = Vec::new();
    for (generation, &some) in together.iter().enumerate().filter(|(_, some)| **some > 0) {
        if some > most {
            most = some;
            steps.push(format!("{some} in generation {generation}"));
        }
    }
    // Edits may come one by one for a long time.
    if steps.len() > 5 {
        steps.drain(2..steps.len() - 2);
        steps.insert(2, "…".to_owned());
    }
    format!("of {all}: {}", steps.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_come_together_are_counted_up() {
        assert_eq!(collected(&[0, 1, 1, 3, 2, 3], 4), "of 4: 1 in generation 1, 3 in generation 3");
        assert!(collected(&(0..100).collect::<Vec<_>>(), 99).len() < 120);
        assert_eq!(points(&[0.5]), [(0.0, 50.0), (100.0, 50.0)]);
        assert!(points(&[f64::NAN; 100_000]).len() <= MOST_POINTS);
    }
}
