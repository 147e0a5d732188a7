//! Selectors that nobody ships, to compare others with: what each achieves on a held-out device, one share a test
//! input.

use nitro_core::model::Model;
use nitro_stats::statistics::mean;
use rayon::prelude::*;

use super::chooser::Chooser;
use super::error::EvaluateError;
use crate::Strategy;
use crate::performance::PerformanceTable;
use crate::study::{Study, StudyOptions};
use crate::task::Task;

/// A variant drawn from the admissible ones, on average; one that failed counts as 0.
pub(super) fn random(performance: &PerformanceTable, device: usize, test: &[usize]) -> Vec<f64> {
    let shares = test.iter().filter_map(|&input| performance.shares(device, input));
    shares.map(|shares| mean(shares.iter().copied().flatten()).unwrap_or(f64::NAN)).collect()
}

/// A variant drawn from those that succeed, on average: whoever draws one that fails draws again.
pub(super) fn random_successful(performance: &PerformanceTable, device: usize, test: &[usize]) -> Vec<f64> {
    let shares = test.iter().filter_map(|&input| performance.shares(device, input));
    // The share of a failure is 0, that of a success is not.
    let successful = shares.map(|shares| shares.iter().copied().flatten().filter(|&share| share > 0.0));
    successful.map(|shares| mean(shares).unwrap_or(f64::NAN)).collect()
}

/// Several models, each with one vote for what it chooses; of equals the first class.
pub(super) fn majority(
    task: &Task<'_>,
    models: &[&Model],
    device: usize,
    test: &[usize],
) -> Result<Vec<f64>, EvaluateError> {
    let choosers: Vec<Chooser<'_>> = models
        .iter()
        .map(|model| Chooser::of_classes(task.recordings, task.performance.classes(), model, device))
        .collect::<Result<_, _>>()?;
    let shares = test.par_iter().filter_map(|&input| {
        let shares = task.performance.shares(device, input)?;
        shares[elect(&choosers, input, shares)?]
    });
    Ok(shares.collect())
}

/// Returns the class with most votes; of equals the first.
fn elect(choosers: &[Chooser<'_>], input: usize, shares: &[Option<f64>]) -> Option<usize> {
    let mut votes = vec![0_usize; shares.len()];
    for chooser in choosers {
        if let Some(class) = chooser.choose(input, |class| shares[class].is_some()) {
            votes[class] += 1;
        }
    }
    let most = votes.iter().max()?;
    votes.iter().position(|count| count == most)
}

/// The reference trained on one device alone; none without training samples there.
pub(super) fn reference_of(task: &Task<'_>, device: usize, options: &StudyOptions) -> Option<Model> {
    task.check_samples(&[device]).ok()?;
    Some(Study::new(task, vec![device], None, options).fit(Strategy::reference()).model)
}

/// The reference with each device feature alone.
pub(super) fn single_features(study: &Study<'_>) -> Vec<(String, Model)> {
    let mut models = Vec::new();
    for feature in &study.candidates().usable {
        let features = std::slice::from_ref(feature);
        let fitted = study.fit_with("best-single-feature", Strategy::reference(), features);
        models.push((feature.clone(), fitted.model));
    }
    models
}

/// An oracle: of models of one device feature each that which does best on the test inputs themselves; `shares` are
/// what a model achieves on them.
pub(super) fn best_single_feature(
    models: &[(String, Model)],
    shares: impl Fn(&Model) -> Result<Vec<f64>, EvaluateError>,
) -> Result<Option<(String, Vec<f64>)>, EvaluateError> {
    let mut best: Option<(String, Vec<f64>)> = None;
    for (feature, model) in models {
        let own = shares(model)?;
        let sum: f64 = own.iter().sum();
        if best.as_ref().is_none_or(|(_, best)| sum > best.iter().sum()) {
            best = Some((feature.clone(), own));
        }
    }
    Ok(best)
}
