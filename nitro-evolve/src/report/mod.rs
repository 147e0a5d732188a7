//! An evolution as a page: what came of it, what was tried, how it went, and each patch with what its edits bring.
//!
//! [`page`] turns what [`evolve`](crate::evolve()) gives into a [`document`].

mod cases;
mod changes;
mod course;
mod edits;
mod front;
mod genealogy;
mod machine;
mod outcomes;
mod pairs;
mod patch;
mod scales;
#[cfg(test)]
mod tests;
mod thin;
mod verdict;
mod words;

use maud::{Markup, html};
use nitro_page::document;

use crate::{Evolved, Finding};

/// Styles of what only this page has.
const STYLE: &str = include_str!("style.css");

/// The whole page; `name` is what the evolution is called, such as the file of its PTX.
///
/// ```
/// # fn written(evolved: &nitro_evolve::Evolved) -> std::io::Result<()> {
/// std::fs::write("report.html", nitro_evolve::report::page("hotspot", evolved))
/// # }
/// ```
#[must_use]
pub fn page(name: &str, evolved: &Evolved) -> String {
    let main = html! {
        header {
            h1 { code { (name) } ", evolved" }
            p.lead { (verdict::subject(evolved)) }
        }
        (verdict::section(evolved))
        (front::section(evolved))
        (course::section(evolved))
        (outcomes::section(evolved))
        (genealogy::section(evolved))
        @for (number, finding) in (1..).zip(&evolved.findings) {
            (patch::section(number, finding, is_counted(evolved)))
        }
        (footer(evolved))
    };
    document(&format!("{name}, evolved"), STYLE, &main)
}

/// The page of one finding alone.
pub(crate) fn finding_page(name: &str, number: usize, finding: &Finding, on: &[String]) -> String {
    let main = html! {
        header { h1 { code { (name) } } }
        (patch::section(number, finding, is_of_emulator(on)))
    };
    document(name, STYLE, &main)
}

/// Whether its times are those of an emulator, which counts what a program does.
fn is_counted(evolved: &Evolved) -> bool {
    is_of_emulator(&evolved.on)
}

fn is_of_emulator(on: &[String]) -> bool {
    on.iter().any(|on| on.contains("emulator"))
}

/// What the original takes, on average over the inputs of the search: what everything that was tried is held against. None where nothing was measured.
fn original_ns(evolved: &Evolved) -> Option<f64> {
    let first = evolved.history.tried.first().filter(|tried| tried.edits == 0);
    let of_cases = || {
        let total: f64 = evolved.original.iter().map(|(_, time_ns)| time_ns).sum();
        total / evolved.original.len() as f64
    };
    let time_ns = first.map_or_else(of_cases, |tried| tried.fitness.time_ns);
    (time_ns.is_finite() && time_ns > 0.0).then_some(time_ns)
}

fn footer(evolved: &Evolved) -> Markup {
    html! {
        footer {
            p {
                "PTX " code { (evolved.base) } ", seed " (evolved.seed) ". Evolution of compiled kernels after GEVO (Liou, Forrest and Wu), by Nitro."
            }
        }
    }
}
