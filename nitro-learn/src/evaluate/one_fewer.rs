//! The loss by one source device fewer (Muralidharan et al., ASPLOS 2016, Figure 7).

use std::collections::BTreeSet;

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
    let local = |device: usize| {
        task.check_samples(&[device]).ok()?;
        Some(Study::new(&task, vec![device], None, &options).fit(Strategy::reference()).model)
    };
    let devices = recordings.devices.len();
    let local: Vec<_> = (0..devices).into_par_iter().map(local).collect();
    let judge = |(held_out, strategy, sources, removed): (usize, Strategy, Vec<usize>, usize)| {
        let left: Vec<usize> = sources.into_iter().filter(|&source| source != removed).collect();
        let models: Vec<_> = left.iter().filter_map(|&source| local[source].as_ref()).collect();
        let majority = baselines::majority(&task, &models, held_out, &split.test)?;
        let known: BTreeSet<String> = recordings.devices[held_out].features.keys().cloned().collect();
        let auto = match task.check_samples(&left) {
            Ok(()) => {
                let study = Study::new(&task, left, Some(&known), &options);
                let model = study.applies(strategy).then(|| study.fit(strategy).model);
                model
                    .map(|model| shares_of_model(recordings, &performance, &model, held_out, &split.test))
                    .transpose()?
            }
            Err(_) => None,
        };
        Ok(OneFewer { held_out, removed, auto: auto.and_then(mean), majority: mean(majority) })
    };
    pairs(recordings, evaluation)?.into_par_iter().map(judge).collect()
}

/// Returns what to judge: the device, its strategy and its sources, of which one is removed.
#[expect(clippy::type_complexity, reason = "one call site, which names the parts")]
fn pairs(
    recordings: &Recordings,
    evaluation: &Evaluation,
) -> Result<Vec<(usize, Strategy, Vec<usize>, usize)>, EvaluateError> {
    let position = |id: &String| recordings.device_index(id).expect("what was evaluated was recorded");
    let mut pairs = Vec::new();
    for device in evaluation.devices.iter().filter(|device| device.sources.len() > 2) {
        let sources: Vec<usize> = device.sources.iter().map(position).collect();
        let strategy: Strategy = device.auto_is.parse()?;
        let held_out = position(&device.held_out);
        pairs.extend(sources.iter().map(|&removed| (held_out, strategy, sources.clone(), removed)));
    }
    Ok(pairs)
}
