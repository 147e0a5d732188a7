//! The selectors beside one another on devices left out (Muralidharan et al., ASPLOS 2016, Figures 6 and 7).

use std::fmt::Write as _;

use super::data::HeldOut;
use super::html::{Escaped, Percent, width};

/// What no selector can be that is shipped: they look at the device that is left out.
const CEILINGS: [&str; 2] = ["target-trained", "best-single-feature"];

pub(super) fn part(held_out: &HeldOut) -> String {
    let rows = rows(held_out);
    if rows.is_empty() {
        return String::new();
    }
    let said: Vec<String> = rows
        .iter()
        .map(|row| format!("{}{} {} %", Escaped(row.selector), row.mark, Percent(row.mean)))
        .collect();
    let bars: String = rows.iter().map(bar).collect();
    format!(
        "<h3>Selectors on devices left out</h3>\n<p>Share of exhaustive search in percent: bars are means over the devices left \
         out, strokes the single devices. Hollow bars know the device left out, and are there for comparison.</p>\n\
         <figure class=\"strategies\" role=\"img\" aria-label=\"Means over the devices left out: {said}\">\n{bars}\
         <div class=\"strategy axis\"><span></span><span class=\"scale\"><span>0</span><span>50</span><span>100</span></span>\
         <span></span></div>\n</figure>\n{note}",
        said = said.join(", "),
        note = held_out.note(),
    )
}

struct Row<'a> {
    selector: &'a str,
    /// That it does not apply to every device.
    mark: &'static str,
    mean: f64,
    /// One a device that the selector applies to.
    shares: Vec<f64>,
}

/// Selectors that apply to some device.
fn rows(held_out: &HeldOut) -> Vec<Row<'_>> {
    let row = |(column, selector)| {
        let (mark, mean) = (held_out.mark(column), held_out.mean(column)?);
        Some(Row { selector, mark, mean, shares: held_out.of(selector) })
    };
    held_out.selectors.iter().map(String::as_str).enumerate().filter_map(row).collect()
}

fn bar(row: &Row<'_>) -> String {
    let class = match row.selector {
        "auto" => " own",
        selector if CEILINGS.contains(&selector) => " ceiling",
        _ => "",
    };
    let mut strokes = String::new();
    for &share in &row.shares {
        // Writing to a string cannot fail.
        let _ = write!(strokes, "M{} 0V10", width(share));
    }
    format!(
        "<div class=\"strategy{class}\"><span>{name}{mark}</span><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\">\
         <rect x=\"0\" y=\"2.5\" width=\"{mean}\" height=\"5\"/><path d=\"{strokes}\"/></svg><span>{value}</span></div>\n",
        name = Escaped(row.selector),
        mark = row.mark,
        mean = width(row.mean),
        value = Percent(row.mean),
    )
}
