//! The worth of each input feature to a model.

use nitro_core::model::Model;
use nitro_stats::random::Random;
use nitro_store::recordings::Recordings;
use rayon::prelude::*;

use super::chooser::Chooser;
use super::error::EvaluateError;
use crate::performance::PerformanceTable;

/// Number of times that each feature's values are dealt out anew: the mean over so many differs little from run to run.
const PERMUTATIONS: usize = 5;

/// By feature of the model: how much its mean share of exhaustive search on these inputs of one device drops when
/// the values of that feature are shuffled among the inputs, mean over five seeded permutations.
///
/// This is permutation importance (Breiman 2001, "Random forests", section 10). The model is not fitted again, so a
/// feature that another one could replace still shows what this model takes from it; a value below 0 is a feature
/// that misleads.
///
/// # Errors
///
/// When the model's names are not those of the recordings.
pub fn feature_benefits(
    recordings: &Recordings,
    performance: &PerformanceTable,
    model: &Model,
    device: usize,
    inputs: &[usize],
    seed: u64,
) -> Result<Vec<f64>, EvaluateError> {
    let chooser = Chooser::new(recordings, model, device)?;
    let measured = |&input: &usize| Some((chooser.features(input), performance.shares(device, input)?));
    let rows: Vec<(Vec<f64>, &[Option<f64>])> = inputs.iter().filter_map(measured).collect();
    let sum = |value: &(dyn Fn(usize) -> Vec<f64> + Sync)| -> f64 {
        let share =
            |(row, (_, shares)): (usize, &(Vec<f64>, &[Option<f64>]))| chooser.share(&value(row), shares);
        rows.iter().enumerate().map(share).sum()
    };
    let whole = sum(&|row| rows[row].0.clone());
    let drop = |feature: usize| {
        let mut random = Random::new(seed.wrapping_add(feature as u64));
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let shuffled = (0..PERMUTATIONS).map(|_| {
            random.shuffle(&mut order);
            sum(&|row| {
                let mut features = rows[row].0.clone();
                features[feature] = rows[order[row]].0[feature];
                features
            })
        });
        (whole - shuffled.sum::<f64>() / PERMUTATIONS as f64) / rows.len().max(1) as f64
    };
    Ok((0..model.features.len()).into_par_iter().map(drop).collect())
}
