//! Names and numbers in the forms that the page has for them.

use std::fmt::{self, Display, Formatter, Write as _};

use maud::{Markup, Render, html};

/// A share of 1 in percent with one decimal; a dash for what is no number.
pub(super) struct Percent(pub(super) f64);

impl Display for Percent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_finite() { write!(f, "{:.1}", 100.0 * self.0) } else { f.write_str("–") }
    }
}

/// A share as a CSS number from 0 to 100, whatever it was.
pub(super) fn width(share: f64) -> f64 {
    let percent = if share.is_finite() { (100.0 * share).clamp(0.0, 100.0) } else { 0.0 };
    (percent * 100.0).round() / 100.0
}

/// A time in the largest unit that leaves at least one.
pub struct Nanoseconds(pub f64);

impl Render for Nanoseconds {
    fn render(&self) -> Markup {
        let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
        let (unit, factor) = units.into_iter().find(|(_, factor)| self.0 >= *factor).unwrap_or(("ns", 1.0));
        let value = self.0 / factor;
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        match self.0.is_finite() {
            true => html! { (format_args!("{value:.decimals$}")) " " span.unit { (unit) } },
            false => html! { "–" },
        }
    }
}

/// At most four significant digits, thousands set apart.
pub fn number(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if magnitude != 0.0 && !(1e-3..1e15).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let decimals = match magnitude {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    grouped(text)
}

/// Narrow spaces between groups of three digits, from 10 000 on.
fn grouped(text: &str) -> String {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let whole = digits.find('.').unwrap_or(digits.len());
    if whole < 5 {
        return text.to_owned();
    }
    let sign = &text[..text.len() - digits.len()];
    let mut grouped = sign.to_owned();
    for (index, char) in digits[..whole].chars().enumerate() {
        if index > 0 && (whole - index).is_multiple_of(3) {
            grouped.push('\u{202F}');
        }
        grouped.push(char);
    }
    grouped + &digits[whole..]
}

/// The box around a table that may be wider than the page; a keyboard can reach and scroll it.
pub fn wide(class: &str, label: &str, table: &Markup) -> Markup {
    html! {
        div.wide.(class) role="region" aria-label=(label) tabindex="0" { (table) }
    }
}

/// What most readers can do without: closed until it is asked for, and left out on paper.
pub fn on_demand(summary: &str, content: &Markup) -> Markup {
    html! {
        details { summary { (summary) } (content) }
    }
}

/// Where a figure or table is from, after a sentence.
pub(super) fn like(what: &str) -> Markup {
    html! { " " span.like { "(" (what) ")" } }
}

/// Heads of columns.
pub(super) fn columns(names: &[impl Render]) -> Markup {
    html! {
        @for name in names { th scope="col" { (name) } }
    }
}

/// Head of the column of bars from 0 to 100 %, which the numbers beside them say too.
pub(super) fn bar_scale() -> Markup {
    html! {
        td.bar-head aria-hidden="true" { span { "0" } span { "50" } span { "100" } }
    }
}

/// A name as code that may be broken after an underscore, where a narrow column needs it.
pub(super) fn name(name: &str) -> Markup {
    broken(name, &['_'])
}

/// A choice as code that may be broken between its parameters.
pub(super) fn choice(name: &str) -> Markup {
    broken(name, &['{', ','])
}

fn broken(name: &str, after: &[char]) -> Markup {
    html! {
        code {
            @for part in name.split_inclusive(after) {
                (part)
                @if part.ends_with(after) { wbr; }
            }
        }
    }
}

/// Names in one sentence, as code.
pub(super) fn list(names: &[impl AsRef<str>]) -> Markup {
    let before = |index| match index {
        0 => "",
        last if last + 1 == names.len() => " and ",
        _ => ", ",
    };
    html! {
        @for (index, own) in names.iter().enumerate() { (before(index)) (name(own.as_ref())) }
    }
}

/// The name of a function, which leads to its section.
pub(super) fn function_link(function: &str) -> Markup {
    html! {
        a href={ "#" (anchor(function)) } { (name(function)) }
    }
}

/// A name as the value of an `id`: letters and digits stay, everything else becomes its code.
pub(super) fn anchor(name: &str) -> String {
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
