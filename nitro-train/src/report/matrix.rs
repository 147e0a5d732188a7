//! The square tables over devices, as heat maps with numbers.

use maud::{Markup, html};
use nitro_page::{Percent, tint, wide};

use super::data::Matrix;
use super::device::Labels;

/// The form of a table over devices.
pub(super) struct Style<'a> {
    /// The name of the table, for readers who do not see the drawing.
    pub(super) label: &'a str,
    /// The meaning of rows and columns.
    pub(super) corner: &'a str,
    /// Class of the table, which has the colour.
    pub(super) class: &'a str,
    /// The value that has no tint, and the one with the full colour.
    pub(super) range: (f64, f64),
    /// Writes a value.
    pub(super) text: fn(f64) -> String,
}

/// Returns a share in percent.
pub(super) fn percent(share: f64) -> String {
    Percent(share).to_string()
}

/// Returns a cell with a number in percent, tinted by its place in a range.
pub(super) fn cell(share: Option<f64>, range: (f64, f64)) -> Markup {
    tinted(share, range, percent)
}

fn tinted(value: Option<f64>, (palest, fullest): (f64, f64), text: fn(f64) -> String) -> Markup {
    match value {
        Some(value) => html! { td style=(tint((value - palest) / (fullest - palest))) { (text(value)) } },
        None => html! { td.absent { "–" } },
    }
}

/// Returns the table, and below it rows that are of no device, each with its name.
pub(super) fn table(matrix: &Matrix, style: &Style<'_>, below: &[(&str, Vec<Option<f64>>)]) -> Markup {
    let labels = Labels::new(matrix.devices.iter().map(String::as_str));
    let table = html! {
        table.numbers.heat.matrix.(style.class) {
            thead {
                tr {
                    th scope="col" { (style.corner) }
                    @for device in &matrix.devices {
                        th scope="col" title=(device) { span.unseen { (labels.of(device)) } }
                    }
                }
            }
            tbody {
                @for (device, cells) in matrix.devices.iter().zip(&matrix.cells) {
                    tr {
                        th scope="row" { (labels.of(device)) }
                        @for &value in cells { (tinted(value, style.range, style.text)) }
                    }
                }
            }
            @if !below.is_empty() {
                tfoot {
                    @for (name, cells) in below {
                        tr {
                            th scope="row" { (name) }
                            @for &value in cells { (tinted(value, style.range, style.text)) }
                        }
                    }
                }
            }
        }
    };
    wide("", style.label, &table)
}
