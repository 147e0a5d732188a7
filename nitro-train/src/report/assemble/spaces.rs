//! The measurements of the configurations of parameterised variants.

use std::collections::{BTreeMap, BTreeSet};

use nitro_core::{Function, VariantInfo};
use nitro_learn::configurations::{ConfigurationsError, Measured};
use nitro_search::Evaluation;
use nitro_stats::statistics;
use nitro_store::recordings::Recordings;

use crate::measure::WALKED;
use crate::report::device::by_name;
use crate::report::space_data::{ParameterImportance, SpaceMap, SpaceReport};
use crate::search::{Bins, SearchError, Sensitivity, best_by, sensitivities};

/// The least measured share of a space that says something about the whole.
const MEASURED_SHARE: f64 = 0.9;
/// The fewest configurations of a sample. Fewer may be the remains of a search, which are no sample of the space.
const LEAST_SAMPLE: usize = 64;

/// The configurations of one variant with what was measured of them.
pub(crate) struct MeasuredSpace<'r> {
    pub(super) measured: Measured<'r>,
    /// The evaluations by input, and by device.
    pub(super) answers: Vec<BTreeMap<usize, Vec<Option<Evaluation>>>>,
    /// Number of configurations that the code has, where the recordings know a part of them.
    sampled_of: Option<u64>,
}

/// A device and an input, by position.
#[derive(Clone, Copy)]
pub(super) struct Pair {
    pub(super) device: usize,
    pub(super) input: usize,
}

impl<'r> MeasuredSpace<'r> {
    /// Returns the spaces of a function; none where no variant has parameters.
    ///
    /// The code tells all configurations, where the program has it.
    pub(crate) fn of(
        recordings: &'r Recordings,
        function: Option<&Function>,
    ) -> Result<Vec<Self>, SearchError> {
        let spaces = match Measured::of(recordings, None) {
            Err(ConfigurationsError::NoSpace { .. }) => Vec::new(),
            spaces => spaces?,
        };
        let mut all = Vec::new();
        for measured in spaces {
            let answers = (0..recordings.inputs.len()).map(|input| measured.answers(input)).collect();
            let sampled_of = function.and_then(|own| sampled_of(recordings, own, measured.variant()));
            all.push(Self { measured, answers, sampled_of });
        }
        Ok(all)
    }

    /// Returns the pairs with nearly all configurations measured and at least one time, device by device.
    pub(super) fn pairs(&self) -> Vec<Pair> {
        if self.sampled_of.is_some() && self.measured.space.len() < LEAST_SAMPLE {
            return Vec::new();
        }
        let mut pairs: Vec<Pair> = Vec::new();
        for (input, devices) in self.answers.iter().enumerate() {
            for (&device, answers) in devices {
                let mut known = answers.iter().flatten();
                let is_whole = known.clone().count() as f64 >= MEASURED_SHARE * answers.len() as f64;
                if is_whole && known.any(|answer| answer.time_ns().is_some()) {
                    pairs.push(Pair { device, input });
                }
            }
        }
        pairs.sort_by_key(|pair| (pair.device, pair.input));
        pairs
    }

    /// Returns the evaluations of a pair of a device and an input.
    pub(super) fn of_pair(&self, pair: Pair) -> &[Option<Evaluation>] {
        &self.answers[pair.input][&pair.device]
    }
}

/// Counts the configurations of a variant in the code.
///
/// Returns none where nearly all were measured somewhere, or somebody has listed them.
fn sampled_of(recordings: &Recordings, function: &Function, variant: &str) -> Option<u64> {
    let own = function.variants().iter().find(|own| own.name() == variant)?;
    let position = recordings.variant_index(variant)?;
    let of_variant = recordings.measurements.iter().filter(|one| one.variant == position);
    let measured: BTreeSet<&str> = of_variant.map(|one| one.configuration.as_str()).collect();
    let all = possible(own);
    let is_part = (measured.len() as f64) < MEASURED_SHARE * all as f64;
    (recordings.space(variant).is_none() && is_part).then_some(all)
}

/// Counts the possible configurations, with the forbidden ones where there are too many to look at each.
fn possible(variant: &VariantInfo) -> u64 {
    let all = variant.parameters().configurations();
    if all <= WALKED { variant.configurations().count() as u64 } else { all }
}

/// Returns the report of a space without its searches.
pub(crate) fn space_report(recordings: &Recordings, own: &MeasuredSpace<'_>) -> SpaceReport {
    let pairs = own.pairs();
    let explained =
        pairs.iter().filter_map(|&pair| Some((pair, sensitivities(&own.measured.space, own.of_pair(pair))?)));
    let mut explained: Vec<(Pair, Vec<Sensitivity>)> = explained.collect();
    let order = order(own, &explained);
    if own.sampled_of.is_some() {
        // Hardly any two of a sample differ in one parameter alone.
        explained.iter_mut().flat_map(|(_, all)| all).for_each(|one| one.with_others = f64::NAN);
    }
    let mut by_device: Vec<(String, Vec<f64>)> = Vec::new();
    for same in explained.chunk_by(|(one, _), (other, _)| one.device == other.device) {
        let with_others = order.iter().map(|&at| mean(same.iter().map(|(_, all)| all[at].with_others)));
        by_device.push((recordings.devices[same[0].0.device].id.clone(), with_others.collect()));
    }
    by_device.sort_by(|(a, _), (b, _)| by_name(a, b));
    let mut parameters = Vec::new();
    for &at in &order {
        let parameter = &own.measured.space.parameters()[at];
        parameters.push(ParameterImportance {
            parameter: parameter.name().to_owned(),
            values: parameter.len(),
            alone: mean(explained.iter().map(|(_, all)| all[at].alone)),
            with_others: mean(explained.iter().map(|(_, all)| all[at].with_others)),
        });
    }
    SpaceReport {
        variant: own.measured.variant().to_owned(),
        configurations: own.measured.space.len(),
        sampled_of: own.sampled_of,
        pairs: pairs.len(),
        parameters,
        by_device,
        map: map(own, &order, &pairs),
        searches: None,
    }
}

/// Returns the parameters with several values, the most important first; none where no pair tells.
fn order(own: &MeasuredSpace<'_>, explained: &[(Pair, Vec<Sensitivity>)]) -> Vec<usize> {
    if explained.is_empty() {
        return Vec::new();
    }
    let parameters = own.measured.space.parameters();
    // A sample does not tell the shares with the others.
    let is_sample = own.sampled_of.is_some();
    let mut weights: Vec<(usize, f64)> = Vec::new();
    for at in (0..parameters.len()).filter(|&at| parameters[at].len() > 1) {
        let known = explained.iter().map(|(_, all)| &all[at]);
        weights.push((at, mean(known.map(|one| if is_sample { one.alone } else { one.with_others }))));
    }
    weights.sort_by(|(_, a), (_, b)| b.total_cmp(a)); // stable
    weights.into_iter().map(|(at, _)| at).collect()
}

/// Maps the space by the two most important parameters, mean over the pairs.
fn map(own: &MeasuredSpace<'_>, order: &[usize], pairs: &[Pair]) -> Option<SpaceMap> {
    let space = &own.measured.space;
    let columns = Bins::of(space, *order.first()?);
    let rows = order.get(1).map(|&at| Bins::of(space, at));
    let of_pairs: Vec<Vec<Vec<Option<f64>>>> =
        pairs.iter().map(|&pair| best_by(space, own.of_pair(pair), rows.as_ref(), &columns)).collect();
    // A cell is the mean over the pairs that have a time for its values.
    let row_count = rows.as_ref().map_or(1, |bins| bins.labels.len());
    let mut cells = vec![vec![None; columns.labels.len()]; row_count];
    for (row, cells) in cells.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            *cell = statistics::mean(of_pairs.iter().filter_map(|cells| cells[row][column]));
        }
    }
    let mut names = order.iter().map(|&at| space.parameters()[at].name().to_owned());
    let columns = (names.next()?, columns.labels);
    Some(SpaceMap { columns, rows: names.next().zip(rows.map(|bins| bins.labels)), cells })
}

/// Returns the mean, no number of nothing.
pub(super) fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    statistics::mean(numbers).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use nitro_core::{Parameter, ParameterKind};
    use nitro_store::recordings::{DeviceRecord, Input, Measurement, Outcome};

    use super::*;

    const EIGHT: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7"];
    const A: Parameter = Parameter::new("a", ParameterKind::Number, EIGHT, 0);
    const B: Parameter = Parameter::new("b", ParameterKind::Number, EIGHT, 0);
    const C: Parameter = Parameter::new("c", ParameterKind::Number, EIGHT, 0);
    static LARGE: [VariantInfo; 1] = [VariantInfo::new("large").with_parameters(&[A, B, C])];
    static SMALL: [VariantInfo; 1] =
        [VariantInfo::new("large").with_parameters(&[A, B, C]).with_possible(|own| own.rank() < 100)];

    /// The first so many configurations on one device and input, the larger `c` the slower.
    fn recordings(count: usize) -> Recordings {
        let measurement = |at: usize| Measurement {
            device: 0,
            input: 0,
            variant: 0,
            configuration: format!("a={},b={},c={}", at / 64, at / 8 % 8, at % 8),
            outcome: Outcome::Time((1 + at % 8) as f64),
            spread_ns: 0.0,
            repeats: 1,
            load: None,
            reason: String::new(),
        };
        Recordings {
            variants: vec!["large".to_owned()],
            inputs: vec![Input { name: "x".to_owned(), features: vec![] }],
            devices: vec![DeviceRecord { id: "d".to_owned(), features: BTreeMap::new() }],
            measurements: (0..count).map(measurement).collect(),
            ..Recordings::default()
        }
    }

    fn report(count: usize, function: Option<&Function>) -> SpaceReport {
        let recordings = recordings(count);
        let spaces = MeasuredSpace::of(&recordings, function).unwrap();
        assert_eq!(spaces.len(), 1);
        space_report(&recordings, &spaces[0])
    }

    #[test]
    fn what_is_measured_whole_is_told_whole() {
        for whole in [report(100, None), report(100, Some(&Function::new("f", &SMALL)))] {
            assert_eq!((whole.sampled_of, whole.pairs, &*whole.parameters[0].parameter), (None, 1, "c"));
            assert!((whole.parameters[0].with_others - 1.0).abs() < 0.05, "{:?}", whole.parameters);
            let map = whole.map.unwrap();
            assert_eq!(
                (map.columns.0.as_str(), map.cells[0][0], map.cells[0][7]),
                ("c", Some(1.0), Some(0.125))
            );
        }
    }

    #[test]
    fn of_a_sample_only_what_it_tells_and_of_what_a_search_has_kept_nothing() {
        let function = Function::new("f", &LARGE);
        let sample = report(100, Some(&function));
        assert_eq!((sample.sampled_of, &*sample.parameters[0].parameter), (Some(512), "c"));
        assert!(sample.parameters[0].alone > 0.9 && sample.parameters[0].with_others.is_nan());
        let kept = report(20, Some(&function));
        assert_eq!((kept.pairs, kept.parameters.len(), kept.map.is_none()), (0, 0, true));
    }
}
