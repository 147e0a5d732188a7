//! Numbers in the forms that pages have for them; a dash stands for what is no number.

use std::fmt::{self, Display, Formatter};

use maud::{Markup, Render, html};

/// Stands where there is no number.
const NONE: &str = "–";
/// Separates groups of three digits.
const NARROW_SPACE: char = '\u{202F}';

/// A share of 1, shown in percent with one decimal.
///
/// ```
/// use nitro_page::Percent;
///
/// let shown = [0.973, -0.02, -1e-9, f64::NAN].map(|share| Percent(share).to_string());
/// assert_eq!(shown, ["97.3", "−2.0", "0.0", "–"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

impl Display for Percent {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() {
            return formatter.write_str(NONE);
        }
        let text = format!("{:.1}", 100.0 * self.0);
        match text.strip_prefix('-') {
            // What is rounded away has no sign.
            Some("0.0") => formatter.write_str("0.0"),
            Some(digits) => write!(formatter, "−{digits}"),
            None => formatter.write_str(&text),
        }
    }
}

/// A time, shown in the largest unit that leaves at least one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nanoseconds(pub f64);

impl Render for Nanoseconds {
    fn render(&self) -> Markup {
        if !self.0.is_finite() {
            return html! { (NONE) };
        }
        let units = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)];
        let (unit, factor) = units.into_iter().find(|(_, factor)| self.0 >= *factor).unwrap_or(("ns", 1.0));
        let value = self.0 / factor;
        let decimals = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
        html! { (format_args!("{value:.decimals$}")) " " span.unit { (unit) } }
    }
}

/// Returns a number with at most four significant digits, thousands set apart.
///
/// ```
/// assert_eq!([0.125, 12_345.6, 1e-9].map(nitro_page::number), ["0.125", "12\u{202F}346", "1.000e-9"]);
/// ```
#[must_use]
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return NONE.to_owned();
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-3..1e15).contains(&magnitude) {
        return format!("{sign}{magnitude:.3e}");
    }
    let decimals = match magnitude {
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    };
    let text = format!("{magnitude:.decimals$}");
    let digits = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    sign.to_owned() + &grouped(digits)
}

/// Returns the digits in groups of three, from 10 000 on.
fn grouped(digits: &str) -> String {
    let whole = digits.find('.').unwrap_or(digits.len());
    if whole < 5 {
        return digits.to_owned();
    }
    let mut grouped = String::new();
    for (index, digit) in digits[..whole].chars().enumerate() {
        if index > 0 && (whole - index).is_multiple_of(3) {
            grouped.push(NARROW_SPACE);
        }
        grouped.push(digit);
    }
    grouped + &digits[whole..]
}

/// Returns a number with its noun, which takes an `s` for all but one.
///
/// ```
/// assert_eq!([1, 0].map(|edits| nitro_page::plural(edits, "edit")), ["1 edit", "0 edits"]);
/// ```
#[must_use]
pub fn plural(many: usize, noun: &str) -> String {
    let ending = if many == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", number(many as f64))
}

/// Returns a share as a CSS number from 0 to 100, whatever it was.
#[must_use]
pub fn width(share: f64) -> f64 {
    let percent = if share.is_finite() { (100.0 * share).clamp(0.0, 100.0) } else { 0.0 };
    (percent * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let cases = [
            (0.0, "0"),
            (4.0, "4"),
            (0.12345, "0.123"),
            (2.3456, "2.346"),
            (64.5, "64.5"),
            (123.456, "123.5"),
            (2400.0, "2400"),
            (33_554_432.0, "33\u{202F}554\u{202F}432"),
            (-12_345.6, "−12\u{202F}346"),
            (1e-9, "1.000e-9"),
            (-1e-9, "−1.000e-9"),
            (-0.0, "0"),
            (f64::NAN, "–"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }
}
