//! What one source device fewer costs (Muralidharan et al., ASPLOS 2016, Figure 7).

use maud::{Markup, html};
use nitro_page::Percent;

use super::data::{HeldOut, Matrix, OneFewerTable};
use super::device::device_name;
use super::html::like;
use super::matrix::{Style, percent, table};

pub(super) fn part(tables: &OneFewerTable, held_out: Option<&HeldOut>) -> Markup {
    let style = Style {
        label: "One more source device removed",
        corner: "removed as well ↓, left out →",
        class: "",
        range: super::held_out::RANGE,
        text: percent,
    };
    let whole: Vec<Option<f64>> = tables.auto.devices.iter().map(|id| with_all(held_out?, id)).collect();
    let majority = least(&tables.majority);
    html! {
        h3 { "One more source device removed" }
        p {
            (verdict(&tables.auto, &whole)) " What " code { "auto" } " is for the device of the column, fitted anew without that of the row. Below, \
             without any second one; and the least that the majority of single selectors falls to. A dash where the \
             selector does not apply, as one by profiles without a profiled device." (like("Figure 7"))
        }
        (table(&tables.auto, &style, &[("no second one", whole), ("majority, least", majority)]))
    }
}

fn with_all(held_out: &HeldOut, id: &str) -> Option<f64> {
    held_out.on(held_out.devices.iter().find(|device| device.device == id)?, "auto")
}

/// Of each column.
fn least(matrix: &Matrix) -> Vec<Option<f64>> {
    let column = |at: usize| matrix.cells.iter().filter_map(|row| row[at]).reduce(f64::min);
    (0..matrix.devices.len()).map(column).collect()
}

/// Where most is lost, in one sentence.
fn verdict(matrix: &Matrix, whole: &[Option<f64>]) -> Markup {
    let losses = matrix.cells.iter().enumerate().flat_map(|(removed, cells)| {
        let loss = move |(held_out, cell): (usize, &Option<f64>)| {
            Some((whole[held_out]? - (*cell)?, matrix.devices[removed].as_str(), held_out))
        };
        cells.iter().enumerate().filter_map(loss).collect::<Vec<_>>()
    });
    let worst = losses.max_by(|(a, ..), (b, ..)| a.total_cmp(b)).filter(|(loss, ..)| *loss >= 0.005);
    html! {
        @match worst {
            None => { "No device is missed: without any second one, half a point is lost at most." },
            Some((loss, removed, held_out)) => {
                "Most missed is " (device_name(removed)) ": without it too, " (device_name(&matrix.devices[held_out])) " loses "
                (Percent(loss)) " points."
            },
        }
    }
}
