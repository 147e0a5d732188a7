//! What one device teaches about another (Muralidharan et al., ASPLOS 2016, Figure 1).

use maud::{Markup, html};

use super::data::{HeldOut, Matrix};
use super::html::like;
use super::matrix::{Style, percent, table};

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
            (verdict(matrix)) " Each row is what would be shipped of its own device’s measurements alone, the last one what is learned from \
             all devices but that of the column." (like("Figure 1"))
        }
        (table(matrix, &style, tuned.as_slice()))
    }
}

/// What `auto` achieves on the device of each column, learned from all others: the paper's "tuned".
fn tuned(matrix: &Matrix, held_out: &HeldOut) -> Vec<Option<f64>> {
    let on = |id: &String| {
        let device = held_out.devices.iter().find(|device| device.device == *id)?;
        held_out.on(device, "auto")
    };
    matrix.devices.iter().map(on).collect()
}

/// Own devices beside foreign ones, in one sentence.
fn verdict(matrix: &Matrix) -> String {
    let cells = matrix.cells.iter().enumerate().flat_map(|(row, cells)| {
        cells.iter().enumerate().filter_map(move |(column, share)| Some((row == column, (*share)?)))
    });
    let (own, foreign): (Vec<_>, Vec<_>) = cells.partition(|(is_own, _)| *is_own);
    let shares = |cells: Vec<(bool, f64)>| cells.into_iter().map(|(_, share)| share).collect::<Vec<_>>();
    let (own, foreign) = (shares(own), shares(foreign));
    if own.is_empty() || foreign.is_empty() {
        return String::new();
    }
    let mean = |shares: &[f64]| 100.0 * shares.iter().sum::<f64>() / shares.len() as f64;
    let least = 100.0 * foreign.iter().copied().fold(f64::INFINITY, f64::min);
    format!(
        "On its own device a selector reaches {:.1}\u{a0}% on average, on another {:.1}\u{a0}%, at worst {least:.1}\u{a0}%.",
        mean(&own),
        mean(&foreign)
    )
}
