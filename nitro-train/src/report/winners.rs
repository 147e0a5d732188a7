//! Which variants are best, on which share of the training inputs of each device.

use super::data::Winners;
use super::device::Labels;
use super::html::{self, Escaped, Percent, list, wide, width};

/// A variant that is best on fewer of the inputs of every device is hardly worth its place.
const WORTHWHILE_SHARE: f64 = 0.03;
/// Colours in the style sheet; further variants begin again, and the text tells them apart.
const COLOURS: usize = 10;
/// Narrower segments have no room for a number, which the table below has.
const LABELLED_SHARE: f64 = 0.07;

pub(super) fn part(winners: &Winners) -> String {
    if winners.devices.is_empty() {
        return String::new();
    }
    let labels = Labels::new(winners.devices.iter().map(|(device, _)| device.as_str()));
    let bars: String =
        winners.devices.iter().map(|(device, shares)| bar(winners, &labels.of(device), shares)).collect();
    format!(
        "<h3>Best variants</h3>\n<p>{verdict}</p>\n<div class=\"stacks\" aria-hidden=\"true\">\n{bars}</div>\n\
         {table}",
        verdict = verdict(winners),
        table = table(winners, &labels),
    )
}

fn verdict(winners: &Winners) -> String {
    let best = |index: usize| {
        winners.devices.iter().filter_map(|(_, shares)| shares.get(index).copied()).fold(0.0, f64::max)
    };
    let idle: Vec<&String> = winners
        .variants
        .iter()
        .enumerate()
        .filter(|&(index, _)| best(index) < WORTHWHILE_SHARE)
        .map(|(_, name)| name)
        .collect();
    match idle.as_slice() {
        [] => "Every variant is best on at least 3 % of the training inputs on some device.".to_owned(),
        idle => format!(
            "<strong>Best on fewer than 3 % of the training inputs on every device: {}.</strong> \
             Every other variant reaches 3 % on some device.",
            list(idle)
        ),
    }
}

fn colour(variant: usize) -> String {
    format!("c{}", variant % COLOURS)
}

fn bar(winners: &Winners, label: &str, shares: &[f64]) -> String {
    let segments: String = winners
        .variants
        .iter()
        .zip(shares)
        .enumerate()
        .filter(|&(_, (_, &share))| width(share) > 0.0)
        .map(|(index, (name, &share))| {
            let (class, width, name) = (colour(index), width(share), Escaped(name));
            let percent =
                if share >= LABELLED_SHARE { format!("{:.0}", 100.0 * share) } else { String::new() };
            format!("<span class=\"{class}\" style=\"width:{width}%\" title=\"{name}\">{percent}</span>")
        })
        .collect();
    format!("<div class=\"stack\"><span>{label}</span><div>{segments}</div></div>\n")
}

/// The same numbers, and at once the key of the colours.
fn table(winners: &Winners, labels: &Labels<'_>) -> String {
    let head: String = winners
        .variants
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let (colour, name) = (colour(index), html::name(name));
            format!("<th scope=\"col\"><i class=\"key {colour}\" aria-hidden=\"true\"></i>{name}</th>")
        })
        .collect();
    let rows: String =
        winners.devices.iter().map(|(device, shares)| row(winners, &labels.of(device), shares)).collect();
    let open = wide("", "Best variants");
    format!(
        "{open}<table class=\"numbers winners\">\n<thead><tr><th scope=\"col\">best on % of inputs</th>{head}\
         </tr></thead>\n<tbody>\n{rows}</tbody>\n<tfoot>{without}</tfoot>\n</table></div>\n",
        without = without(winners),
    )
}

/// What every variant is worth.
fn without(winners: &Winners) -> String {
    let cells: String = winners.without.iter().map(|&share| format!("<td>{}</td>", Percent(share))).collect();
    format!("<tr><th scope=\"row\">% of exhaustive without it</th>{cells}</tr>")
}

fn row(winners: &Winners, label: &str, shares: &[f64]) -> String {
    let cells: String = (0..winners.variants.len())
        .map(|index| {
            let share = shares.get(index).copied().unwrap_or(f64::NAN);
            let class = if share < WORTHWHILE_SHARE { " class=\"little\"" } else { "" };
            format!("<td{class}>{}</td>", Percent(share))
        })
        .collect();
    format!("<tr><th scope=\"row\">{label}</th>{cells}</tr>\n")
}
