//! The inputs to record next: real ones, so chosen that recording the like of them brings most far calls near.
//!
//! An input covers another when the two would be near each other by the model's own measure: their root mean square
//! difference over the scaled columns is at most the region's gap limit. The greedy choice, always the input that
//! covers most calls that none before covers, covers at least 63 % of what as many inputs could (Nemhauser, Wolsey
//! and Fisher 1978).

use std::collections::BTreeMap;

use serde::Serialize;

use super::read::CapturedCall;
use super::region::TrainingRegion;

/// The most inputs that are suggested.
pub const MOST_SUGGESTIONS: usize = 5;
/// The most inputs that are considered as suggestions: those that stand for most calls.
const MOST_CANDIDATES: usize = 500;

/// An input worth recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// The features that the model asks for; one that was not finite is absent.
    pub features: BTreeMap<String, f64>,
    /// Number of far calls like it, without those of the suggestions before.
    pub calls: u64,
}

/// A far input and the calls it stands for.
struct Point {
    raw: Vec<f64>,
    scaled: Vec<f64>,
    calls: u64,
}

/// Chooses the inputs whose like would be recorded, that which covers most first.
pub(super) fn suggestions(region: &TrainingRegion<'_>, samples: &[CapturedCall]) -> Vec<Suggestion> {
    let mut points = far_points(region, samples);
    let mut suggestions = Vec::new();
    while !points.is_empty() && suggestions.len() < MOST_SUGGESTIONS {
        // Of equals the first, which stands for most calls itself.
        let (mut best, mut most) = (0, 0);
        for (at, center) in points.iter().enumerate().take(MOST_CANDIDATES) {
            let like = points.iter().filter(|point| is_like(region, center, point));
            let calls: u64 = like.map(|point| point.calls).sum();
            if at == 0 || calls > most {
                (best, most) = (at, calls);
            }
        }
        let best = points.remove(best);
        points.retain(|point| !is_like(region, &best, point));
        let features = region.features.iter().cloned().zip(best.raw.iter().copied());
        let features = features.filter(|(_, value)| value.is_finite()).collect();
        suggestions.push(Suggestion { features, calls: most });
    }
    suggestions
}

/// Returns the far inputs, each once, those of most calls first.
fn far_points(region: &TrainingRegion<'_>, samples: &[CapturedCall]) -> Vec<Point> {
    let mut points: BTreeMap<Vec<u64>, Point> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| region.is_far(sample) == Some(true)) {
        let raw = region.row(sample);
        let bits = raw.iter().map(|value| value.to_bits()).collect();
        let scaled =
            region.inputs.scaling.iter().zip(&raw).map(|(scale, &value)| scale.apply(value)).collect();
        points.entry(bits).or_insert(Point { scaled, raw, calls: 0 }).calls += sample.calls;
    }
    let mut points: Vec<Point> = points.into_values().collect();
    points.sort_by_key(|point| std::cmp::Reverse(point.calls));
    points
}

/// Returns true where one would be near if the other was recorded. What is not known of either takes no part.
fn is_like(region: &TrainingRegion<'_>, one: &Point, other: &Point) -> bool {
    let differences = one.scaled.iter().zip(&other.scaled).map(|(a, b)| a - b).filter(|d| !d.is_nan());
    let (count, squares) =
        differences.fold((0_u32, 0.0), |(count, sum), difference| (count + 1, sum + difference * difference));
    (squares / f64::from(count.max(1))).sqrt() <= region.inputs.gap_limit
}
