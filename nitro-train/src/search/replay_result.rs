//! The result of replays: searches on what was measured, and how good they were.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use nitro_search::{Figures, Floor, Replay, Sources, Strategy};
use nitro_stats::statistics::mean;
use rayon::prelude::*;
use serde::{Serialize, Serializer};

/// The result of searches of one space on one device and input: the fields of `search --replay --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayResult {
    /// The function.
    pub function: String,
    /// The variant, where several of the function have configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The device that was searched on.
    pub device: String,
    /// The input.
    pub input: String,
    /// The strategy that proposed.
    pub strategy: String,
    /// The devices whose measurements the strategy was told.
    pub sources: Vec<String>,
    /// Number of configurations.
    pub configurations: usize,
    /// Number of those with a time on the device.
    pub valid: usize,
    /// Number of searches, each with a seed of its own.
    pub seeds: usize,
    /// The mean share of the best speed, over the seeds, that was found after so many evaluations.
    ///
    /// Failed evaluations count; a share is 0 while all failed.
    pub best_after: BTreeMap<usize, f64>,
    /// The median number of evaluations until 95 % of the best speed; none where half never got there.
    #[serde(serialize_with = "whole_if_it_is")]
    pub evaluations_to_95: Option<f64>,
    /// Number of seeds that never got there.
    pub never_95: usize,
    /// What a rule to stop made of the searches, where there was one: the others fields are of these.
    #[serde(flatten)]
    pub stopped: Option<StoppedReplay>,
}

/// The outcome of searches that a rule stops near the floor of their input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoppedReplay {
    /// The floor.
    pub floor: Floor,
    /// The share of the floor's speed that the best of the space has.
    pub floor_share: f64,
    /// The mean number of evaluations of a search.
    pub evaluations: f64,
    /// The mean share of the best speed of the space with which a search ended.
    pub share_of_best: f64,
    /// Number of seeds whose search the rule stopped.
    pub by_rule: usize,
}

impl StoppedReplay {
    /// Ends each curve where the rule says so, and summarises what is left.
    pub(crate) fn stop(replay: &Replay, floor: Floor, target_ns: f64, curves: &mut [Vec<f64>]) -> Self {
        let wanted = replay.best_ns() / target_ns;
        let mut by_rule = 0;
        for curve in &mut *curves {
            if let Some(at) = curve.iter().position(|&share| share >= wanted) {
                curve.truncate(at + 1);
                by_rule += 1;
            }
        }
        let mean_of = |of: fn(&Vec<f64>) -> f64| mean(curves.iter().map(of)).unwrap_or(0.0);
        Self {
            floor_share: floor.share(replay.best_ns()),
            floor,
            evaluations: mean_of(|curve| curve.len() as f64),
            share_of_best: mean_of(|curve| curve.last().copied().unwrap_or(0.0)),
            by_rule,
        }
    }
}

impl fmt::Display for StoppedReplay {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { floor, floor_share, evaluations, share_of_best, by_rule } = self;
        write!(
            formatter,
            "{by_rule} searches stopped near the floor; {evaluations:.1} evaluations and {:.1} % of the best, which \
             has {}",
            100.0 * share_of_best,
            floor.of(floor.ns / floor_share)
        )
    }
}

/// Writes a number as a whole one if it is: a median of an even number may lie between two.
#[expect(clippy::ref_option, reason = "serde passes the field so")]
fn whole_if_it_is<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match *number {
        Some(number) if number.fract() == 0.0 => serializer.serialize_u64(number as u64),
        other => other.serialize(serializer),
    }
}

/// The number of replays of a space, and of the evaluations of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayExtent {
    /// Number of evaluations.
    pub(crate) evaluations: usize,
    /// The seed of the first search; others have those after it.
    pub(crate) first_seed: u64,
    /// Number of searches.
    pub(crate) seeds: usize,
}

/// Searches with each seed up to a floor's rule, if there is one, and summarises how good that was.
pub(crate) fn replay_figures(
    replay: &Replay,
    strategy: Strategy,
    sources: &Arc<Sources>,
    extent: ReplayExtent,
    rule: Option<(Floor, f64)>,
) -> (Figures, Option<StoppedReplay>) {
    let mut curves = replay_curves(replay, strategy, sources, extent);
    let stopped = rule.map(|(floor, target_ns)| StoppedReplay::stop(replay, floor, target_ns, &mut curves));
    (replay.summary(strategy, extent.evaluations, &curves), stopped)
}

/// Returns the curve of each seed; several searches run at once.
pub(crate) fn replay_curves(
    replay: &Replay,
    strategy: Strategy,
    sources: &Arc<Sources>,
    extent: ReplayExtent,
) -> Vec<Vec<f64>> {
    let searches = (0..extent.seeds).into_par_iter();
    searches
        .map(|nth| {
            let seed = extent.first_seed.wrapping_add(nth as u64);
            replay.curve(strategy, sources, extent.evaluations, seed)
        })
        .collect()
}
