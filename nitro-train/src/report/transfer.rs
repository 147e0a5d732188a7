//! The transfer from one device to another (Muralidharan et al., ASPLOS 2016, Figure 1).

use maud::{Markup, html};

use super::data::{HeldOut, Matrix};
use super::html::like;
use super::matrix::{Style, percent, table};

/// Returns the part of a function about selectors of one device on another.
pub(super) fn part(matrix: &Matrix, held_out: Option<&HeldOut>) -> Markup {
    if matrix.devices.len() < 2 {
        return html! {};
    }
    let style = Style {
        label: "Trained on one device, run on another",
        corner: "trained on ↓, run on →",
        class: "",
        range: super::held_out::RANGE,
        text: percent,
    };
    let tuned = held_out.map(|held_out| ("auto, from all others", tuned(matrix, held_out)));
    html! {
        h3 { "Trained on one device, run on another" }
        p {
            (verdict(matrix)) " Each row is what would be shipped of its own device’s measurements alone, the last \
                one what is learned from all devices but that of the column." (like("Figure 1"))
        }
        (table(matrix, &style, tuned.as_slice()))
    }
}

/// Returns the share of `auto` on the device of each column, learned from all others: the paper's "tuned".
fn tuned(matrix: &Matrix, held_out: &HeldOut) -> Vec<Option<f64>> {
    matrix.devices.iter().map(|id| held_out.on_named(id, "auto")).collect()
}

/// Compares own devices with foreign ones in one sentence.
fn verdict(matrix: &Matrix) -> String {
    let (mut own, mut foreign): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for (row, cells) in matrix.cells.iter().enumerate() {
        for (column, share) in cells.iter().enumerate() {
            let shares = if row == column { &mut own } else { &mut foreign };
            shares.extend(*share);
        }
    }
    if own.is_empty() || foreign.is_empty() {
        return String::new();
    }
    let [on_own, on_foreign] = [&own, &foreign].map(|all| 100.0 * all.iter().sum::<f64>() / all.len() as f64);
    let least = 100.0 * foreign.iter().copied().fold(f64::INFINITY, f64::min);
    format!(
        "On its own device a selector reaches {on_own:.1}\u{a0}% on average, on another {on_foreign:.1}\u{a0}%, \
         at worst {least:.1}\u{a0}%."
    )
}
