//! Hardware counters of variants and of application proxies: what profile-based device-feature selection learns from.
//!
//! Muralidharan, Roy, Hall, Garland and Rai, "Architecture-Adaptive Code Variant Tuning", ASPLOS 2016, profile each variant on
//! the training inputs, and beside them five *application proxies*: kernels that stress one resource of the device each, at
//! intensities 0 to 5, that is by 0 to 100 % of their instructions. Which proxies a variant resembles tells which device
//! features matter to it ([`learn::profile`](crate::learn::profile)).
//!
//! A worker process makes the calls, in [`Section`]s that it announces; Nsight Compute watches it and writes a log ([`ncu`]);
//! [`attribute()`] joins the two. What is kept are the metrics as Nsight Compute names them, summed over the launches of a
//! section, in a [`Folder`] of CSV tables ([`files`]); their meaning is in [`counters`].

mod attribute;
pub mod counters;
mod error;
pub mod files;
mod folder;
pub mod ncu;
mod section;

use std::collections::{BTreeMap, BTreeSet};

pub use attribute::{Profiled, attribute};
pub use error::ProfileError;
pub use folder::Folder;
pub use section::{Section, Shown, read_sections};

/// Metrics by name, summed over the launches of a section.
pub type Metrics = BTreeMap<String, f64>;

/// The profile of one variant on one input.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantProfile {
    /// The device's identity, e.g. `cuda:0@nvidia-h200-140gb`.
    pub device: String,
    /// The variant.
    pub variant: String,
    /// The input.
    pub input: String,
    /// Number of kernels that the call launches.
    pub launches: usize,
    /// Number of those that the metrics are sums over.
    pub shown: usize,
    /// The metrics.
    pub metrics: Metrics,
}

/// The profile of an application proxy at one intensity.
#[derive(Clone, Debug, PartialEq)]
pub struct ProxyProfile {
    /// The device's identity.
    pub device: String,
    /// The proxy, e.g. `atomics`.
    pub proxy: String,
    /// 0 to 5: how many of every five instructions stress the proxy's resource.
    pub intensity: u32,
    /// The metrics.
    pub metrics: Metrics,
}

/// What a device's profiler has shown of one function and of the application proxies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    /// Profiles of the function's variants.
    pub variants: Vec<VariantProfile>,
    /// Profiles of the proxies, the same for all functions.
    pub proxies: Vec<ProxyProfile>,
}

impl Profiles {
    /// Those that were made on one of these devices.
    #[must_use]
    pub fn of(&self, devices: &BTreeSet<&str>) -> Self {
        let variants = self.variants.iter().filter(|profile| devices.contains(profile.device.as_str()));
        let proxies = self.proxies.iter().filter(|profile| devices.contains(profile.device.as_str()));
        Self { variants: variants.cloned().collect(), proxies: proxies.cloned().collect() }
    }
}
