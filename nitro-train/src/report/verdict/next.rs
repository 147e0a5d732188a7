//! The next steps, by their possible gain.

use maud::{Markup, html};
use nitro_page::{Percent, list};

use crate::report::data::{FunctionReport, HeldOut};
use crate::report::device::device_name;
use crate::report::html::function_link;

/// A gain below half a point is not worth a step.
const NOTABLE: f64 = 0.005;
/// The share below which a selector lacks features or inputs, though it was trained on the device itself.
const CEILING: f64 = 0.97;
/// The most steps, since more are not taken at once.
const MOST: usize = 6;
/// The least number of devices, one of which is left out, that say something about device features.
const ENOUGH_DEVICES: usize = 4;

/// A suggested step.
pub(super) struct Step {
    pub(super) words: Markup,
    /// The most that it may bring, as a share of exhaustive search; none where that cannot be told.
    pub(super) worth: Option<f64>,
}

/// Returns the steps: missing data first, then by possible gain, then what takes something away.
pub(super) fn steps(functions: &[FunctionReport]) -> Vec<Step> {
    let mut gains: Vec<Step> =
        functions.iter().flat_map(|function| [calibrate(function), features(function)]).flatten().collect();
    gains.sort_by(|a, b| b.worth.unwrap_or(0.0).total_cmp(&a.worth.unwrap_or(0.0))); // stable
    let mut steps: Vec<Step> = few_devices(functions).into_iter().chain(gains).collect();
    // The last place is kept for variants to drop.
    steps.truncate(MOST - 1);
    steps.extend(idle(functions));
    if steps.is_empty() && functions.iter().any(|function| function.held_out.is_some()) {
        steps.push(Step { words: html! { "Nothing that is worth half a point: ship it." }, worth: None });
    }
    steps
}

/// Returns the step for functions that too few devices were recorded of.
fn few_devices(functions: &[FunctionReport]) -> Option<Step> {
    let mut few: Vec<&str> = Vec::new();
    for function in functions {
        let devices = function.winners.devices.len();
        if function.scores.is_empty() && (1..ENOUGH_DEVICES).contains(&devices) {
            few.push(&function.name);
        }
    }
    (!few.is_empty()).then(|| Step {
        words: html! {
            "Record " (links(&few)) " on more devices (" code { "train record" } "): with fewer than " (ENOUGH_DEVICES)
            ", a device left out is learned from too few to tell which device features matter."
        },
        worth: None,
    })
}

/// Returns the step that closes the gap between the shipped selector and one trained on the device itself.
fn calibrate(function: &FunctionReport) -> Option<Step> {
    let held_out = function.held_out.as_ref()?;
    let (device, gap) = widest_gap(held_out)?;
    let known = function.calibration.as_ref().and_then(|curve| {
        let (_, shares) = curve.devices.iter().find(|(own, _)| own == device)?;
        let best = shares.iter().flatten().copied().fold(0.0, f64::max);
        Some((curve.counts.last()?, best))
    });
    Some(Step {
        words: html! {
            "Measure a few inputs of " (function_link(&function.name)) " where it runs ("
            code { "train calibrate" } "): most is to be gained on devices like " (device_name(device))
            @if let Some((most, best)) = known {
                ", which reached " (Percent(best)) "\u{a0}% with at most " (most) " inputs"
            }
            "."
        },
        worth: Some(gap),
    })
}

/// Returns the device with most to gain, where that is worth a step.
fn widest_gap(held_out: &HeldOut) -> Option<(&str, f64)> {
    let gaps = held_out.devices.iter().filter_map(|device| {
        let gap = held_out.on(device, "target-trained")? - held_out.on(device, "auto")?;
        Some((device.device.as_str(), gap))
    });
    gaps.max_by(|(_, a), (_, b)| a.total_cmp(b)).filter(|(_, gap)| *gap > NOTABLE)
}

/// Returns the step against a low ceiling: nothing learned from these features and inputs can be better.
fn features(function: &FunctionReport) -> Option<Step> {
    let ceiling = function.held_out.as_ref()?.mean_of("target-trained").filter(|share| *share < CEILING)?;
    Some(Step {
        words: html! {
            "Record more training inputs of " (function_link(&function.name)) ", or add an input feature: even \
                trained on the device itself it reaches only "
            (Percent(ceiling)) "\u{a0}%. Its worst inputs tell what is missing."
        },
        worth: Some(1.0 - ceiling),
    })
}

/// Returns the step that drops variants that nobody would miss.
fn idle(functions: &[FunctionReport]) -> Option<Step> {
    let recorded = functions.iter().filter(|function| !function.winners.devices.is_empty());
    let with: Vec<&FunctionReport> =
        recorded.filter(|function| !function.winners.idle().is_empty()).collect();
    (!with.is_empty()).then(|| Step {
        words: html! {
            "Variants that are hardly ever best, and may be dropped: "
            @for (index, function) in with.iter().enumerate() {
                @if index > 0 { "; " }
                (list(&function.winners.idle())) " of " (function_link(&function.name))
            }
            "."
        },
        worth: None,
    })
}

fn links(names: &[&str]) -> Markup {
    html! {
        @for (index, name) in names.iter().enumerate() {
            @if index > 0 { ", " }
            (function_link(name))
        }
    }
}
