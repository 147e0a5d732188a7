//! Searches of what was measured: how soon each strategy finds the best.

use std::sync::Arc;

use nitro_learn::configurations::answers;
use nitro_search::{Replay, Sources, Strategy};

use super::spaces::{MeasuredSpace, Pair, mean};
use crate::report::space_data::{SearchCurve, SearchCurves};
use crate::search::{ReplayExtent, replay_curves};

/// The strategies that are compared. More lines would be hard to tell apart; each of these stands for a kind: transfer,
/// model, breeding, walking, and chance.
const STRATEGIES: [Strategy; 5] =
    [Strategy::Transfer, Strategy::Model, Strategy::Genetic, Strategy::Climb, Strategy::Random];
/// The most evaluations of a search. Longer searches tell little more, and take long.
const MOST_EVALUATIONS: usize = 100;
/// The most pairs of a device and an input that are searched, spread over all.
const MOST_PAIRS: usize = 12;
/// Number of points along the axis of evaluations, enough for one a pixel.
const STEPS: usize = 48;

/// Runs `seeds` searches of each strategy on each pair. Returns none where nothing can be searched.
pub(crate) fn searches(
    own: &MeasuredSpace<'_>,
    seeds: usize,
    first_seed: u64,
    mut begins: impl FnMut(Strategy),
) -> Option<SearchCurves> {
    let all = own.pairs();
    let count = all.len().min(MOST_PAIRS);
    let pairs: Vec<Pair> = (0..count).map(|nth| all[nth * all.len() / count]).collect();
    let most = own.measured.space.len().min(MOST_EVALUATIONS);
    if pairs.is_empty() || most < 2 {
        return None;
    }
    let extent = ReplayExtent { evaluations: most, first_seed, seeds };
    let replays: Vec<PairReplay> = pairs.iter().map(|&pair| PairReplay::of(own, pair)).collect();
    let evaluations = steps(most);
    // Nobody can learn from other devices where there are none.
    let has_sources = replays.iter().any(|pair| !pair.sources.devices.is_empty());
    let mut strategies = Vec::new();
    for strategy in STRATEGIES.into_iter().filter(|own| has_sources || *own != Strategy::Transfer) {
        begins(strategy);
        let found: Vec<Vec<Vec<f64>>> =
            replays.iter().map(|pair| replay_curves(&pair.replay, strategy, &pair.sources, extent)).collect();
        let all: Vec<Vec<f64>> = found.iter().flatten().cloned().collect();
        let to_95 = replays[0].replay.summary(strategy, most, &all).evaluations_to_95;
        strategies.push(SearchCurve { strategy: strategy.to_string(), to_95, ..curve(&evaluations, &found) });
    }
    Some(SearchCurves { seeds, pairs: pairs.len(), evaluations, strategies })
}

/// The replay on one device and input, with the measurements of the other devices.
struct PairReplay {
    replay: Replay,
    sources: Arc<Sources>,
}

impl PairReplay {
    fn of(own: &MeasuredSpace<'_>, pair: Pair) -> Self {
        let devices = &own.answers[pair.input];
        let others: Vec<usize> = devices.keys().copied().filter(|device| *device != pair.device).collect();
        let sources = Arc::new(own.measured.sources(devices, pair.device, &others));
        Self { replay: Replay::new(Arc::clone(&own.measured.space), answers(own.of_pair(pair))), sources }
    }
}

/// Returns counts from 1 on, each about a like factor above the one before.
fn steps(most: usize) -> Vec<usize> {
    let parts = (0..STEPS).map(|nth| nth as f64 / (STEPS - 1) as f64);
    let mut steps: Vec<usize> = parts.map(|part| (most as f64).powf(part).round() as usize).collect();
    steps.dedup();
    steps
}

/// Joins the curves of all pairs and seeds.
fn curve(evaluations: &[usize], found: &[Vec<Vec<f64>>]) -> SearchCurve {
    let mut joined = SearchCurve::default();
    for &count in evaluations {
        // Seeds are compared by their means over the pairs, so that the band shows luck and not the pairs.
        let mut means = Vec::new();
        for seed in 0..found.first().map_or(0, Vec::len) {
            means.push(mean(found.iter().map(|seeds| after(&seeds[seed], count))));
        }
        joined.mean.push(mean(means.iter().copied()));
        joined.least.push(means.iter().copied().fold(f64::INFINITY, f64::min));
        joined.most.push(means.into_iter().fold(0.0, f64::max));
    }
    joined
}

/// Returns the best found after so many evaluations. A search that ended early stays at its best.
fn after(curve: &[f64], count: usize) -> f64 {
    curve.get(count - 1).or(curve.last()).copied().unwrap_or(0.0)
}
