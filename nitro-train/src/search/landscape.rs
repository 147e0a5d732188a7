//! What a measured space looks like: which parameters matter, and where its fast configurations lie.

use std::collections::BTreeMap;

use nitro_search::{Evaluation, Failure, Parameter, Scale, Space};

/// More rows or columns than these are hard to read beside each other: neighbouring values are taken together.
const MOST_BINS: usize = 16;

/// Which shares of the variance of the logarithm of the time a parameter explains, over the configurations that
/// have a time.
///
/// Both are exact sums over the table, no model and no sample of it. Where the space is a full grid they are the
/// first-order and the total index of Sobol' ("Global sensitivity indices for nonlinear mathematical models and
/// their Monte Carlo estimates", 2001), which are those of a functional ANOVA; where constraints leave
/// configurations out the parameters depend on one another, and shares need not add up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Explained {
    /// By its value alone: what the means over the configurations of each value explain.
    pub(crate) alone: f64,
    /// With the others: what is left to explain when the values of all others are known.
    pub(crate) with_others: f64,
}

/// One for each parameter; none where no two times differ.
pub(crate) fn explained(space: &Space, answers: &[Option<Evaluation>]) -> Option<Vec<Explained>> {
    let timed = space.candidates().zip(answers).filter_map(|(candidate, answer)| {
        let logarithm = answer.as_ref()?.time_ns()?.ln();
        logarithm.is_finite().then(|| (space.configuration(candidate), logarithm))
    });
    let timed: Vec<(&[u16], f64)> = timed.collect();
    let all = within(timed.iter().map(|(_, logarithm)| ((), *logarithm)));
    let of_parameter = |at: usize| {
        let same_value = within(timed.iter().map(|(row, logarithm)| (row[at], *logarithm)));
        let same_others =
            within(timed.iter().map(|(row, logarithm)| ((&row[..at], &row[at + 1..]), *logarithm)));
        Explained { alone: 1.0 - same_value / all, with_others: same_others / all }
    };
    (all > 0.0).then(|| (0..space.parameters().len()).map(of_parameter).collect())
}

/// Mean square distance of the numbers from the means of those with the same key.
fn within<K: Ord>(numbers: impl Iterator<Item = (K, f64)>) -> f64 {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    numbers.for_each(|(key, number)| groups.entry(key).or_default().push(number));
    let squares = |group: &Vec<f64>| -> f64 {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        group.iter().map(|number| (number - mean).powi(2)).sum()
    };
    let count = groups.values().map(Vec::len).sum::<usize>().max(1);
    groups.values().map(squares).sum::<f64>() / count as f64
}

/// The values of a parameter, neighbours together where there are many.
pub(crate) struct Bins {
    parameter: usize,
    /// What each is called.
    pub(crate) labels: Vec<String>,
    /// Of each value.
    of_value: Vec<usize>,
}

impl Bins {
    /// Of the parameter at this position.
    pub(crate) fn of(space: &Space, parameter: usize) -> Self {
        let own = &space.parameters()[parameter];
        let count = own.len().min(MOST_BINS);
        let of_value: Vec<usize> = (0..own.len()).map(|value| value * count / own.len()).collect();
        let values = |bin: usize| {
            let first = of_value.partition_point(|other| *other < bin);
            (first, of_value.partition_point(|other| *other <= bin) - 1)
        };
        let labels = (0..count).map(|bin| label(own, values(bin))).collect();
        Self { parameter, labels, of_value }
    }
}

fn label(parameter: &Parameter, (first, last): (usize, usize)) -> String {
    let (low, high) = (parameter.text(first), parameter.text(last));
    match parameter.scale() {
        _ if first == last => low.to_owned(),
        Scale::Linear | Scale::Exponential => format!("{low}–{high}"),
        // Names have no between.
        _ => (first..=last).map(|value| parameter.text(value)).collect::<Vec<_>>().join(" or "),
    }
}

/// For each row and column the time of the best of all over that of the best there, whatever the other parameters;
/// 0 where all that were tried failed, none where nothing was to be tried.
pub(crate) fn best_by(
    space: &Space,
    answers: &[Option<Evaluation>],
    rows: Option<&Bins>,
    columns: &Bins,
) -> Vec<Vec<Option<f64>>> {
    let row_count = rows.map_or(1, |bins| bins.labels.len());
    let mut best_ns = vec![vec![None; columns.labels.len()]; row_count];
    for (candidate, answer) in space.candidates().zip(answers) {
        let Some(answer) = answer.filter(|own| *own != Evaluation::Failed(Failure::Invalid)) else {
            continue;
        };
        let values = space.configuration(candidate);
        let bin = |bins: &Bins| bins.of_value[usize::from(values[bins.parameter])];
        let cell: &mut Option<f64> = &mut best_ns[rows.map_or(0, bin)][bin(columns)];
        *cell = Some(cell.unwrap_or(f64::INFINITY).min(answer.time_ns().unwrap_or(f64::INFINITY)));
    }
    let best = best_ns.iter().flatten().flatten().copied().fold(f64::INFINITY, f64::min);
    let share = |time_ns: f64| if time_ns.is_finite() { best / time_ns } else { 0.0 };
    best_ns.into_iter().map(|row| row.into_iter().map(|cell| cell.map(share)).collect()).collect()
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
        let explained = explained(&space(), &times([1.0, 1.0, 8.0, 8.0, 64.0, 64.0])).unwrap();
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(explained[0].alone, 1.0) && near(explained[0].with_others, 1.0), "{explained:?}");
        assert!(near(explained[1].alone, 0.0) && near(explained[1].with_others, 0.0), "{explained:?}");
    }

    #[test]
    fn what_two_decide_together_neither_explains_alone() {
        let parameters =
            vec![Parameter::numbers("tile", [1.0, 2.0]), Parameter::categories("order", ["down", "up"])];
        let space = Space::constrained(parameters, vec![]).unwrap();
        let answers: Vec<_> = [1.0, 8.0, 8.0, 1.0].map(|ns| Some(Evaluation::TimeNs(ns))).to_vec();
        let alone = Explained { alone: 0.0, with_others: 1.0 };
        assert_eq!(explained(&space, &answers), Some(vec![alone; 2]));
    }

    #[test]
    fn times_that_do_not_differ_are_explained_by_nothing() {
        assert_eq!(explained(&space(), &times([3.0; 6])), None);
        assert_eq!(explained(&space(), &[None; 6]), None);
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
