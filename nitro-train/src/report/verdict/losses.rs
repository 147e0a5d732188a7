//! The losses of the choices, by name.

use maud::{Markup, html};
use nitro_page::{Percent, name};

use crate::report::data::{FunctionReport, WorstInput};
use crate::report::device::device_name;
use crate::report::html::function_link;
use crate::report::series::heading;

/// The least share behind that is more than chance.
const NOTABLE: f64 = 0.01;
/// The most lines, which are all that is read.
const MOST: usize = 5;
/// The simpler selectors that a shipped one has to beat.
const SIMPLER: [&str; 3] = ["static", "majority", "forest-none"];

/// A device on which something simpler chose better.
struct Loss<'a> {
    function: &'a str,
    device: &'a str,
    own: f64,
    better: (&'a str, f64),
}

/// Returns the devices where something simpler is notably better, worst first, and the worst single choice.
pub(super) fn losses(functions: &[FunctionReport]) -> Vec<Markup> {
    let mut losses: Vec<Loss<'_>> = functions.iter().flat_map(losses_of).collect();
    losses.sort_by(|a, b| (b.better.1 - b.own).total_cmp(&(a.better.1 - a.own))); // stable
    let compared = functions.iter().any(|function| function.held_out.is_some() || function.scores.len() > 1);
    let more = losses.len().saturating_sub(MOST);
    let mut lines: Vec<Markup> = losses.iter().take(MOST).map(words).collect();
    if more > 0 {
        lines.push(html! { "On " (more) " more pairs of function and device by less." });
    }
    if compared && lines.is_empty() {
        lines.push(html! { "Nothing simpler is better by a point on any device." });
    }
    lines.extend(worst(functions));
    lines
}

/// Returns the losses of a function on this machine, or else on the devices left out.
fn losses_of(function: &FunctionReport) -> Vec<Loss<'_>> {
    if let Some(own) = function.scores.iter().find(|score| score.highlighted) {
        let simpler = SIMPLER.map(|selector| (selector, function.share_of(selector)));
        return Loss::beside(function, "", own.mean, simpler).into_iter().collect();
    }
    let mut losses = Vec::new();
    let Some(held_out) = &function.held_out else { return losses };
    for device in &held_out.devices {
        if let Some(own) = held_out.on(device, "auto") {
            let simpler = SIMPLER.map(|selector| (selector, held_out.on(device, selector)));
            losses.extend(Loss::beside(function, &device.device, own, simpler));
        }
    }
    losses
}

impl<'a> Loss<'a> {
    /// Returns the loss against the best of the simpler selectors, where it is notable.
    fn beside(
        function: &'a FunctionReport,
        device: &'a str,
        own: f64,
        simpler: [(&'static str, Option<f64>); 3],
    ) -> Option<Self> {
        let known = simpler.into_iter().filter_map(|(selector, share)| Some((selector, share?)));
        let better = known.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (better.1 - own > NOTABLE).then_some(Self { function: &function.name, device, own, better })
    }
}

fn words(loss: &Loss<'_>) -> Markup {
    let (selector, share) = loss.better;
    html! {
        (function_link(loss.function))
        @if !loss.device.is_empty() { " on " (device_name(loss.device)) }
        ": " (Percent(loss.own)) "\u{a0}%, " (heading(selector)) " " (Percent(share)) "\u{a0}%."
    }
}

/// Returns the one choice of all that lost most.
fn worst(functions: &[FunctionReport]) -> Option<Markup> {
    let all = functions.iter().flat_map(|function| function.worst.iter().map(move |worst| (function, worst)));
    let (function, worst) = all.min_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))?;
    let WorstInput { input, device, chosen, best, share, .. } = worst;
    Some(html! {
        "The worst single choice: " (function_link(&function.name)) " on " (device_name(device))
        " ran " (name(chosen)) " for " (name(input))
        @if *share > 0.0 { ", at " (Percent(*share)) "\u{a0}% of the speed of " (name(best)) "." }
        @else { ", where it fails; best is " (name(best)) "." }
    })
}
