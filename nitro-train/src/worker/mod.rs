//! Measuring in a process of its own: a variant may end its process, never end, or take the device away from it, as
//! an illegal memory access does with a GPU. That costs the one variant on the one input, and a fresh process goes
//! on.
//!
//! The process that the user starts then only runs itself again with the same command line, and once more after each
//! fault. What was measured, and what was at fault, is in the store, so every worker gets further than the one before.
//!
//! - [`note`]: what supervisor and worker tell each other by a note, such as the run that is made just now.
//! - [`own_supervisor`]: the worker's side of it.
//! - [`event`]: how its recordings go on, for the supervisor of a team, which shows each [`member`].
//! - [`supervisor`] starts one worker after the other and [`watch`]es it; a [`team`] has a supervisor a device.

mod error;
mod event;
mod interruption;
mod member;
mod note;
mod own_supervisor;
mod supervisor;
mod team;
mod watch;

pub(crate) use event::WorkerProgress;
pub(crate) use note::LeftOut;
pub(crate) use own_supervisor::{
    EndedSample, GO_ON, ended_samples, follow_supervisor, hand_over, is_worker, left_out, own_device,
    recorder_name, takes_samples, time_spent,
};
pub(crate) use supervisor::Supervision;
pub(crate) use team::supervise;
