//! The sensitivity of a measured space: which parameters matter, and where its fast configurations lie.

use std::collections::BTreeMap;

use nitro_search::{Evaluation, Failure, Parameter, Scale, Space};

/// The most rows or columns that are read well beside each other; of more, neighbouring values are taken together.
const MOST_BINS: usize = 16;

/// The shares of the variance of the logarithm of the time that a parameter explains.
///
/// Both are exact sums over the configurations that have a time, no model and no sample of them. Where the space is a
/// full grid they are the first-order and the total index of Sobol' ("Global sensitivity indices for nonlinear
/// mathematical models and their Monte Carlo estimates", 2001), which are those of a functional ANOVA. Where
/// constraints leave configurations out the parameters depend on one another, and shares need not add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sensitivity {
    /// The share by its value alone: what the means over the configurations of each value explain.
    pub(crate) alone: f64,
    /// The share with the others: what is left to explain when the values of all others are known.
    pub(crate) with_others: f64,
}

/// Returns the sensitivity to each parameter; none where no two times differ.
pub(crate) fn sensitivities(space: &Space, answers: &[Option<Evaluation>]) -> Option<Vec<Sensitivity>> {
    let mut timed: Vec<(&[u16], f64)> = Vec::new();
    for (candidate, answer) in space.candidates().zip(answers) {
        let logarithm = answer.and_then(|own| own.time_ns()).map(f64::ln);
        timed
            .extend(logarithm.filter(|own| own.is_finite()).map(|own| (space.configuration(candidate), own)));
    }
    let all = variance_within(timed.iter().map(|(_, logarithm)| ((), *logarithm)));
    if all <= 0.0 {
        return None;
    }
    let mut sensitivities = Vec::new();
    for at in 0..space.parameters().len() {
        let same_value = variance_within(timed.iter().map(|(row, logarithm)| (row[at], *logarithm)));
        let same_others =
            variance_within(timed.iter().map(|(row, logarithm)| ((&row[..at], &row[at + 1..]), *logarithm)));
        sensitivities.push(Sensitivity { alone: 1.0 - same_value / all, with_others: same_others / all });
    }
    Some(sensitivities)
}

/// Returns the mean square distance of the numbers from the means of those with the same key.
fn variance_within<K: Ord>(numbers: impl Iterator<Item = (K, f64)>) -> f64 {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (key, number) in numbers {
        groups.entry(key).or_default().push(number);
    }
    let count = groups.values().map(Vec::len).sum::<usize>().max(1);
    groups.values().map(|group| squares(group)).sum::<f64>() / count as f64
}

/// Returns the sum of the square distances from the mean.
fn squares(group: &[f64]) -> f64 {
    let mean = group.iter().sum::<f64>() / group.len() as f64;
    group.iter().map(|number| (number - mean).powi(2)).sum()
}

/// The values of a parameter, neighbours together where there are many.
pub(crate) struct Bins {
    parameter: usize,
    /// The label of each bin.
    pub(crate) labels: Vec<String>,
    /// The bin of each value.
    of_value: Vec<usize>,
}

impl Bins {
    /// Takes the values of the parameter at this position together.
    pub(crate) fn of(space: &Space, parameter: usize) -> Self {
        let own = &space.parameters()[parameter];
        let count = own.len().min(MOST_BINS);
        let of_value: Vec<usize> = (0..own.len()).map(|value| value * count / own.len()).collect();
        let mut labels = Vec::new();
        for bin in 0..count {
            let first = of_value.partition_point(|other| *other < bin);
            let last = of_value.partition_point(|other| *other <= bin) - 1;
            labels.push(label(own, first, last));
        }
        Self { parameter, labels, of_value }
    }

    /// Returns the bin of a configuration.
    fn bin(&self, values: &[u16]) -> usize {
        self.of_value[usize::from(values[self.parameter])]
    }
}

/// Returns the label of the values from the first to the last.
fn label(parameter: &Parameter, first: usize, last: usize) -> String {
    let (low, high) = (parameter.text(first), parameter.text(last));
    match parameter.scale() {
        _ if first == last => low.to_owned(),
        Scale::Linear | Scale::Exponential => format!("{low}–{high}"),
        // Names have no between.
        _ => (first..=last).map(|value| parameter.text(value)).collect::<Vec<_>>().join(" or "),
    }
}

/// Returns for each row and column the speed of the best there as a share of the best of all.
///
/// Other parameters have any value. It is 0 where all that were tried failed, none where nothing was to be tried.
pub(crate) fn best_by(
    space: &Space,
    answers: &[Option<Evaluation>],
    rows: Option<&Bins>,
    columns: &Bins,
) -> Vec<Vec<Option<f64>>> {
    let row_count = rows.map_or(1, |bins| bins.labels.len());
    let mut cells = vec![vec![None; columns.labels.len()]; row_count];
    // First each cell has its best time, infinite where all failed.
    for (candidate, answer) in space.candidates().zip(answers) {
        let Some(answer) = answer.filter(|own| *own != Evaluation::Failed(Failure::Invalid)) else {
            continue;
        };
        let values = space.configuration(candidate);
        let row = rows.map_or(0, |bins| bins.bin(values));
        let cell: &mut Option<f64> = &mut cells[row][columns.bin(values)];
        *cell = Some(cell.unwrap_or(f64::INFINITY).min(answer.time_ns().unwrap_or(f64::INFINITY)));
    }
    let best_ns = cells.iter().flatten().flatten().copied().fold(f64::INFINITY, f64::min);
    for time_ns in cells.iter_mut().flatten().flatten() {
        *time_ns = if time_ns.is_finite() { best_ns / *time_ns } else { 0.0 };
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tile 1, 2, 4 and an order, tile by tile.
    fn space() -> Space {
        let parameters =
            vec![Parameter::numbers("tile", [1.0, 2.0, 4.0]), Parameter::categories("order", ["down", "up"])];
        Space::constrained(parameters, vec![]).unwrap()
    }

    fn times(times_ns: [f64; 6]) -> Vec<Option<Evaluation>> {
        times_ns.map(|time_ns| Some(Evaluation::TimeNs(time_ns))).to_vec()
    }

    #[test]
    fn a_parameter_explains_what_it_alone_decides() {
        let found = sensitivities(&space(), &times([1.0, 1.0, 8.0, 8.0, 64.0, 64.0])).unwrap();
        for (own, share) in found.iter().zip([1.0, 0.0]) {
            assert!(
                (own.alone - share).abs() < 1e-12 && (own.with_others - share).abs() < 1e-12,
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_two_decide_together_neither_explains_alone() {
        let parameters =
            vec![Parameter::numbers("tile", [1.0, 2.0]), Parameter::categories("order", ["down", "up"])];
        let space = Space::constrained(parameters, vec![]).unwrap();
        let answers: Vec<_> = [1.0, 8.0, 8.0, 1.0].map(|ns| Some(Evaluation::TimeNs(ns))).to_vec();
        let alone = Sensitivity { alone: 0.0, with_others: 1.0 };
        assert_eq!(sensitivities(&space, &answers), Some(vec![alone; 2]));
    }

    #[test]
    fn times_that_do_not_differ_are_explained_by_nothing() {
        assert_eq!(sensitivities(&space(), &times([3.0; 6])), None);
        assert_eq!(sensitivities(&space(), &[None; 6]), None);
    }

    #[test]
    fn a_cell_has_the_best_over_the_other_parameters() {
        let (space, mut answers) = (space(), times([2.0, 4.0, 1.0, 8.0, 4.0, 4.0]));
        let (tile, order) = (Bins::of(&space, 0), Bins::of(&space, 1));
        assert_eq!(
            (&tile.labels[..], &order.labels[..]),
            (&["1", "2", "4"].map(str::to_owned)[..], &["down", "up"].map(str::to_owned)[..])
        );
        assert_eq!(best_by(&space, &answers, None, &tile), [[Some(0.5), Some(1.0), Some(0.25)]]);
        answers[5] = Some(Evaluation::Failed(Failure::Compile));
        answers[4] = Some(Evaluation::Failed(Failure::Invalid));
        let expected = [[Some(0.5), Some(1.0), None], [Some(0.25), Some(0.125), Some(0.0)]];
        assert_eq!(
            best_by(&space, &answers, Some(&order), &tile),
            expected,
            "failed is not what nobody tried"
        );
    }

    #[test]
    fn many_values_are_taken_together_with_their_neighbours() {
        let numbers = Parameter::numbers("tile", (1..=40).map(f64::from));
        let names = Parameter::categories("order", (0..20).map(|name| format!("n{name}")));
        let space = Space::table(vec![numbers, names], (0..40).map(|at| [at, at % 20])).unwrap();
        let (tile, order) = (Bins::of(&space, 0), Bins::of(&space, 1));
        assert_eq!((tile.labels.len(), &*tile.labels[0], &*tile.labels[15]), (16, "1–3", "39–40"));
        assert_eq!((order.labels.len(), &*order.labels[0], &*order.labels[1]), (16, "n0 or n1", "n2"));
    }
}
