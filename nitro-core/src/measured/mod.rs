//! Device features that only a benchmark can tell: measured, judged, and kept for other processes; noisy ones until
//! they are measured better.

pub(crate) mod background;

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::processor_time::ProcessorTime;
use crate::{DeviceFeature, events, feature_cache};

/// The share of the machine's processors that other processes may use while its features are measured: of what the
/// whole machine reaches about so much is missing.
const MOST_LOAD: f64 = 0.05;
/// Benchmarks take turns, so that a phase in which the machine is slow meets some of the runs of each and shows in
/// their spread.
const ROUNDS: usize = 3;
/// The largest spread of a figure that is not noisy.
const MOST_SPREAD: f64 = 0.1;
/// A noisy figure is measured again when it is older.
const NOISY_FOR_S: u64 = 60 * 60;

/// A device feature that a benchmark told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeasuredFeature {
    /// Its name, and the median of its runs.
    pub feature: DeviceFeature,
    /// How far the quartiles of its runs are from each other, as a share of the median.
    pub spread: f64,
    /// The share of the machine's processors that others used meanwhile; 0 where that is not known, and of work on
    /// a device of its own.
    pub load: f64,
    /// When it was measured, in seconds since 1970.
    pub unix_s: u64,
    /// Why it may be wrong; none for a steady figure.
    pub doubt: Option<Doubt>,
}

/// Why a measured device feature may be wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Doubt {
    /// Other processes used this share of the machine's processors meanwhile.
    Load(f64),
    /// Its runs differ too much.
    Spread(f64),
    /// A build without optimisation measures itself, not the machine.
    Unoptimized,
}

impl Doubt {
    /// Whether the machine is the reason, and not the build: such a figure is kept until there is a better one.
    #[must_use]
    pub fn is_noise(&self) -> bool {
        !matches!(self, Self::Unoptimized)
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(share) => write!(formatter, "{:.0} % load by others", 100.0 * share),
            Self::Spread(share) => write!(formatter, "runs {:.0} % apart", 100.0 * share),
            Self::Unoptimized => formatter.write_str("build not optimised"),
        }
    }
}

type BoxError = Box<dyn Error + Send + Sync>;

/// How a device feature is measured.
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
    /// `runs` measures the device feature at least once on the device itself, whatever the host does meanwhile, and
    /// returns all figures; it is called a few times. What it measures is known to models by `name`, so a changed
    /// definition gets another one.
    pub fn new(name: &'static str, runs: impl Fn() -> Result<Vec<f64>, BoxError> + 'static) -> Self {
        Self { name, on_host: false, runs: Box::new(runs) }
    }

    /// As [`new`](Self::new) for compiled code on the host's processors, whose figures depend on the build and on
    /// what else runs there.
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

/// What of the world a measurement depends on.
pub(crate) trait Surroundings {
    fn unix_s(&self) -> u64;
    fn processor_time(&self) -> Option<ProcessorTime>;
    fn is_optimized_build(&self) -> bool;
    /// Whether there is no time left for another benchmark.
    fn is_late(&self) -> bool;
}

/// The machine as it is.
pub(crate) struct Present {
    begun: Instant,
}

impl Present {
    /// With the time of a measurement that begins now.
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

impl MeasuredFeature {
    /// As it was kept.
    pub(crate) fn kept(feature: DeviceFeature, spread: f64, load: f64, unix_s: u64) -> Self {
        Self { feature, spread, load, unix_s, doubt: noise(spread, load) }
    }

    /// Whether it is worth another measurement at this time; a date that is to come counts as old.
    fn is_to_be_bettered(&self, unix_s: u64) -> bool {
        let is_new = unix_s.checked_sub(self.unix_s).is_some_and(|age_s| age_s < NOISY_FOR_S);
        self.doubt.is_some() && !is_new
    }

    /// Whether it is less likely to be wrong than another one.
    pub(crate) fn is_steadier_than(&self, other: &Self) -> bool {
        self.load.max(self.spread) < other.load.max(other.spread)
    }
}

/// Why figures with this spread and load may be wrong.
fn noise(spread: f64, load: f64) -> Option<Doubt> {
    match () {
        () if load > MOST_LOAD => Some(Doubt::Load(load)),
        () if spread > MOST_SPREAD => Some(Doubt::Spread(spread)),
        () => None,
    }
}

/// The names of the benchmarks whose features are not there.
pub(crate) fn missing(benchmarks: &[Benchmark], features: &[MeasuredFeature]) -> String {
    let is_missing = |benchmark: &&Benchmark| features.iter().all(|own| own.feature.name != benchmark.name);
    let names = benchmarks.iter().filter(is_missing).map(Benchmark::name);
    names.collect::<Vec<_>>().join(", ")
}

/// Whether what is kept is all there and not worth another measurement now.
pub(crate) fn is_settled(benchmarks: &[Benchmark], kept: &[MeasuredFeature]) -> bool {
    let unix_s = Present::now().unix_s();
    missing(benchmarks, kept).is_empty() && !kept.iter().any(|own| own.is_to_be_bettered(unix_s))
}

/// The features of these benchmarks, in their order: those that are kept in the file, the others and those that are
/// old and noisy measured now.
pub(crate) fn kept_or_measured(
    file: Option<&Path>,
    benchmarks: &[Benchmark],
    surroundings: &dyn Surroundings,
) -> Vec<MeasuredFeature> {
    let kept = file.and_then(feature_cache::load).unwrap_or_default();
    let unix_s = surroundings.unix_s();
    let is_enough = |own: &MeasuredFeature, benchmark: &Benchmark| {
        own.feature.name == benchmark.name && !own.is_to_be_bettered(unix_s)
    };
    let is_wanted = |benchmark: &&Benchmark| !kept.iter().any(|own| is_enough(own, benchmark));
    let new = measure(file, benchmarks.iter().filter(is_wanted), surroundings);
    let known = |benchmark: &Benchmark| {
        let mut of_name = new.iter().chain(&kept).filter(|own| own.feature.name == benchmark.name);
        let (first, second) = (of_name.next()?, of_name.next());
        Some(second.filter(|kept| kept.is_steadier_than(first)).unwrap_or(first))
    };
    benchmarks.iter().filter_map(known).cloned().collect()
}

/// Runs benchmarks, as long as there is time, and keeps in the file what an optimised build found, in the place of
/// what it has of these features: of two noisy figures the steadier one, under the later date.
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
        .map(|(benchmark, figures)| judge(benchmark, figures, load, surroundings))
        .collect();
    let to_keep: Vec<_> =
        features.iter().filter(|own| own.doubt != Some(Doubt::Unoptimized)).cloned().collect();
    if let Some(file) = file.filter(|_| !to_keep.is_empty()) {
        feature_cache::keep(file, to_keep);
    }
    tell_noise(&features);
    features
}

/// What the figures of a benchmark's runs come to.
fn judge(
    benchmark: &Benchmark,
    mut runs: Vec<f64>,
    load: Option<f64>,
    surroundings: &dyn Surroundings,
) -> MeasuredFeature {
    runs.sort_by(f64::total_cmp);
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

/// One event for all that is noisy.
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
