//! Device features, and what makes measured ones doubtful.

use std::fmt;

/// The share of the machine's processors that other processes may use while its features are measured. About so much
/// is missing of what the whole machine reaches.
const MOST_LOAD: f64 = 0.05;
/// The largest spread of a figure that is not noisy.
const MOST_SPREAD: f64 = 0.1;
/// A noisy figure is measured again when it is older.
pub(super) const NOISY_FOR_S: u64 = 60 * 60;

/// A number that describes a device.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFeature {
    /// The name, unit included, e.g. `copy_gbps`.
    pub name: String,
    /// The value.
    pub value: f64,
}

/// A device feature that a benchmark told.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeasuredFeature {
    /// Its name, and the median of its runs.
    pub feature: DeviceFeature,
    /// The distance between the quartiles of its runs, as a share of the median.
    pub spread: f64,
    /// The share of the machine's processors that others used meanwhile. It is 0 where that is not known, and for
    /// work on a device of its own.
    pub load: f64,
    /// The time of the measurement, in seconds since 1970.
    pub unix_s: u64,
    /// The doubt about it; none for a steady figure.
    pub doubt: Option<Doubt>,
}

/// A reason why a measured device feature may be wrong.
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
    /// Returns true where the machine is the reason, and not the build. Such a figure is kept until there is a
    /// better one.
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

impl MeasuredFeature {
    /// Restores a feature that was kept.
    pub(crate) fn kept(feature: DeviceFeature, spread: f64, load: f64, unix_s: u64) -> Self {
        Self { feature, spread, load, unix_s, doubt: noise(spread, load) }
    }

    /// Returns true where another measurement at this time is worth it; a date that is to come counts as old.
    pub(super) fn is_to_be_bettered(&self, unix_s: u64) -> bool {
        let is_new = unix_s.checked_sub(self.unix_s).is_some_and(|age_s| age_s < NOISY_FOR_S);
        self.doubt.is_some() && !is_new
    }

    /// Returns true where it is less likely to be wrong than another one.
    pub(crate) fn is_steadier_than(&self, other: &Self) -> bool {
        self.load.max(self.spread) < other.load.max(other.spread)
    }
}

/// The doubt about figures with this spread and load.
fn noise(spread: f64, load: f64) -> Option<Doubt> {
    match () {
        () if load > MOST_LOAD => Some(Doubt::Load(load)),
        () if spread > MOST_SPREAD => Some(Doubt::Spread(spread)),
        () => None,
    }
}
