//! Measuring in a process of its own: a variant may end its process, never end, or take the device away from it, as
//! an illegal memory access does with a GPU. That costs the one variant on the one input, and a fresh process goes
//! on.
//!
//! The process that the user starts then only runs itself again with the same command line, and once more after each
//! fault. What was measured, and what was at fault, is in the store, so every worker gets further than the one before.
//!
//! - [`protocol`]: what a worker is told by its environment, and what its end means.
//! - [`note`]: the run of a variant that it makes just now, in a file.
//! - [`event`]: how its recordings go on, for the supervisor of a team.
//! - [`supervisor`] starts one worker after the other, each a [`process`]; a [`team`] has a supervisor a device.

mod error;
mod event;
mod interruption;
mod note;
mod process;
mod protocol;
mod pump;
mod supervise;
mod supervisor;
mod team;

pub(crate) use event::WorkerProgress;
pub(crate) use note::LeftOut;
pub(crate) use protocol::{
    EndedSample, GO_ON, ended_samples, follow_supervisor, hand_over, is_worker, left_out, own_device,
    recorder_name, takes_samples, time_spent,
};
pub(crate) use supervise::supervise;
pub(crate) use supervisor::Supervision;
