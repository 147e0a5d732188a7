//! The attribution of launches to sections.

use std::collections::BTreeMap;

use nitro_core::provide::SECTION_MARK;
use nitro_store::recordings::Metrics;

use super::Section;
use super::ncu::Launch;

/// The result of a profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Attribution {
    /// Sections of which the profiler saw every launch, with their kernels in the order of their first launches.
    pub sections: Vec<(Section, Vec<KernelMetrics>)>,
    /// Notes for the user, one sentence each.
    pub notes: Vec<String>,
}

/// The metrics of one kernel in a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KernelMetrics {
    /// The kernel, as the profiler names it.
    pub kernel: String,
    /// Number of launches that were seen.
    pub launches: usize,
    /// The metrics, summed over these.
    pub metrics: Metrics,
}

/// Sums the metrics of the launches of each kernel in each section. The sections are recognised by the number of
/// blocks of their marks.
///
/// A section of which launches are missing is left out, and a metric that some launch does not have is left out of all.
pub(crate) fn attribute(launches: &[Launch], sections: &[Section]) -> Attribution {
    let mut seen = BTreeMap::<u32, Vec<&Launch>>::new();
    let mut current = 0; // what comes before the first mark belongs to no section
    for launch in launches {
        if launch.kernel.starts_with(SECTION_MARK) {
            current = launch.blocks;
        } else {
            seen.entry(current).or_default().push(launch);
        }
    }
    // Of a section with launches missing nothing is known for certain.
    let (mut complete, mut within) = (Vec::new(), Vec::new());
    for section in sections {
        if let Some(launches) = seen.get(&section.section).filter(|seen| seen.len() == section.shown) {
            complete.push((section, launches));
            within.extend_from_slice(launches);
        }
    }
    let (names, partial) = common(&within);
    let mut notes: Vec<String> = partial
        .iter()
        .map(|name| format!("{name} is not available for every launch and is left out"))
        .collect();
    let missing = sections.len() - complete.len();
    if missing > 0 {
        notes.push(format!("{missing} of {} calls were not seen whole and are left out", sections.len()));
    }
    let mut attributed = Vec::new();
    for (section, launches) in complete {
        attributed.push((section.clone(), by_kernel(launches, &names)));
    }
    Attribution { sections: attributed, notes }
}

/// Joins the launches of each kernel, with these metrics, which all of them have.
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

/// Returns the names of metrics that every launch has, and of those that only some have.
fn common(launches: &[&Launch]) -> (Vec<String>, Vec<String>) {
    let mut counts = BTreeMap::<&String, usize>::new();
    for name in launches.iter().flat_map(|launch| launch.metrics.keys()) {
        *counts.entry(name).or_default() += 1;
    }
    let (mut all, mut some) = (Vec::new(), Vec::new());
    for (name, count) in counts {
        let names = if count == launches.len() { &mut all } else { &mut some };
        names.push(name.clone());
    }
    (all, some)
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
