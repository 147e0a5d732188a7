//! What the memory of a device moves at most, and the floors that follow from bytes.

use crate::floor::Floor;

/// The figures of a device by name, of which any may be missing; what is not above 0 is not known.
///
/// A figure that was measured counts with 2 % to spare, and never for less than the data sheet says: a benchmark that
/// missed the peak must not make a floor wrong.
///
/// ```
/// use nitro_search::DeviceFigures;
///
/// let figures = DeviceFigures(|name: &str| (name == "dram_gbps").then_some(1000.0));
/// assert_eq!((figures.most("dram_gbps", 900.0), figures.most("dram_gbps", 2000.0)), (1020.0, 2000.0));
/// assert_eq!(figures.known("sm_count").unwrap_err().0, "sm_count");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DeviceFigures<F>(pub F);

/// A device feature without which nothing can be said about times.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the device feature {0} is not known, and no limit of a time follows without it")]
pub struct RatesError(pub &'static str);

impl<F: Fn(&str) -> Option<f64>> DeviceFigures<F> {
    /// Returns a figure.
    pub fn get(&self, name: &str) -> Option<f64> {
        (self.0)(name).filter(|value| *value > 0.0)
    }

    /// Returns a figure that has to be known.
    ///
    /// # Errors
    /// When it is not.
    pub fn known(&self, name: &'static str) -> Result<f64, RatesError> {
        self.get(name).ok_or(RatesError(name))
    }

    /// Returns an upper limit: the data sheet's, or more where more was measured.
    pub fn most(&self, name: &str, sheet: f64) -> f64 {
        self.get(name).map_or(sheet, |value| sheet.max(value * MemoryRates::SPARE))
    }

    /// Returns an upper limit that no data sheet has: a little more than was measured.
    pub fn measured(&self, name: &str, otherwise: f64) -> f64 {
        self.get(name).map_or(otherwise, |value| value * MemoryRates::SPARE)
    }

    /// Returns a lower limit: a little less than was measured.
    pub fn least(&self, name: &str, otherwise: f64) -> f64 {
        self.get(name).map_or(otherwise, |value| value / MemoryRates::SPARE)
    }
}

/// Upper limits of what the second-level cache and the memory of a device move in a nanosecond.
///
/// ```
/// use nitro_search::MemoryRates;
///
/// let features = [("sm_count", 132.0), ("clock_rate_mhz", 1980.0), ("l2_cache_kib", 61440.0), ("peak_gbps", 4917.0)];
/// let rates = MemoryRates::from_features(|name| features.iter().find(|own| own.0 == name).map(|own| own.1))?;
/// let [_, _, memory] = rates.floors(1e9, 0.0);
/// assert_eq!(memory.limit, MemoryRates::DRAM);
/// assert!((memory.ns - (1e9 - 61440.0 * 1024.0) / 4917.0).abs() < 1.0);
/// # Ok::<(), nitro_search::RatesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryRates {
    /// Bytes that all multiprocessors together read of the second-level cache, in a nanosecond.
    pub l2_read_gbps: f64,
    /// Bytes that they write to it, in a nanosecond.
    pub l2_write_gbps: f64,
    /// Bytes that memory delivers or takes in a nanosecond.
    pub dram_gbps: f64,
    /// Size of the second-level cache.
    pub l2_bytes: f64,
}

impl MemoryRates {
    /// The factor that a measured figure may be off.
    pub const SPARE: f64 = 1.02;
    /// The limit of what reads the second-level cache.
    pub const L2_READS: &str = "reads of the second-level cache";
    /// The limit of what writes to it.
    pub const L2_WRITES: &str = "writes to the second-level cache";
    /// The limit of what is beyond it.
    pub const DRAM: &str = "memory";

    /// Takes device features by their names, those of a GPU with those that `nitro_cuda::memory_rates` measures. Where
    /// one of the latter is missing, the data sheet counts alone.
    ///
    /// # Errors
    /// When the number of multiprocessors, their clock, the second-level cache or the memory's bandwidth is not known.
    pub fn from_features(feature: impl Fn(&str) -> Option<f64>) -> Result<Self, RatesError> {
        let figures = DeviceFigures(feature);
        // All their ports together take in so much, where nobody measured the cache.
        let ports_gbps = 64.0 * figures.known("sm_count")? * (figures.known("clock_rate_mhz")? / 1e3);
        Ok(Self {
            l2_read_gbps: figures.measured("l2_read_gbps", ports_gbps),
            l2_write_gbps: figures.measured("l2_write_gbps", ports_gbps),
            dram_gbps: figures.most("dram_gbps", figures.known("peak_gbps")?),
            l2_bytes: figures.known("l2_cache_kib")? * 1024.0,
        })
    }

    /// Returns what bytes take that are read and written once: past the second-level cache, and beyond what this
    /// cache may have had before or keep, as much of each as it holds.
    #[must_use]
    pub fn floors(&self, read_bytes: f64, written_bytes: f64) -> [Floor; 3] {
        let Self { l2_read_gbps, l2_write_gbps, dram_gbps, l2_bytes } = *self;
        let beyond = [read_bytes, written_bytes].map(|bytes| (bytes - l2_bytes).max(0.0));
        let floor = |ns, limit: &str, reason| Floor { ns, limit: limit.to_owned(), reason };
        [
            floor(
                read_bytes / l2_read_gbps,
                Self::L2_READS,
                format!("{read_bytes:.4e} bytes are read once, {l2_read_gbps:.0} GB/s"),
            ),
            floor(
                written_bytes / l2_write_gbps,
                Self::L2_WRITES,
                format!("{written_bytes:.4e} bytes are written once, {l2_write_gbps:.0} GB/s"),
            ),
            floor(
                beyond.iter().sum::<f64>() / dram_gbps,
                Self::DRAM,
                format!(
                    "{read_bytes:.4e} bytes are read and {written_bytes:.4e} written once, {l2_bytes:.4e} of each \
                     less, which the second-level cache may have; {dram_gbps:.0} GB/s"
                ),
            ),
        ]
    }
}
