//! What measuring fewer inputs costs: the least certain next, beside random order.

use maud::{Markup, html};

use super::data::LearningCurve;
use super::plot::{Plot, figure};

pub(super) fn part(curve: &LearningCurve) -> Markup {
    let LearningCurve { device, sizes, lines } = curve;
    if sizes.is_empty() {
        return html! {};
    }
    let place = |at: usize| 100.0 * at as f64 / (sizes.len().max(2) - 1) as f64;
    let points = |shares: &[f64]| shares.iter().enumerate().map(|(at, &share)| (place(at), share)).collect();
    let mut marked = vec![0, sizes.len() / 2, sizes.len() - 1];
    marked.dedup();
    let words = |at: usize| if at == 0 { format!("{} inputs", sizes[at]) } else { sizes[at].to_string() };
    let x_labels: Vec<(f64, String)> = marked.into_iter().map(|at| (place(at), words(at))).collect();
    html! {
        h3 { "Fewer measurements" }
        p {
            "Share of exhaustive search on the test inputs of " code { (device) } ", by a selector of this device alone, after so \
             many of its training inputs were measured (mean of several seeds; each step right is a like factor)."
        }
        (figure(&Plot {
            label: label(curve),
            x_labels: &x_labels,
            lines: lines.iter().map(|(name, shares)| (name.as_str(), points(shares))).collect(),
            bands: Vec::new(),
        }))
    }
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
