//! Square tables over devices, as heat maps with the numbers in them.

use maud::{Markup, html};

use super::data::Matrix;
use super::device::Labels;
use super::html::{Percent, wide, width};

/// How a matrix is shown.
pub(super) struct Style<'a> {
    /// What it is, for whoever does not see it.
    pub(super) label: &'a str,
    /// What rows and columns are.
    pub(super) corner: &'a str,
    /// Class of the table, which has the colour.
    pub(super) class: &'a str,
    /// The share that has no tint, and the one with the full colour.
    pub(super) range: (f64, f64),
}

/// A cell with a number in percent, the tint of which says where it lies in a range.
pub(super) fn cell(share: Option<f64>, (palest, fullest): (f64, f64)) -> Markup {
    let tint = |share| width((share - palest) / (fullest - palest)).round();
    match share {
        Some(share) => html! { td style={ "--tint:" (tint(share)) "%" } { (Percent(share)) } },
        None => html! { td.absent { "–" } },
    }
}

pub(super) fn table(matrix: &Matrix, style: &Style<'_>) -> Markup {
    let labels = Labels::new(matrix.devices.iter().map(String::as_str));
    let table = html! {
        table.numbers.heat.matrix.(style.class) {
            thead {
                tr {
                    th scope="col" { (style.corner) }
                    @for device in &matrix.devices { th scope="col" { span { (labels.of(device)) } } }
                }
            }
            tbody {
                @for (device, cells) in matrix.devices.iter().zip(&matrix.cells) {
                    tr {
                        th scope="row" { (labels.of(device)) }
                        @for &share in cells { (cell(share, style.range)) }
                    }
                }
            }
        }
    };
    wide("", style.label, &table)
}
