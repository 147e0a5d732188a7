//! The verdict of the page in words: how good the choices are, where they lose, what to do next.

mod losses;
mod next;

use maud::{Markup, html};
use nitro_page::Percent;
use nitro_stats::statistics;

use self::losses::losses;
use self::next::{Step, steps};
use super::data::{FunctionReport, HeldOut, Score};
use super::html::function_link;

/// Returns the section that says first how good the choices are.
pub(super) fn section(functions: &[FunctionReport]) -> Markup {
    let Some(headline) = headline(functions) else { return html! {} };
    let (losses, steps) = (losses(functions), steps(functions));
    html! {
        section.verdict {
            h2 { "Verdict" }
            p.headline { (headline) }
            @if !losses.is_empty() {
                h3 { "Where it loses" }
                ul { @for loss in &losses { li { (loss) } } }
            }
            @if !steps.is_empty() {
                h3 { "What to do next" }
                ol { @for step in &steps { li { (words(step)) } } }
            }
            @if functions.len() > 1 {
                nav aria-label="Functions" {
                    "Functions: "
                    @for (index, function) in functions.iter().enumerate() {
                        @if index > 0 { ", " }
                        (function_link(&function.name))
                    }
                }
            }
        }
    }
}

fn words(step: &Step) -> Markup {
    html! {
        (step.words)
        @if let Some(points) = step.worth { " " span.worth { "up to " (Percent(points)) " points" } }
    }
}

/// Returns one sentence on all functions.
fn headline(functions: &[FunctionReport]) -> Option<Markup> {
    let local: Vec<(&str, f64)> =
        functions.iter().filter_map(|own| Some((own.name.as_str(), highlighted(own)?.mean))).collect();
    if !local.is_empty() {
        return Some(html! {
            "On this machine the choices learned elsewhere reach " (share(&local)) " of exhaustive search"
            (spread(&local)) "."
            (beside(functions, &[("static", "the best single variant"), ("learned here", "selectors learned here")]))
        });
    }
    let unseen = of_functions(functions, "auto");
    (!unseen.is_empty()).then(|| html! {
        "On a device that nobody measured, what would be shipped (" code { "auto" } ") reaches " (share(&unseen))
        " of exhaustive search" (spread(&unseen)) "."
        (beside(functions, &[
            ("static", "the best single variant"),
            ("target-trained", "selectors trained on the device itself"),
        ]))
    })
}

fn share(shares: &[(&str, f64)]) -> Markup {
    html! { strong { (Percent(mean(shares))) "\u{a0}%" } }
}

/// Says that a share is a mean, and names the lowest of the functions.
fn spread(shares: &[(&str, f64)]) -> Markup {
    let lowest = shares.iter().min_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|_| shares.len() > 1);
    html! {
        @if let Some((name, share)) = lowest {
            " (mean of " (shares.len()) " functions, lowest " (function_link(name)) " with " (Percent(*share)) ")"
        }
    }
}

/// Compares other selectors, over the functions that have them.
fn beside(functions: &[FunctionReport], others: &[(&str, &str)]) -> Markup {
    let known = others.iter().map(|(selector, words)| (of_functions(functions, selector), *words));
    let known: Vec<_> = known.filter(|(shares, _)| !shares.is_empty()).collect();
    html! {
        @for (index, (shares, words)) in known.iter().enumerate() {
            @if index == 0 { " For comparison, " } @else { ", " }
            (words) ": " (Percent(mean(shares))) "\u{a0}%"
        }
        @if !known.is_empty() { "." }
    }
}

/// Returns the share of a selector by function, on this machine or on the devices left out.
fn of_functions<'a>(functions: &'a [FunctionReport], selector: &str) -> Vec<(&'a str, f64)> {
    let shares =
        functions.iter().map(|function| Some((function.name.as_str(), function.share_of(selector)?)));
    shares.flatten().collect()
}

fn mean(shares: &[(&str, f64)]) -> f64 {
    statistics::mean(shares.iter().map(|&(_, share)| share)).unwrap_or(f64::NAN)
}

fn highlighted(function: &FunctionReport) -> Option<&Score> {
    function.scores.iter().find(|score| score.highlighted)
}

/// Returns one line on a function, the first of its section.
pub(super) fn line(function: &FunctionReport) -> Markup {
    let text = match function.scores.as_slice() {
        [] => function.held_out.as_ref().and_then(|held_out| unseen(held_out, function)),
        scores => here(scores),
    };
    html! { @if let Some(text) = text { p.line { (text) } } }
}

/// Returns the line on devices left out.
fn unseen(held_out: &HeldOut, function: &FunctionReport) -> Option<Markup> {
    let auto = held_out.mean_of("auto")?;
    let worst = held_out.of("auto").into_iter().fold(f64::INFINITY, f64::min);
    Some(html! {
        strong { (Percent(auto)) "\u{a0}%" }
        " on " (held_out.devices.len()) " unseen devices (worst " (Percent(worst)) ")"
        @for (selector, words) in [("static", "one variant for all"), ("target-trained", "trained there")] {
            @if let Some(mean) = held_out.mean_of(selector) { ", " (words) " " (Percent(mean)) }
        }
        @if let Some(sensitivity) = &function.sensitivity {
            "; the best differs on " (format_args!("{:.0}\u{a0}%", 100.0 * sensitivity.best_differs)) " of the inputs"
        }
        "."
    })
}

/// Returns the line on the machine that was measured.
fn here(scores: &[Score]) -> Option<Markup> {
    let own = scores.iter().find(|score| score.highlighted)?;
    Some(html! {
        strong { (Percent(own.mean)) "\u{a0}%" } " " (own.selector)
        @for other in scores.iter().filter(|score| !score.highlighted) {
            ", " (other.selector) " " (Percent(other.mean))
        }
        "."
    })
}
