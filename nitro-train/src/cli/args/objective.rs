//! What a selector is to do well.

use std::path::PathBuf;

use clap::Args;
use nitro_learn::Objective;

use crate::trainer::ObjectiveRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct ObjectiveArgs {
    /// What makes a selector good: mean-ratio, the mean over the inputs of best time over chosen time, a
    /// microsecond counting as much as a second; total-time, the time of all inputs together; traffic, that of the
    /// calls in --traffic
    #[arg(long, value_name = "WHAT", value_parser = Objective::NAMES, default_value = Objective::NAMES[0])]
    objective: String,
    /// File that programs with NITRO_CAPTURE=FILE have written: how often which inputs are met
    #[arg(long, value_name = "FILE", required_if_eq("objective", Objective::NAMES[2]))]
    traffic: Option<PathBuf>,
}

impl ObjectiveArgs {
    pub(in crate::cli) fn request(&self) -> ObjectiveRequest {
        match &self.traffic {
            Some(file) if self.objective == Objective::NAMES[2] => ObjectiveRequest::Traffic(file.clone()),
            _ if self.objective == Objective::NAMES[1] => ObjectiveRequest::TotalTime,
            _ => ObjectiveRequest::MeanRatio,
        }
    }
}
