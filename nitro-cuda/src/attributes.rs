//! The attributes of a GPU, and the device features that follow from them by arithmetic alone.

use nitro_core::DeviceFeature;

use crate::name::Name;

/// The attributes of a GPU, as the driver tells them.
///
/// ```
/// # use nitro_cuda::Attributes;
/// # let h200 = Attributes {
/// #     name: "NVIDIA H200".into(),
/// #     memory_bytes: 150_115_844_096,
/// #     multiprocessors: 132,
/// #     compute_capability: (9, 0),
/// #     clock_khz: 1_980_000,
/// #     memory_clock_khz: 3_201_000,
/// #     memory_bus_bits: 6144,
/// #     l2_bytes: 60 << 20,
/// #     shared_bytes_per_block: 48 << 10,
/// #     threads_per_multiprocessor: 2048,
/// #     copy_engines: 3,
/// #     has_memory_pools: true,
/// # };
/// // `nitro_cuda::device(0)?.attributes()` on an H200:
/// assert_eq!(h200.id(), "nvidia-h200-140gb");
/// let feature = |multiprocessors, name| h200.features(multiprocessors).into_iter().find(|own| own.name == name);
/// let cores = |multiprocessors| feature(multiprocessors, "cuda_cores").map(|own| own.value);
/// assert_eq!((cores(132), cores(16)), (Some(16896.0), Some(2048.0))); // of the whole GPU, and of a part of it
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Attributes {
    /// Its name, e.g. `NVIDIA H200`.
    pub name: String,
    /// Size of its memory.
    pub memory_bytes: u64,
    /// Number of its multiprocessors.
    pub multiprocessors: usize,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Highest clock of the multiprocessors, in kHz.
    pub clock_khz: u32,
    /// Highest clock of the memory, in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory's bus.
    pub memory_bus_bits: u32,
    /// Size of the second-level cache.
    pub l2_bytes: u32,
    /// Shared memory that a block may have without asking for more.
    pub shared_bytes_per_block: u32,
    /// Threads that a multiprocessor has at once.
    pub threads_per_multiprocessor: u32,
    /// Number of engines that copy while kernels run.
    pub copy_engines: u32,
    /// True where memory can be allocated in the order of a stream.
    pub has_memory_pools: bool,
}

/// The work that one multiprocessor does in a clock.
struct Rates {
    /// Cores: multiply-adds of single precision.
    single: u32,
    /// Multiply-adds of double precision.
    double: u32,
}

impl Attributes {
    /// The rates of the compute capability, if they are known.
    ///
    /// Source: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions", rows for 32-bit and 64-bit
    /// floating-point multiply-add; 10.3 from the data sheet of the B300.
    fn rates(&self) -> Option<Rates> {
        let (single, double) = match self.compute_capability {
            (7, 0 | 2) => (64, 32),
            (7, 5) => (64, 2),
            (8, 0) => (64, 32),
            (8, 6 | 7 | 9) => (128, 2),
            (9, 0) => (128, 64),
            (10, 0) => (128, 64),
            (10, 3) | (12, 0 | 1) => (128, 2),
            _ => return None,
        };
        Some(Rates { single, double })
    }

    /// The device features of `multiprocessors` of the GPU's multiprocessors: Table 1 of the Nitro paper, by its names.
    ///
    /// `peak_gbps` is what the memory can deliver (two transfers a clock over the whole bus), or what the
    /// multiprocessors can take in if that is less. For that, 64 bytes each in a clock are assumed, the width of a
    /// multiprocessor's port to the second-level cache: on 8 and on 16 multiprocessors of an H200 copies reach 75 %
    /// of it. A feature whose rates are not known is absent.
    #[must_use]
    pub fn features(&self, multiprocessors: usize) -> Vec<DeviceFeature> {
        let count = multiprocessors as f64;
        let clock_ghz = f64::from(self.clock_khz) / 1e6;
        let memory_gbps =
            2.0 * f64::from(self.memory_clock_khz) / 1e6 * f64::from(self.memory_bus_bits) / 8.0;
        let mut features = vec![
            ("sm_count", count),
            ("global_mem_gb", self.memory_bytes as f64 / 1e9),
            ("clock_rate_mhz", f64::from(self.clock_khz) / 1e3),
            ("mem_clock_rate_mhz", f64::from(self.memory_clock_khz) / 1e3),
            ("mem_bus_width_bits", f64::from(self.memory_bus_bits)),
            ("l2_cache_kib", f64::from(self.l2_bytes) / 1024.0),
            ("shared_mem_per_block_kib", f64::from(self.shared_bytes_per_block) / 1024.0),
            ("copy_engines", f64::from(self.copy_engines)),
            ("peak_gbps", memory_gbps.min(64.0 * count * clock_ghz)),
        ];
        if let Some(rates) = self.rates() {
            let cores = count * f64::from(rates.single);
            features.push(("cuda_cores", cores));
            features.push(("peak_gflops_sp", 2.0 * cores * clock_ghz));
            features.push(("peak_gflops_dp", 2.0 * count * f64::from(rates.double) * clock_ghz));
        }
        let known = features.into_iter().filter(|(name, value)| *value > 0.0 || *name == "copy_engines");
        known.map(|(name, value)| DeviceFeature { name: name.to_owned(), value }).collect()
    }

    /// A short identity of the kind of GPU: its name and the size of its memory, e.g. `nvidia-h200-140gb`.
    #[must_use]
    pub fn id(&self) -> String {
        let words = self.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let name: Vec<String> = words.map(str::to_ascii_lowercase).collect();
        let gib = (self.memory_bytes as f64 / f64::from(1 << 30)).round();
        format!("{}-{gib}gb", if name.is_empty() { "gpu".to_owned() } else { name.join("-") })
    }

    /// The identity in stores and tables of a GPU of this kind, or of a part of it, e.g.
    /// `cuda:0/16sm@nvidia-h200-140gb`.
    ///
    /// Measurements hold for every GPU of the kind, so the number in it is always that of the first GPU, whichever
    /// number this one has on its machine. Identical GPUs share measurements, also those made on other machines.
    pub(crate) fn identity(&self, part: Option<usize>) -> String {
        let first = Name { ordinal: 0, multiprocessors: part };
        format!("{first}@{}", self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200() -> Attributes {
        Attributes {
            name: "NVIDIA H200".into(),
            memory_bytes: 150_109_880_320,
            multiprocessors: 132,
            compute_capability: (9, 0),
            clock_khz: 1_980_000,
            memory_clock_khz: 3_201_000,
            memory_bus_bits: 6144,
            l2_bytes: 62_914_560,
            shared_bytes_per_block: 49152,
            threads_per_multiprocessor: 2048,
            copy_engines: 3,
            has_memory_pools: true,
        }
    }

    fn feature(features: &[DeviceFeature], name: &str) -> f64 {
        features.iter().find(|feature| feature.name == name).unwrap_or_else(|| panic!("{name}")).value
    }

    #[test]
    fn peaks_are_those_of_the_data_sheet() {
        let features = h200().features(132);
        assert_eq!(feature(&features, "cuda_cores"), 16896.0);
        for (name, data_sheet) in
            [("peak_gbps", 4800.0), ("peak_gflops_sp", 67_000.0), ("peak_gflops_dp", 34_000.0)]
        {
            let value = feature(&features, name);
            assert!((value / data_sheet - 1.0).abs() < 0.03, "{name} {value}");
        }
        assert_eq!(feature(&features, "l2_cache_kib"), 61440.0);
    }

    #[test]
    fn a_partition_has_its_share_of_what_belongs_to_multiprocessors() {
        let (whole, part) = (h200().features(132), h200().features(16));
        for name in ["sm_count", "cuda_cores", "peak_gflops_sp", "peak_gflops_dp"] {
            let ratio = feature(&part, name) / feature(&whole, name);
            assert!((ratio - 16.0 / 132.0).abs() < 1e-12, "{name}");
        }
        for name in ["global_mem_gb", "l2_cache_kib", "clock_rate_mhz", "mem_bus_width_bits"] {
            assert_eq!(feature(&part, name), feature(&whole, name), "{name}");
        }
        assert_eq!(feature(&part, "peak_gbps"), 64.0 * 16.0 * 1.98);
    }

    #[test]
    fn what_is_not_known_is_no_feature() {
        let features =
            Attributes { compute_capability: (99, 0), memory_clock_khz: 0, ..h200() }.features(132);
        for absent in ["cuda_cores", "peak_gflops_sp", "peak_gbps", "mem_clock_rate_mhz"] {
            assert!(features.iter().all(|feature| feature.name != absent), "{absent}");
        }
    }

    #[test]
    fn identities_are_words_and_the_size_of_the_memory() {
        assert_eq!(h200().id(), "nvidia-h200-140gb");
        let named = Attributes { name: "NVIDIA H100 80GB HBM3".into(), ..h200() };
        assert_eq!(named.id(), "nvidia-h100-80gb-hbm3-140gb");
        assert_eq!(Attributes { name: String::new(), ..h200() }.id(), "gpu-140gb");
        assert_eq!(h200().identity(None), "cuda:0@nvidia-h200-140gb", "as in the shipped recordings");
        assert_eq!(h200().identity(Some(16)), "cuda:0/16sm@nvidia-h200-140gb");
    }
}
