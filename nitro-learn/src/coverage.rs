//! The limits beyond which an input or a device is far, found on what is held out.
//!
//! Each source device in turn, and each fold of the inputs, is to the rest what a device or input that nobody
//! measured is to all. Its gap and its excess ([`nitro_core::model::Offset`]) over the rest are taken, and how much
//! speed the strategy lost there: its regret, 1 − share of the best variant's speed. The limit of either is then
//! - the distance beyond which the regret is *notably* higher: where the mean of those beyond is above the mean of
//!   the others by more than [`NOTABLE_REGRET`] and by more than [`NOTABLE_ERRORS`] standard errors of that
//!   difference (pooled variance). At most a fifth counts as beyond; of several such distances the one where the
//!   difference is most standard errors.
//! - where there is none, the 99th percentile of the distances; of fewer than a hundred, the largest. Nothing shows
//!   then that the strategy does worse farther out, but nothing farther out was seen either.
//!
//! Inputs are held out in the folds of [`validate`], which keep groups whole; the regret of an input is its mean
//! over the sources.

use nitro_core::model::{Coverage, DeviceRegion, MAX_CENTERS, MAX_COLUMNS, Offset, Region};

use super::folds::rest;
use super::scaling::{scaled, scales_of};
use super::spread::spread;
use super::strategy::Strategy;
use super::study::Study;
use super::task::{MIN_SOURCES, Task};
use super::validation::{Validation, validate};

/// Fewer held-out inputs than this say nothing.
const MIN_INPUTS: usize = 8;
/// The speed that has to be lost more beyond a distance: 2 % of exhaustive search.
const NOTABLE_REGRET: f64 = 0.02;
/// The standard errors that the difference has to be.
const NOTABLE_ERRORS: f64 = 3.0;
/// No limit is smaller: a twentieth of the training range. What is held out may all lie on top of the rest.
const MIN_LIMIT: f64 = 0.1;

/// An input or device held out: its offset from the rest, and what was lost on it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct HeldOutPoint {
    offset: Offset,
    regret: f64,
}

/// Returns where the training inputs and the sources of a study lie, and what is far from them for a selector of this
/// strategy.
///
/// Inputs are left out for a strategy that asks for none of their features, and where fewer than eight could be
/// held out; devices, where fewer than three sources, or no device feature, tell them apart.
pub fn coverage(study: &Study<'_>, strategy: Strategy) -> Coverage {
    let validation = validate(study, &[strategy]);
    let inputs = strategy.learner().uses_features().then(|| inputs(study, &validation)).flatten();
    Coverage { inputs, devices: devices(study, &validation) }
}

/// The region of the training inputs.
fn inputs(study: &Study<'_>, validation: &Validation) -> Option<Region> {
    let task = study.task();
    let regrets = regret_of_inputs(validation, task.inputs.len());
    let mut units = Vec::new();
    for (fold, held_out) in validation.folds.iter().enumerate() {
        let Some(region) = unlimited(&rows(task, &rest(&validation.folds, fold))) else { continue };
        for &input in held_out {
            let offset = region.offset(&task.input_row(input));
            units.extend(offset.zip(regrets[input]).map(|(offset, regret)| HeldOutPoint { offset, regret }));
        }
    }
    if units.len() < MIN_INPUTS {
        return None;
    }
    limited(unlimited(&rows(task, &task.all_inputs()))?, &units)
}

/// The raw features of some training inputs.
fn rows(task: &Task<'_>, inputs: &[usize]) -> Vec<Vec<f64>> {
    inputs.iter().map(|&input| task.input_row(input)).collect()
}

/// The mean regret of each input over the temporary targets, where it was judged.
fn regret_of_inputs(validation: &Validation, inputs: usize) -> Vec<Option<f64>> {
    let mut sums = vec![(0.0, 0); inputs];
    for &(input, share) in validation.shares.iter().flatten().flatten() {
        sums[input] = (sums[input].0 + 1.0 - share, sums[input].1 + 1);
    }
    sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
}

/// The region of the source devices, over every device feature that is known of all of them.
fn devices(study: &Study<'_>, validation: &Validation) -> Option<DeviceRegion> {
    let (task, sources) = (study.task(), study.sources());
    let features: Vec<String> = study.candidates().usable.iter().take(MAX_COLUMNS).cloned().collect();
    if sources.len() < MIN_SOURCES || features.is_empty() {
        return None;
    }
    let rows: Vec<Vec<f64>> = sources.iter().map(|&source| task.device_row(source, &features)).collect();
    let mut units = Vec::new();
    for target in 0..sources.len() {
        let mut others = rows.clone();
        let row = others.remove(target);
        let offset = unlimited(&others).and_then(|region| region.offset(&row));
        let regret = regret_of_target(validation, target);
        units.extend(offset.zip(regret).map(|(offset, regret)| HeldOutPoint { offset, regret }));
    }
    Some(DeviceRegion { features, region: limited(unlimited(&rows)?, &units)? })
}

/// The mean regret on a temporary target of the strategy that was validated, where something was judged.
fn regret_of_target(validation: &Validation, target: usize) -> Option<f64> {
    let judged = validation.shares.first()?.get(target)?;
    let sum: f64 = judged.iter().map(|(_, share)| 1.0 - share).sum();
    (!judged.is_empty()).then(|| sum / judged.len() as f64)
}

/// The region around raw points, with limits still to be found; none without points or columns.
fn unlimited(raw: &[Vec<f64>]) -> Option<Region> {
    let columns = raw.first()?.len();
    if columns == 0 || columns > MAX_COLUMNS {
        return None;
    }
    let scaling = scales_of(raw);
    let points: Vec<Vec<f64>> = raw.iter().map(|row| scaled(&scaling, row)).collect();
    let centers = spread(&points, &[], MAX_CENTERS);
    Some(Region::new(
        scaling,
        centers.iter().map(|&at| points[at].as_slice()),
        Offset { gap: 1.0, excess: 1.0 },
    ))
}

/// The region with the limits that held-out points give; none without any.
fn limited(region: Region, units: &[HeldOutPoint]) -> Option<Region> {
    let gap_limit = limit(units.iter().map(|unit| (unit.offset.gap, unit.regret)).collect())?;
    let excess_limit = limit(units.iter().map(|unit| (unit.offset.excess, unit.regret)).collect())?;
    Some(Region { gap_limit, excess_limit, ..region })
}

/// Returns the distance at which far begins, from distances and regrets.
fn limit(mut units: Vec<(f64, f64)>) -> Option<f64> {
    units.sort_by(|a, b| a.0.total_cmp(&b.0)); // stable
    let cuts = units.len() - (units.len() / 5).max(1).min(units.len())..units.len();
    let worse = cuts.filter_map(|cut| Some((errors_worse(&units, cut)?, cut)));
    let notable = worse.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let percentile = (units.len() * 99).div_ceil(100);
    let near = notable.map_or(percentile, |(_, cut)| cut);
    units.get(near.checked_sub(1)?).map(|&(distance, _)| distance.max(MIN_LIMIT))
}

/// Returns the standard errors by which units from `cut` on have more regret than those before, if that is notable.
fn errors_worse(units: &[(f64, f64)], cut: usize) -> Option<f64> {
    let (near, far) = units.split_at(cut);
    if near.len() < 2 || far.is_empty() || near[near.len() - 1].0 >= far[0].0 {
        return None;
    }

    let ((near_mean, near_squares), (far_mean, far_squares)) = (moments(near), moments(far));
    let (near, far) = (near.len() as f64, far.len() as f64);
    // The t statistic of two samples with a common variance.
    let variance = (near_squares + far_squares) / (near + far - 2.0);
    let error = (variance * (1.0 / near + 1.0 / far)).sqrt();
    let gain = far_mean - near_mean;
    (gain > NOTABLE_REGRET && gain > NOTABLE_ERRORS * error).then(|| gain / error)
}

/// Returns the mean regret of some units, and the sum of squared differences from it.
fn moments(units: &[(f64, f64)]) -> (f64, f64) {
    let mean = units.iter().map(|unit| unit.1).sum::<f64>() / units.len() as f64;
    (mean, units.iter().map(|unit| (unit.1 - mean).powi(2)).sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_difference_in_regret_the_largest_distance_is_the_limit() {
        let units = (1..=20).map(|n| (f64::from(n) * 0.1, 0.05)).collect();
        assert_eq!(limit(units), Some(2.0));
        let many = (1..=1000).map(|n| (f64::from(n), 0.05)).collect();
        assert_eq!(limit(many), Some(990.0), "of many the 99th percentile");
    }

    #[test]
    fn far_begins_where_regret_is_notably_higher() {
        let regret = |n: i32| if n > 17 { 0.3 } else { 0.01 + 0.001 * f64::from(n % 3) };
        let units = (1..=20).map(|n| (f64::from(n) * 0.1, regret(n))).collect();
        assert_eq!(limit(units), Some(17.0 * 0.1));
    }

    #[test]
    fn a_small_or_uncertain_difference_is_not_notable() {
        let small = (1..=20).map(|n| (f64::from(n), if n > 17 { 0.025 } else { 0.01 })).collect();
        assert_eq!(limit(small), Some(20.0));
        let uncertain = (1..=20).map(|n| (f64::from(n), f64::from(n % 2))).collect();
        assert_eq!(limit(uncertain), Some(20.0));
    }

    #[test]
    fn a_limit_is_never_nothing() {
        assert_eq!(limit(vec![(0.0, 0.1); 30]), Some(MIN_LIMIT));
        assert_eq!(limit(vec![]), None);
    }
}
