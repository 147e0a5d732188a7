//! Hardware counters of variants and of application proxies, from which profile-based feature selection learns.
//!
//! Muralidharan, Roy, Hall, Garland and Rai, "Architecture-Adaptive Code Variant Tuning", ASPLOS 2016, profile each
//! variant on the training inputs, and beside them five *application proxies*: kernels that stress one resource of
//! the device each, at intensities 0 to 5, that is by 0 to 100 % of their instructions. Which proxies a variant
//! resembles tells which device features matter to it, which is for [`learn`](nitro_learn) to find.
//!
//! A worker process makes the calls, in [`Section`]s that it announces; Nsight Compute watches it and writes a log
//! ([`ncu`]); [`attribute()`] joins the two. What is kept are the metrics as Nsight Compute names them, summed over
//! the launches of each kernel of a section ([`Profiles`](nitro_store::recordings::Profiles)), in a [`Folder`] of CSV
//! tables ([`files`]); their meaning is in [`counters`].

mod attribute;
mod error;
pub mod files;
mod folder;
pub mod ncu;
mod section;

pub use nitro_store::recordings::counters;

pub use attribute::{Attribution, KernelMetrics, attribute};
pub use error::ProfileError;
pub use folder::Folder;
pub use section::{Section, Shown, read_sections};
