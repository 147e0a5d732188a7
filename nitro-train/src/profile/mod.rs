//! Hardware counters of variants and of application proxies, from which profile-based feature selection learns.
//!
//! The method is that of Muralidharan, Roy, Hall, Garland and Rai, "Architecture-Adaptive Code Variant Tuning", ASPLOS
//! 2016. They profile each variant on the training inputs, and beside them five *application proxies*: kernels that
//! stress one resource of the device each. Intensities 0 to 5 are 0 to 100 % of a proxy's instructions. A device
//! feature matters to a variant if the variant resembles the proxy of that resource, which is for
//! [`learn`](nitro_learn) to find.
//!
//! A worker process makes the calls, in [`Section`]s that it announces (`section.rs`). Nsight Compute watches it and
//! writes a log (`ncu.rs`), and the two are joined (`attribute.rs`). Metrics are kept under their names in Nsight
//! Compute, summed over the launches of each kernel of a section ([`Profiles`](nitro_store::recordings::Profiles)),
//! in a [`Folder`] of CSV tables ([`files`]). Their meaning is in [`counters`].

mod attribute;
mod error;
pub mod files;
mod folder;
pub(crate) mod ncu;
mod section;

pub use nitro_store::recordings::counters;

pub(crate) use attribute::{KernelMetrics, attribute};
pub use error::ProfileError;
pub use folder::Folder;
pub use section::{Section, Shown, read_sections};
