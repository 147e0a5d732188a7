//! Features of every candidate before anything is measured here.

use super::forest::{Forest, Sample};
use super::{best_ns, loss};
use crate::random::Random;
use crate::{Candidate, Parameter, Scale, Source, Sources, Space};

/// Most candidates that a model looks at; of a larger space, those that the sources like best and a random sample.
const MOST_ROWS: usize = 1 << 15;
/// Most of what a source measured from which the rest is estimated.
const MOST_SAMPLES: usize = 2000;

/// One row a candidate.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    /// The candidate of each row.
    pub(crate) candidates: Vec<Candidate>,
    /// Parameters that have more than one value.
    pub(crate) parameters: Vec<Column>,
    /// For each source the loss of each row.
    pub(crate) sources: Vec<Vec<f32>>,
    /// The expected weight of each source, from the device features; their sum is 1.
    pub(crate) weights: Vec<f64>,
}

/// A parameter, row by row.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The place of its value between the least and the greatest, on its scale; of a category the index.
    pub(crate) positions: Vec<f32>,
    /// True where values are the same or not, and nothing between.
    pub(crate) category: bool,
}

impl Features {
    pub(crate) fn new(space: &Space, sources: &Sources, random: &mut Random) -> Self {
        let useful: Vec<&Source> = sources.useful(space).collect();
        let candidates = rows(space, &useful, random);
        let parameters = (0..space.parameters().len()).filter(|&at| space.parameters()[at].len() > 1);
        let column = |at| {
            Column::new(&space.parameters()[at], candidates.iter().map(|&row| space.configuration(row)[at]))
        };
        let parameters: Vec<Column> = parameters.map(column).collect();
        let mut features =
            Self { candidates, parameters, sources: Vec::new(), weights: weights(&useful, sources) };
        features.sources = features.losses(&useful, random);
        features
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.candidates.len()
    }

    /// The row of a candidate, if it is among the rows; they are in the order of the space.
    pub(crate) fn row(&self, candidate: Candidate) -> Option<usize> {
        self.candidates.binary_search(&candidate).ok()
    }

    /// Without the sources.
    pub(crate) fn alone(&self) -> Self {
        Self { sources: Vec::new(), weights: Vec::new(), ..self.clone() }
    }

    /// Up to `most` rows that the sources like best, no two of them neighbours: what is wrong about one is likely
    /// to be wrong about its neighbours too.
    pub(crate) fn unlike(&self, most: usize) -> Vec<Candidate> {
        let expected = |row: usize| -> f32 {
            let losses = self.sources.iter().zip(&self.weights);
            losses.map(|(losses, &weight)| weight as f32 * losses[row]).sum()
        };
        let mut order: Vec<(f32, usize)> = (0..self.len()).map(|row| (expected(row), row)).collect();
        order.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut chosen: Vec<usize> = Vec::new();
        for (_, row) in order {
            if chosen.len() < most && chosen.iter().all(|&other| self.differ(row, other) > 1) {
                chosen.push(row);
            }
        }
        chosen.into_iter().map(|row| self.candidates[row]).collect()
    }

    /// In how many parameters two rows differ.
    fn differ(&self, one: usize, other: usize) -> usize {
        self.parameters.iter().filter(|column| column.positions[one] != column.positions[other]).count()
    }

    /// The losses of each source, estimated where it did not measure.
    fn losses(&self, sources: &[&Source], random: &mut Random) -> Vec<Vec<f32>> {
        let known: Vec<Vec<Option<f32>>> = sources.iter().map(|source| self.known(source)).collect();
        let guessed: Vec<Vec<f32>> = known.iter().map(|losses| with_mean(losses)).collect();
        let mut filled = Vec::new();
        for (at, losses) in known.iter().enumerate() {
            let others =
                guessed.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, losses)| losses);
            filled.push(match losses.iter().copied().collect::<Option<Vec<f32>>>() {
                Some(complete) => complete,
                None => self.estimated(losses, others, random),
            });
        }
        filled
    }

    fn known(&self, source: &Source) -> Vec<Option<f32>> {
        let best_ns = best_ns(source.evaluations.iter().flatten().copied());
        let known = self.candidates.iter().map(|row| source.evaluations[row.index()]);
        known.map(|known| known.map(|known| loss(known, best_ns) as f32)).collect()
    }

    /// Fills in what is unknown, from the parameters and the other sources.
    fn estimated<'a>(
        &'a self,
        known: &[Option<f32>],
        others: impl Iterator<Item = &'a Vec<f32>>,
        random: &mut Random,
    ) -> Vec<f32> {
        let parameters = self.parameters.iter().map(|column| &column.positions);
        let columns: Vec<Vec<u16>> = parameters.chain(others).map(|column| quantised(column)).collect();
        let columns: Vec<&[u16]> = columns.iter().map(Vec::as_slice).collect();
        let sample = |(row, loss): (usize, &Option<f32>)| Some(Sample { row: row as u32, target: (*loss)? });
        let mut samples: Vec<Sample> = known.iter().enumerate().filter_map(sample).collect();
        random.shuffle(&mut samples);
        samples.truncate(MOST_SAMPLES);
        let estimated = Forest { trees: 16 }.predict(&columns, &samples, known.len(), random);
        known.iter().zip(estimated).map(|(known, estimated)| known.unwrap_or(estimated)).collect()
    }
}

impl Column {
    fn new(parameter: &Parameter, values: impl Iterator<Item = u16>) -> Self {
        let on_scale = |value| match parameter.scale() {
            Scale::Exponential => parameter.number(value).ln(),
            _ => parameter.number(value),
        };
        let numbers: Vec<f64> = (0..parameter.len()).map(on_scale).collect();
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let span = if high > low { high - low } else { 1.0 };
        let positions = values.map(|value| ((numbers[usize::from(value)] - low) / span) as f32).collect();
        Self { positions, category: parameter.scale() == Scale::Category }
    }
}

/// The candidates that a model looks at, in the order of the space.
fn rows(space: &Space, sources: &[&Source], random: &mut Random) -> Vec<Candidate> {
    let mut all: Vec<Candidate> = space.candidates().collect();
    if all.len() <= MOST_ROWS {
        return all;
    }
    random.shuffle(&mut all);
    let best: Vec<f64> =
        sources.iter().map(|source| best_ns(source.evaluations.iter().flatten().copied())).collect();
    let least = |row: &Candidate| {
        let losses = sources
            .iter()
            .zip(&best)
            .filter_map(|(source, &best)| Some(loss(source.evaluations[row.index()]?, best)));
        losses.fold(1.0, f64::min)
    };
    if !sources.is_empty() {
        all[MOST_ROWS / 2..].sort_by(|one, other| least(one).total_cmp(&least(other)));
    }
    all.truncate(MOST_ROWS);
    all.sort_unstable();
    all
}

/// The nearest device counts for most, at most three times what the mean one does; all alike without device features.
fn weights(useful: &[&Source], sources: &Sources) -> Vec<f64> {
    let comparable = |source: &&Source| source.features.len() == sources.features.len();
    let columns = if useful.iter().all(comparable) { sources.features.len() } else { 0 };
    let mut squared = vec![0.0; useful.len()];
    for column in 0..columns {
        let apart: Vec<f64> =
            useful.iter().map(|source| (source.features[column] - sources.features[column]).abs()).collect();
        let greatest = apart.iter().copied().fold(0.0, f64::max);
        if greatest > 0.0 && greatest.is_finite() {
            squared.iter_mut().zip(&apart).for_each(|(sum, apart)| *sum += (apart / greatest).powi(2));
        }
    }
    let distances: Vec<f64> = squared.iter().map(|sum| sum.sqrt()).collect();
    let mean = distances.iter().sum::<f64>() / distances.len().max(1) as f64;
    let weight = |distance: &f64| if mean > 0.0 { 1.0 / (0.5 + distance / mean) } else { 1.0 };
    let weights: Vec<f64> = distances.iter().map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

/// The mean of what is known where nothing is.
fn with_mean(losses: &[Option<f32>]) -> Vec<f32> {
    let known: Vec<f32> = losses.iter().flatten().copied().collect();
    let mean = known.iter().sum::<f32>() / known.len().max(1) as f32;
    losses.iter().map(|loss| loss.unwrap_or(mean)).collect()
}

/// Numbers between 0 and 1 (of categories indices) as trees compare them.
fn quantised(column: &[f32]) -> Vec<u16> {
    column.iter().map(|value| (value * f32::from(u16::MAX)) as u16).collect()
}
