//! The objective of selectors, as a request names it.

use std::path::PathBuf;

use nitro_learn::Objective;
use nitro_store::recordings::Recordings;

use super::error::TrainError;
use crate::traffic::{self, calls_by_input};

/// The objective by which selectors are compared.
///
/// ```no_run
/// use nitro_train::{FitRequest, ObjectiveRequest, Trainer};
///
/// // Calls that a program with NITRO_CAPTURE=calls.jsonl has written say how often each input counts.
/// let objective = ObjectiveRequest::Traffic("calls.jsonl".into());
/// Trainer::new().fit(&FitRequest { objective, ..FitRequest::default() })?.all()?;
/// # Ok::<(), nitro_train::TrainError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ObjectiveRequest {
    /// The objective [`Objective::MeanRatio`].
    #[default]
    MeanRatio,
    /// The objective [`Objective::TotalTime`].
    TotalTime,
    /// The objective [`Objective::Traffic`], of the calls that programs with `NITRO_CAPTURE=FILE` wrote to this file.
    Traffic(PathBuf),
}

impl ObjectiveRequest {
    /// Returns the objective for one function.
    pub(super) fn of(&self, recordings: &Recordings) -> Result<Objective, TrainError> {
        Ok(match self {
            Self::MeanRatio => Objective::MeanRatio,
            Self::TotalTime => Objective::TotalTime,
            Self::Traffic(file) => {
                let calls = calls_by_input(recordings, &traffic::read(file)?);
                if calls.iter().sum::<f64>() <= 0.0 {
                    let (file, function) = (file.display().to_string(), recordings.function.clone());
                    return Err(TrainError::NoTraffic { file, function });
                }
                Objective::Traffic { calls }
            }
        })
    }
}
