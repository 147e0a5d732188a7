//! What measuring a few inputs on a new device brings.

use maud::{Markup, html};
use nitro_page::{Percent, on_demand, wide};
use nitro_stats::statistics;

use super::data::CalibrationCurve;
use super::device::Labels;
use super::matrix::cell;
use super::plot::{Plot, figure};

pub(super) fn part(curve: &CalibrationCurve, target_trained: Option<f64>) -> Markup {
    let (Some(mean), Some(least)) = (joined(curve, mean), joined(curve, least)) else { return html! {} };
    let last = curve.counts.len().max(2) - 1;
    let place = |at: usize| 100.0 * at as f64 / last as f64;
    let points = |shares: &[f64]| shares.iter().enumerate().map(|(at, &share)| (place(at), share)).collect();
    let label = |count: &usize| if *count == 0 { "none".to_owned() } else { count.to_string() };
    let x_labels: Vec<(f64, String)> =
        curve.counts.iter().enumerate().map(|(at, count)| (place(at), label(count))).collect();
    let ceiling = target_trained.map(|share| ("target-trained", vec![(0.0, share), (100.0, share)]));
    let lines = [("mean", points(&mean)), ("worst device", points(&least))].into_iter().chain(ceiling);
    let told = curve.counts.iter().zip(mean.iter().zip(&least));
    let told =
        told.map(|(count, (mean, least))| format!("{count}: {} (worst {})", Percent(*mean), Percent(*least)));
    html! {
        h3 { "Measuring a few inputs on the new device" }
        p {
            "What " code { "auto" } " achieves on a device left out once so many training inputs were measured there, the most telling first \
             (" code { "train calibrate" } "). The steps to the right are not to scale."
        }
        (figure(&Plot {
            label: format!("Mean share of exhaustive search by inputs measured: {}", told.collect::<Vec<_>>().join(", ")),
            x_labels: &x_labels,
            lines: lines.collect(),
            bands: Vec::new(),
        }))
        (on_demand("The devices one by one", &table(curve)))
    }
}

/// By count over the devices that have a figure; none where some count has none.
fn joined(curve: &CalibrationCurve, join: fn(&[f64]) -> Option<f64>) -> Option<Vec<f64>> {
    let at = |step: usize| {
        let known: Vec<f64> =
            curve.devices.iter().filter_map(|(_, shares)| shares.get(step).copied().flatten()).collect();
        join(&known)
    };
    (0..curve.counts.len()).map(at).collect()
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
                        th scope="col" { "device, inputs measured" }
                        @for count in &curve.counts { th scope="col" { (count) } }
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
