//! Choices as points: which variant, and where in the ranges of its parameters.

use std::collections::BTreeMap;

use nitro_store::recordings::{Recordings, assignments};

use crate::task::Task;

/// The choices of a task. Numbers are places in the range of a parameter, 0 its least and 1 its largest value; of a
/// parameter whose values grow by a factor on a logarithm. So how far two choices are apart is the sum of the
/// distances of their numbers, each a share of its range.
pub(super) struct Space {
    points: Vec<Point>,
}

/// One choice.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub variant: usize,
    /// The values of the numeric parameters.
    pub numbers: Vec<f64>,
    /// Values of the others, which are near or far from nothing.
    pub categories: Vec<String>,
}

/// The values of one parameter, as texts.
type Values<'a> = Vec<&'a str>;

impl Space {
    /// The choices that a task tells apart. What a parameter's range is follows from all that was measured.
    pub fn new(task: &Task<'_>) -> Self {
        let scales = scales(task.recordings);
        let classes = task.performance.classes();
        let mut points = Vec::with_capacity(classes.count());
        for (name, &variant) in classes.names().iter().zip(classes.variants()) {
            let (mut numbers, mut categories) = (Vec::new(), Vec::new());
            for (parameter, value) in assignments(configuration(name)) {
                match scales.get(&(variant, parameter)).and_then(Option::as_ref) {
                    Some(scale) => numbers.push(scale.place(value)),
                    None => categories.push(value.to_owned()),
                }
            }
            points.push(Point { variant, numbers, categories });
        }
        Self { points }
    }

    /// The point of a choice.
    pub fn point(&self, class: usize) -> &Point {
        &self.points[class]
    }

    /// The nearest of some choices, of equals the first.
    pub fn nearest(&self, to: &Point, among: &[usize]) -> Option<usize> {
        let distances = among.iter().map(|&class| (to.distance(&self.points[class]), class));
        distances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, class)| class)
    }
}

impl Point {
    /// Returns the distance of two choices. A category that differs counts as a whole range; another variant is
    /// infinitely
    pub fn distance(&self, other: &Self) -> f64 {
        if self.variant != other.variant {
            return f64::INFINITY;
        }
        let numbers: f64 = self.numbers.iter().zip(&other.numbers).map(|(a, b)| (a - b).abs()).sum();
        let categories = self.categories.iter().zip(&other.categories).filter(|(a, b)| a != b).count();
        numbers + categories as f64
    }
}

/// The range of a numeric parameter.
struct Scale {
    is_geometric: bool,
    least: f64,
    extent: f64,
}

impl Scale {
    /// Returns the scale of a parameter's values; none where one is no number.
    fn of(values: &Values<'_>) -> Option<Self> {
        let mut numbers: Vec<f64> = values.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?;
        numbers.retain(|number| number.is_finite());
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        let is_geometric = is_geometric(&numbers);
        let ends = [*numbers.first()?, *numbers.last()?];
        let [first, last] = if is_geometric { ends.map(f64::ln) } else { ends };
        Some(Self { is_geometric, least: first, extent: last - first })
    }

    fn place(&self, value: &str) -> f64 {
        let number: f64 = value.parse().unwrap_or(f64::NAN);
        let on_scale = if self.is_geometric { number.ln() } else { number };
        if self.extent > 0.0 { (on_scale - self.least) / self.extent } else { 0.0 }
    }
}

/// Returns true if ascending values grow by the same factor from each to the next.
fn is_geometric(numbers: &[f64]) -> bool {
    let factors: Vec<f64> = numbers.windows(2).map(|pair| pair[1] / pair[0]).collect();
    numbers.first().is_some_and(|&first| first > 0.0)
        && factors.iter().all(|factor| (factor / factors[0] - 1.0).abs() < 1e-9)
}

/// Returns the range of each parameter of each variant; none of a category.
fn scales(recordings: &Recordings) -> BTreeMap<(usize, &str), Option<Scale>> {
    let mut values: BTreeMap<(usize, &str), Values<'_>> = BTreeMap::new();
    for one in &recordings.measurements {
        for (parameter, value) in assignments(&one.configuration) {
            let known = values.entry((one.variant, parameter)).or_default();
            if !known.contains(&value) {
                known.push(value);
            }
        }
    }
    values.into_iter().map(|(parameter, values)| (parameter, Scale::of(&values))).collect()
}

/// Returns what stands in the braces of a choice's name.
fn configuration(choice: &str) -> &str {
    choice.split_once('{').map_or("", |(_, rest)| rest.strip_suffix('}').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_grow_by_a_factor_lie_on_a_logarithm() {
        let scale = |values: &[&str]| Scale::of(&values.to_vec());
        let blocks = scale(&["64", "512", "128", "256"]).unwrap();
        assert!((blocks.place("128") - 1.0 / 3.0).abs() < 1e-12 && blocks.place("512") == 1.0);
        let steps = scale(&["2", "4", "6"]).unwrap();
        assert_eq!([steps.place("2"), steps.place("4"), steps.place("6")], [0.0, 0.5, 1.0]);
        assert!(scale(&["row", "column"]).is_none());
        assert_eq!(scale(&["7"]).unwrap().place("7"), 0.0, "one value has no range");
    }

    #[test]
    fn names_of_choices_are_taken_apart() {
        let parts = |name| assignments(configuration(name)).collect::<Vec<_>>();
        assert_eq!(parts("tiled{tile=4,down=true}"), [("tile", "4"), ("down", "true")]);
        assert!(parts("plain").is_empty());
    }

    #[test]
    fn what_is_nearest_is_of_the_same_variant() {
        let point = |variant, number, category: &str| Point {
            variant,
            numbers: vec![number],
            categories: vec![category.to_owned()],
        };
        let space = Space {
            points: vec![point(1, 0.5, "a"), point(0, 0.0, "a"), point(0, 1.0, "a"), point(0, 0.4, "b")],
        };
        assert_eq!(space.nearest(&point(0, 0.45, "a"), &[0, 1, 2, 3]), Some(1));
        assert_eq!(space.nearest(&point(0, 0.6, "b"), &[0, 1, 2, 3]), Some(3));
        assert_eq!(space.nearest(&point(0, 0.5, "a"), &[1, 2]), Some(1), "of equals the first");
        assert_eq!(space.nearest(&point(0, 0.5, "a"), &[]), None);
    }
}
