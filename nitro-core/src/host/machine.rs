//! The processor, as the operating system describes it.

use std::num::NonZero;
use std::path::Path;

use crate::hash::fnv1a;
use crate::{DeviceFeature, order};

/// The processor of a machine. A number that the system does not tell is 0, and absent among the device features.
///
/// ```
/// use nitro_core::host;
///
/// // What is the same here and there is one machine to models, whatever its name.
/// let (here, mut there) = (host::machine(), host::machine().clone());
/// assert_eq!(here.id(), there.id());
/// there.l3_bytes += 1 << 20;
/// assert_ne!(here.id(), there.id());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    /// Marketing name of the processor.
    pub model_name: String,
    /// Vendor's numbers of the model (family, model, stepping), as text.
    pub model_numbers: String,
    /// Hardware threads that the process may use.
    pub logical_cpus: usize,
    /// Physical cores.
    pub cores: usize,
    /// Clock in MHz: the highest if the system tells it, else the present one.
    pub clock_mhz: f64,
    /// True where the clock is that of the moment when the machine was looked at.
    pub clock_is_momentary: bool,
    /// First-level data cache of a core.
    pub l1_bytes: u64,
    /// Second-level cache of a core.
    pub l2_bytes: u64,
    /// Third-level cache.
    pub l3_bytes: u64,
    /// Width of a vector register.
    pub simd_bits: u32,
}

impl Machine {
    /// Looks at this machine.
    pub(super) fn detect() -> Self {
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut machine = Self::from_cpuinfo(&cpuinfo);
        machine.logical_cpus = available_threads();
        machine.cores = if machine.cores == 0 { machine.logical_cpus } else { machine.cores };
        machine.simd_bits = simd_bits();
        machine.read_caches(Path::new("/sys/devices/system/cpu/cpu0/cache"));
        let highest = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
        if let Some(khz) = highest.ok().and_then(|text| text.trim().parse::<f64>().ok()) {
            machine.clock_mhz = khz / 1e3;
            machine.clock_is_momentary = false;
        }
        machine
    }

    fn from_cpuinfo(cpuinfo: &str) -> Self {
        let first = |key| values(cpuinfo, key).next().unwrap_or_default();
        let cores: Vec<(&str, &str)> =
            values(cpuinfo, "physical id").zip(values(cpuinfo, "core id")).collect();
        let order = order::order(cores.len(), &|one, other| cores[one].cmp(&cores[other]));
        let repeats = order.windows(2).filter(|pair| cores[pair[0]] == cores[pair[1]]).count();
        Self {
            model_name: first("model name").to_owned(),
            model_numbers: format!("{}/{}/{}", first("cpu family"), first("model"), first("stepping")),
            cores: cores.len() - repeats,
            clock_mhz: first("cpu MHz").parse().unwrap_or(0.0),
            clock_is_momentary: true,
            ..Self::default()
        }
    }

    /// Reads the sizes of caches as Linux tells them, one folder a cache: `level`, `type`, `size` (as `48K`).
    fn read_caches(&mut self, folder: &Path) {
        for index in 0..8 {
            let cache = folder.join(format!("index{index}"));
            let [level, kind, size] = ["level", "type", "size"]
                .map(|name| std::fs::read_to_string(cache.join(name)).unwrap_or_default());
            if kind.trim() == "Instruction" {
                continue;
            }
            let bytes = parse_size(size.trim()).unwrap_or(0);
            match level.trim() {
                "1" => self.l1_bytes = bytes,
                "2" => self.l2_bytes = bytes,
                "3" => self.l3_bytes = bytes,
                _ => {}
            }
        }
    }

    /// A short identity: the same processor in the same configuration has the same, another very likely another.
    #[must_use]
    pub fn id(&self) -> String {
        let kind = format!(
            "{}|{}|{}|{}|{}|{}",
            self.model_name,
            self.model_numbers,
            self.logical_cpus,
            self.l1_bytes,
            self.l2_bytes,
            self.l3_bytes
        );
        format!(
            "{}-{}cpu-{:06x}",
            slug(&self.model_name),
            self.logical_cpus,
            fnv1a(kind.as_bytes()) & 0xff_ffff
        )
    }

    /// The known device features of this machine used with `threads` threads. First those that every machine of the
    /// kind has, then those of the moment.
    pub(super) fn features(&self, threads: usize) -> (Vec<DeviceFeature>, Vec<DeviceFeature>) {
        let features = [
            ("threads", threads as f64),
            ("cores", self.cores as f64),
            ("clock_mhz", self.clock_mhz),
            ("l1_bytes", self.l1_bytes as f64),
            ("l2_bytes", self.l2_bytes as f64),
            ("l3_bytes", self.l3_bytes as f64),
            ("simd_bits", f64::from(self.simd_bits)),
        ];
        let known = features.into_iter().filter(|(_, value)| *value > 0.0);
        let features = known.map(|(name, value)| DeviceFeature { name: name.to_owned(), value });
        features.partition(|feature| !(self.clock_is_momentary && feature.name == "clock_mhz"))
    }
}

/// Number of threads that the process may use at once.
#[must_use]
pub fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The values of a key of `/proc/cpuinfo`, one a hardware thread.
fn values<'a>(cpuinfo: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    cpuinfo.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Width of the widest vectors that the processor adds and multiplies.
fn simd_bits() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        match () {
            () if is_x86_feature_detected!("avx512f") => 512,
            () if is_x86_feature_detected!("avx2") => 256,
            () => 128,
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        128
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        0
    }
}

/// Lower-case words of a marketing name, without what is on every label.
fn slug(name: &str) -> String {
    let name = name.split('@').next().unwrap_or_default().replace("(R)", "").replace("(TM)", "");
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase);
    let words: Vec<_> =
        words.filter(|word| !matches!(word.as_str(), "" | "cpu" | "processor" | "core")).collect();
    if words.is_empty() { "unknown".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPUINFO: &str = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz\n\
        stepping\t: 8\ncpu MHz\t\t: 2700.000\nphysical id\t: 0\ncore id\t\t: 0\n\nprocessor\t: 1\nphysical id\t: 0\ncore id\t\t: 0\n\n\
        processor\t: 2\nphysical id\t: 0\ncore id\t\t: 1\n";

    #[test]
    fn cpuinfo_gives_model_clock_and_physical_cores() {
        let machine = Machine::from_cpuinfo(CPUINFO);
        assert_eq!(machine.model_numbers, "6/143/8");
        assert_eq!(machine.cores, 2);
        assert_eq!(machine.clock_mhz, 2700.0);
        assert!(machine.id().starts_with("intel-xeon-platinum-8481c-0cpu-"), "{}", machine.id());
    }

    #[test]
    fn what_is_not_known_is_no_feature() {
        let (features, momentary) = Machine::from_cpuinfo("").features(4);
        assert_eq!(momentary, []);
        assert_eq!(features.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["threads"]);
    }

    #[test]
    fn a_present_clock_is_of_the_moment_and_a_highest_one_is_not() {
        let names = |features: &[DeviceFeature]| -> Vec<String> {
            features.iter().map(|feature| feature.name.clone()).collect()
        };
        let machine = Machine::from_cpuinfo(CPUINFO);
        let (of_kind, momentary) = machine.features(2);
        assert_eq!(
            (names(&of_kind), names(&momentary)),
            (vec!["threads".into(), "cores".into()], vec!["clock_mhz".into()])
        );
        let (of_kind, momentary) = Machine { clock_is_momentary: false, ..machine }.features(2);
        assert_eq!((of_kind.len(), momentary), (3, vec![]));
    }

    #[test]
    fn machines_that_differ_in_a_cache_have_different_identities() {
        let machine = Machine::from_cpuinfo(CPUINFO);
        let other = Machine { l2_bytes: 1 << 20, ..machine.clone() };
        assert_ne!(machine.id(), other.id());
    }

    #[test]
    fn sizes_have_binary_units() {
        for (text, bytes) in
            [("48K", Some(49152)), ("2M", Some(2 << 20)), ("512", Some(512)), ("x", None), ("1T", None)]
        {
            assert_eq!(parse_size(text), bytes, "{text}");
        }
    }
}
