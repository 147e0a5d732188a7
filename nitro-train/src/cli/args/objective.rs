//! The objective of selectors, as arguments.

use std::path::PathBuf;

use clap::Args;
use nitro_learn::Objective;

use crate::trainer::ObjectiveRequest;

#[derive(Args, Debug)]
pub(in crate::cli) struct ObjectiveArgs {
    /// Objective of a selector: mean-ratio, total-time or traffic. mean-ratio is the mean over the inputs of best time
    /// over chosen time, total-time the time of all inputs together, and traffic that of the calls in --traffic
    #[arg(long, value_name = "WHAT", value_parser = Objective::NAMES, default_value = Objective::NAMES[0])]
    objective: String,
    /// File that programs with NITRO_CAPTURE=FILE have written, with the inputs of real calls and how often they occur
    #[arg(long, value_name = "FILE", required_if_eq("objective", Objective::NAMES[2]))]
    traffic: Option<PathBuf>,
}

impl ObjectiveArgs {
    /// Returns the objective that the arguments name.
    pub(in crate::cli) fn request(&self) -> ObjectiveRequest {
        match &self.traffic {
            Some(file) if self.objective == Objective::NAMES[2] => ObjectiveRequest::Traffic(file.clone()),
            _ if self.objective == Objective::NAMES[1] => ObjectiveRequest::TotalTime,
            _ => ObjectiveRequest::MeanRatio,
        }
    }
}
