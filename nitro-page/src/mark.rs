//! Styles of lines and marks: each has a colour, a dash pattern and a shape, so that they differ without colour.

use maud::{Markup, html};

/// The number of styles in the style sheet; no figure has more lines.
pub const STYLES: usize = 6;

/// Returns the shape of a style below [`STYLES`].
#[must_use]
pub fn mark(style: usize) -> Markup {
    html! { i.m.{ "m" (style) } aria-hidden="true" {} }
}
