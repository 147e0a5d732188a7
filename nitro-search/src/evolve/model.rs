//! The model of what edits pay, over everything that a run has measured.
//!
//! The logarithm of a time is the sum of the effects of its edits, and of pairs that more than chance speaks for.
//! Each effect has an uncertainty, so that children are made of effects as they may be (Thompson 1933).

use std::collections::{BTreeMap, BTreeSet};

use super::ridge::Ridge;
use super::together::Together;
use crate::random::Random;

/// The most edits with an effect of their own; those in most individuals have one.
const MOST_COLUMNS: usize = 256;
/// The most pairs with an effect of their own.
const MOST_PAIRS: usize = 32;
/// The standard errors by which a pair has to differ from the sum of its edits.
const SUSPICIOUS: f64 = 3.0;
/// The most that an edit is taken to slow a program: how bad the bad ones are would hide what the good ones pay.
const MOST_LOSS: f64 = 0.25;
/// The least chance that a child lives with all its edits, from one child to another.
const LEAST_CHANCES: [f64; 2] = [0.3, 0.9];
/// That chance of a child of what is believed.
const LIKELY: f64 = 0.5;

/// What a run knows of an individual.
pub(super) struct Evidence<'a, E> {
    pub edits: &'a [E],
    /// What was measured; none where it failed.
    pub lived: Option<Lived>,
}

/// What was measured of an individual.
#[derive(Clone, Copy)]
pub(super) struct Lived {
    /// The logarithm of its time as a share of the original's.
    pub log_time: f64,
    pub error: f64,
    /// Set if it looked faster, so that it went through all stages.
    pub looked_faster: bool,
    /// Set if it is the original's machine code.
    pub is_original: bool,
}

/// The effects of edits and pairs, and which edits live together.
pub(super) struct Model<E> {
    columns: Columns<E>,
    /// The least error of what lived with each edit.
    errors: Vec<f64>,
    /// Pairs of columns, whose effects follow those of the edits.
    pairs: Vec<[usize; 2]>,
    ridge: Ridge,
    together: Together,
    /// Pairs of edits that may differ from their sum, the most suspicious first.
    suspects: Vec<[usize; 2]>,
}

impl<E: Clone + Ord> Model<E> {
    /// Fits everything that is known; none where nothing lived but the original.
    pub(super) fn fit(known: &[Evidence<'_, E>]) -> Option<Self> {
        let columns = Columns::new(known);
        let count = columns.edits.len();
        let mut own = Rows::default();
        let mut errors = vec![f64::INFINITY; count];
        let mut seen = BTreeSet::new();
        for evidence in known {
            let Some(row) = columns.row(evidence.edits) else { continue };
            // With edits that change nothing it is the same once more.
            if row.is_empty() || !seen.insert(row.clone()) {
                continue;
            }
            match evidence.lived {
                Some(lived) => {
                    for &column in &row {
                        errors[column] = lived.error.min(errors[column]);
                    }
                    own.values.push(lived.log_time.min(MOST_LOSS));
                    own.lived.push((row, lived.looked_faster));
                }
                // What never lived has failed for itself; it says nothing about the others.
                None => own.failed.push(row),
            }
        }
        let together = Together::new(count, &own.lived, &own.failed);
        let mut rows: Vec<Vec<usize>> = own.lived.into_iter().map(|(row, _)| row).collect();
        let single = Ridge::fit(&rows, &own.values, count)?;
        let suspects = suspects(&rows, &own.values, &single);
        // A pair that was seen once, among others, may differ for any of these others.
        let pairs: Vec<[usize; 2]> = suspects
            .iter()
            .filter(|pair| pair.is_settled)
            .map(|pair| pair.columns)
            .take(MOST_PAIRS)
            .collect();
        for row in &mut rows {
            add_pairs(&pairs, count, row);
        }
        let ridge = Ridge::fit(&rows, &own.values, count + pairs.len())?;
        let suspects = suspects.into_iter().map(|pair| pair.columns).collect();
        Some(Self { columns, errors, pairs, ridge, together, suspects })
    }

    /// Returns the standard deviation of logarithms of times from what the model says.
    pub(super) fn deviation(&self) -> f64 {
        self.ridge.deviation
    }

    /// Returns the logarithm of the time that is expected of these edits; none where one has no effect of its own.
    pub(super) fn expected(&self, edits: &[E]) -> Option<f64> {
        let mut row = self.columns.row(edits)?;
        add_pairs(&self.pairs, self.columns.edits.len(), &mut row);
        Some(self.ridge.sum(&row))
    }

    /// Returns pairs of edits that may pay more or less together than their sum, the most suspicious first.
    pub(super) fn suspects(&self) -> impl Iterator<Item = [E; 2]> {
        self.suspects.iter().map(|pair| pair.map(|column| self.columns.edits[column].clone()))
    }

    /// Returns effects as they are believed, of which a child lives as likely as not.
    pub(super) fn believed(&self) -> Draw<'_, E> {
        Draw { model: self, effects: self.ridge.effects.clone(), least_chance: LIKELY }
    }

    /// Draws effects as they may be.
    pub(super) fn draw(&self, random: &mut Random) -> Draw<'_, E> {
        let [least, most] = LEAST_CHANCES;
        let effects = self.ridge.draw(random);
        Draw { model: self, effects, least_chance: least + (most - least) * random.unit() }
    }
}

/// Effects as they may be, of which a child is made.
pub(super) struct Draw<'a, E> {
    model: &'a Model<E>,
    effects: Vec<f64>,
    least_chance: f64,
}

impl<E: Clone + Ord> Draw<'_, E> {
    /// Returns the sum of the effects of these edits; those that the model does not know have none.
    pub(super) fn sum(&self, edits: &[E]) -> f64 {
        let mut row = self.model.columns.known(edits);
        add_pairs(&self.model.pairs, self.model.columns.edits.len(), &mut row);
        row.into_iter().map(|column| self.effects[column]).sum()
    }

    /// Makes a child of an individual: without what costs, and with what pays, the best first, as long as it is
    /// likely to live and has no more error than this. Returns what stays, and what is added.
    pub(super) fn child(&self, of: &[E], max_error: f64) -> (Vec<E>, Vec<E>) {
        let model = self.model;
        let mut set = model.columns.known(of);
        let mut error: f64 = set.iter().map(|&column| model.errors[column]).sum();
        let mut order: Vec<usize> = (0..model.columns.edits.len()).collect();
        order.sort_by(|&one, &other| self.effects[one].total_cmp(&self.effects[other]));
        let mut chance = 1.0;
        let mut added = Vec::new();
        // The second time over it is known which pairs are there.
        for &column in order.iter().chain(&order) {
            let effect = self.effect(&set, column);
            if let Some(at) = set.iter().position(|own| *own == column) {
                if effect > 0.0 {
                    set.remove(at);
                    added.retain(|own| *own != column);
                    error -= model.errors[column];
                }
                continue;
            }
            let lives = chance * model.together.chance(&set, column);
            let is_right = model.errors[column] == 0.0 || error + model.errors[column] <= max_error;
            if effect < 0.0 && lives >= self.least_chance && is_right {
                chance = lives;
                set.push(column);
                added.push(column);
                error += model.errors[column];
            }
        }
        let mut stays = of.to_vec();
        stays.retain(|edit| {
            let column = model.columns.of.get(edit).copied().flatten();
            column.is_none_or(|column| set.contains(&column) && !added.contains(&column))
        });
        (stays, added.into_iter().map(|column| model.columns.edits[column].clone()).collect())
    }

    /// Returns the effect of an edit in a set, with its pairs there.
    fn effect(&self, set: &[usize], column: usize) -> f64 {
        let mut effect = self.effects[column];
        for (pair, of_pair) in self.model.pairs.iter().zip(&self.effects[self.model.columns.edits.len()..]) {
            let other = match *pair {
                [one, other] if one == column => other,
                [other, one] if one == column => other,
                _ => continue,
            };
            effect += if set.contains(&other) { *of_pair } else { 0.0 };
        }
        effect
    }
}

/// What is known, by columns.
#[derive(Default)]
struct Rows {
    lived: Vec<(Vec<usize>, bool)>,
    /// The logarithms of the times of what lived.
    values: Vec<f64>,
    failed: Vec<Vec<usize>>,
}

/// The edits that have an effect of their own.
struct Columns<E> {
    edits: Vec<E>,
    /// The column of each; none of those that leave the machine code as it is.
    of: BTreeMap<E, Option<usize>>,
}

impl<E: Clone + Ord> Columns<E> {
    /// Numbers the edits that something lived with, the most frequent ones.
    fn new(known: &[Evidence<'_, E>]) -> Self {
        let (mut counts, mut of) = (BTreeMap::<&E, usize>::new(), BTreeMap::new());
        for evidence in known {
            let Some(lived) = evidence.lived else { continue };
            if let ([edit], true) = (evidence.edits, lived.is_original) {
                of.insert(edit.clone(), None);
            }
            for edit in evidence.edits {
                *counts.entry(edit).or_default() += 1;
            }
        }
        let mut frequent: Vec<(&E, usize)> =
            counts.into_iter().filter(|(edit, _)| !of.contains_key(edit)).collect();
        frequent.sort_by(|(one, count), (other, others)| others.cmp(count).then(one.cmp(other)));
        frequent.truncate(MOST_COLUMNS);
        let mut edits = Vec::with_capacity(frequent.len());
        for (edit, _) in frequent {
            of.insert(edit.clone(), Some(edits.len()));
            edits.push(edit.clone());
        }
        Self { edits, of }
    }

    /// Returns the columns of these edits, ascending; none where one is not known.
    fn row(&self, edits: &[E]) -> Option<Vec<usize>> {
        let mut row = Vec::with_capacity(edits.len());
        for edit in edits {
            row.extend(*self.of.get(edit)?);
        }
        row.sort_unstable();
        Some(row)
    }

    /// Returns the columns of those of these edits that are known, ascending.
    fn known(&self, edits: &[E]) -> Vec<usize> {
        let mut row: Vec<usize> =
            edits.iter().filter_map(|edit| self.of.get(edit).copied().flatten()).collect();
        row.sort_unstable();
        row
    }
}

/// Adds the columns of the pairs that are in a row.
fn add_pairs(pairs: &[[usize; 2]], columns: usize, row: &mut Vec<usize>) {
    for (at, pair) in pairs.iter().enumerate() {
        // What is in the row is ascending, and columns of pairs come after all others.
        if pair.iter().all(|column| row.contains(column)) {
            row.push(columns + at);
        }
    }
}

/// A pair of columns that may differ from the sum of its edits.
struct Suspect {
    columns: [usize; 2],
    /// The standard errors by which it differs.
    score: f64,
    /// Set if enough has both to say that it is this pair.
    is_settled: bool,
}

/// The individuals with a pair from which on it is taken to be this pair.
const SETTLED: usize = 3;

/// Finds the pairs whose individuals differ from the sum of their edits by more than chance, the most first.
fn suspects(rows: &[Vec<usize>], values: &[f64], ridge: &Ridge) -> Vec<Suspect> {
    let count = ridge.effects.len();
    let mut sums = vec![(0.0, 0usize, false); count * count];
    for (row, value) in rows.iter().zip(values) {
        let rest = value - ridge.sum(row);
        for (at, &one) in row.iter().enumerate() {
            for &other in &row[at + 1..] {
                let (sum, number, is_alone) = &mut sums[one * count + other];
                *sum += rest;
                *number += 1;
                *is_alone |= row.len() == 2;
            }
        }
    }
    let mut suspects = Vec::new();
    for (at, (sum, number, is_alone)) in sums.into_iter().enumerate() {
        let score = sum.abs() / (ridge.deviation * (number as f64).sqrt());
        if score > SUSPICIOUS {
            let is_settled = is_alone || number >= SETTLED;
            suspects.push(Suspect { columns: [at / count, at % count], score, is_settled });
        }
    }
    suspects.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.columns.cmp(&other.columns)));
    suspects
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Saves 5 % by each of 1 and 2, once for both, and 4 % by 3 with an error; 7 costs 3 %, and 8 fails beside 1.
    fn outcome(edits: &[u32]) -> Option<Lived> {
        let has = |edit: u32| edits.contains(&edit);
        if has(8) && has(1) {
            return None;
        }
        let either = if has(1) || has(2) { -0.05 } else { 0.0 };
        let approximate = if has(3) { -0.04 } else { 0.0 };
        let log_time =
            either + approximate + if has(7) { 0.03 } else { 0.0 } - if has(8) { 0.02 } else { 0.0 };
        let error = if has(3) { 0.002 } else { 0.0 };
        let is_original = edits.iter().all(|&edit| edit == 5);
        Some(Lived { log_time, error, looked_faster: log_time < -0.01, is_original })
    }

    /// Fits what is known of these individuals.
    fn fit(known: &[Vec<u32>]) -> Model<u32> {
        let known: Vec<Evidence<'_, u32>> =
            known.iter().map(|edits| Evidence { edits, lived: outcome(edits) }).collect();
        Model::fit(&known).unwrap()
    }

    fn singles() -> Vec<Vec<u32>> {
        [1, 2, 3, 5, 7, 8].map(|edit| vec![edit]).to_vec()
    }

    #[test]
    fn a_child_has_what_pays_within_its_error_and_not_what_costs() {
        let draw = fit(&singles()).draw(&mut Random::new(1)).effects;
        assert_eq!(draw.len(), 5, "what changes nothing has no effect of its own");
        let model = fit(&singles());
        let draw = Draw { model: &model, effects: model.ridge.effects.clone(), least_chance: 0.5 };
        let (stays, mut added) = draw.child(&[5, 7], 0.0);
        added.sort_unstable();
        assert_eq!((stays, added), (vec![5], vec![1, 2, 8]), "7 costs, and 3 has an error");
        let (_, added) = draw.child(&[5, 7], 0.003);
        assert!(added.contains(&3));
    }

    #[test]
    fn what_failed_together_is_not_put_together_again() {
        let mut known = singles();
        known.extend([vec![1, 8], vec![1, 2], vec![2, 8]]);
        let model = fit(&known);
        let draw = Draw { model: &model, effects: model.ridge.effects.clone(), least_chance: 0.3 };
        let (_, added) = draw.child(&[], 0.0);
        assert!(added.contains(&1) != added.contains(&8), "{added:?}");
    }
}
