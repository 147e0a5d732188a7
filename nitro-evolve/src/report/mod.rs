//! The page of an evolution: its findings, all candidates, the course, and each patch with the gain of its edits.
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
mod times;
mod verdict;
mod words;

use maud::{Markup, html};
use nitro_page::document;

use self::times::{is_counted, is_of_emulator};
use crate::evolve::EvolveResult;
use crate::finding::Finding;

/// The styles of what only this page has.
const STYLE: &str = include_str!("style.css");

/// Writes the whole page; `name` is that of the evolution, such as the file of its PTX.
///
/// ```
/// # fn written(evolved: &nitro_evolve::EvolveResult) -> std::io::Result<()> {
/// std::fs::write("report.html", nitro_evolve::report::page("hotspot", evolved))
/// # }
/// ```
#[must_use]
pub fn page(name: &str, evolved: &EvolveResult) -> String {
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

/// Writes the page of one finding alone.
pub(crate) fn finding_page(name: &str, number: usize, finding: &Finding, on: &[String]) -> String {
    let main = html! {
        header { h1 { code { (name) } } }
        (patch::section(number, finding, is_of_emulator(on)))
    };
    document(name, STYLE, &main)
}

/// Writes the end of the page.
fn footer(evolved: &EvolveResult) -> Markup {
    html! {
        footer {
            p {
                "PTX " code { (evolved.base) } ", seed " (evolved.seed)
                ". Evolution of compiled kernels after GEVO (Liou, Forrest and Wu), by Nitro."
            }
        }
    }
}
