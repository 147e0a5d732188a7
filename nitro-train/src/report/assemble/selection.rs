//! The device features selected from all devices, and the time to select and fit.
//!
//! As in Muralidharan et al., ASPLOS 2016, Tables 5 and 6.

use std::collections::BTreeSet;
use std::time::Instant;

use nitro_learn::device_features::profile_based::select;
use nitro_learn::evaluate::Split;
use nitro_learn::learners::transfer::Transfer;
use nitro_learn::performance::PerformanceTable;
use nitro_learn::study::Study;
use nitro_learn::task::Task;
use nitro_learn::{FitOptions, LearnError, Strategy, StudyOptions, fit};
use nitro_stats::statistics::mean;
use nitro_store::recordings::Recordings;

use crate::report::data::{Selection, SelectionSeconds};

/// The most subsets of device features that are listed.
const MOST_SUBSETS: usize = 4;

/// Fits once more, on all devices, for the times and the names of the page.
pub(super) fn selection(recordings: &Recordings, split: &Split, seed: u64) -> Result<Selection, LearnError> {
    let options = StudyOptions::default();
    let ids: BTreeSet<&str> = recordings.devices.iter().map(|device| device.id.as_str()).collect();
    let (relevance, profile_based) = timed(|| select(&recordings.profiles.of(&ids)));
    let performance = PerformanceTable::new(recordings)?;
    let task = Task::new(recordings, &performance, &split.train, seed);
    let study = Study::new(&task, (0..recordings.devices.len()).collect(), None, &options);
    let fit_options = FitOptions { inputs: Some(split.train.clone()), seed, ..FitOptions::default() };
    let (fitted, fit) = timed(|| fit(recordings, &fit_options));
    let fitted = fitted?;
    let selecting = if fitted.strategy.uses_features() { fitted.strategy } else { Strategy::reference() };
    let (transfer, cross_validation) = timed(|| study.transfer(selecting));
    Ok(Selection {
        strategy: fitted.strategy.name().to_owned(),
        device_features: fitted.model.device_features,
        subset_size: options.subset_size,
        keep: options.keep,
        selected_features: transfer.selected(options.keep),
        subsets: subsets(&transfer),
        selected_with: selecting.learner_name(),
        seconds: SelectionSeconds {
            profile_based: if relevance.is_some() { profile_based } else { f64::NAN },
            cross_validation,
            fit,
        },
        profiled_features: relevance.iter().flat_map(|own| own.device_features.iter().cloned()).collect(),
        proxies: relevance.map(|own| own.proxies.into_iter().collect()),
    })
}

/// Runs some work and returns its result with the seconds it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let found = work();
    (found, begin.elapsed().as_secs_f64())
}

/// Returns the best subsets by their mean over the temporary targets. The empty one stands in its place or after them.
fn subsets(transfer: &Transfer) -> Vec<(Vec<String>, f64)> {
    let mut means = Vec::new();
    for subset in 0..transfer.subsets.len() {
        means.push((subset, mean(transfer.scores.iter().map(|row| row[subset])).unwrap_or(0.0)));
    }
    means.sort_by(|(_, a), (_, b)| b.total_cmp(a)); // stable: of equals the smaller
    let mut found: Vec<(Vec<String>, f64)> = Vec::new();
    for (rank, (subset, mean)) in means.into_iter().enumerate() {
        if rank < MOST_SUBSETS || subset == 0 {
            let names = transfer.subsets[subset].iter().map(|&at| transfer.candidates[at].clone());
            found.push((names.collect(), mean));
        }
    }
    if found.len() < 2 { Vec::new() } else { found }
}
