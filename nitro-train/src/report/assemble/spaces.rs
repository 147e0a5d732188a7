//! What was measured of the configurations of parameterised variants.

use std::collections::BTreeMap;

use nitro_search::Evaluation;

use crate::recordings::Recordings;
use crate::report::device::by_name;
use crate::report::space_data::{ParameterImportance, SpaceMap, SpaceReport};
use crate::search::{Bins, Explained, Measured, SearchError, best_by, explained};

/// What is measured of a space says something about it when at most every tenth configuration is missing.
const MEASURED_SHARE: f64 = 0.9;

/// The configurations of one variant with what was measured of them.
pub(crate) struct MeasuredSpace<'r> {
    pub(super) measured: Measured<'r>,
    /// By input what each device measured.
    pub(super) answers: Vec<BTreeMap<usize, Vec<Option<Evaluation>>>>,
}

/// A device and an input, by position.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) device: usize,
    pub(super) input: usize,
}

impl<'r> MeasuredSpace<'r> {
    /// Those of a function; none where no variant has parameters.
    pub(crate) fn of(recordings: &'r Recordings) -> Result<Vec<Self>, SearchError> {
        let of_space = |measured: Measured<'r>| {
            let answers = (0..recordings.inputs.len()).map(|input| measured.answers(input)).collect();
            Self { measured, answers }
        };
        match Measured::of(recordings, None) {
            Ok(spaces) => Ok(spaces.into_iter().map(of_space).collect()),
            Err(SearchError::NoSpace { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Where nearly all configurations were measured and one has a time, device by device.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        let is_whole = |answers: &[Option<Evaluation>]| {
            let known = answers.iter().flatten().count() as f64;
            known >= MEASURED_SHARE * answers.len() as f64
                && answers.iter().flatten().any(|answer| answer.time_ns().is_some())
        };
        let of_input = |(input, devices): (usize, &BTreeMap<usize, Vec<Option<Evaluation>>>)| {
            let whole = devices.iter().filter(|(_, answers)| is_whole(answers));
            whole.map(move |(&device, _)| Pair { device, input }).collect::<Vec<_>>()
        };
        let mut pairs: Vec<Pair> = self.answers.iter().enumerate().flat_map(of_input).collect();
        pairs.sort_by_key(|pair| (pair.device, pair.input));
        pairs
    }

    pub(super) fn of_pair(&self, pair: Pair) -> &[Option<Evaluation>] {
        &self.answers[pair.input][&pair.device]
    }
}

/// The space without its searches.
pub(crate) fn space_report(recordings: &Recordings, own: &MeasuredSpace<'_>) -> SpaceReport {
    let pairs = own.pairs();
    let explained =
        pairs.iter().filter_map(|&pair| Some((pair, explained(&own.measured.space, own.of_pair(pair))?)));
    let explained: Vec<(Pair, Vec<Explained>)> = explained.collect();
    let order = order(own, &explained);
    let with_others = |known: &[&Vec<Explained>]| {
        order.iter().map(|&at| mean(known.iter().map(|all| all[at].with_others))).collect::<Vec<f64>>()
    };
    let mut by_device: Vec<(String, Vec<f64>)> = explained
        .chunk_by(|(one, _), (other, _)| one.device == other.device)
        .map(|same| {
            let known: Vec<&Vec<Explained>> = same.iter().map(|(_, all)| all).collect();
            (recordings.devices[same[0].0.device].id.clone(), with_others(&known))
        })
        .collect();
    by_device.sort_by(|(a, _), (b, _)| by_name(a, b));
    let importance = |&at: &usize| ParameterImportance {
        parameter: own.measured.space.parameters()[at].name().to_owned(),
        values: own.measured.space.parameters()[at].len(),
        alone: mean(explained.iter().map(|(_, all)| all[at].alone)),
        with_others: mean(explained.iter().map(|(_, all)| all[at].with_others)),
    };
    SpaceReport {
        variant: own.measured.variant().to_owned(),
        configurations: own.measured.space.len(),
        pairs: pairs.len(),
        parameters: order.iter().map(importance).collect(),
        by_device,
        map: map(own, &order, &pairs),
        searches: None,
    }
}

/// The parameters with several values, the one that matters most first; none where nothing tells which matters.
fn order(own: &MeasuredSpace<'_>, explained: &[(Pair, Vec<Explained>)]) -> Vec<usize> {
    if explained.is_empty() {
        return Vec::new();
    }
    let parameters = own.measured.space.parameters();
    let weight = |&at: &usize| mean(explained.iter().map(|(_, all)| all[at].with_others));
    let mut order: Vec<usize> = (0..parameters.len()).filter(|&at| parameters[at].len() > 1).collect();
    order.sort_by(|a, b| weight(b).total_cmp(&weight(a))); // stable
    order
}

/// By the two parameters that matter most, mean over the pairs.
fn map(own: &MeasuredSpace<'_>, order: &[usize], pairs: &[Pair]) -> Option<SpaceMap> {
    let space = &own.measured.space;
    let columns = Bins::of(space, *order.first()?);
    let rows = order.get(1).map(|&at| Bins::of(space, at));
    let of_pairs: Vec<Vec<Vec<Option<f64>>>> =
        pairs.iter().map(|&pair| best_by(space, own.of_pair(pair), rows.as_ref(), &columns)).collect();
    let cell = |row: usize, column: usize| {
        let known: Vec<f64> = of_pairs.iter().filter_map(|cells| cells[row][column]).collect();
        (!known.is_empty()).then(|| mean(known.iter().copied()))
    };
    let row_count = rows.as_ref().map_or(1, |bins| bins.labels.len());
    let row = |row: usize| (0..columns.labels.len()).map(|column| cell(row, column)).collect();
    let cells = (0..row_count).map(row).collect();
    let name = |at: usize| space.parameters()[at].name().to_owned();
    let rows = rows.map(|bins| (name(order[1]), bins.labels));
    Some(SpaceMap { columns: (name(order[0]), columns.labels), rows, cells })
}

pub(super) fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), number| (sum + number, count + 1.0));
    sum / count
}
