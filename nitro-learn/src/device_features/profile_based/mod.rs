//! P-DFS: the device features that matter to a function, from hardware counters (Muralidharan et al., ASPLOS 2016,
//! Algorithm 1).
//!
//! 1. For each application proxy a regression ([`Regression`]) is fitted from counters per instruction issued
//!    ([`COUNTERS`]) to the proxy's intensity, 0 to 5. The profiles of the other proxies take part as intensity 0:
//!    what stresses another resource does not stress this one.
//! 2. The profile of a kernel of a variant on an input is given to all of them. The best proxies of the input are
//!    those whose predicted intensity is at least [half](NEAR_BEST) of the highest and [not next to
//!    nothing](LEAST).
//! 3. The proxies of a kernel are those that are best on more than half of the inputs on which it is launched; when
//!    none is, those that are best most often. A kernel that issues [next to nothing](LEAST_SHARE) of its calls'
//!    instructions has no say.
//! 4. The proxies of a variant are those of any of its kernels, those of a function those of any of its variants,
//!    and each stands for the device features that describe its [resource](RESOURCES).
//!
//! What departs from the paper, and why, is in the guide (`guide/src/paper.md`).

mod regression;
mod resources;

use std::collections::{BTreeMap, BTreeSet};

use nitro_stats::statistics::mean;
use nitro_store::recordings::counters::{COUNTERS, Counter, ISSUED};
use nitro_store::recordings::{Metrics, Profiles, ProxyProfile, VariantProfile};

pub use self::regression::Regression;
pub use self::resources::{RESOURCES, Resource};

/// Share of the highest predicted intensity from which on a proxy is among the best.
pub const NEAR_BEST: f64 = 0.5;

/// Predicted intensity below which a resource is not stressed: 2 % of the instructions.
pub const LEAST: f64 = 0.1;

/// Share of the instructions of its calls, in the mean over the inputs, from which on a kernel has a say: what
/// clears a counter or fills a table before the work is bound by memory, whatever the work is bound by.
pub const LEAST_SHARE: f64 = 0.05;

/// The resources that matter to a function, by its profiles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Relevance {
    /// The proxies that any kernel of a variant resembles, by variant.
    pub variants: BTreeMap<String, BTreeSet<String>>,
    /// The number of variants that resemble a proxy, by proxy: the proxies of the function.
    pub proxies: BTreeMap<String, usize>,
    /// Device features that describe what the function stresses.
    pub device_features: BTreeSet<String>,
}

/// The device features that matter to the function of these profiles; none when they say nothing: no variant or no
/// proxy was profiled, or not on the same device.
#[must_use]
pub fn select(profiles: &Profiles) -> Option<Relevance> {
    let mut ballots = BTreeMap::<(&str, &str), Vec<BTreeSet<&str>>>::new(); // by variant and kernel
    let devices: BTreeSet<&str> = profiles.proxies.iter().map(|profile| profile.device.as_str()).collect();
    for device in devices {
        // Counters are comparable on one device alone, so that proxies and variants are compared there.
        let models =
            Models::fit(profiles.proxies.iter().filter(|profile| profile.device == device).collect());
        let idle = idle_kernels(profiles, device);
        for profile in profiles.variants.iter().filter(|profile| profile.device == device) {
            if idle.contains(&(&profile.variant, &profile.kernel)) {
                continue;
            }
            let kernel = (profile.variant.as_str(), profile.kernel.as_str());
            ballots.entry(kernel).or_default().push(models.best(&profile.metrics));
        }
    }
    let mut relevance = Relevance::default();
    for ((variant, _), ballots) in ballots {
        let elected = elect(&ballots).into_iter().map(str::to_owned);
        relevance.variants.entry(variant.to_owned()).or_default().extend(elected);
    }
    for proxy in relevance.variants.values().flatten() {
        *relevance.proxies.entry(proxy.clone()).or_default() += 1;
    }
    let elected = RESOURCES.iter().filter(|resource| relevance.proxies.contains_key(resource.proxy));
    relevance.device_features =
        elected.flat_map(|resource| resource.device_features).map(|&name| name.to_owned()).collect();
    (!relevance.device_features.is_empty()).then_some(relevance)
}

/// The kernels of variants that do not do the work.
fn idle_kernels<'p>(profiles: &'p Profiles, device: &str) -> BTreeSet<(&'p str, &'p str)> {
    let here: Vec<&VariantProfile> =
        profiles.variants.iter().filter(|profile| profile.device == device).collect();
    let mut of_call = BTreeMap::<(&str, &str), f64>::new();
    for profile in &here {
        *of_call.entry((&profile.variant, &profile.input)).or_default() += issued(profile);
    }
    let mut shares = BTreeMap::<(&str, &str), Vec<f64>>::new();
    for profile in here {
        let all = of_call[&(&*profile.variant, &*profile.input)];
        shares.entry((&profile.variant, &profile.kernel)).or_default().push(issued(profile) / all);
    }
    shares.retain(|_, shares| mean(shares.iter().copied()).is_some_and(|share| share < LEAST_SHARE));
    shares.into_keys().collect()
}

/// Instructions that a kernel issued; 0 where that was not counted.
fn issued(profile: &VariantProfile) -> f64 {
    profile.metrics.get(ISSUED).copied().unwrap_or(0.0)
}

/// Returns the proxies on more than half of the ballots; without any, those on most.
fn elect<'p>(ballots: &[BTreeSet<&'p str>]) -> BTreeSet<&'p str> {
    let mut votes = BTreeMap::<&str, usize>::new();
    for &proxy in ballots.iter().flatten() {
        *votes.entry(proxy).or_default() += 1;
    }
    let most = votes.values().copied().max().unwrap_or(0);
    let needed = most.min(ballots.len() / 2 + 1);
    votes.into_iter().filter(|&(_, count)| count >= needed).map(|(proxy, _)| proxy).collect()
}

/// One regression for each proxy, from counters that all its profiles have.
pub struct Models<'p> {
    counters: Vec<Counter>,
    by_proxy: BTreeMap<&'p str, Regression>,
}

impl<'p> Models<'p> {
    /// Fits the regressions from the proxies' profiles on one device.
    #[must_use]
    pub fn fit(profiles: Vec<&'p ProxyProfile>) -> Self {
        let mut counters: Vec<Counter> = COUNTERS.into_iter().collect();
        counters.retain(|counter| {
            profiles.iter().all(|profile| counter.per_instruction(&profile.metrics).is_some())
        });
        let rows: Vec<Vec<f64>> =
            profiles.iter().map(|profile| values(&counters, &profile.metrics)).collect();
        let names: BTreeSet<&str> = profiles.iter().map(|profile| profile.proxy.as_str()).collect();
        // One regression a proxy. The profiles of the other proxies are its zeros.
        let mut by_proxy = BTreeMap::new();
        for name in names {
            let of_name = profiles.iter().map(|profile| (profile.proxy == name, profile.intensity));
            let intensities: Vec<f64> =
                of_name.map(|(own, intensity)| if own { f64::from(intensity) } else { 0.0 }).collect();
            by_proxy.insert(name, Regression::fit(&rows, &intensities));
        }
        Self { counters, by_proxy }
    }

    /// Returns the intensity that a profile resembles, by proxy.
    #[must_use]
    pub fn intensities(&self, metrics: &Metrics) -> BTreeMap<&'p str, f64> {
        let row = values(&self.counters, metrics);
        self.by_proxy.iter().map(|(&proxy, regression)| (proxy, regression.predict(&row))).collect()
    }

    /// The proxies that a profile resembles most.
    fn best(&self, metrics: &Metrics) -> BTreeSet<&'p str> {
        let intensities = self.intensities(metrics);
        let highest = intensities.values().copied().fold(0.0, f64::max);
        let needed = (NEAR_BEST * highest).max(LEAST);
        intensities
            .into_iter()
            .filter(|&(_, intensity)| intensity >= needed)
            .map(|(proxy, _)| proxy)
            .collect()
    }
}

/// The counters per instruction; one that is missing counts as 0, since the profile shows nothing of it.
fn values(counters: &[Counter], metrics: &Metrics) -> Vec<f64> {
    counters.iter().map(|counter| counter.per_instruction(metrics).unwrap_or(0.0)).collect()
}

#[cfg(test)]
mod tests;
