//! The frame of all pages.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::drawing;

/// Styles that all pages share.
const STYLE: &str = include_str!("style.css");

/// Returns a page: HTML that needs nothing but itself. `own_style` follows the styles of all pages.
///
/// ```
/// let page = nitro_page::document("a < b", "", &maud::html! { h1 { "Title" } });
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<title>a &lt; b</title>"));
/// assert!(page.contains("<body><main><h1>Title</h1></main></body>"));
/// ```
#[must_use]
pub fn document(title: &str, own_style: &str, main: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style {
                    (PreEscaped(drawing::COLORS)) (PreEscaped(STYLE)) (PreEscaped(drawing::STYLE))
                    (PreEscaped(own_style))
                }
            }
            body { main { (main) } }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use maud::html;
    use nitro_test_support::pages::assert_fits_narrow_screens;

    use super::*;
    use crate::{Drawing, wide};

    #[test]
    fn a_page_asks_for_nothing_and_fits_narrow_screens() {
        let drawing = Drawing {
            width: 900.0,
            height: 9.0,
            title: "a line".to_owned(),
            parts: html! { path d="M0 0h900" {} },
        };
        let page =
            document("Page", ".own { color: red }", &html! { (wide("", "a line", &drawing.inline())) });
        assert_fits_narrow_screens(&page);
        let own = page.replace("http://www.w3.org/2000/svg", "");
        for outside in ["http:", "https:", "url(", "@import", "<script", "<link", "<img", "src="] {
            assert!(!own.contains(outside), "{outside}");
        }
        let (style, _) = page.split_once("</style>").unwrap();
        assert!(style.ends_with(".own { color: red }"), "a page's own style comes last");
    }

    #[test]
    fn every_style_sheet_closes_what_it_opens() {
        for sheet in [drawing::COLORS, STYLE, drawing::STYLE] {
            assert_eq!(sheet.matches('{').count(), sheet.matches('}').count(), "{sheet}");
        }
    }
}
