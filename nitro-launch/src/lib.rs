//! Launch plans: what a host needs to launch the kernels of a loop nest, as plain data.
//!
//! - [`LaunchPlan`] is a program whose kernels are found: sizes, scalars and arrays that it takes, the loops of the
//!   host, the kernels with what their grids cover, and their text in CUDA C++. It is made by
//!   `nitro_nest::Program::plan`, shipped as text ([`LaunchPlan::to_json`]), and run by `nitro_cuda::Executable`,
//!   in applications that compile no nests.
//! - [`Affine`], [`Range`], [`Extent`] and [`Host`] are the words in which the launches of a plan are written.
//!   Programs that are yet to be found, in `nitro_nest`, use the same, so that there is one rule for what is launched
//!   ([`launches`]).
//! - [`PlannedPtx`] is a plan's kernels as PTX, for the devices of its [`Target`] and newer ones, such as what
//!   evolution made of them.
//!
//! It asks neither for a device nor for a compiler.

mod affine;
mod check;
mod element;
mod error;
mod format;
mod host;
mod json;
mod launch;
mod plan;
mod ptx;
mod shape;
mod turn;

pub use affine::{Affine, Variable};
pub use element::{Element, Storage};
pub use error::PlanError;
pub use host::{Extent, Host, Range};
pub use launch::{Covering, Launch, Walk, launches};
pub use plan::{LaunchPlan, PlannedArray, PlannedIndices, PlannedKernel, SizeProduct};
pub use ptx::{PlannedPtx, Reach, Target};
pub use shape::{Integers, shape};
