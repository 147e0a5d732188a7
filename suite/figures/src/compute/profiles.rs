//! What P-DFS makes of the shipped profiles.

use nitro_learn::StudyOptions;
use nitro_learn::device_features::profile_based::select;
use nitro_learn::evaluate::Split;
use nitro_learn::performance::PerformanceTable;
use nitro_learn::study::Study;
use nitro_learn::task::Task;

use crate::Error;
use crate::figures::Profiled;
use crate::recordings::shipped;

/// Of one GPU function, with all of its devices as sources.
///
/// # Errors
/// When its recordings or profiles cannot be read, or say nothing.
pub fn profiled(function: &str) -> Result<Profiled, Error> {
    let recordings = shipped(function)?;
    let relevance = select(&recordings.profiles).ok_or_else(|| format!("{function}: no profile"))?;
    let performance = PerformanceTable::new(&recordings)?;
    let task = Task::new(&recordings, &performance, &Split::by_name(&recordings).train, 0);
    let options = StudyOptions::default();
    let study = Study::new(&task, (0..recordings.devices.len()).collect(), None, &options);
    let proxies = relevance.proxies.iter().map(|(proxy, &variants)| (proxy.clone(), variants)).collect();
    let strategy = "svm-profile".parse()?; // all learners have the same
    Ok(Profiled { proxies, device_features: study.device_features(strategy) })
}
