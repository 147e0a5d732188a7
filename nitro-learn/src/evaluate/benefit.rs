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

/// Returns, by feature of the model, the drop of its mean share of exhaustive search on these inputs of one device when
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
    let chooser = Chooser::of_classes(recordings, performance.classes(), model, device)?;
    let mut judged: Vec<JudgedInput<'_>> = Vec::new();
    for &input in inputs {
        judged.extend(performance.shares(device, input).map(|shares| (chooser.features(input), shares)));
    }
    let whole = sum_of_shares(&chooser, &judged, |row| judged[row].0.clone());
    let features = (0..model.features.len()).into_par_iter();
    Ok(features.map(|feature| benefit(&chooser, &judged, feature, whole, seed)).collect())
}

/// Features of an input, and the shares of all classes on it.
type JudgedInput<'a> = (Vec<f64>, &'a [Option<f64>]);

/// Sums the shares of what is chosen for these inputs with other features.
fn sum_of_shares(
    chooser: &Chooser<'_>,
    judged: &[JudgedInput<'_>],
    features: impl Fn(usize) -> Vec<f64>,
) -> f64 {
    judged.iter().enumerate().map(|(row, (_, shares))| chooser.share(&features(row), shares)).sum()
}

/// Returns how far the mean share drops below that of `whole`, a sum, where one feature is shuffled.
fn benefit(chooser: &Chooser<'_>, judged: &[JudgedInput<'_>], feature: usize, whole: f64, seed: u64) -> f64 {
    let mut random = Random::new(seed.wrapping_add(feature as u64));
    let mut order: Vec<usize> = (0..judged.len()).collect();
    let shuffled = (0..PERMUTATIONS).map(|_| {
        random.shuffle(&mut order);
        sum_of_shares(chooser, judged, |row| {
            let mut features = judged[row].0.clone();
            features[feature] = judged[order[row]].0[feature];
            features
        })
    });
    (whole - shuffled.sum::<f64>() / PERMUTATIONS as f64) / judged.len().max(1) as f64
}
