//! A map of the fast configurations of a variant, over the two parameters that matter most.
//!
//! It is a heat map with numbers.

use maud::{Markup, html};
use nitro_page::{Percent, name, wide};

use super::matrix::cell;
use super::space_data::{SpaceMap, SpaceReport};

/// The share without a tint, and the one with all of it.
const RANGE: (f64, f64) = (0.4, 1.0);

/// Returns the map of one variant. Only the first variant of a function explains how to read it.
pub(super) fn part(space: &SpaceReport, variant: Option<&str>, is_explained: bool) -> Markup {
    let Some(map) = &space.map else { return html! {} };
    let (column, _) = &map.columns;
    html! {
        h3 { "Where the fast configurations lie" @if let Some(variant) = variant { " in " code { (variant) } } }
        p {
            (verdict(map)) " Across: " (name(column))
            @if let Some((row, _)) = &map.rows { "; down: " (name(row)) ", which matters next" }
            "."
            @if is_explained {
                " How fast the best configuration with these values is, whatever the other parameters, in % of the \
                 best of all " (space.configurations)
                "; mean over " (space.pairs) @if space.pairs == 1 { " pair" } @else { " pairs" } " of a device and \
                    an input. Without tint from 40\u{a0}% down, and 0 where all that was tried failed; a dash where \
                    no configuration has these values."
            }
        }
        (wide("", "Where the fast configurations lie", &table(map)))
    }
}

/// Names the best and the worst cell.
fn verdict(map: &SpaceMap) -> Markup {
    let mut known: Vec<(usize, usize, f64)> = Vec::new();
    for (row, cells) in map.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            known.extend(cell.filter(|share| share.is_finite()).map(|share| (row, column, share)));
        }
    }
    let best = known.iter().rev().max_by(|a, b| a.2.total_cmp(&b.2));
    let worst = known.iter().min_by(|a, b| a.2.total_cmp(&b.2));
    html! {
        @if let (Some(best), Some(worst)) = (best, worst) {
            strong { (values(map, best)) " reaches " (Percent(best.2)) "\u{a0}%" }
            @if best.2 > worst.2 { ", " (values(map, worst)) " at best " (Percent(worst.2)) "." } @else { "." }
        }
    }
}

/// Names the values of a cell.
fn values(map: &SpaceMap, (row, column, _): &(usize, usize, f64)) -> Markup {
    html! {
        (parameter_value(&map.columns, *column))
        @if let Some(rows) = &map.rows { " with " (parameter_value(rows, *row)) }
    }
}

/// Returns a parameter with one of its values.
fn parameter_value((parameter, labels): &(String, Vec<String>), at: usize) -> Markup {
    html! { code { (parameter) " = " (labels.get(at).map_or("", String::as_str)) } }
}

fn table(map: &SpaceMap) -> Markup {
    let best = map.cells.iter().flatten().copied().flatten().fold(0.0, f64::max);
    html! {
        table.numbers.heat.space {
            thead {
                tr {
                    th scope="col" {
                        @if let Some((row, _)) = &map.rows { (name(row)) " ↓ " }
                        (name(&map.columns.0)) " →"
                    }
                    @for label in &map.columns.1 { th scope="col" { (label) } }
                }
            }
            tbody {
                @for (at, cells) in map.cells.iter().enumerate() {
                    tr {
                        th scope="row" {
                            @if let Some((_, labels)) = &map.rows { (labels.get(at).map_or("", String::as_str)) }
                            @else { "best" }
                        }
                        @for share in cells {
                            @if *share == Some(best) { (best_cell(best)) } @else { (cell(*share, RANGE)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the best cell in bold, so that it is found without comparing tints.
fn best_cell(share: f64) -> Markup {
    html! { td.best style="--tint:100%" { (Percent(share)) } }
}
