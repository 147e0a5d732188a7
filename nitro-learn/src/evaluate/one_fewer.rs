//! The loss by one source device fewer (Muralidharan et al., ASPLOS 2016, Figure 7).

use nitro_core::model::Model;

use nitro_stats::statistics::mean;
use nitro_store::recordings::Recordings;
use rayon::prelude::*;

use super::baselines;
use super::chooser::shares_of_model;
use super::error::EvaluateError;
use super::evaluation::Evaluation;
use super::split::Split;
use crate::performance::PerformanceTable;
use crate::study::Study;
use crate::task::Task;
use crate::{Strategy, StudyOptions};

/// Mean shares on a held-out device after another device was removed from the sources.
#[derive(Clone, Debug, PartialEq)]
pub struct OneFewer {
    /// Position in the recordings of the device that is judged.
    pub held_out: usize,
    /// Position in the recordings of the device that was removed as well.
    pub removed: usize,
    /// The share of the strategy that `auto` is there with all sources, fitted anew; none where it does not apply any
    /// more.
    pub auto: Option<f64>,
    /// The share of the majority of the remaining sources.
    pub majority: Option<f64>,
}

/// Every held-out device with every other one removed as well; nothing where fewer than two sources would remain.
/// Which strategy `auto` is is not decided anew: that would take as long as the whole evaluation, as often as there
/// are sources.
///
/// # Errors
///
/// When there is nothing to learn from.
pub fn one_source_fewer(
    recordings: &Recordings,
    split: &Split,
    evaluation: &Evaluation,
    seed: u64,
) -> Result<Vec<OneFewer>, EvaluateError> {
    let performance = PerformanceTable::new(recordings)?;
    let (task, options) = (Task::new(recordings, &performance, &split.train, seed), StudyOptions::default());
    let devices = (0..recordings.devices.len()).into_par_iter();
    let local: Vec<_> = devices.map(|device| baselines::reference_of(&task, device, &options)).collect();
    removals(recordings, evaluation)?
        .into_par_iter()
        .map(|removal| {
            let models: Vec<&Model> = removal.left.iter().filter_map(|&own| local[own].as_ref()).collect();
            let majority = baselines::majority(&task, &models, removal.held_out, &split.test)?;
            let auto = auto_shares(&task, &performance, &removal, &split.test)?;
            let Removal { held_out, removed, .. } = removal;
            Ok(OneFewer { held_out, removed, auto: auto.and_then(mean), majority: mean(majority) })
        })
        .collect()
}

/// Returns what the strategy achieves on the held-out device when it learns from the sources that are left.
fn auto_shares(
    task: &Task<'_>,
    performance: &PerformanceTable,
    removal: &Removal,
    test: &[usize],
) -> Result<Option<Vec<f64>>, EvaluateError> {
    let &Removal { held_out, strategy, ref left, .. } = removal;
    if task.check_samples(left).is_err() {
        return Ok(None);
    }
    let known = task.recordings.devices[held_out].known_features();
    let options = StudyOptions::default();
    let study = Study::new(task, left.clone(), Some(&known), &options);
    if !study.applies(strategy) {
        return Ok(None);
    }
    let model = study.fit(strategy).model;
    shares_of_model(task.recordings, performance, &model, held_out, test).map(Some)
}

/// A source that is removed where a device is held out.
struct Removal {
    held_out: usize,
    /// The strategy that `auto` is there.
    strategy: Strategy,
    removed: usize,
    /// The other sources.
    left: Vec<usize>,
}

/// Returns what to judge.
fn removals(recordings: &Recordings, evaluation: &Evaluation) -> Result<Vec<Removal>, EvaluateError> {
    let mut removals = Vec::new();
    for device in evaluation.devices.iter().filter(|device| device.sources.len() > 2) {
        let sources: Vec<usize> = device.sources.iter().map(|id| position(recordings, id)).collect();
        let strategy: Strategy = device.auto_is.parse()?;
        let held_out = position(recordings, &device.held_out);
        for &removed in &sources {
            let left = sources.iter().copied().filter(|&source| source != removed).collect();
            removals.push(Removal { held_out, strategy, removed, left });
        }
    }
    Ok(removals)
}

fn position(recordings: &Recordings, id: &str) -> usize {
    recordings.device_index(id).expect("what was evaluated was recorded")
}
