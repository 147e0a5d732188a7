//! What the plots of lines share.

use super::html::Escaped;

/// A plot's own units; the browser stretches it, and labels stand outside, so that text keeps its size.
pub(super) const WIDTH: f64 = 1000.0;
pub(super) const HEIGHT: f64 = 400.0;
/// Colours and dashes in the style sheet.
const STYLES: usize = 9;

/// The line number `index`, with this path.
pub(super) fn line(index: usize, path: &str) -> String {
    format!("<path class=\"line s{}\" d=\"{path}\"/>\n", index % STYLES)
}

/// Its entry in the legend.
pub(super) fn key(index: usize, name: &str) -> String {
    format!(
        "<span><svg class=\"key\" viewBox=\"0 0 32 8\" aria-hidden=\"true\"><path class=\"line s{}\" d=\"M0 4H32\"/>\
         </svg>{}</span>\n",
        index % STYLES,
        Escaped(name)
    )
}
