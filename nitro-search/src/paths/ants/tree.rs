//! The regression tree over all that was evaluated (section 6.3), which ants walk before they walk the graph: what
//! they take there they keep to.
//!
//! It keeps its splits and looks at every threshold, where the forest of `learn` draws its thresholds and keeps no
//! tree.

use std::collections::{BTreeMap, BTreeSet};

use super::Ants;
use crate::paths::Attributes;
use crate::random::Random;

/// A side with so few samples is not split.
const LEAF: usize = 2;
/// The pheromone of a side before anybody took it.
const FIRST: f64 = 0.5;
/// The deposit of the best sample; others leave less, as they are slower.
const DEPOSIT: f64 = 0.15;

/// Something that was evaluated.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) attributes: Attributes,
    /// Its time; infinite where it failed.
    pub(super) cost: f64,
    pub(super) iteration: usize,
}

impl Sample {
    /// Returns an attribute; one that a path has not is below all others.
    fn value(&self, attribute: &str) -> f64 {
        self.attributes.get(attribute).copied().unwrap_or(f64::NEG_INFINITY)
    }
}

#[derive(Debug)]
pub(super) enum Tree {
    Leaf,
    Split(Box<Split>),
}

/// Samples whose attribute is at most the threshold, and the others.
#[derive(Debug)]
pub(super) struct Split {
    attribute: String,
    threshold: f64,
    lower: Side,
    upper: Side,
}

#[derive(Debug)]
struct Side {
    pheromone: f64,
    tree: Tree,
}

/// A sample as the tree sees it.
struct Row<'a> {
    sample: &'a Sample,
    cost: f64,
    deposit: f64,
}

impl Tree {
    /// Grows the tree of these samples, with the pheromone that they have left by now.
    pub(super) fn grow(samples: &[Sample], iterations: usize, ants: &Ants) -> Self {
        let finite = samples.iter().map(|sample| sample.cost).filter(|cost| cost.is_finite());
        let (best, slowest) = finite
            .fold((f64::INFINITY, 0.0_f64), |(best, slowest), cost| (best.min(cost), slowest.max(cost)));
        // What failed is as slow as the slowest that ran.
        let mut rows = Vec::with_capacity(samples.len());
        for sample in samples {
            let deposit = DEPOSIT * share(best, sample.cost) * left(iterations - 1 - sample.iteration, ants);
            rows.push(Row { sample, cost: sample.cost.min(slowest), deposit });
        }
        Self::of(&rows.iter().collect::<Vec<_>>(), FIRST * left(iterations, ants))
    }

    fn of(rows: &[&Row], first: f64) -> Self {
        let Some((attribute, threshold)) = best_split(rows) else { return Self::Leaf };
        let (lower, upper) = part(rows, attribute, threshold);
        let [lower, upper] = [lower, upper].map(|rows| Side {
            pheromone: first + rows.iter().map(|row| row.deposit).sum::<f64>(),
            tree: Self::of(&rows, first),
        });
        Self::Split(Box::new(Split { attribute: attribute.to_owned(), threshold, lower, upper }))
    }

    /// Returns the filters of an ant that takes the side with more pheromone everywhere.
    pub(super) fn favourite(&self) -> Filters {
        self.filters(|lower, upper| lower >= upper)
    }

    /// Draws the filters of an ant that takes each side as likely as it has pheromone.
    pub(super) fn draw(&self, random: &mut Random) -> Filters {
        self.filters(|lower, upper| random.unit() * (lower + upper) < lower)
    }

    fn filters(&self, mut takes_lower: impl FnMut(f64, f64) -> bool) -> Filters {
        let mut filters = Filters::default();
        let mut tree = self;
        while let Self::Split(split) = tree {
            let lower = takes_lower(split.lower.pheromone, split.upper.pheromone);
            filters.narrow(&split.attribute, split.threshold, lower);
            tree = if lower { &split.lower.tree } else { &split.upper.tree };
        }
        filters
    }
}

/// Returns the share of the best speed; 0 of what failed.
fn share(best: f64, cost: f64) -> f64 {
    if cost > best { best / cost } else { 1.0 }
}

/// Returns the share that evaporation leaves after so many iterations.
fn left(iterations: usize, ants: &Ants) -> f64 {
    (1.0 - ants.evaporation).powi(iterations as i32)
}

fn part<'a, 'b>(
    rows: &[&'a Row<'b>],
    attribute: &str,
    threshold: f64,
) -> (Vec<&'a Row<'b>>, Vec<&'a Row<'b>>) {
    rows.iter().partition(|row| row.sample.value(attribute) <= threshold)
}

/// Returns the attribute and threshold that leave the least variance, each side weighed by its samples.
///
/// None where that is no less than without.
fn best_split<'a>(rows: &[&Row<'a>]) -> Option<(&'a str, f64)> {
    if rows.len() <= LEAF {
        return None;
    }
    let mean = rows.iter().map(|row| row.cost).sum::<f64>() / rows.len() as f64;
    let mut most = 1e-9 * rows.iter().map(|row| (row.cost - mean).powi(2)).sum::<f64>();
    let mut best = None;
    let attributes: BTreeSet<&'a str> =
        rows.iter().flat_map(|row| row.sample.attributes.keys().map(String::as_str)).collect();
    for attribute in attributes {
        let mut sorted: Vec<(f64, f64)> =
            rows.iter().map(|row| (row.sample.value(attribute), row.cost - mean)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (threshold, gain) in thresholds(&sorted) {
            if gain > most {
                (most, best) = (gain, Some((attribute, threshold)));
            }
        }
    }
    best
}

/// Returns the middles between the values of an attribute, each with the variance that it takes, times the samples.
///
/// Of deviations from the mean, the sums of both sides differ in their sign alone.
fn thresholds(sorted: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
    let count = sorted.len() as f64;
    let mut lower = (0.0, 0.0);
    sorted.windows(2).filter_map(move |pair| {
        lower = (lower.0 + pair[0].1, lower.1 + 1.0);
        let gain = lower.0 * lower.0 * (1.0 / lower.1 + 1.0 / (count - lower.1));
        (pair[0].0.is_finite() && pair[0].0 < pair[1].0).then(|| (pair[0].0.midpoint(pair[1].0), gain))
    })
}

/// Between what bounds an ant keeps attributes: above the lower, at most the upper.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filters(BTreeMap<String, (f64, f64)>);

impl Filters {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn narrow(&mut self, attribute: &str, threshold: f64, lower: bool) {
        let (above, at_most) =
            self.0.entry(attribute.to_owned()).or_insert((f64::NEG_INFINITY, f64::INFINITY));
        let bound = if lower { at_most } else { above };
        *bound = threshold;
    }

    /// Returns true if a choice keeps to them that leads from these attributes to those.
    pub(super) fn admit(&self, before: &Attributes, after: &Attributes) -> bool {
        let changed = after.iter().filter(|(name, value)| before.get(*name) != Some(value));
        changed
            .filter_map(|(name, value)| Some((self.0.get(name)?, *value)))
            .all(|((above, at_most), value)| value > *above && value <= *at_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(tile: f64, staged: f64, cost: f64, iteration: usize) -> Sample {
        let attributes = [("tile".to_owned(), tile), ("staged".to_owned(), staged)].into();
        Sample { attributes, cost, iteration }
    }

    #[test]
    fn the_root_is_the_attribute_that_matters_and_filters_are_the_way_to_a_leaf() {
        let samples: Vec<Sample> = (0..8)
            .map(|at| {
                sample(
                    f64::from(at % 4),
                    f64::from(at / 4),
                    if at / 4 == 0 { 90.0 } else { 10.0 } + f64::from(at),
                    0,
                )
            })
            .collect();
        let Tree::Split(root) = Tree::grow(&samples, 1, &Ants::default()) else {
            panic!("there is much to split")
        };
        assert_eq!((root.attribute.as_str(), root.threshold), ("staged", 0.5));
        assert!(root.upper.pheromone > root.lower.pheromone, "the fast side has more");
        let favourite = Tree::Split(root).favourite();
        let staged = |value: f64| Attributes::from([("staged".to_owned(), value)]);
        assert!(favourite.admit(&Attributes::new(), &staged(1.0)));
        assert!(!favourite.admit(&Attributes::new(), &staged(0.0)));
        assert!(favourite.admit(&staged(0.0), &staged(0.0)), "what was chosen before is not asked again");
    }

    #[test]
    fn nothing_is_split_where_samples_are_few_or_alike_or_failed_alone() {
        let leaf = |samples: &[Sample]| matches!(Tree::grow(samples, 1, &Ants::default()), Tree::Leaf);
        assert!(leaf(&[sample(0.0, 0.0, 1.0, 0), sample(1.0, 0.0, 2.0, 0)]));
        assert!(leaf(&[sample(0.0, 0.0, 1.0, 0), sample(0.0, 0.0, 2.0, 0), sample(0.0, 0.0, 3.0, 0)]));
        let failed: Vec<Sample> = (0..5).map(|at| sample(f64::from(at), 0.0, f64::INFINITY, 0)).collect();
        assert!(leaf(&failed));
    }

    #[test]
    fn what_failed_deposits_nothing_and_older_samples_less() {
        let samples = [
            sample(0.0, 0.0, f64::INFINITY, 0),
            sample(0.0, 0.0, f64::INFINITY, 1),
            sample(1.0, 0.0, 10.0, 0),
            sample(2.0, 0.0, 20.0, 1),
        ];
        let Tree::Split(root) = Tree::grow(&samples, 2, &Ants::default()) else { panic!("tile tells") };
        let first = 0.5 * 0.9 * 0.9;
        assert_eq!(root.threshold, 0.5, "with the slowest that ran as the time of what failed");
        assert!((root.lower.pheromone - first).abs() < 1e-12, "{}", root.lower.pheromone);
        let deposited = 0.15 * 0.9 + 0.15 * 0.5;
        assert!((root.upper.pheromone - (first + deposited)).abs() < 1e-12, "{}", root.upper.pheromone);
    }
}
