//! Hardware counters, as a profiler names them.

use std::collections::{BTreeMap, BTreeSet};

/// Metrics by name, summed over launches.
pub type Metrics = BTreeMap<String, f64>;

/// The profile of one kernel of a variant on one input.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantProfile {
    /// The device's identity, e.g. `cuda:0@nvidia-h200-140gb`.
    pub device: String,
    /// The variant.
    pub variant: String,
    /// The input.
    pub input: String,
    /// The kernel, as the profiler names it.
    pub kernel: String,
    /// Number of launches of the whole call, of all kernels.
    pub launches: usize,
    /// Number of those that the metrics are sums over: launches of this kernel that the profiler was shown.
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

/// The counters that a device's profiler has read of one function and of the application proxies.
///
/// ```
/// use nitro_store::recordings::{Metrics, Profiles, ProxyProfile};
///
/// let of = |device: &str| {
///     ProxyProfile { device: device.into(), proxy: "atomics".into(), intensity: 3, metrics: Metrics::new() }
/// };
/// let profiles = Profiles { variants: vec![], proxies: vec![of("cuda:0"), of("cuda:1")] };
/// assert_eq!(profiles.of(&["cuda:1"].into()).proxies, [of("cuda:1")]); // e.g. the sources of a model
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    /// Profiles of the function's variants.
    pub variants: Vec<VariantProfile>,
    /// Profiles of the proxies, the same for all functions.
    pub proxies: Vec<ProxyProfile>,
}

impl Profiles {
    /// Returns the profiles that were made on one of these devices.
    #[must_use]
    pub fn of(&self, devices: &BTreeSet<&str>) -> Self {
        let variants = self.variants.iter().filter(|profile| devices.contains(profile.device.as_str()));
        let proxies = self.proxies.iter().filter(|profile| devices.contains(profile.device.as_str()));
        Self { variants: variants.cloned().collect(), proxies: proxies.cloned().collect() }
    }
}
