//! The few selectors that a reader needs first, and the styles of their lines and marks.

use nitro_page::STYLES;

/// The selectors that tables and figures show at once, in the order of their columns, with their headings. Everything
/// else is on demand.
pub(super) const FIRST: [(&str, &str); 6] = [
    ("auto", "auto"),
    ("static", "single variant"),
    ("target-trained", "trained there"),
    ("majority", "majority"),
    ("forest-none", "no device features"),
    ("nitro-2014", "Nitro 2014"),
];

/// Returns the heading of a selector in tables and figures.
pub(super) fn heading(selector: &str) -> &str {
    FIRST.iter().find(|(own, _)| *own == selector).map_or(selector, |(_, heading)| heading)
}

/// Returns the style that a selector has wherever it is shown; none for one without a style of its own.
fn own_style(selector: &str) -> Option<usize> {
    match selector {
        "learned elsewhere" | "mean" | "least certain next" | "transfer" | "test inputs" | "all inputs" => {
            Some(0)
        }
        "random order" | "random" | "training inputs" => Some(1),
        "learned here" | "model" => Some(2),
        selector => FIRST.iter().position(|(own, _)| *own == selector),
    }
}

/// Returns a style for each selector, none twice among the first [`STYLES`].
pub(super) fn styles(selectors: &[&str]) -> Vec<usize> {
    let mut styles: Vec<Option<usize>> = selectors.iter().map(|selector| own_style(selector)).collect();
    for at in 0..styles.len() {
        if styles[at].is_none() {
            let free = (1..STYLES).find(|style| !styles.contains(&Some(*style)));
            styles[at] = Some(free.unwrap_or(at % STYLES));
        }
    }
    styles.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_styles_are_the_same() {
        assert_eq!(styles(&["auto", "static", "majority"]), [0, 1, 3]);
        assert_eq!(styles(&["svm-none", "auto", "svm-all", "static"]), [2, 0, 3, 1]);
        assert_eq!(styles(&["a", "b", "c", "d", "e"]), [1, 2, 3, 4, 5]);
    }
}
