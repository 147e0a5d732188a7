//! What measuring fewer inputs costs: the least certain next, beside random order.

use maud::{Markup, html};

use super::data::LearningCurve;
use super::plot::{HEIGHT, Plot, WIDTH, evenly, figure, path};

pub(super) fn part(curve: &LearningCurve) -> Markup {
    let LearningCurve { device, sizes, lines } = curve;
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return html! {} };
    let floor = floor(curve);
    let percent = |share: f64| format!("{:.0}", 100.0 * share);
    let plot = Plot {
        label: label(curve),
        y_labels: &["100 %".to_owned(), percent((1.0 + floor) / 2.0), percent(floor)],
        x_labels: &[format!("{first} inputs"), sizes[sizes.len() / 2].to_string(), last.to_string()],
        columns: 0,
        lines: lines.iter().map(|(name, shares)| (name.as_str(), line(shares, floor))).collect(),
    };
    html! {
        h3 { "Fewer measurements" }
        p {
            "Share of exhaustive search on the test inputs of " code { (device) } ", by a selector of this device alone, after so \
             many of its training inputs were measured (mean of several seeds; each step right is a like factor)."
        }
        (figure(&plot))
    }
}

/// The share at the bottom of the plot: a round one below all lines.
fn floor(curve: &LearningCurve) -> f64 {
    let least = curve.lines.iter().flat_map(|(_, line)| line).copied().fold(1.0, f64::min);
    ((least * 10.0).floor() / 10.0).clamp(0.0, 0.9)
}

fn line(shares: &[f64], floor: f64) -> String {
    let points = evenly(shares.len()).zip(shares);
    path(points.map(|(along, share)| (WIDTH * along, HEIGHT * (1.0 - share) / (1.0 - floor))))
}

fn label(curve: &LearningCurve) -> String {
    let line = |(name, line): &(String, Vec<f64>)| {
        let points =
            curve.sizes.iter().zip(line).map(|(size, share)| format!("{size}: {:.0} %", 100.0 * share));
        format!("{name}: {}", points.collect::<Vec<_>>().join(", "))
    };
    format!(
        "Share of exhaustive search by inputs measured; {}",
        curve.lines.iter().map(line).collect::<Vec<_>>().join("; ")
    )
}
