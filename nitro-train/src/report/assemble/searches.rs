//! Searches of what was measured: how soon each strategy finds the best.

use std::sync::Arc;

use nitro_learn::configurations::answers;
use nitro_search::{Replay, Sources, Strategy};

use super::spaces::{MeasuredSpace, Pair, mean};
use crate::report::space_data::{SearchCurve, SearchCurves};
use crate::search::{Extent, curves};

/// More lines would be hard to tell apart: what knows the other devices, what learns here, what breeds, what walks,
/// and chance.
const STRATEGIES: [Strategy; 5] =
    [Strategy::Transfer, Strategy::Model, Strategy::Genetic, Strategy::Climb, Strategy::Random];
/// Longer searches tell little more, and take long.
const MOST_EVALUATIONS: usize = 100;
/// Searched are at most so many pairs of a device and an input, spread over all.
const MOST_PAIRS: usize = 12;
/// So many numbers of evaluations that no pixel is without one.
const STEPS: usize = 48;

/// So many searches of each strategy on each pair; none where nothing can be searched.
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
    let extent = Extent { evaluations: most, first_seed, seeds };
    let searched: Vec<Searched> = pairs.iter().map(|&pair| Searched::of(own, pair)).collect();
    let evaluations = steps(most);
    let of_strategy = |strategy| {
        begins(strategy);
        let found: Vec<Vec<Vec<f64>>> =
            searched.iter().map(|pair| curves(&pair.replay, strategy, &pair.sources, extent)).collect();
        let all: Vec<Vec<f64>> = found.iter().flatten().cloned().collect();
        let to_95 = searched[0].replay.summary(strategy, most, &all).evaluations_to_95;
        SearchCurve { strategy: strategy.to_string(), to_95, ..curve(&evaluations, &found) }
    };
    // Nobody can learn from other devices where there are none.
    let has_sources = searched.iter().any(|pair| !pair.sources.devices.is_empty());
    let strategies = STRATEGIES.into_iter().filter(|own| has_sources || *own != Strategy::Transfer);
    let strategies = strategies.map(of_strategy).collect();
    Some(SearchCurves { seeds, pairs: pairs.len(), evaluations, strategies })
}

/// What is searched on one device and input, and what the other devices tell of it.
struct Searched {
    replay: Replay,
    sources: Arc<Sources>,
}

impl Searched {
    fn of(own: &MeasuredSpace<'_>, pair: Pair) -> Self {
        let devices = &own.answers[pair.input];
        let others: Vec<usize> = devices.keys().copied().filter(|device| *device != pair.device).collect();
        let sources = Arc::new(own.measured.sources(devices, pair.device, &others));
        Self { replay: Replay::new(Arc::clone(&own.measured.space), answers(own.of_pair(pair))), sources }
    }
}

/// From 1 on, each about a like factor above the one before.
fn steps(most: usize) -> Vec<usize> {
    let step = |nth: usize| (most as f64).powf(nth as f64 / (STEPS - 1) as f64).round() as usize;
    let mut steps: Vec<usize> = (0..STEPS).map(step).collect();
    steps.dedup();
    steps
}

/// Of the curves, pair by pair and seed by seed.
fn curve(evaluations: &[usize], found: &[Vec<Vec<f64>>]) -> SearchCurve {
    // A search that ended early stays at what it found.
    let after =
        |curve: &Vec<f64>, count: usize| curve.get(count - 1).or(curve.last()).copied().unwrap_or(0.0);
    let of_seed = |seed: usize, count: usize| mean(found.iter().map(|seeds| after(&seeds[seed], count)));
    let seeds = 0..found.first().map_or(0, Vec::len);
    let over_seeds = |join: fn(Vec<f64>) -> f64| {
        evaluations
            .iter()
            .map(|&count| join(seeds.clone().map(|seed| of_seed(seed, count)).collect()))
            .collect()
    };
    SearchCurve {
        mean: over_seeds(|means| mean(means.into_iter())),
        least: over_seeds(|means| means.into_iter().fold(f64::INFINITY, f64::min)),
        most: over_seeds(|means| means.into_iter().fold(0.0, f64::max)),
        ..SearchCurve::default()
    }
}
