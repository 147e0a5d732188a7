//! Drawings with a size of their own, in pixels: as a part of a page, or as a file.

use maud::{Markup, PreEscaped, html};

/// The width of a letter, in pixels.
pub const LETTER: f64 = 7.3;
/// The distance of lines of text, in pixels.
pub const LINE: f64 = 21.0;

/// Colours that drawings and pages share.
pub(crate) const COLORS: &str = include_str!("colors.css");
/// Styles of what is drawn.
pub(crate) const STYLE: &str = include_str!("drawing.css");

/// A drawing: parts whose classes are those of the style sheet of drawings.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    /// The picture in words.
    pub title: String,
    /// Elements of SVG.
    pub parts: Markup,
}

impl Drawing {
    /// Returns the drawing as part of a page.
    #[must_use]
    pub fn inline(&self) -> Markup {
        self.markup(&html! {})
    }

    /// Returns the drawing as a file that needs nothing but itself.
    #[must_use]
    pub fn alone(&self) -> String {
        let paper = html! {
            style { (PreEscaped(COLORS)) (PreEscaped(STYLE)) }
            rect.paper width="100%" height="100%" {}
        };
        self.markup(&paper).into_string() + "\n"
    }

    fn markup(&self, first: &Markup) -> Markup {
        let [width, height] = [self.width, self.height].map(f64::ceil);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label=(self.title) width=(width) height=(height)
                viewBox={ "0 0 " (width) " " (height) } {
                (first) (self.parts)
            }
        }
    }
}

/// Returns a coordinate with one decimal at most.
///
/// ```
/// assert_eq!([2.0, 0.25].map(nitro_page::at), ["2", "0.2"]);
/// ```
#[must_use]
pub fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns a line of text whose first letter begins here, on this baseline.
#[must_use]
pub fn text_at(class: &str, x: f64, y: f64, text: &str) -> Markup {
    html! { text.(class) x=(at(x)) y=(at(y)) { (text) } }
}

/// Returns the width of a text, in pixels.
#[must_use]
pub fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// Returns the text, cut where it is longer than so many letters, of which there is at least one.
///
/// ```
/// assert_eq!([nitro_page::short("abc", 3), nitro_page::short("abcd", 3)], ["abc", "ab…"]);
/// ```
#[must_use]
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
