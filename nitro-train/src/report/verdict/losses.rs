//! Where the choices lose, by name.

use maud::{Markup, html};
use nitro_page::{Percent, name};

use crate::report::data::{FunctionReport, WorstInput};
use crate::report::device::device_name;
use crate::report::html::function_link;
use crate::report::series::heading;

/// Being behind by less is chance.
const NOTABLE: f64 = 0.01;
/// More lines are not read.
const MOST: usize = 5;
/// What a shipped selector has to beat: each is simpler.
const SIMPLER: [&str; 3] = ["static", "majority", "forest-none"];

/// A device on which something simpler chose better.
struct Behind<'a> {
    function: &'a str,
    device: &'a str,
    own: f64,
    better: (&'a str, f64),
}

/// The devices where something simpler is notably better, worst first, and the worst single choice.
pub(super) fn losses(functions: &[FunctionReport]) -> Vec<Markup> {
    let mut behind: Vec<Behind<'_>> = functions.iter().flat_map(behind).collect();
    behind.sort_by(|a, b| (b.better.1 - b.own).total_cmp(&(a.better.1 - a.own))); // stable
    let compared = functions.iter().any(|function| function.held_out.is_some() || function.scores.len() > 1);
    let more = behind.len().saturating_sub(MOST);
    let mut lines: Vec<Markup> = behind.iter().take(MOST).map(words).collect();
    if more > 0 {
        lines.push(html! { "On " (more) " more pairs of function and device by less." });
    }
    if compared && lines.is_empty() {
        lines.push(html! { "Nothing simpler is better by a point on any device." });
    }
    lines.extend(worst(functions));
    lines
}

fn behind(function: &FunctionReport) -> Vec<Behind<'_>> {
    let found = |device, own: f64, others: Vec<(&'static str, f64)>| {
        let better = others.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (better.1 - own > NOTABLE).then_some(Behind { function: &function.name, device, own, better })
    };
    if let Some(own) = function.scores.iter().find(|score| score.highlighted) {
        let of = |selector: &&'static str| {
            let score = function.scores.iter().find(|score| score.selector == *selector)?;
            Some((*selector, score.mean))
        };
        return found("", own.mean, SIMPLER.iter().filter_map(of).collect()).into_iter().collect();
    }
    let Some(held_out) = &function.held_out else { return Vec::new() };
    let on_device = |device| {
        let others = SIMPLER.iter().filter_map(|selector| Some((*selector, held_out.on(device, selector)?)));
        found(&device.device, held_out.on(device, "auto")?, others.collect())
    };
    held_out.devices.iter().filter_map(on_device).collect()
}

fn words(behind: &Behind<'_>) -> Markup {
    let (selector, share) = behind.better;
    html! {
        (function_link(behind.function))
        @if !behind.device.is_empty() { " on " (device_name(behind.device)) }
        ": " (Percent(behind.own)) "\u{a0}%, " (heading(selector)) " " (Percent(share)) "\u{a0}%."
    }
}

/// The one choice of all that lost most.
fn worst(functions: &[FunctionReport]) -> Option<Markup> {
    let all = functions.iter().flat_map(|function| function.worst.iter().map(move |worst| (function, worst)));
    let (function, worst) = all.min_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))?;
    let WorstInput { input, device, chosen, best, share, .. } = worst;
    Some(html! {
        "The worst single choice: " (function_link(&function.name)) " on " (device_name(device)) " ran " (name(chosen)) " for "
        (name(input))
        @if *share > 0.0 { ", at " (Percent(*share)) "\u{a0}% of the speed of " (name(best)) "." }
        @else { ", where it fails; best is " (name(best)) "." }
    })
}
