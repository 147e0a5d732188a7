//! The best variants, by their share of the test inputs of each device (Muralidharan et al., ASPLOS 2016, Table 4).

use maud::{Markup, html};
use nitro_page::{Percent, list, name, wide, width};

use super::data::Winners;
use super::device::Labels;
use super::html::like;

/// A variant that is best on fewer of the inputs of every device is hardly worth its place.
const WORTHWHILE_SHARE: f64 = 0.03;
/// Colours in the style sheet; further variants begin again, and the text tells them apart.
const COLOURS: usize = 10;
/// The least share of a segment that has room for a number, which the table below has in any case.
const LABELLED_SHARE: f64 = 0.07;

/// Returns the part of a function about which variants win.
pub(super) fn part(winners: &Winners) -> Markup {
    if winners.devices.is_empty() {
        return html! {};
    }
    let labels = Labels::new(winners.devices.iter().map(|(device, _)| device.as_str()));
    html! {
        h3 { "Best variants" }
        p { (verdict(winners)) " In percent of the test inputs on which a variant is best:" (like("Table 4")) }
        div.stacks aria-hidden="true" {
            @for (device, shares) in &winners.devices {
                div.stack { span { (labels.of(device)) } div { (segments(&winners.variants, shares)) } }
            }
        }
        (wide("", "Best variants", &table(winners, &labels)))
    }
}

fn verdict(winners: &Winners) -> Markup {
    let idle = winners.idle();
    html! {
        @if idle.is_empty() {
            "Every variant is best on at least 3\u{a0}% of the test inputs on some device."
        } @else {
            strong { "Best on fewer than 3\u{a0}% of the test inputs on every device: " (list(&idle)) "." }
            " Every other variant reaches 3\u{a0}% on some device."
        }
    }
}

impl Winners {
    /// Returns the variants that are best on hardly any input of any device.
    pub(super) fn idle(&self) -> Vec<&String> {
        let mut idle = Vec::new();
        for (index, variant) in self.variants.iter().enumerate() {
            let shares = self.devices.iter().filter_map(|(_, shares)| shares.get(index).copied());
            if shares.fold(0.0, f64::max) < WORTHWHILE_SHARE {
                idle.push(variant);
            }
        }
        idle
    }
}

fn colour(variant: usize) -> String {
    format!("c{}", variant % COLOURS)
}

fn segments(variants: &[String], shares: &[f64]) -> Markup {
    let visible = variants.iter().zip(shares).enumerate().filter(|&(_, (_, &share))| width(share) > 0.0);
    html! {
        @for (index, (name, &share)) in visible {
            span.(colour(index)) style={ "width:" (width(share)) "%" } title=(name) {
                @if share >= LABELLED_SHARE { (format_args!("{:.0}", 100.0 * share)) }
            }
        }
    }
}

/// Returns the same numbers as a table, which is also the key of the colours.
fn table(winners: &Winners, labels: &Labels<'_>) -> Markup {
    html! {
        table.numbers.winners {
            thead {
                tr {
                    th scope="col" { "best on % of inputs" }
                    @for (index, variant) in winners.variants.iter().enumerate() {
                        th scope="col" { i.key.(colour(index)) aria-hidden="true" {} (name(variant)) }
                    }
                }
            }
            tbody {
                @for (device, shares) in &winners.devices {
                    tr {
                        th scope="row" { (labels.of(device)) }
                        @for index in 0..winners.variants.len() { (cell(shares.get(index).copied())) }
                    }
                }
            }
            tfoot {
                (foot("always this one, % of exhaustive", &winners.alone))
                @if winners.may_run.iter().any(|share| *share < 1.0) {
                    (foot("may run on, % of inputs", &winners.may_run))
                }
                (foot("without it, % of exhaustive", &winners.without))
            }
        }
    }
}

/// Returns a row with one figure a variant.
fn foot(what: &str, shares: &[f64]) -> Markup {
    html! {
        @if !shares.is_empty() {
            tr {
                th scope="row" { (what) }
                @for &share in shares { td { (Percent(share)) } }
            }
        }
    }
}

fn cell(share: Option<f64>) -> Markup {
    let share = share.unwrap_or(f64::NAN);
    let little = share < WORTHWHILE_SHARE;
    html! {
        td class=[little.then_some("little")] { (Percent(share)) }
    }
}
