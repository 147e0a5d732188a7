//! The cost of measuring fewer inputs: the least certain next, beside random order.

use maud::{Markup, html};

use super::data::LearningCurve;
use super::plot::{Plot, even_points, evenly, figure};

/// Returns the part of a function about how many inputs are needed.
pub(super) fn part(curve: &LearningCurve) -> Markup {
    let LearningCurve { device, sizes, lines } = curve;
    if sizes.is_empty() {
        return html! {};
    }
    let mut marked = vec![0, sizes.len() / 2, sizes.len() - 1];
    marked.dedup();
    let mut x_labels = Vec::new();
    for at in marked {
        let unit = if at == 0 { " inputs" } else { "" };
        x_labels.push((evenly(at, sizes.len()), format!("{}{unit}", sizes[at])));
    }
    html! {
        h3 { "Fewer measurements" }
        p {
            "Share of exhaustive search on the test inputs of " code { (device) } ", by a selector of this device \
                alone, after so many of its training inputs were measured (mean of several seeds; each step right is \
                a like factor)."
        }
        (figure(&Plot {
            label: label(curve),
            x_labels: &x_labels,
            lines: lines.iter().map(|(name, shares)| (name.as_str(), even_points(shares))).collect(),
            bands: Vec::new(),
        }))
    }
}

fn label(curve: &LearningCurve) -> String {
    let mut lines = Vec::new();
    for (name, line) in &curve.lines {
        let points = curve.sizes.iter().zip(line);
        let points = points.map(|(size, share)| format!("{size}: {:.0} %", 100.0 * share));
        lines.push(format!("{name}: {}", points.collect::<Vec<_>>().join(", ")));
    }
    format!("Share of exhaustive search by inputs measured; {}", lines.join("; "))
}
