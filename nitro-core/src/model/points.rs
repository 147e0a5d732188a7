//! The inputs that a selector is asked about, to make a small tree and second choices of its answers.

use super::OnDevice;
use super::choosing::{Way, net_share};
use super::training_inputs::{TrainingInput, TrainingInputs};
use crate::{order, random};

/// The number of inputs that the selector is asked about.
const POINTS: usize = 2048;
/// The number of inputs of which the nearest is taken, to go towards it from another one.
const TRIED: usize = 16;

/// A training input, and the share of the best speed that the selector expects of each class.
pub(super) struct Point {
    pub(super) input: TrainingInput,
    pub(super) expected: Vec<f64>,
}

impl Point {
    /// Returns what is left of the share of each class on some way, and of that of the selector, which takes so long
    /// without its features.
    pub(super) fn nets(&self, way: Way, selection_ns: f64) -> impl Iterator<Item = f64> {
        let TrainingInput { best_ns, features_ns, .. } = &self.input;
        let (walk_ns, asking_ns) =
            (way.choosing_ns(features_ns), selection_ns + features_ns.iter().sum::<f64>());
        let asked = net_share(greatest(self.expected.iter().copied()), *best_ns, asking_ns);
        self.expected.iter().map(move |&share| net_share(share, *best_ns, walk_ns)).chain([asked])
    }
}

/// Returns what a selector says of its training inputs, and of inputs between them.
pub(super) fn asked(selector: &OnDevice, inputs: &TrainingInputs) -> Vec<Point> {
    let rows: Vec<TrainingInput> = inputs.rows().collect();
    let between = between(&rows);
    let of_input =
        |input: TrainingInput| Point { expected: selector.confidences(&input.features).collect(), input };
    rows.into_iter().chain(between).map(of_input).collect()
}

/// Returns inputs between two that are near each other, as many as [`POINTS`] leaves room for. On `sort` of the suite,
/// with 120 training inputs, choices of a left-out device reach 96.6 % of exhaustive search with them, 91.4 without,
/// and 93.3 with as many as 1024 between any two.
fn between(rows: &[TrainingInput]) -> Vec<TrainingInput> {
    let columns = rows.first().map_or(0, |row| row.features.len());
    let ranks: Vec<Vec<usize>> = (0..columns).map(|column| ranks(rows, column)).collect();
    let apart =
        |one: usize, other: usize| ranks.iter().map(|ranks| ranks[one].abs_diff(ranks[other])).sum::<usize>();
    let mut random = Random(1);
    let mut between = Vec::new();
    while !rows.is_empty() && rows.len() + between.len() < POINTS {
        let one = random.below(rows.len());
        let others = (0..TRIED).map(|_| random.below(rows.len())).filter(|&other| other != one);
        let Some(other) = others.min_by_key(|&other| apart(one, other)) else { break };
        between.push(rows[one].towards(&rows[other], random.unit()));
    }
    between
}

/// Returns the rank of each input by a feature.
fn ranks(rows: &[TrainingInput], column: usize) -> Vec<usize> {
    let value = |at: usize| rows[at].features[column];
    let order = order::order(rows.len(), &|one, other| value(one).total_cmp(&value(other)));
    let (mut ranks, mut rank) = (vec![0; rows.len()], 0);
    for (position, &at) in order.iter().enumerate() {
        if position > 0 && value(at) > value(order[position - 1]) {
            rank = position;
        }
        ranks[at] = rank;
    }
    ranks
}

/// Returns the greatest value.
pub(super) fn greatest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// A sequence of random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        (random::next(&mut self.0) % count as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (random::next(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
