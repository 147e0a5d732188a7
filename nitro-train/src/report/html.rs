//! Text and numbers as HTML.

use std::fmt::{self, Display, Formatter, Write as _};

/// A text with everything escaped that means something in HTML, attributes included.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| match char {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#39;"),
            char => f.write_char(char),
        })
    }
}

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

/// Begins the box around a table that may be wider than the page; a keyboard can reach and scroll it.
pub(super) fn wide(class: &str, label: &str) -> String {
    format!("<div class=\"wide {class}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">", Escaped(label))
}

/// A name as code that may be broken after an underscore, where a narrow column needs it.
pub(super) fn name(name: &str) -> String {
    format!("<code>{}</code>", Escaped(name).to_string().replace('_', "_<wbr>"))
}

/// The name of a function, which leads to its section.
pub(super) fn function_link(name: &str) -> String {
    format!("<a href=\"#{}\"><code>{}</code></a>", anchor(name), Escaped(name))
}

/// A time in the largest unit that leaves at least one.
pub(super) struct Nanoseconds(pub(super) f64);

impl Display for Nanoseconds {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
        let (unit, factor) = units.into_iter().find(|(_, factor)| self.0 >= *factor).unwrap_or(("ns", 1.0));
        let value = self.0 / factor;
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        match self.0.is_finite() {
            true => write!(f, "{value:.decimals$} <span class=\"unit\">{unit}</span>"),
            false => f.write_str("–"),
        }
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

/// At most four significant digits, thousands set apart.
pub(super) fn number(value: f64) -> String {
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

/// Names in one sentence, as code.
pub(super) fn list(names: &[impl AsRef<str>]) -> String {
    let names: Vec<String> = names.iter().map(|own| name(own.as_ref())).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
