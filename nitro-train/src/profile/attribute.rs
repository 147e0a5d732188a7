//! Which launches belong to which section.

use std::collections::BTreeMap;

use nitro_core::provide::SECTION_MARK;
use nitro_store::recordings::Metrics;

use super::Section;
use super::ncu::Launch;

/// What a profile amounts to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiled {
    /// Sections of which the profiler saw every launch, with their kernels in the order of their first launches.
    pub sections: Vec<(Section, Vec<KernelMetrics>)>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// One kernel in a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelMetrics {
    /// The kernel, as the profiler names it.
    pub kernel: String,
    /// Number of its launches that were seen.
    pub launches: usize,
    /// The metrics, summed over these.
    pub metrics: Metrics,
}

/// Sums the metrics of the launches of each kernel in each section. The sections are recognised by the number of
/// blocks of their marks.
///
/// A section of which launches are missing is left out, and a metric that some launch does not have is left out of all.
///
/// ```
/// use nitro_train::profile::ncu::Launch;
/// use nitro_train::profile::{Section, Shown, attribute};
/// use nitro_train::provide::SECTION_MARK;
///
/// let launch = |kernel: &str, blocks, issued| {
///     Launch { kernel: kernel.into(), blocks, metrics: [("smsp__inst_issued.sum".to_owned(), issued)].into() }
/// };
/// let launches = [launch(SECTION_MARK, 1, 1.0), launch("split", 64, 500.0), launch("merge", 32, 200.0)];
/// let what = Shown::Variant { variant: "stable".into(), input: "train/10".into(), launches: 2 };
/// let profiled = attribute(&launches, &[Section { section: 1, shown: 2, what }]);
/// let (_, kernels) = &profiled.sections[0];
/// assert_eq!((kernels[0].kernel.as_str(), kernels[0].metrics["smsp__inst_issued.sum"]), ("split", 500.0));
/// assert_eq!((kernels[1].kernel.as_str(), kernels[1].launches), ("merge", 1));
/// assert!(profiled.notes.is_empty());
/// ```
#[must_use]
pub fn attribute(launches: &[Launch], sections: &[Section]) -> Profiled {
    let mut seen = BTreeMap::<u32, Vec<&Launch>>::new();
    let mut current = 0; // what comes before the first mark belongs to no section
    for launch in launches {
        if launch.kernel.starts_with(SECTION_MARK) {
            current = launch.blocks;
        } else {
            seen.entry(current).or_default().push(launch);
        }
    }
    let whole =
        |section: &&Section| seen.get(&section.section).is_some_and(|seen| seen.len() == section.shown);
    let (complete, partial): (Vec<&Section>, Vec<&Section>) = sections.iter().partition(whole);
    let within: Vec<&Launch> = complete.iter().flat_map(|section| &seen[&section.section]).copied().collect();
    let metrics = common(&within);
    let mut notes: Vec<String> = metrics
        .1
        .iter()
        .map(|name| format!("{name} is not available for every launch and is left out"))
        .collect();
    if !partial.is_empty() {
        notes.push(format!(
            "{} of {} calls were not seen whole and are left out",
            partial.len(),
            sections.len()
        ));
    }
    Profiled {
        sections: complete
            .into_iter()
            .map(|section| (section.clone(), by_kernel(&seen[&section.section], &metrics.0)))
            .collect(),
        notes,
    }
}

/// The launches of each kernel together, with these metrics, which all of them have.
fn by_kernel(launches: &[&Launch], names: &[String]) -> Vec<KernelMetrics> {
    let mut kernels: Vec<KernelMetrics> = Vec::new();
    for launch in launches {
        let at = kernels.iter().position(|own| own.kernel == launch.kernel).unwrap_or_else(|| {
            kernels.push(KernelMetrics { kernel: launch.kernel.clone(), ..KernelMetrics::default() });
            kernels.len() - 1
        });
        kernels[at].launches += 1;
        for name in names {
            *kernels[at].metrics.entry(name.clone()).or_default() += launch.metrics[name];
        }
    }
    kernels
}

/// Names of metrics that every launch has, and of those that only some have.
fn common(launches: &[&Launch]) -> (Vec<String>, Vec<String>) {
    let mut counts = BTreeMap::<&String, usize>::new();
    for name in launches.iter().flat_map(|launch| launch.metrics.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let (all, some): (Vec<_>, Vec<_>) = counts.into_iter().partition(|(_, count)| *count == launches.len());
    let names = |counts: Vec<(&String, usize)>| counts.into_iter().map(|(name, _)| name.clone()).collect();
    (names(all), names(some))
}

#[cfg(test)]
mod tests {
    use super::super::Shown;
    use super::*;

    fn launch(kernel: &str, blocks: u32, metrics: &[(&str, f64)]) -> Launch {
        let metrics = metrics.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        Launch { kernel: kernel.to_owned(), blocks, metrics }
    }

    fn section(section: u32, shown: usize) -> Section {
        Section { section, shown, what: Shown::Proxy { proxy: "atomics".into(), intensity: section } }
    }

    #[test]
    fn launches_belong_to_the_mark_before_them() {
        let launches = [
            launch("stray", 1, &[("a", 100.0)]),
            launch(SECTION_MARK, 1, &[("a", 50.0)]),
            launch("first", 9, &[("a", 1.0), ("b", 1.0)]),
            launch("second", 9, &[("a", 2.0), ("b", 1.0)]),
            launch("first", 9, &[("a", 5.0), ("b", 1.0)]),
            launch(SECTION_MARK, 3, &[("a", 50.0)]),
            launch("first", 9, &[("a", 4.0)]),
        ];
        let profiled = attribute(&launches, &[section(1, 3), section(2, 1), section(3, 1)]);
        let sums: Vec<_> = profiled
            .sections
            .iter()
            .flat_map(|(section, kernels)| kernels.iter().map(|own| (section.section, own)))
            .map(|(section, own)| (section, own.kernel.as_str(), own.launches, own.metrics["a"]))
            .collect();
        let expected = [(1, "first", 2, 6.0), (1, "second", 1, 2.0), (3, "first", 1, 4.0)];
        assert_eq!(sums, expected, "nobody saw section 2");
        let mut kernels = profiled.sections.iter().flat_map(|(_, kernels)| kernels);
        assert!(kernels.all(|own| !own.metrics.contains_key("b")));
        assert_eq!(profiled.notes.len(), 2, "{:?}", profiled.notes);
    }

    #[test]
    fn a_section_that_was_cut_short_is_left_out() {
        let launches = [launch(SECTION_MARK, 1, &[]), launch("first", 9, &[("a", 1.0)])];
        let profiled = attribute(&launches, &[section(1, 2)]);
        assert!(profiled.sections.is_empty());
        assert_eq!(profiled.notes, ["1 of 1 calls were not seen whole and are left out"]);
    }
}
