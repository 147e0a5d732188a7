//! The choice of a sample of what is recorded: a few inputs of each variant, of short and long times.
//!
//! The sample keeps within a bound of time.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use clap::builder::TypedValueParser;
use nitro_core::Function;
use nitro_stats::random::Random;
use nitro_store::recordings::{Measurement, Recordings};
use nitro_store::store::is_same_feature;

use super::sample_result::Change;
use crate::measure::{Candidate, Repeats};

/// The most that a sample may take, as a share of what it is a sample of.
const MOST_SHARE: f64 = 0.05;
/// The least bound of a function's sample, however little is recorded, where nothing bounds the recording.
const LEAST_ALLOWED_NS: f64 = 1e9;
/// The sample has this share of the time for the repeats of one variant that the recording has.
const REPEATS_SHARE: f64 = 0.25;
/// The target half-width of a median's confidence interval, as a share of the median.
const HALF_WIDTH: f64 = 0.03;
/// Runs of the default variant on each input besides those that are timed.
const DEFAULT_RUNS: f64 = 3.0;

/// The settings of the sample that is measured again, to see whether recordings still hold.
///
/// ```
/// use nitro_train::{RecordRequest, SampleOptions};
///
/// let sample = SampleOptions { inputs: 0, ..SampleOptions::default() }; // none
/// let without = RecordRequest { sample, ..RecordRequest::default() };
/// assert_ne!(without.sample, SampleOptions::default());
/// ```
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Measure about so many recorded inputs of each variant again in the end, and say where times differ. Times differ
    /// after a change of the code, a compiler, a driver or a clock. It takes at most 5 % of the time of the recording,
    /// and nothing of it is kept; 0 measures none
    #[arg(id = "sample", long = "sample", value_name = "INPUTS", default_value_t = INPUTS)]
    #[arg(value_parser = at_most_a_thousand())]
    pub inputs: usize,
    /// The seed of the choice of inputs.
    #[arg(skip = crate::DEFAULT_SEED)]
    pub seed: u64,
}

/// Inputs of a sample where the user says nothing.
const INPUTS: usize = 3;

fn at_most_a_thousand() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(..=1000).map(|inputs| inputs as usize)
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self { inputs: INPUTS, seed: crate::DEFAULT_SEED }
    }
}

/// The times that a function's sample is chosen from.
pub(super) struct Times<'a> {
    pub(super) function: &'static Function,
    /// The candidates that the recording tries.
    pub(super) candidates: &'a [Candidate],
    pub(super) recordings: &'a Recordings,
    /// The device's identity.
    pub(super) device: &'a str,
    /// The inputs that may be measured again.
    pub(super) inputs: &'a BTreeSet<String>,
}

/// A time that is recorded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    time_ns: f64,
    spread_ns: f64,
}

impl Recorded {
    /// Returns the change to what was measured now.
    pub(super) fn change_to(self, time_ns: f64, spread_ns: f64) -> Change {
        Change { recorded_ns: self.time_ns, now_ns: time_ns, spread_ns: self.spread_ns.hypot(spread_ns) }
    }
}

/// The sample of a function on a device.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) inputs: BTreeSet<String>,
    /// The candidates, one for each variant: what has changed in a body has for all its configurations.
    pub(super) candidates: Vec<Candidate>,
    pub(super) repeats: Repeats,
    /// The time that it is expected to take.
    pub(super) expected_ns: f64,
    /// The time that it may take.
    pub(super) most_ns: f64,
    /// The features of the inputs as they are recorded, by name.
    features: BTreeMap<String, BTreeMap<String, f64>>,
    /// The recorded times, by variant and input.
    times: BTreeMap<(String, String), Recorded>,
}

impl Sample {
    /// Chooses a sample; none where nothing is recorded, or nothing of it fits into the bound.
    pub(super) fn choose(
        times: &Times<'_>,
        options: &SampleOptions,
        repeats: &Repeats,
        max_inputs: Option<usize>,
    ) -> Option<Self> {
        let rows = times.rows();
        let most_ns = allowed_ns(&rows, max_inputs);
        let repeats = Repeats {
            half_width: repeats.half_width.max(HALF_WIDTH),
            budget_ns: REPEATS_SHARE * repeats.budget_ns,
            ..*repeats
        };
        // A changed body shows in any configuration: one candidate a variant does for all.
        let candidates = times.one_a_variant(&rows);
        let by_candidate: Vec<_> = candidates.iter().map(|own| times.of(&rows, own)).collect();
        let default = Candidate::of(times.function, times.function.default_choice());
        let costs = costs_ns(&by_candidate, &times.of(&rows, &default), &repeats);
        let mut random = Random::new(options.seed);
        let chosen = spread_over_times(&by_candidate, &costs, most_ns, options.inputs, &mut random);
        if chosen.is_empty() {
            return None;
        }
        let (mut inputs, mut features, mut recorded) = (BTreeSet::new(), BTreeMap::new(), BTreeMap::new());
        for input in &chosen {
            let name = &times.recordings.inputs[*input].name;
            for (candidate, own) in candidates.iter().zip(&by_candidate) {
                let row = own.get(input);
                recorded.extend(row.map(|row| ((candidate.variant.to_owned(), name.clone()), *row)));
            }
            features.insert(name.clone(), named_features(times.recordings, *input));
            inputs.insert(name.clone());
        }
        let expected_ns = chosen.iter().map(|input| costs[input]).sum();
        Some(Self { inputs, candidates, repeats, expected_ns, most_ns, features, times: recorded })
    }

    /// Returns the recorded time of a variant on an input, if there is one.
    pub(super) fn recorded(&self, variant: &str, input: &str) -> Option<Recorded> {
        self.times.get(&(variant.to_owned(), input.to_owned())).copied()
    }

    /// Returns the sample without these features of its inputs.
    pub(super) fn without_features(mut self, features: &[&str]) -> Self {
        self.features.values_mut().for_each(|own| own.retain(|name, _| !features.contains(&name.as_str())));
        self
    }

    /// Returns the first feature of an input that differs from the recorded one, with its value then and now.
    ///
    /// Another input has the name now.
    pub(super) fn changed_feature(&self, now: &Recordings, input: usize) -> Option<(String, f64, f64)> {
        let then = self.features.get(&now.inputs[input].name)?;
        named_features(now, input).into_iter().find_map(|(feature, value)| {
            let recorded = *then.get(&feature)?;
            (!is_same_feature(recorded, value)).then_some((feature, recorded, value))
        })
    }

    /// Returns true if a time is of as many repeats as it takes.
    ///
    /// The median may lie somewhat below what they took each.
    pub(super) fn is_settled(&self, time_ns: f64, repeats: u32) -> bool {
        let Repeats { least, most, budget_ns, .. } = self.repeats;
        repeats as usize >= least.min(most) || f64::from(repeats) * time_ns >= 0.5 * least as f64 * budget_ns
    }
}

/// Returns the features of an input, by name.
fn named_features(recordings: &Recordings, input: usize) -> BTreeMap<String, f64> {
    let values = recordings.inputs[input].features.iter().copied();
    recordings.features.iter().cloned().zip(values).collect()
}

impl<'a> Times<'a> {
    /// Returns the times of the device on these inputs.
    fn rows(&self) -> Vec<(&'a Measurement, f64)> {
        let Some(device) = self.recordings.device_index(self.device) else { return Vec::new() };
        let own = self.recordings.measurements.iter().filter(|row| row.device == device);
        own.filter(|row| self.inputs.contains(&self.recordings.inputs[row.input].name))
            .filter_map(|row| Some((row, row.outcome.time_ns()?)))
            .collect()
    }

    /// Returns the times of one candidate, by input.
    fn of(&self, rows: &[(&Measurement, f64)], candidate: &Candidate) -> BTreeMap<usize, Recorded> {
        let Some(variant) = self.recordings.variant_index(candidate.variant) else { return BTreeMap::new() };
        let mut own = BTreeMap::new();
        for &(row, time_ns) in rows {
            if row.variant == variant && row.configuration == candidate.configuration {
                own.insert(row.input, Recorded { time_ns, spread_ns: row.spread_ns });
            }
        }
        own
    }

    /// Returns for each variant the candidate with most times, the default configuration where that has as many.
    fn one_a_variant(&self, rows: &[(&Measurement, f64)]) -> Vec<Candidate> {
        let mut best: BTreeMap<usize, (usize, &Candidate)> = BTreeMap::new();
        let defaults: BTreeSet<_> = self.function.default_choices().collect();
        let (first, others): (Vec<_>, Vec<_>) =
            self.candidates.iter().partition(|own| defaults.contains(&own.choice));
        for candidate in first.into_iter().chain(others) {
            let count = self.of(rows, candidate).len();
            let best = best.entry(candidate.choice.variant).or_insert((count, candidate));
            if count > best.0 {
                *best = (count, candidate);
            }
        }
        best.into_values().filter(|(count, _)| *count > 0).map(|(_, candidate)| candidate.clone()).collect()
    }
}

/// Returns the time that a sample may take, as a share of what the recorded inputs take.
///
/// Of these, at most as many count as the recording may measure.
fn allowed_ns(rows: &[(&Measurement, f64)], max_inputs: Option<usize>) -> f64 {
    let recorded_ns: f64 = rows.iter().map(|(row, time_ns)| time_ns * f64::from(row.repeats.max(1))).sum();
    let inputs = rows.iter().map(|(row, _)| row.input).collect::<BTreeSet<_>>().len().max(1);
    match max_inputs {
        Some(most) => MOST_SHARE * recorded_ns * most as f64 / inputs as f64,
        None => (MOST_SHARE * recorded_ns).max(LEAST_ALLOWED_NS),
    }
}

/// Returns the most time that each input takes: every candidate, and what the default tells of the input.
fn costs_ns(
    candidates: &[BTreeMap<usize, Recorded>],
    default: &BTreeMap<usize, Recorded>,
    repeats: &Repeats,
) -> BTreeMap<usize, f64> {
    let mut costs: BTreeMap<usize, f64> = BTreeMap::new();
    // The first run of each candidate compares results, and is not among the repeats.
    for own in candidates {
        for (&input, row) in own {
            *costs.entry(input).or_default() += (1.0 + runs(row.time_ns, repeats)) * row.time_ns;
        }
    }
    for (&input, row) in default {
        *costs.entry(input).or_default() += (DEFAULT_RUNS + runs(row.time_ns, repeats)) * row.time_ns;
    }
    costs
}

/// Returns the repeats that a variant of this time gets at most.
fn runs(time_ns: f64, repeats: &Repeats) -> f64 {
    let (least, most) = (repeats.least.max(1) as f64, repeats.most.max(1) as f64);
    let until_spent = (repeats.budget_ns / time_ns).ceil();
    // Of very long runs fewer than the least do.
    let long = (least * repeats.budget_ns / time_ns).ceil().max(1.0);
    if long < least { long } else { until_spent.clamp(least.min(most), most) }
}

/// Draws inputs so that each candidate has about so many of them, one from each part of its sorted times. The parts of
/// short times come first, so that where not all fits every variant has some.
fn spread_over_times(
    candidates: &[BTreeMap<usize, Recorded>],
    costs: &BTreeMap<usize, f64>,
    most_ns: f64,
    count: usize,
    random: &mut Random,
) -> BTreeSet<usize> {
    let (mut chosen, mut spent_ns) = (BTreeSet::new(), 0.0);
    let mut sorted: Vec<Vec<usize>> = Vec::new();
    for own in candidates {
        let mut inputs: Vec<usize> = own.keys().copied().collect();
        inputs.sort_by(|a, b| own[a].time_ns.total_cmp(&own[b].time_ns));
        sorted.push(inputs);
    }
    sorted.sort_by_key(Vec::len); // a variant of few inputs has less choice
    for part in 0..count {
        for inputs in &sorted {
            let bound = |part: usize| part * inputs.len() / count;
            let mut part = inputs[bound(part)..bound(part + 1)].to_vec();
            if part.iter().any(|input| chosen.contains(input)) {
                continue;
            }
            // Any input of the part does that still fits into the bound.
            random.shuffle(&mut part);
            if let Some(input) = part.into_iter().find(|input| spent_ns + costs[input] <= most_ns) {
                spent_ns += costs[&input];
                chosen.insert(input);
            }
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(of: impl IntoIterator<Item = (usize, f64)>) -> BTreeMap<usize, Recorded> {
        of.into_iter().map(|(input, time_ns)| (input, Recorded { time_ns, spread_ns: 0.0 })).collect()
    }

    #[test]
    fn inputs_are_of_short_and_long_times_of_every_variant_and_within_the_bound() {
        // The second variant has times on few inputs alone.
        let candidates = [
            times((0..90).map(|input| (input, 1e6 * (1 + input) as f64))),
            times((40..44).map(|input| (input, 1e6))),
        ];
        let repeats = Repeats { budget_ns: 15e6, ..Repeats::default() };
        let costs = costs_ns(&candidates, &times([]), &repeats);
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let chosen = spread_over_times(&candidates, &costs, 1e12, 3, &mut random);
            let within = |range: std::ops::Range<usize>| chosen.range(range).count();
            assert!(within(0..30) >= 1 && within(60..90) >= 1 && within(40..44) == 3, "{chosen:?}");
            assert!(chosen.len() <= 6, "{chosen:?}");
            for most_ns in [0.0, 1e7, 1e8, 1e9] {
                let chosen = spread_over_times(&candidates, &costs, most_ns, 3, &mut random);
                assert!(chosen.iter().map(|input| costs[input]).sum::<f64>() <= most_ns);
                assert_eq!(chosen.is_empty(), most_ns < 2e7, "{most_ns} {chosen:?}");
            }
        }
    }

    #[test]
    fn what_is_expected_is_what_the_repeats_come_to() {
        let repeats = Repeats { budget_ns: 15e6, ..Repeats::default() };
        for time_ns in [50.0, 1e3, 1e5, 1e6, 4e6, 2e7, 7e7, 8e7, 1e9, 1e11] {
            let mut times_ns = Vec::new();
            let noisy = |run: usize| time_ns * if run.is_multiple_of(2) { 0.9 } else { 1.1 };
            while !repeats.enough(&times_ns) {
                times_ns.push(noisy(times_ns.len()));
            }
            let expected = runs(time_ns, &repeats);
            assert!(
                (times_ns.len() as f64 - expected).abs() <= 1.0,
                "{time_ns}: {} {expected}",
                times_ns.len()
            );
        }
    }
}
