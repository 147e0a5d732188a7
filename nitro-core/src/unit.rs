//! Units of input and device features, by which a trainer knows what to set beside what.

use std::fmt;
use std::str::FromStr;

use crate::error_text::error_text;

/// The unit of a feature. An input feature over a size or rate of a device in the same unit says something that
/// carries over to other devices: the seconds at a bandwidth, the share of a cache, the waves of threads.
///
/// ```
/// use nitro_core::Unit;
///
/// assert_eq!("bytes".parse(), Ok(Unit::Bytes)); // upper case or lower
/// let bandwidth = Unit::of_device_feature("copy_gbps").expect("its name says it");
/// assert!(bandwidth.divides(Unit::Bytes) && !bandwidth.divides(Unit::Operations));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Bytes that are read or written, or that a memory holds.
    Bytes,
    /// Arithmetic operations.
    Operations,
    /// A number of things, such as rows.
    Count,
    /// Work that can run at the same time, or the places on a device where it does.
    Parallelism,
    /// The bytes that a device moves in a second; of device features alone.
    BytesPerSecond,
    /// The operations of a device in a second; of device features alone.
    OperationsPerSecond,
}

impl Unit {
    /// All units; those of input features come first.
    pub const ALL: [Self; 6] = [
        Self::Bytes,
        Self::Operations,
        Self::Count,
        Self::Parallelism,
        Self::BytesPerSecond,
        Self::OperationsPerSecond,
    ];

    /// The name in tables and stores.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "Bytes",
            Self::Operations => "Operations",
            Self::Count => "Count",
            Self::Parallelism => "Parallelism",
            Self::BytesPerSecond => "Bytes/s",
            Self::OperationsPerSecond => "Operations/s",
        }
    }

    /// Returns true for a rate, which only a device feature has.
    #[must_use]
    pub fn is_rate(self) -> bool {
        matches!(self, Self::BytesPerSecond | Self::OperationsPerSecond)
    }

    /// Returns true where an input feature of a unit over a device feature of this one means something.
    #[must_use]
    pub fn divides(self, input: Self) -> bool {
        match self {
            Self::BytesPerSecond => input == Self::Bytes,
            Self::OperationsPerSecond => input == Self::Operations,
            size => input == size,
        }
    }

    /// The unit of a device feature as its name tells it; the one place that knows. Multiples (GB/s, KiB) are the
    /// same unit: a factor is nothing to a tree.
    #[must_use]
    pub fn of_device_feature(name: &str) -> Option<Self> {
        if matches!(name, "cores" | "threads" | "sm_count" | "cuda_cores" | "compute_units") {
            return Some(Self::Parallelism);
        }
        let is = |part: &str| match part {
            "gbps" => Some(Self::BytesPerSecond),
            "gflops" | "tflops" => Some(Self::OperationsPerSecond),
            "bytes" | "kib" | "mib" | "gib" | "mb" | "gb" => Some(Self::Bytes),
            _ => None,
        };
        name.split('_').find_map(is)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A word that is no unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownUnit;

impl std::error::Error for UnknownUnit {}

error_text!(UnknownUnit: Self =>
    "no unit: units are Bytes, Operations, Count and Parallelism, of device features also Bytes/s and Operations/s");

impl FromStr for Unit {
    type Err = UnknownUnit;

    fn from_str(word: &str) -> Result<Self, UnknownUnit> {
        Self::ALL.into_iter().find(|unit| unit.name().eq_ignore_ascii_case(word)).ok_or(UnknownUnit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_the_message_has_them_all() {
        for unit in Unit::ALL {
            assert_eq!((unit.name().parse(), unit.name().to_uppercase().parse()), (Ok(unit), Ok(unit)));
            assert!(UnknownUnit.to_string().contains(unit.name()));
        }
        for word in ["", "Bytes ", "byte", "s", "Bytes/S/s"] {
            assert_eq!(word.parse::<Unit>(), Err(UnknownUnit), "{word:?}");
        }
    }

    #[test]
    fn an_input_is_set_beside_rates_and_sizes_of_its_unit_alone() {
        let of = |input| Unit::ALL.into_iter().filter(move |unit| unit.divides(input)).collect::<Vec<_>>();
        assert_eq!(of(Unit::Bytes), [Unit::Bytes, Unit::BytesPerSecond]);
        assert_eq!(of(Unit::Operations), [Unit::Operations, Unit::OperationsPerSecond]);
        assert_eq!((of(Unit::Count), of(Unit::Parallelism)), (vec![Unit::Count], vec![Unit::Parallelism]));
    }

    /// Every device feature that hosts and GPUs have, and those of the foreign recordings.
    #[test]
    fn device_features_have_the_unit_that_their_name_says() {
        for (unit, names) in [
            (
                Some(Unit::BytesPerSecond),
                "copy_gbps peak_gbps memory_gbps l2_read_gbps l2_write_gbps dram_gbps",
            ),
            (
                Some(Unit::OperationsPerSecond),
                "gflops_sp gflops_dp peak_gflops_sp peak_gflops_dp fp32_vector_tflops bf16_tflops",
            ),
            (
                Some(Unit::Bytes),
                "l1_bytes l1d_bytes l2_bytes l3_bytes l2_kib l2_cache_kib shared_mem_per_block_kib \
                 global_mem_gb lds_kib_per_cu",
            ),
            (Some(Unit::Parallelism), "cores threads sm_count cuda_cores compute_units"),
            (
                None,
                "clock_rate_mhz copy_engines global_atomic_ms mem_bus_width_bits simd_bits warp_size \
                 random_access_ns atomic_contended_mops year",
            ),
        ] {
            for name in names.split_whitespace() {
                assert_eq!(Unit::of_device_feature(name), unit, "{name}");
            }
        }
    }
}
