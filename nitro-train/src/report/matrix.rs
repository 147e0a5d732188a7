//! Square tables over devices, as heat maps with the numbers in them.

use super::data::Matrix;
use super::device::Labels;
use super::html::{Escaped, Percent, wide, width};

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
pub(super) fn cell(share: Option<f64>, (palest, fullest): (f64, f64)) -> String {
    match share {
        Some(share) => {
            let tint = width((share - palest) / (fullest - palest)).round();
            format!("<td style=\"--tint:{tint}%\">{}</td>", Percent(share))
        }
        None => "<td class=\"absent\">–</td>".to_owned(),
    }
}

pub(super) fn table(matrix: &Matrix, style: &Style<'_>) -> String {
    let Style { label, corner, class, .. } = style;
    let labels = Labels::new(matrix.devices.iter().map(String::as_str));
    let column = |device: &String| format!("<th scope=\"col\"><span>{}</span></th>", labels.of(device));
    let heads: String = matrix.devices.iter().map(column).collect();
    let rows: String = matrix
        .devices
        .iter()
        .zip(&matrix.cells)
        .map(|(device, cells)| {
            let cells: String = cells.iter().map(|&share| cell(share, style.range)).collect();
            format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", labels.of(device))
        })
        .collect();
    let open = wide("", label);
    format!(
        "{open}<table class=\"numbers heat matrix {class}\">\n<thead><tr><th scope=\"col\">{corner}</th>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n",
        corner = Escaped(corner),
    )
}
