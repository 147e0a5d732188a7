//! The device features that a selector may use.

use std::collections::{BTreeMap, BTreeSet};

use super::profile_based::select;
use crate::scaling::{is_constant, is_in_range, is_same, scale_of};
use crate::spread::spread;
use crate::task::{Task, shortened};

/// The most device features that are learned from. CV-DFS tries all subsets of three, 5,488 of so many.
pub const MAX_DEVICE_FEATURES: usize = 32;

/// Device features that a selector may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Known on every source (and on the target, where that is said), not the same everywhere, and not a multiple
    /// of another one; alphabetical.
    pub usable: Vec<String>,
    /// The first of several usable features that no source tells apart: trying the others would only repeat it. Where
    /// there are profiles, of the relevant ones alone.
    pub distinct: Vec<String>,
    /// The usable ones that P-DFS finds relevant; none without profiles that were made on a source.
    pub relevant: Option<Vec<String>>,
    /// The features that were left out, one sentence each.
    pub notes: Vec<String>,
}

impl Candidates {
    /// Looks at the features of the source devices. `known_on_target` leaves out what the target does not know.
    pub fn new(task: &Task<'_>, sources: &[usize], known_on_target: Option<&BTreeSet<String>>) -> Self {
        let names: BTreeSet<&String> =
            sources.iter().flat_map(|&source| task.recordings.devices[source].features.keys()).collect();
        let relevant = relevant(task, sources);
        // Of features that say the same, a relevant one stands for the others.
        let (first, last): (Vec<&String>, Vec<&String>) =
            names.into_iter().partition(|name| is_relevant(relevant.as_ref(), name));
        let mut candidates = Self::default();
        let (mut raw, mut scaled): (Vec<Vec<f64>>, Vec<Vec<f64>>) = Default::default();
        let mut left_out: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in first.into_iter().chain(last) {
            let values: Vec<f64> = sources.iter().map(|&source| task.device_feature(source, name)).collect();
            let scale = scale_of(&values);
            let known = known_on_target.is_none_or(|known| known.contains(name));
            if let Some(why) = candidates.obstacle(&values, &raw, is_constant(&scale), known) {
                left_out.entry(why).or_default().push(name.clone());
                continue;
            }
            let column: Vec<f64> = values.iter().map(|&value| scale.apply(value)).collect();
            if is_relevant(relevant.as_ref(), name) && !scaled.iter().any(|other| is_same(other, &column)) {
                candidates.distinct.push(name.clone());
                scaled.push(column);
            }
            candidates.usable.push(name.clone());
            raw.push(values);
        }
        // The relevant ones come first: what is left out is left out of the others.
        let seeds = relevant.as_ref().map_or(0, |relevant| candidates.usable_of(relevant).len());
        let near = candidates.narrow(&raw, seeds);
        left_out.extend((!near.is_empty()).then(|| (near_to_others(), near)));
        candidates.usable.sort();
        candidates.relevant = relevant.as_ref().map(|relevant| candidates.usable_of(relevant));
        for (why, names) in left_out {
            let names = shortened(&names);
            candidates
                .notes
                .push(format!("device features that are not used because they are {why}: {names}"));
        }
        candidates
    }

    /// The usable features among these.
    fn usable_of(&self, names: &BTreeSet<String>) -> Vec<String> {
        self.usable.iter().filter(|name| names.contains(*name)).cloned().collect()
    }

    /// Keeps [`MAX_DEVICE_FEATURES`] usable features, the first `seeds` and those that tell sources apart most
    /// unlike them; the others are returned. What sources were measured has no say: few devices would make many
    /// features look important.
    fn narrow(&mut self, raw: &[Vec<f64>], seeds: usize) -> Vec<String> {
        if raw.len() <= MAX_DEVICE_FEATURES {
            return Vec::new();
        }
        let columns: Vec<Vec<f64>> = raw.iter().map(|values| unmirrored(values)).collect();
        let spread = spread(&columns, &(0..seeds).collect::<Vec<_>>(), MAX_DEVICE_FEATURES);
        let far: BTreeSet<String> = spread.into_iter().map(|at| self.usable[at].clone()).collect();
        let (usable, near) =
            std::mem::take(&mut self.usable).into_iter().partition(|name| far.contains(name));
        self.usable = usable;
        self.distinct.retain(|name| far.contains(name));
        near
    }

    /// Returns what speaks against a feature with these values on the sources; `raw` are those of the usable ones so
    /// far.
    fn obstacle(&self, values: &[f64], raw: &[Vec<f64>], constant: bool, known: bool) -> Option<String> {
        if !values.iter().all(|value| value.is_finite()) {
            return Some("not known of every source".to_owned());
        }
        if !is_in_range(values) {
            return Some(format!("beyond ±{:.1e}", f32::MAX));
        }
        if !known {
            return Some("not known of the device to be served".to_owned());
        }
        if constant {
            return Some("the same on all sources".to_owned());
        }
        let same = raw.iter().position(|other| is_multiple(other, values))?;
        Some(format!("multiples of `{}`", self.usable[same]))
    }
}

fn near_to_others() -> String {
    format!("more than {MAX_DEVICE_FEATURES} and nearest to others")
}

/// The scaled values, the first of them not above 0: a feature and its mirror image tell the same.
fn unmirrored(values: &[f64]) -> Vec<f64> {
    let scale = scale_of(values);
    let scaled = values.iter().map(|&value| scale.apply(value));
    let sign = if scale.apply(values[0]) > 0.0 { -1.0 } else { 1.0 };
    scaled.map(|value| sign * value).collect()
}

/// The device features that P-DFS finds relevant by the profiles that were made on the sources; none without any.
fn relevant(task: &Task<'_>, sources: &[usize]) -> Option<BTreeSet<String>> {
    let ids: BTreeSet<&str> =
        sources.iter().map(|&source| task.recordings.devices[source].id.as_str()).collect();
    Some(select(&task.recordings.profiles.of(&ids))?.device_features)
}

/// Returns true if one feature is the other in another unit.
fn is_multiple(a: &[f64], b: &[f64]) -> bool {
    let (Some(&first), Some(&other)) = (a.first(), b.first()) else { return true };
    if first == 0.0 || other == 0.0 {
        return false;
    }
    a.iter()
        .zip(b)
        .all(|(x, y)| (x * other - y * first).abs() / (x * other).abs().max(f64::MIN_POSITIVE) < 1e-9)
}

/// Returns true if P-DFS finds a feature relevant, or has no say.
fn is_relevant(relevant: Option<&BTreeSet<String>>, name: &str) -> bool {
    relevant.is_none_or(|relevant| relevant.contains(name))
}
