//! Elements that only this page has.

use maud::{Markup, html};
use nitro_page::{anchor, name};

/// Returns where a figure or table is from, after a sentence.
pub(super) fn like(what: &str) -> Markup {
    html! { " " span.like { "(" (what) ")" } }
}

/// Returns the name of a function, which leads to its section.
pub(super) fn function_link(function: &str) -> Markup {
    html! {
        a href={ "#" (anchor(function)) } { (name(function)) }
    }
}

/// Returns the head of a column of bars from 0 to 100 %, which the numbers beside them say too.
pub(super) fn bar_scale() -> Markup {
    html! {
        td.bar-head aria-hidden="true" { span { "0" } span { "50" } span { "100" } }
    }
}
