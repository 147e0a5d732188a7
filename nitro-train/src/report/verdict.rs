//! What the page says, in one line a function.

use maud::{Markup, html};

use super::data::{FunctionReport, HeldOut, Score};
use super::html::{Percent, function_link};

pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    let mut lines = functions.iter().filter_map(line).peekable();
    html! {
        @if lines.peek().is_some() {
            section {
                h2 { "What it says" }
                p { "Choices in percent of exhaustive search: 100 is the best variant every time." }
                ul.verdicts { @for line in lines { (line) } }
            }
        }
    }
}

fn line(function: &FunctionReport) -> Option<Markup> {
    let text = match function.scores.as_slice() {
        [] => unseen(function.held_out.as_ref()?, function)?,
        scores => here(scores)?,
    };
    Some(html! { li { (function_link(&function.name)) ": " (text) } })
}

/// Of devices left out.
fn unseen(held_out: &HeldOut, function: &FunctionReport) -> Option<Markup> {
    let mean = |selector| {
        let figures = held_out.of(selector);
        (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
    };
    let auto = mean("auto")?;
    let worst = held_out.of("auto").into_iter().fold(f64::INFINITY, f64::min);
    Some(html! {
        strong { (Percent(auto)) } " on " (held_out.devices.len()) " unseen devices (worst " (Percent(worst)) ")"
        @for (selector, words) in [("static", "one variant for all"), ("target-trained", "trained there")] {
            @if let Some(mean) = mean(selector) { ", " (words) " " (Percent(mean)) }
        }
        @if let Some(sensitivity) = &function.sensitivity {
            "; the best differs on " (format_args!("{:.0}\u{a0}%", 100.0 * sensitivity.best_differs))
        }
        "."
    })
}

/// Of the machine that was measured.
fn here(scores: &[Score]) -> Option<Markup> {
    let own = scores.iter().find(|score| score.highlighted)?;
    Some(html! {
        strong { (Percent(own.mean)) } " " (own.selector)
        @for other in scores.iter().filter(|score| !score.highlighted) {
            ", " (other.selector) " " (Percent(other.mean))
        }
        "."
    })
}
