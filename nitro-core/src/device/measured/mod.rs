//! Device features that only a benchmark can tell. They are measured, judged, and kept for other processes; noisy
//! ones until they are measured better.

pub(crate) mod background;

use std::error::Error;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::feature::{DeviceFeature, Doubt, MeasuredFeature};
use super::feature_cache;
use crate::processor_time::ProcessorTime;
use crate::{events, order};

/// The number of rounds in which benchmarks take turns. So a phase in which the machine is slow meets some of the
/// runs of each and shows in their spread.
const ROUNDS: usize = 3;

type BoxError = Box<dyn Error + Send + Sync>;

/// A benchmark that measures a device feature.
///
/// ```
/// use nitro_core::{Benchmark, DeviceEntry, Doubt};
///
/// /// Megabytes a millisecond of three copies, which another user of the device disturbs.
/// fn copies() -> Vec<f64> {
///     vec![8.0, 12.0, 16.0]
/// }
///
/// let benchmarks = |_: &DeviceEntry| vec![Benchmark::new("copy_gbps", || Ok(copies()))];
/// let copy = &DeviceEntry::intern("acc:0@busy-lab", Vec::new, benchmarks).measured()[0];
/// assert_eq!(copy.feature.value, 12.0);
/// assert_eq!(copy.doubt, Some(Doubt::Spread(8.0 / 12.0)), "it is used until there is a better one");
/// ```
pub struct Benchmark {
    name: &'static str,
    on_host: bool,
    runs: Box<dyn Fn() -> Result<Vec<f64>, BoxError>>,
}

impl Benchmark {
    /// Makes a benchmark. `runs` measures the device feature at least once on the device itself, whatever the host
    /// does meanwhile, and returns all figures; it is called a few times. Models know the feature by `name`, so a
    /// changed definition gets another one.
    pub fn new(name: &'static str, runs: impl Fn() -> Result<Vec<f64>, BoxError> + 'static) -> Self {
        Self { name, on_host: false, runs: Box::new(runs) }
    }

    /// Makes a benchmark of compiled code on the host's processors. Its figures depend on the build and on what else
    /// runs there.
    pub(crate) fn on_host(name: &'static str, runs: impl Fn() -> Vec<f64> + 'static) -> Self {
        Self { name, on_host: true, runs: Box::new(move || Ok(runs())) }
    }

    /// The device feature that it measures.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Adds figures of a few more runs. False when they cannot be had, which is told.
    fn run(&self, figures: &mut Vec<f64>) -> bool {
        let name = self.name;
        match (self.runs)() {
            Ok(runs) if !runs.is_empty() && runs.iter().all(|run| run.is_finite()) => {
                figures.extend(runs);
                return true;
            }
            Ok(runs) => events::tell(move || {
                tracing::warn!(name, ?runs, "the device feature is no number and is left out");
            }),
            Err(error) => events::tell(move || {
                tracing::warn!(name, %error, "the device feature cannot be measured and is left out");
            }),
        }
        false
    }
}

/// The surroundings that a measurement depends on.
pub(crate) trait Surroundings {
    fn unix_s(&self) -> u64;
    fn processor_time(&self) -> Option<ProcessorTime>;
    fn is_optimized_build(&self) -> bool;
    /// Returns true where no time is left for another benchmark.
    fn is_late(&self) -> bool;
}

/// The machine as it is.
pub(crate) struct Present {
    begun: Instant,
}

impl Present {
    /// The machine, with the time of a measurement that begins now.
    pub(crate) fn now() -> Self {
        Self { begun: Instant::now() }
    }
}

impl Surroundings for Present {
    fn unix_s(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
    }

    fn processor_time(&self) -> Option<ProcessorTime> {
        ProcessorTime::now()
    }

    fn is_optimized_build(&self) -> bool {
        cfg!(not(debug_assertions))
    }

    fn is_late(&self) -> bool {
        self.begun.elapsed() > background::DEADLINE
    }
}

/// The names of the benchmarks whose features are not there.
pub(crate) fn missing(benchmarks: &[Benchmark], features: &[MeasuredFeature]) -> String {
    let missing = benchmarks.iter().filter(|own| find(features, own).is_none());
    missing.map(Benchmark::name).collect::<Vec<_>>().join(", ")
}

/// Finds the feature that a benchmark measures.
pub(crate) fn find<'a>(
    features: &'a [MeasuredFeature],
    benchmark: &Benchmark,
) -> Option<&'a MeasuredFeature> {
    features.iter().find(|own| own.feature.name == benchmark.name)
}

/// Returns true where the kept features are complete and none is worth another measurement now.
pub(crate) fn is_settled(benchmarks: &[Benchmark], kept: &[MeasuredFeature]) -> bool {
    let unix_s = Present::now().unix_s();
    missing(benchmarks, kept).is_empty() && !kept.iter().any(|own| own.is_to_be_bettered(unix_s))
}

/// The features of these benchmarks, in their order. Kept ones are taken from the file; the others, and those that
/// are old and noisy, are measured now.
pub(crate) fn kept_or_measured(
    file: Option<&Path>,
    benchmarks: &[Benchmark],
    surroundings: &dyn Surroundings,
) -> Vec<MeasuredFeature> {
    let kept = file.and_then(feature_cache::load).unwrap_or_default();
    let unix_s = surroundings.unix_s();
    let wanted =
        benchmarks.iter().filter(|own| find(&kept, own).is_none_or(|kept| kept.is_to_be_bettered(unix_s)));
    let new = measure(file, wanted, surroundings);
    let mut features = Vec::new();
    for benchmark in benchmarks {
        let figure = match (find(&new, benchmark), find(&kept, benchmark)) {
            (Some(new), Some(kept)) if kept.is_steadier_than(new) => kept,
            (Some(own), _) | (None, Some(own)) => own,
            (None, None) => continue,
        };
        features.push(figure.clone());
    }
    features
}

/// Runs benchmarks, as long as there is time, and keeps in the file what an optimised build found. That takes the
/// place of what the file has of these features; of two noisy figures the steadier one stays, under the later date.
pub(crate) fn measure<'a>(
    file: Option<&Path>,
    benchmarks: impl Iterator<Item = &'a Benchmark>,
    surroundings: &dyn Surroundings,
) -> Vec<MeasuredFeature> {
    let before = surroundings.processor_time();
    let mut figures: Vec<(&Benchmark, Vec<f64>)> =
        benchmarks.map(|benchmark| (benchmark, Vec::new())).collect();
    for _ in 0..ROUNDS {
        figures.retain_mut(|(benchmark, figures)| match surroundings.is_late() {
            true => !figures.is_empty(),
            false => benchmark.run(figures),
        });
    }
    let load =
        before.zip(surroundings.processor_time()).and_then(|(before, after)| after.load_since(&before));
    let features: Vec<_> = figures
        .into_iter()
        .map(|(benchmark, figures)| judge(benchmark, &figures, load, surroundings))
        .collect();
    let to_keep: Vec<_> =
        features.iter().filter(|own| own.doubt != Some(Doubt::Unoptimized)).cloned().collect();
    if let Some(file) = file.filter(|_| !to_keep.is_empty()) {
        feature_cache::keep(file, to_keep);
    }
    tell_noise(&features);
    features
}

/// Judges the figures of a benchmark's runs: their median and spread, and what makes them doubtful.
fn judge(
    benchmark: &Benchmark,
    runs: &[f64],
    load: Option<f64>,
    surroundings: &dyn Surroundings,
) -> MeasuredFeature {
    let runs = order::ascending(runs);
    let (median, quarter) = (runs[runs.len() / 2], runs.len() / 4);
    let difference = runs[runs.len() - 1 - quarter] - runs[quarter];
    let spread = if difference == 0.0 { 0.0 } else { difference / median.abs() };
    let load = load.filter(|_| benchmark.on_host).unwrap_or(0.0);
    let feature = DeviceFeature { name: benchmark.name.to_owned(), value: median };
    let mut judged = MeasuredFeature::kept(feature, spread, load, surroundings.unix_s());
    if benchmark.on_host && !surroundings.is_optimized_build() {
        judged.doubt = Some(Doubt::Unoptimized);
    }
    judged
}

/// Tells all that is noisy in one event.
fn tell_noise(features: &[MeasuredFeature]) {
    let noisy = features.iter().filter_map(|own| {
        let doubt = own.doubt.filter(Doubt::is_noise)?;
        Some(format!("{} ({doubt})", own.feature.name))
    });
    let noisy = noisy.collect::<Vec<_>>().join(", ");
    if !noisy.is_empty() {
        events::tell(move || {
            tracing::warn!(features = noisy, "noisy device features are used until they are measured better");
        });
    }
}

#[cfg(test)]
mod tests;
