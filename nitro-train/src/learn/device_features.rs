//! Which device features to learn from: candidates, and selection by cross-validation over source devices (CV-DFS).

use std::collections::{BTreeMap, BTreeSet};

use super::profile::select;
use super::scaling::{is_constant, is_in_range, is_same, scale_of};
use super::spread::spread;
use super::task::{Task, shortened};
use super::transfer::Transfer;

/// The most device features that are learned from. CV-DFS tries all subsets of three, 5,488 of so many.
pub const MAX_DEVICE_FEATURES: usize = 32;

/// Device features that a selector may use.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Known on every source (and on the target, where that is said), not the same everywhere, and not a multiple of another one;
    /// alphabetical.
    pub usable: Vec<String>,
    /// Of several usable ones that no source tells apart, the first: trying the others would only repeat it. Where there are profiles,
    /// of the relevant ones alone.
    pub distinct: Vec<String>,
    /// The usable ones that P-DFS finds relevant; none without profiles that were made on a source.
    pub relevant: Option<Vec<String>>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

impl Candidates {
    /// Looks at the features of the source devices. `known_on_target` leaves out what the target does not know.
    pub fn new(task: &Task<'_>, sources: &[usize], known_on_target: Option<&BTreeSet<String>>) -> Self {
        let names: BTreeSet<&String> =
            sources.iter().flat_map(|&source| task.recordings.devices[source].features.keys()).collect();
        let relevant = relevant(task, sources);
        let is_relevant =
            |name: &&String| relevant.as_ref().is_none_or(|relevant| relevant.contains(name.as_str()));
        // Of features that say the same, a relevant one stands for the others.
        let (first, last): (Vec<&String>, Vec<&String>) = names.into_iter().partition(is_relevant);
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
            if is_relevant(&name) && !scaled.iter().any(|other| is_same(other, &column)) {
                candidates.distinct.push(name.clone());
                scaled.push(column);
            }
            candidates.usable.push(name.clone());
            raw.push(values);
        }
        let usable = |candidates: &Self, relevant: &BTreeSet<String>| -> Vec<String> {
            candidates.usable.iter().filter(|name| relevant.contains(*name)).cloned().collect()
        };
        // They are the first ones.
        let seeds = relevant.as_ref().map_or(0, |relevant| usable(&candidates, relevant).len());
        let near = candidates.narrow(&raw, seeds);
        left_out.extend((!near.is_empty()).then(|| (near_to_others(), near)));
        candidates.usable.sort();
        candidates.relevant = relevant.as_ref().map(|relevant| usable(&candidates, relevant));
        let note = |(why, names): (String, Vec<String>)| {
            format!("device features that are not used because they are {why}: {}", shortened(&names))
        };
        candidates.notes = left_out.into_iter().map(note).collect();
        candidates
    }

    /// Keeps [`MAX_DEVICE_FEATURES`] usable features, the first `seeds` and those that tell sources apart most unlike them; the others
    /// are returned. What sources were measured has no say: few devices would make many features look important.
    fn narrow(&mut self, raw: &[Vec<f64>], seeds: usize) -> Vec<String> {
        if raw.len() <= MAX_DEVICE_FEATURES {
            return Vec::new();
        }
        let columns: Vec<Vec<f64>> = raw.iter().map(|values| unmirrored(values)).collect();
        let kept = spread(&columns, &(0..seeds).collect::<Vec<_>>(), MAX_DEVICE_FEATURES);
        let kept: BTreeSet<String> = kept.into_iter().map(|at| self.usable[at].clone()).collect();
        let (usable, near) =
            std::mem::take(&mut self.usable).into_iter().partition(|name| kept.contains(name));
        self.usable = usable;
        self.distinct.retain(|name| kept.contains(name));
        near
    }

    /// What speaks against a feature with these values on the sources; `raw` are those of the usable ones so far.
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

/// Whether one feature is the other in another unit.
fn is_multiple(a: &[f64], b: &[f64]) -> bool {
    let (Some(&first), Some(&other)) = (a.first(), b.first()) else { return true };
    let error =
        |(x, y): (&f64, &f64)| (x * other - y * first).abs() / (x * other).abs().max(f64::MIN_POSITIVE);
    first != 0.0 && other != 0.0 && a.iter().zip(b).all(|pair| error(pair) < 1e-9)
}

impl Transfer {
    /// CV-DFS: the subset that does best on a temporary target wins there (ties: the smaller, then the alphabetically first);
    /// the features of the `keep` most frequent winners are selected, in alphabetical order. Winners that are equally frequent are taken in
    /// the order of their mean over all temporary targets: with many subsets and few devices most winners win once.
    ///
    /// Nothing is selected when there were too few sources or no candidates.
    pub fn selected(&self, keep: usize) -> Vec<String> {
        self.selected_by(&(0..self.scores.len()).collect::<Vec<_>>(), keep)
    }

    /// As [`Transfer::selected`], with no say for one temporary target: what CV-DFS selects for a device that took no part in it.
    pub fn selected_without(&self, target: usize, keep: usize) -> Vec<String> {
        self.selected_by(&(0..self.scores.len()).filter(|&other| other != target).collect::<Vec<_>>(), keep)
    }

    fn selected_by(&self, targets: &[usize], keep: usize) -> Vec<String> {
        let winners = self.frequent_winners(targets);
        let features: BTreeSet<usize> =
            winners.into_iter().take(keep).flat_map(|subset| self.subsets[subset].iter().copied()).collect();
        features.into_iter().map(|feature| self.candidates[feature].clone()).collect()
    }

    /// Winning subsets on some temporary targets, most frequent first.
    fn frequent_winners(&self, targets: &[usize]) -> Vec<usize> {
        let mut frequency: BTreeMap<usize, usize> = BTreeMap::new();
        let winners = targets.iter().filter_map(|&target| self.winner(target));
        winners.for_each(|winner| *frequency.entry(winner).or_default() += 1);
        let mean = |subset: usize| targets.iter().map(|&target| self.scores[target][subset]).sum::<f64>();
        let mut order: Vec<(usize, usize)> = frequency.into_iter().collect();
        // Stable, and subsets are numbered by size and alphabetically.
        order.sort_by(|a, b| b.1.cmp(&a.1).then(mean(b.0).total_cmp(&mean(a.0))));
        order.into_iter().map(|(subset, _)| subset).collect()
    }

    /// The best subset that is not empty. Calling small differences a tie was tried (half a percent of exhaustive search):
    /// smaller subsets won, and did worse on held-out devices where there were few sources.
    fn winner(&self, target: usize) -> Option<usize> {
        let better = |best: usize, subset: usize| {
            if self.scores[target][subset] > self.scores[target][best] { subset } else { best }
        };
        (1..self.subsets.len()).reduce(better)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(scores: &[&[f64]]) -> Transfer {
        Transfer {
            candidates: vec!["a".into(), "b".into()],
            subsets: vec![vec![], vec![0], vec![1], vec![0, 1]],
            scores: scores.iter().map(|row| row.to_vec()).collect(),
        }
    }

    #[test]
    fn the_most_frequent_winner_is_selected() {
        let table = table(&[&[0.9, 0.2, 0.5, 0.4], &[0.9, 0.2, 0.5, 0.4], &[0.9, 1.0, 0.5, 0.4]]);
        assert_eq!(table.selected(1), ["b"]);
        assert_eq!(table.selected(2), ["a", "b"]);
        assert_eq!(table.selected(9), ["a", "b"]);
    }

    #[test]
    fn a_tie_on_a_target_goes_to_the_smaller_and_first_subset() {
        let table = table(&[&[0.0, 0.7, 0.7, 0.7]]);
        assert_eq!(table.selected(1), ["a"]);
    }

    #[test]
    fn equally_frequent_winners_are_ordered_by_their_mean() {
        let table = table(&[&[0.0, 0.9, 0.8, 0.1], &[0.0, 0.1, 0.8, 0.1], &[0.0, 0.1, 0.8, 0.9]]);
        assert_eq!(table.selected(1), ["b"]);
    }

    #[test]
    fn a_target_has_no_say_in_its_own_estimate() {
        let table = table(&[&[0.0, 0.9, 0.2, 0.1], &[0.0, 0.3, 0.8, 0.1], &[0.0, 0.3, 0.8, 0.1]]);
        assert_eq!(table.selected_without(0, 1), ["b"], "the other two select b");
        assert_eq!(table.selected_without(2, 1), ["a"], "equally frequent, and better on average");
    }
}
