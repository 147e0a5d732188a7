//! The result of replays: searches on what was measured, and how good they were.

use std::collections::BTreeMap;
use std::sync::Arc;

use nitro_search::{Figures, Replay, Sources, Strategy};
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

/// Searches with each seed, and summarises how good that was.
pub(crate) fn replay_figures(
    replay: &Replay,
    strategy: Strategy,
    sources: &Arc<Sources>,
    extent: ReplayExtent,
) -> Figures {
    replay.summary(strategy, extent.evaluations, &replay_curves(replay, strategy, sources, extent))
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
