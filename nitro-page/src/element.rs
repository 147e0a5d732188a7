//! Elements that pages are made of: boxes that scroll, parts on demand, heads of columns, names in code.

use std::fmt::Write as _;

use maud::{Markup, Render, html};

/// Returns the box around what may be wider than the page; a keyboard can reach and scroll it.
#[must_use]
pub fn wide(class: &str, label: &str, content: &Markup) -> Markup {
    html! {
        div.wide.(class) role="region" aria-label=(label) tabindex="0" { (content) }
    }
}

/// Returns lines of code in a box that scrolls.
#[must_use]
pub fn code_box(label: &str, text: &str) -> Markup {
    wide("code", label, &html! { pre { code { (text.trim_end()) } } })
}

/// Returns what most readers can do without: closed until it is asked for, and left out on paper.
#[must_use]
pub fn on_demand(summary: &str, content: &Markup) -> Markup {
    html! {
        details { summary { (summary) } (content) }
    }
}

/// Returns heads of columns.
#[must_use]
pub fn columns(names: &[impl Render]) -> Markup {
    html! {
        @for name in names { th scope="col" { (name) } }
    }
}

/// Returns the style of a cell of a table of the class `heat`: how much of the full colour it has, from 0 to 1.
#[must_use]
pub fn tint(share: f64) -> String {
    format!("--tint:{}%", crate::width(share).round())
}

/// Returns a name as code that may be broken after an underscore, where a narrow column needs it.
#[must_use]
pub fn name(name: &str) -> Markup {
    broken(name, &['_'])
}

/// Returns a choice as code that may be broken between its parameters.
#[must_use]
pub fn choice(name: &str) -> Markup {
    broken(name, &['{', ','])
}

/// Returns a text as code that may be broken after each of these characters.
fn broken(text: &str, after: &[char]) -> Markup {
    html! {
        code {
            @for part in text.split_inclusive(after) {
                (part)
                @if part.ends_with(after) { wbr; }
            }
        }
    }
}

/// Returns names in one sentence, as code.
#[must_use]
pub fn list(names: &[impl AsRef<str>]) -> Markup {
    html! {
        @for (index, own) in names.iter().enumerate() {
            @if index > 0 { @if index + 1 == names.len() { " and " } @else { ", " } }
            (name(own.as_ref()))
        }
    }
}

/// Returns a name as the value of an `id`: letters and digits stay, everything else becomes its code.
#[must_use]
pub fn anchor(name: &str) -> String {
    let mut id = "f-".to_owned();
    for char in name.chars() {
        match char {
            'a'..='z' | 'A'..='Z' | '0'..='9' => id.push(char),
            // Writing to a string cannot fail.
            char => drop(write!(id, "-{:x}-", u32::from(char))),
        }
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_broken_where_they_may_be_and_joined_in_a_sentence() {
        assert_eq!(name("row_length").into_string(), "<code>row_<wbr>length</code>");
        assert_eq!(choice("ell{a=1,b=2}").into_string(), "<code>ell{<wbr>a=1,<wbr>b=2}</code>");
        let names = |names: &[&str]| list(names).into_string().replace("<code>", "").replace("</code>", "");
        assert_eq!([names(&[]), names(&["a"]), names(&["a", "b"])], ["", "a", "a and b"]);
        assert_eq!(names(&["a", "b", "<c>"]), "a, b and &lt;c&gt;");
    }

    #[test]
    fn no_two_names_have_one_anchor() {
        assert_eq!([anchor("a::b"), anchor("a-3a--3a-b")], ["f-a-3a--3a-b", "f-a-2d-3a-2d--2d-3a-2d-b"]);
    }

    #[test]
    fn tints_are_within_their_range() {
        assert_eq!(
            [-1.0, 0.404, 7.0, f64::NAN].map(tint),
            ["--tint:0%", "--tint:40%", "--tint:100%", "--tint:0%"]
        );
    }
}
