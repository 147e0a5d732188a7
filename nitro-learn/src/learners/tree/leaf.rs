//! The leaves of the tree: what is chosen in one region of the features.

use std::collections::BTreeMap;

use super::line::{Line, Method};
use super::questions::Row;
use super::space::{Point, Space};

/// The choices of a leaf.
pub(super) enum Leaf {
    /// The same for every input.
    Majority(usize),
    /// The choice nearest to where the lines are.
    Lines(Lines),
}

/// A line for each numeric parameter of one variant.
pub(super) struct Lines {
    lines: Vec<Line>,
    variant: usize,
    categories: Vec<String>,
    /// The choices of the variant that are best on some training input.
    pub candidates: Vec<usize>,
}

impl Leaf {
    /// The leaf of some rows, at least one. `candidates` are the choices that are best on some training input, of this
    /// leaf or another.
    ///
    /// Lines are fitted to the rows of the variant that is best most often; fewer of them than there are features,
    /// and two, say too little.
    pub fn new(method: Method, space: &Space, rows: &[&Row], candidates: &[usize]) -> Self {
        let majority = majority(rows);
        let variant = space.point(majority).variant;
        let of_variant: Vec<&Row> =
            rows.iter().copied().filter(|row| space.point(row.label).variant == variant).collect();
        let features: Vec<&[f64]> = of_variant.iter().map(|row| row.features.as_slice()).collect();
        let points: Vec<&Point> = of_variant.iter().map(|row| space.point(row.label)).collect();
        let agree = points.iter().all(|point| *point == points[0]);
        if agree || of_variant.len() < features[0].len() + 2 {
            return Self::Majority(majority);
        }
        let mut lines = Vec::with_capacity(points[0].numbers.len());
        for number in 0..points[0].numbers.len() {
            let values: Vec<f64> = points.iter().map(|point| point.numbers[number]).collect();
            lines.push(Line::fit(method, &features, &values));
        }
        let categories = (0..points[0].categories.len())
            .map(|at| most_frequent(points.iter().map(|point| point.categories[at].as_str())));
        Self::Lines(Lines {
            lines,
            variant,
            categories: categories.collect(),
            candidates: candidates
                .iter()
                .copied()
                .filter(|&class| space.point(class).variant == variant)
                .collect(),
        })
    }

    /// Chooses for scaled features.
    #[cfg(test)]
    pub fn choice(&self, space: &Space, features: &[f64]) -> usize {
        match self {
            Self::Majority(class) => *class,
            Self::Lines(lines) => lines.choice(space, features),
        }
    }
}

impl Lines {
    /// Chooses for scaled features.
    pub fn choice(&self, space: &Space, features: &[f64]) -> usize {
        let wanted = self.wanted(features);
        space.nearest(&wanted, &self.candidates).expect("the labels of its rows are candidates")
    }

    /// Returns the values of the lines, which need not be a choice.
    pub fn wanted(&self, features: &[f64]) -> Point {
        let numbers = self.lines.iter().map(|line| line.at(features)).collect();
        Point { variant: self.variant, numbers, categories: self.categories.clone() }
    }

    /// Returns how much the lines depend on a feature, all together.
    pub fn dependence(&self, feature: usize) -> f64 {
        self.lines.iter().map(|line| line.slope(feature).abs()).sum()
    }

    /// The line of each numeric parameter.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

/// The label of most rows; of equals the one that loses least on all of them, then the first.
fn majority(rows: &[&Row]) -> usize {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    rows.iter().for_each(|row| *counts.entry(row.label).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(0);
    let tied = counts.into_iter().filter(|(_, count)| *count == most).map(|(label, _)| label);
    tied.min_by(|&a, &b| lost(rows, a).total_cmp(&lost(rows, b))).expect("a leaf has rows")
}

/// Sums what a choice loses on all rows; all of one on which it may not run.
fn lost(rows: &[&Row], label: usize) -> f64 {
    rows.iter().map(|row| row.losses[label].unwrap_or(1.0)).sum()
}

/// Returns the most frequent text, of equals the first by alphabet.
fn most_frequent<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    let most = counts.values().copied().max().unwrap_or(0);
    counts.into_iter().find(|(_, count)| *count == most).map_or(String::new(), |(text, _)| text.to_owned())
}
