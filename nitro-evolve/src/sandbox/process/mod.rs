//! Worker processes: they are started, asked with a deadline, ended, and counted when they are lost.
//!
//! This folder knows nothing of candidates and devices. What is asked and answered are frames of any types.

mod child;
mod frame;
mod losses;
mod tail;

pub(super) use self::child::{Child, ChildFailure};
pub(super) use self::frame::{encode, read};
pub(super) use self::losses::Losses;
