//! The measuring of candidates: ordinary calls on a device, repeated until their medians are known.
//! Candidates go in, rows of a store come out.

mod calls;
mod candidate;
mod claims;
mod clock;
mod counters;
mod error;
mod folder;
mod inputs;
mod load;
mod panics;
mod plan;
mod pool;
mod preparation;
mod profiling;
mod progress;
mod proposer;
mod recording;
mod run;
mod session;
mod share;
mod spent;
mod subject;
mod survey;
mod ticker;
mod timing;

pub use candidate::{Candidate, MAX_CONFIGURATIONS};
pub(crate) use candidate::{WALKED, all_of_variant, is_generated, is_sampled};
pub(crate) use claims::evaluation_of;
pub(crate) use clock::StopDetector;
pub use clock::{Clock, SystemClock};
pub use counters::Counters;
pub use error::{BoxError, FailedInputs, RecordError};
pub use inputs::Inputs;
pub use load::{Processors, SystemProcessors};
pub use plan::Plan;
pub(crate) use pool::InRegime;
pub use pool::{HostDeviceError, HostDevices, run_on, whole_host};
pub use preparation::Prepare;
pub use profiling::Extent;
pub use progress::{Attempt, Progress, Silent};
pub use proposer::Proposer;
pub(crate) use run::profile_choice;
pub use run::{
    RecordedInputs, SurveyedInputs, evaluate_inputs, profile_inputs, record_inputs, survey_inputs,
};
pub use session::Session;
pub use share::{DueInputs, Share};
pub use spent::Spent;
pub(crate) use spent::timed;
pub use subject::describe_device;
pub use timing::{Repeats, Summary};
