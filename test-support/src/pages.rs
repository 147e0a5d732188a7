//! The rule that pages keep to on narrow screens.

/// The widest picture that fits a phone of 390 pixels, with the margins of the page.
const NARROW_PIXELS: f64 = 350.0;

/// The elements that have no end.
const VOID: [&str; 4] = ["!DOCTYPE", "meta", "wbr", "br"];

/// Asserts that a page takes the width of its screen, and that whatever may be wider stands in a box that scrolls.
///
/// Tables, code and pictures of a fixed width may be; the box is an element of the class `wide`.
///
/// # Panics
/// When the page may be wider than its screen.
#[track_caller]
pub fn assert_fits_narrow_screens(page: &str) {
    assert!(page.contains(r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#));
    let (style, body) = page.split_once("</style>").expect("pages have styles");
    let boxes = style.split('}').filter(|rule| rule.contains("\n.wide {"));
    assert!(boxes.into_iter().any(|rule| rule.contains("overflow-x: auto")), "no box scrolls");
    // Whether each element that is open scrolls, from the outermost on.
    let mut open: Vec<bool> = Vec::new();
    for tag in body.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        let name = tag.split([' ', '\n', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            open.pop();
        } else if !tag.ends_with('/') && !VOID.contains(&name) {
            let classes = attribute(tag, "class").unwrap_or_default();
            open.push(classes.split(' ').any(|class| class == "wide"));
        }
        let scrolls = open.iter().any(|scrolls| *scrolls);
        assert!(scrolls || !may_be_wide(name, tag), "<{tag}> stands in no box that scrolls");
    }
}

/// Returns true for an element that no screen can make narrower.
fn may_be_wide(name: &str, tag: &str) -> bool {
    let pixels = attribute(tag, "width").and_then(|width| width.parse::<f64>().ok());
    matches!(name, "table" | "pre") || name == "svg" && pixels.is_some_and(|pixels| pixels > NARROW_PIXELS)
}

/// Returns the value of an attribute.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::assert_fits_narrow_screens;

    fn page(body: &str) -> String {
        let meta = r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#;
        format!(
            "<html><head>{meta}<style>\n.wide {{ overflow-x: auto; }}</style></head><body>{body}</body></html>"
        )
    }

    #[test]
    fn what_scrolls_may_be_wide() {
        assert_fits_narrow_screens(&page(r#"<p>a<wbr>b</p><div class="wide bars"><table></table></div>"#));
        assert_fits_narrow_screens(&page(r#"<svg viewBox="0 0 900 9"></svg><svg width="40"></svg>"#));
    }

    #[test]
    #[should_panic(expected = "<table class=\"a\"> stands in no box that scrolls")]
    fn a_table_behind_a_box_is_not_in_it() {
        assert_fits_narrow_screens(&page(r#"<div class="wide"><p></p></div><table class="a"></table>"#));
    }

    #[test]
    #[should_panic(expected = "width=\"900\"> stands in no box that scrolls")]
    fn a_picture_that_stays_wide_is_found() {
        assert_fits_narrow_screens(&page(r#"<figure><svg width="900"></svg></figure>"#));
    }
}
