//! The gain from measuring a few inputs on a new device.

use maud::{Markup, html};
use nitro_page::{Percent, columns, on_demand, wide};
use nitro_stats::statistics;

use super::data::CalibrationCurve;
use super::device::Labels;
use super::matrix::cell;
use super::plot::{Plot, even_points, evenly, figure};

/// Returns the part of a function about calibration.
pub(super) fn part(curve: &CalibrationCurve, target_trained: Option<f64>) -> Markup {
    let (Some(mean), Some(least)) = (joined(curve, mean), joined(curve, least)) else { return html! {} };
    let (mut x_labels, mut words) = (Vec::new(), Vec::new());
    for (at, count) in curve.counts.iter().enumerate() {
        let label = if *count == 0 { "none".to_owned() } else { count.to_string() };
        x_labels.push((evenly(at, curve.counts.len()), label));
        words.push(format!("{count}: {} (worst {})", Percent(mean[at]), Percent(least[at])));
    }
    let mut lines = vec![("mean", even_points(&mean)), ("worst device", even_points(&least))];
    if let Some(share) = target_trained {
        lines.push(("target-trained", vec![(0.0, share), (100.0, share)]));
    }
    html! {
        h3 { "Measuring a few inputs on the new device" }
        p {
            "What " code { "auto" } " achieves on a device left out once so many training inputs were measured there, \
             the most telling first (" code { "train calibrate" }
            "). The steps to the right are not to scale."
        }
        (figure(&Plot {
            label: format!("Mean share of exhaustive search by inputs measured: {}", words.join(", ")),
            x_labels: &x_labels,
            lines,
            bands: Vec::new(),
        }))
        (on_demand("The devices one by one", &table(curve)))
    }
}

/// Joins the figures of the devices at each count; none where some count has no figure.
fn joined(curve: &CalibrationCurve, join: fn(&[f64]) -> Option<f64>) -> Option<Vec<f64>> {
    let mut joined = Vec::new();
    for step in 0..curve.counts.len() {
        let known = curve.devices.iter().filter_map(|(_, shares)| shares.get(step).copied().flatten());
        joined.push(join(&known.collect::<Vec<_>>())?);
    }
    Some(joined)
}

fn mean(shares: &[f64]) -> Option<f64> {
    statistics::mean(shares.iter().copied())
}

fn least(shares: &[f64]) -> Option<f64> {
    shares.iter().copied().reduce(f64::min)
}

fn table(curve: &CalibrationCurve) -> Markup {
    let labels = Labels::new(curve.devices.iter().map(|(device, _)| device.as_str()));
    wide(
        "",
        "By number of measured inputs",
        &html! {
            table.numbers.heat {
                thead {
                    tr {
                        (columns(&["device, inputs measured"])) (columns(&curve.counts))
                    }
                }
                tbody {
                    @for (device, shares) in &curve.devices {
                        tr {
                            th scope="row" { (labels.of(device)) }
                            @for &share in shares { (cell(share, super::held_out::RANGE)) }
                        }
                    }
                }
            }
        },
    )
}
