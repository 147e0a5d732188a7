//! What measuring fewer inputs costs: the least certain next, beside random order.

use std::fmt::Write as _;

use super::data::Budget;
use super::html::Escaped;
use super::plot::{HEIGHT, WIDTH, key, line};

pub(super) fn part(budget: &Budget) -> String {
    let Budget { device, sizes, lines } = budget;
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return String::new() };
    let floor = floor(budget);
    let paths: String = lines
        .iter()
        .enumerate()
        .rev()
        .map(|(index, (_, shares))| line(index, &path(shares, floor)))
        .collect();
    let keys: String = lines.iter().enumerate().map(|(index, (name, _))| key(index, name)).collect();
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    format!(
        "<h3>Fewer measurements</h3>\n<p>Share of exhaustive search on the test inputs of <code>{device}</code>, by a selector of this device \
         alone, after so many of its training inputs were measured (mean of several seeds; each step right is a like factor).</p>\n\
         <figure class=\"curve\">\n<div class=\"plot\"><div class=\"y\" aria-hidden=\"true\"><span>100 %</span><span>{middle}</span>\
         <span>{bottom}</span></div>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\n\
         <path class=\"grid\" d=\"M0 0H{WIDTH}M0 {half}H{WIDTH}M0 {HEIGHT}H{WIDTH}\"/>\n{paths}</svg>\n\
         <div class=\"x\" aria-hidden=\"true\"><span>{first} inputs</span><span>{center}</span><span>{last}</span></div></div>\n\
         <figcaption>{keys}</figcaption>\n</figure>\n",
        device = Escaped(device),
        middle = percent((1.0 + floor) / 2.0),
        bottom = percent(floor),
        half = HEIGHT / 2.0,
        center = sizes[sizes.len() / 2],
        label = label(budget),
    )
}

/// The share at the bottom of the plot: a round one below all lines.
fn floor(budget: &Budget) -> f64 {
    let least = budget.lines.iter().flat_map(|(_, line)| line).copied().fold(1.0, f64::min);
    ((least * 10.0).floor() / 10.0).clamp(0.0, 0.9)
}

fn path(shares: &[f64], floor: f64) -> String {
    let mut path = String::new();
    for (step, share) in shares.iter().enumerate() {
        let x = WIDTH * step as f64 / (shares.len().max(2) - 1) as f64;
        let y = HEIGHT * (1.0 - share) / (1.0 - floor);
        // Writing to a string cannot fail.
        let _ = write!(path, "{}{x:.1} {y:.1}", if step == 0 { 'M' } else { 'L' });
    }
    path
}

/// What a reader who does not see the plot hears.
fn label(budget: &Budget) -> String {
    let line = |(name, line): &(String, Vec<f64>)| {
        let points =
            budget.sizes.iter().zip(line).map(|(size, share)| format!("{size}: {:.0} %", 100.0 * share));
        format!("{}: {}", Escaped(name), points.collect::<Vec<_>>().join(", "))
    };
    format!(
        "Share of exhaustive search by inputs measured; {}",
        budget.lines.iter().map(line).collect::<Vec<_>>().join("; ")
    )
}
