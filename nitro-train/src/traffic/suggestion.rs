//! Which inputs to record next: real ones, so chosen that recording the like of them brings most far calls near.
//!
//! An input covers another when the two would be near each other by the model's own measure: their root mean square
//! difference over the scaled columns is at most the region's gap limit. The greedy choice, always the input that
//! covers most calls that none before covers, covers at least 63 % of what as many inputs could (Nemhauser, Wolsey
//! and Fisher 1978).

use std::collections::BTreeMap;

use serde::Serialize;

use super::known::Known;
use super::read::CapturedCall;

/// At most so many inputs are suggested.
pub const MOST_SUGGESTIONS: usize = 5;
/// At most so many inputs are looked at as suggestions: those that stand for most calls.
const MOST_CANDIDATES: usize = 500;

/// An input worth recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suggestion {
    /// Its features, as far as the model asks for them; absent what was not finite.
    pub features: BTreeMap<String, f64>,
    /// Far calls that are like it, without those of the suggestions before.
    pub calls: u64,
}

/// A far input and the calls it stands for.
struct Point {
    raw: Vec<f64>,
    scaled: Vec<f64>,
    calls: u64,
}

/// The inputs whose like would be recorded, that which covers most first.
pub(super) fn suggestions(known: &Known<'_>, samples: &[CapturedCall]) -> Vec<Suggestion> {
    let mut points = far_points(known, samples);
    let mut suggestions = Vec::new();
    while !points.is_empty() && suggestions.len() < MOST_SUGGESTIONS {
        let covered = |center: &Point| {
            let like = points.iter().filter(|point| is_like(known, center, point));
            like.map(|point| point.calls).sum::<u64>()
        };
        // Of equals the first, which stands for most calls itknown.
        let candidates = points.iter().take(MOST_CANDIDATES).map(|point| (covered(point), point));
        let Some((calls, best)) =
            candidates.reduce(|best, other| if other.0 > best.0 { other } else { best })
        else {
            break;
        };
        let features = known.features.iter().cloned().zip(best.raw.iter().copied());
        let features = features.filter(|(_, value)| value.is_finite()).collect();
        let left: Vec<bool> = points.iter().map(|point| !is_like(known, best, point)).collect();
        suggestions.push(Suggestion { features, calls });
        let mut left = left.into_iter();
        points.retain(|_| left.next().unwrap_or(false));
    }
    suggestions
}

/// The far inputs, each once, those of most calls first.
fn far_points(known: &Known<'_>, samples: &[CapturedCall]) -> Vec<Point> {
    let mut points: BTreeMap<Vec<u64>, Point> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| known.is_far(sample) == Some(true)) {
        let raw = known.row(sample);
        let bits = raw.iter().map(|value| value.to_bits()).collect();
        let scale =
            || known.region.scaling.iter().zip(&raw).map(|(scale, &value)| scale.apply(value)).collect();
        let point =
            points.entry(bits).or_insert_with(|| Point { scaled: scale(), raw: raw.clone(), calls: 0 });
        point.calls += sample.calls;
    }
    let mut points: Vec<Point> = points.into_values().collect();
    points.sort_by_key(|point| std::cmp::Reverse(point.calls));
    points
}

/// Whether one would be near if the other was recorded. What is not known of either takes no part.
fn is_like(known: &Known<'_>, one: &Point, other: &Point) -> bool {
    let differences = one.scaled.iter().zip(&other.scaled).map(|(a, b)| a - b).filter(|d| !d.is_nan());
    let (count, squares) =
        differences.fold((0_u32, 0.0), |(count, sum), difference| (count + 1, sum + difference * difference));
    (squares / f64::from(count.max(1))).sqrt() <= known.region.gap_limit
}
