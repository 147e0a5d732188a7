//! The importance of the tuning parameters of a variant.

use maud::{Markup, html};
use nitro_page::{Percent, columns, name, on_demand, wide, width};

use super::device::Labels;
use super::html::{bar_scale, like};
use super::matrix::cell;
use super::space_data::ParameterImportance;
use super::space_data::SpaceReport;

/// Returns the table of one variant. Only the first variant of a function explains how to read it.
pub(super) fn part(space: &SpaceReport, variant: Option<&str>, is_explained: bool) -> Markup {
    let Some(first) = space.parameters.first() else { return html! {} };
    let table = html! {
        table.numbers.shares.importance {
            thead { tr { (columns(&["parameter", "values", "alone %", "with the others %"])) (bar_scale()) } }
            tbody { @for own in &space.parameters { (row(own)) } }
        }
    };
    html! {
        h3 { "Which parameters matter" @if let Some(variant) = variant { " in " code { (variant) } } }
        p {
            strong { "Most of all " (name(&first.parameter)) }
            @if space.sampled_of.is_none() {
                ", which takes part in " (Percent(first.with_others)) "\u{a0}% of the differences"
            }
            "."
            @if is_explained { (words(space)) }
        }
        (wide("bars", "Which parameters matter", &table))
        @if space.by_device.len() > 1 && space.sampled_of.is_none() {
            (on_demand("The devices one by one", &devices(space)))
        }
    }
}

/// Explains how to read the table.
fn words(space: &SpaceReport) -> Markup {
    html! {
        " Of the variance of the logarithm of the time over all "
        @if let Some(all) = space.sampled_of { (space.configurations) " measured of " (all) " " }
        "configurations that have one, mean over " (space.pairs) @if space.pairs == 1 { " pair" } @else { " pairs" }
        " of a device and an input: "
        @match space.sampled_of {
            Some(_) => { em { "alone" } " is what a parameter’s value explains by itself. What it decides with the \
                others a sample does not tell." },
            None => {
                em { "with the others" }
                " (the bar) is what a parameter still decides when all others are known, "
                em { "alone" }
                " (the part of it in colour) what its value explains by itself. Both are exact sums, without a \
                 model; where constraints tie parameters to one another they do not add up."
            },
        }
        (like("functional ANOVA: Sobol’ 2001; Hutter, Hoos and Leyton-Brown, ICML 2014"))
    }
}

fn row(own: &ParameterImportance) -> Markup {
    let bar = if own.with_others.is_nan() { own.alone } else { own.with_others };
    let inner = if bar > 0.0 { own.alone / bar } else { 0.0 };
    html! {
        tr style={ "--share:" (width(bar)) "%;--inner:" (width(inner)) "%" } {
            th scope="row" { (name(&own.parameter)) }
            td { (own.values) }
            td { (Percent(own.alone)) }
            td { (Percent(own.with_others)) }
            td.bar aria-hidden="true" { span { i {} } }
        }
    }
}

fn devices(space: &SpaceReport) -> Markup {
    let labels = Labels::new(space.by_device.iter().map(|(device, _)| device.as_str()));
    wide(
        "",
        "With the others, by device",
        &html! {
            table.numbers.heat {
                thead {
                    tr {
                        th scope="col" { "with the others %" }
                        @for own in &space.parameters { th scope="col" { (name(&own.parameter)) } }
                    }
                }
                tbody {
                    @for (device, shares) in &space.by_device {
                        tr {
                            th scope="row" { (labels.of(device)) }
                            @for &share in shares { (cell(Some(share), (0.0, 1.0))) }
                        }
                    }
                }
            }
        },
    )
}
