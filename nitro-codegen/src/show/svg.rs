//! Drawings: parts with classes whose colours are those of the page, or the drawing's own.

use maud::{Markup, PreEscaped, html};

/// The width of a letter, in pixels.
pub const LETTER: f64 = 7.3;
/// The distance of lines, in pixels.
pub const LINE: f64 = 21.0;

const STYLE: &str = include_str!("svg.css");
const COLORS: &str = include_str!("colors.css");

/// A drawing of this size.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// In pixels.
    pub width: f64,
    /// In pixels.
    pub height: f64,
    /// What it shows, in words.
    pub title: String,
    /// What is drawn.
    pub parts: Markup,
}

/// Colours and styles for drawings that are part of a page.
pub fn style() -> String {
    format!("{COLORS}{STYLE}")
}

impl Drawing {
    /// As part of a page.
    pub fn inline(&self) -> Markup {
        self.markup(&html! {})
    }

    /// As a file.
    pub fn alone(&self) -> String {
        let paper = html! {
            style { (PreEscaped(style())) }
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

/// A coordinate with one decimal at most.
pub fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A line of text whose first letter begins here, on this baseline.
pub fn text(class: &str, x: f64, y: f64, text: &str) -> Markup {
    html! { text.(class) x=(at(x)) y=(at(y)) { (text) } }
}

/// The width of a text.
pub fn width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// The text, cut where it is longer than so many letters.
pub fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}
