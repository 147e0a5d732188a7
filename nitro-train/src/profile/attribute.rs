//! Which launches belong to which section.

use std::collections::BTreeMap;

use nitro_core::provide::SECTION_MARK;

use super::Section;
use super::ncu::Launch;
use crate::recordings::Metrics;

/// What a profile amounts to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiled {
    /// Sections of which the profiler saw every launch, with their metrics.
    pub sections: Vec<(Section, Metrics)>,
    /// What the user should know, one sentence each.
    pub notes: Vec<String>,
}

/// Sums the metrics of each section's launches. The sections are recognised by the number of blocks of their marks.
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
/// assert_eq!(profiled.sections[0].1["smsp__inst_issued.sum"], 700.0);
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
    let sum = |section: &Section| -> Metrics {
        let of = |name: &String| seen[&section.section].iter().map(|launch| launch.metrics[name]).sum();
        metrics.0.iter().map(|name| (name.clone(), of(name))).collect()
    };
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
        sections: complete.into_iter().map(|section| (section.clone(), sum(section))).collect(),
        notes,
    }
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
            launch(SECTION_MARK, 3, &[("a", 50.0)]),
            launch("first", 9, &[("a", 4.0)]),
        ];
        let profiled = attribute(&launches, &[section(1, 2), section(2, 1), section(3, 1)]);
        let sums: Vec<_> =
            profiled.sections.iter().map(|(section, metrics)| (section.section, metrics["a"])).collect();
        assert_eq!(sums, [(1, 3.0), (3, 4.0)], "nobody saw section 2");
        assert!(profiled.sections.iter().all(|(_, metrics)| !metrics.contains_key("b")));
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
