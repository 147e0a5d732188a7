//! The questions of the tree, by entropy: each divides the inputs of a node so that those of either side agree more
//! about what is best.

/// A question that says less is not asked.
const LEAST_GAIN_BITS: f64 = 1e-6;
/// Questions one below the other.
const MOST_QUESTIONS: usize = 8;

/// One input on one source device.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The features, scaled.
    pub features: Vec<f64>,
    /// The same as the run time compares them.
    pub raw: Vec<f32>,
    /// The best choice.
    pub label: usize,
    /// The share of speed that each choice loses; none where it may not run.
    pub losses: Vec<Option<f64>>,
}

/// Is a feature at most this?
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Question {
    pub column: usize,
    /// On the scaled feature.
    pub scaled: f64,
    pub threshold: f32,
}

impl Question {
    pub fn is_upper(&self, row: &Row) -> bool {
        row.raw[self.column] > self.threshold
    }
}

/// The question that takes most entropy away, of equals the first; none where nothing is gained by one.
pub(super) fn best_question(
    rows: &[&Row],
    depth: usize,
    raw_of: impl Fn(usize, f64) -> f64,
) -> Option<Question> {
    if depth >= MOST_QUESTIONS {
        return None;
    }
    let (whole, columns) = (entropy_bits(rows.iter().copied()), rows.first()?.raw.len());
    let mut best: Option<(f64, Question)> = None;
    for question in (0..columns).flat_map(|column| questions(rows, column, &raw_of)) {
        let (upper, lower): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| question.is_upper(row));
        let left = [lower, upper].map(|side| side.len() as f64 * entropy_bits(side.into_iter()));
        let gain = whole - (left[0] + left[1]) / rows.len() as f64;
        if gain > best.map_or(LEAST_GAIN_BITS, |(gain, _)| gain + 1e-12) {
            best = Some((gain, question));
        }
    }
    best.map(|(_, question)| question)
}

/// The midpoints between values of a feature that follow each other.
fn questions(rows: &[&Row], column: usize, raw_of: &impl Fn(usize, f64) -> f64) -> Vec<Question> {
    let mut values: Vec<(f32, f64)> =
        rows.iter().map(|row| (row.raw[column], row.features[column])).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by_key(|value| value.0);
    let mut questions = Vec::new();
    for pair in values.windows(2) {
        let scaled = (pair[0].1 + pair[1].1) / 2.0;
        let threshold = raw_of(column, scaled) as f32;
        // Undone, the midpoint may be a rounding away from the ends.
        let threshold = if threshold >= pair[0].0 && threshold < pair[1].0 { threshold } else { pair[0].0 };
        questions.push(Question { column, scaled, threshold });
    }
    questions
}

/// H = −Σ p log₂ p over the labels.
fn entropy_bits<'r>(rows: impl Iterator<Item = &'r Row>) -> f64 {
    let (mut counts, mut all) = (std::collections::BTreeMap::new(), 0.0);
    for row in rows {
        *counts.entry(row.label).or_insert(0.0) += 1.0;
        all += 1.0;
    }
    counts.values().map(|count: &f64| -count / all * (count / all).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(features: &[f32], label: usize) -> Row {
        let scaled = features.iter().map(|&value| f64::from(value)).collect();
        Row { features: scaled, raw: features.to_vec(), label, losses: vec![] }
    }

    fn asked(rows: &[Row], depth: usize) -> Option<Question> {
        best_question(&rows.iter().collect::<Vec<_>>(), depth, |_, scaled| scaled)
    }

    #[test]
    fn entropy_is_in_bits() {
        let rows = [row(&[0.0], 0), row(&[0.0], 1), row(&[0.0], 2), row(&[0.0], 3)];
        assert_eq!(entropy_bits(rows.iter()), 2.0);
        assert_eq!(entropy_bits(rows[..1].iter()), 0.0);
    }

    #[test]
    fn the_question_parts_what_is_best_at_a_midpoint() {
        let rows = [row(&[1.0, 7.0], 0), row(&[2.0, 1.0], 0), row(&[4.0, 3.0], 1), row(&[5.0, 5.0], 1)];
        assert_eq!(asked(&rows, 0), Some(Question { column: 0, scaled: 3.0, threshold: 3.0 }));
        assert_eq!(asked(&rows, MOST_QUESTIONS), None);
        assert_eq!(asked(&rows[..2], 0), None, "they agree");
        assert_eq!(asked(&[row(&[1.0], 0), row(&[1.0], 1)], 0), None, "nothing tells them apart");
    }
}
