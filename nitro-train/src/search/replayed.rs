//! Searches on what was measured, and how good they were.

use std::collections::BTreeMap;
use std::sync::Arc;

use nitro_search::{Figures, Replay, Sources, Strategy};
use rayon::prelude::*;
use serde::{Serialize, Serializer};

/// What searches of one space on one device and input achieved: the fields of `search --replay --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The function.
    pub function: String,
    /// The variant, where several of the function have configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The device that was searched on.
    pub device: String,
    /// The input.
    pub input: String,
    /// Who proposed.
    pub strategy: String,
    /// The devices whose measurements the strategy was told.
    pub sources: Vec<String>,
    /// Number of configurations.
    pub configurations: usize,
    /// Number of those with a time on the device.
    pub valid: usize,
    /// Number of searches, each with a seed of its own.
    pub seeds: usize,
    /// Time of the best of all over that of the best found after so many evaluations, failed ones counted (0 while
    /// all failed), mean over the seeds.
    pub best_after: BTreeMap<usize, f64>,
    /// Evaluations until 95 % of the best speed, median over the seeds; none where half of them or more never got
    /// there.
    #[serde(serialize_with = "whole_if_it_is")]
    pub evaluations_to_95: Option<f64>,
    /// Seeds that never got there.
    pub never_95: usize,
}

/// A median of an even number may lie between two whole numbers; others are written as whole ones.
#[expect(clippy::ref_option, reason = "serde passes the field so")]
fn whole_if_it_is<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match *number {
        Some(number) if number.fract() == 0.0 => serializer.serialize_u64(number as u64),
        other => other.serialize(serializer),
    }
}

/// How often and how long is searched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) evaluations: usize,
    pub(crate) first_seed: u64,
    pub(crate) seeds: usize,
}

/// Searches with each seed.
pub(crate) fn run(replay: &Replay, strategy: Strategy, sources: &Arc<Sources>, extent: Extent) -> Figures {
    replay.summary(strategy, extent.evaluations, &curves(replay, strategy, sources, extent))
}

/// The curve of each seed, several searches at once.
pub(crate) fn curves(
    replay: &Replay,
    strategy: Strategy,
    sources: &Arc<Sources>,
    extent: Extent,
) -> Vec<Vec<f64>> {
    let seed = |nth: usize| extent.first_seed.wrapping_add(nth as u64);
    let curve = |nth| replay.curve(strategy, sources, extent.evaluations, seed(nth));
    (0..extent.seeds).into_par_iter().map(curve).collect()
}
