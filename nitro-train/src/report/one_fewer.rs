//! The cost of one source device fewer (Muralidharan et al., ASPLOS 2016, Figure 7).

use maud::{Markup, html};
use nitro_page::Percent;

use super::data::{HeldOut, Matrix, OneFewerTable};
use super::device::device_name;
use super::html::like;
use super::matrix::{Style, percent, table};

/// Returns the part of a function about one more device left out.
pub(super) fn part(tables: &OneFewerTable, held_out: Option<&HeldOut>) -> Markup {
    let style = Style {
        label: "One more source device removed",
        corner: "removed as well ↓, left out →",
        class: "",
        range: super::held_out::RANGE,
        text: percent,
    };
    let devices = tables.auto.devices.iter();
    let whole: Vec<Option<f64>> = devices.map(|id| held_out?.on_named(id, "auto")).collect();
    let majority = least(&tables.majority);
    html! {
        h3 { "One more source device removed" }
        p {
            (verdict(&tables.auto, &whole)) " What " code { "auto" } " is for the device of the column, fitted anew \
                without that of the row. Below, without any second one; and the least that the majority of single \
                selectors falls to. A dash where the selector does not apply, as one by profiles without a profiled \
                device." (like("Figure 7"))
        }
        (table(&tables.auto, &style, &[("no second one", whole), ("majority, least", majority)]))
    }
}

/// Returns the least of each column.
fn least(matrix: &Matrix) -> Vec<Option<f64>> {
    let columns = 0..matrix.devices.len();
    columns.map(|at| matrix.cells.iter().filter_map(|row| row[at]).reduce(f64::min)).collect()
}

/// Names the largest loss in one sentence.
fn verdict(matrix: &Matrix, whole: &[Option<f64>]) -> Markup {
    let mut losses = Vec::new();
    for (removed, cells) in matrix.devices.iter().zip(&matrix.cells) {
        for (held_out, cell) in cells.iter().enumerate() {
            if let (Some(all), Some(fewer)) = (whole[held_out], *cell) {
                losses.push((all - fewer, removed.as_str(), held_out));
            }
        }
    }
    let worst = losses.into_iter().max_by(|(a, ..), (b, ..)| a.total_cmp(b));
    let worst = worst.filter(|(loss, ..)| *loss >= 0.005);
    html! {
        @match worst {
            None => { "No device is missed: without any second one, half a point is lost at most." },
            Some((loss, removed, held_out)) => {
                "Most missed is " (device_name(removed)) ": without it too, "
                (device_name(&matrix.devices[held_out])) " loses " (Percent(loss)) " points."
            },
        }
    }
}
