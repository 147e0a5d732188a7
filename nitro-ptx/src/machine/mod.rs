//! The machine of the emulator: memory, blocks, warps and clocks, and the execution of decoded instructions.
//!
//! It knows no opcode: those are in [`instructions`](crate::instructions).

pub(crate) mod access;
pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod bytes;
pub(crate) mod clock;
pub(crate) mod collective;
pub(crate) mod compute;
pub(crate) mod control;
mod cost;
pub(crate) mod error;
mod fences;
pub(crate) mod image;
pub(crate) mod launch;
pub(crate) mod meeting;
pub(crate) mod memory;
pub(crate) mod race;
mod random;
pub(crate) mod source;
mod stamp;
pub(crate) mod state;
pub(crate) mod symbolic;
pub(crate) mod transfer;
pub(crate) mod warp;
pub(crate) mod watch;
