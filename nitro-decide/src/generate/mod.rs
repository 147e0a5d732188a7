//! Code from decisions: kernels of linear algebra whose loops, threads and memory are open, after Telamon (Beaugnou
//! and others, CC 2017).
//!
//! The other way round than a [`Nest::map`](nitro_nest::Nest::map): not a schedule that is made of loops as they
//! are written, but statements, each with loops of its own, and rules about how these may lie. A decided point of
//! it is a [`Program`] as that of a nest is, with the same text in CUDA and the same interpreter.

mod ahead;
mod emit;
mod generator;
mod outline;
mod pass;
mod point;
mod prover;
mod shared;
mod sizes;
mod space;
mod spaces;
mod threads;
mod tiles;
mod warps;

pub use space::{DecidedError, DecidedSpace};
pub use tiles::{OpenChoices, TileSizes};
