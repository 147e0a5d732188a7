//! The fastest path of each part (section 6.1): what is good for one kernel is not held against it that another one
//! was slow.

use std::collections::BTreeMap;

use crate::paths::{Crossing, Part, PartReport, Report};

/// Within this factor of the best a time is as good.
const AS_GOOD: f64 = 1.05;

#[derive(Default)]
pub(super) struct Parts {
    best: BTreeMap<Part, Fastest>,
}

struct Fastest {
    time_ns: f64,
    /// What was crossed in the part.
    crossings: Vec<Crossing>,
}

impl Parts {
    /// Remembers the outcomes of an iteration; whether some part has a new best.
    pub(super) fn record(&mut self, told: &[(&[Crossing], &Report)]) -> bool {
        let mut changed = false;
        for (path, part) in ran(told) {
            let before = self.best.get(&part.part).map_or(f64::INFINITY, |fastest| fastest.time_ns);
            if part.time_ns < before {
                let crossings = within(path, &part.part).cloned().collect();
                self.best.insert(part.part.clone(), Fastest { time_ns: part.time_ns, crossings });
                changed = true;
            }
        }
        changed
    }

    /// A path with what was fastest of each part in the place of what it crossed there.
    pub(super) fn joined(&self, path: &[Crossing], report: &Report) -> Vec<Crossing> {
        let is_faster =
            |part: &Part| self.best.get(part).is_some_and(|best| best.time_ns < report.cost_of(Some(part)));
        let (replaced, mut joined): (Vec<Crossing>, Vec<Crossing>) =
            path.iter().cloned().partition(|crossing| crossing.part.as_ref().is_some_and(is_faster));
        let mut parts: Vec<&Part> = replaced.iter().filter_map(|crossing| crossing.part.as_ref()).collect();
        parts.dedup();
        joined.extend(parts.into_iter().flat_map(|part| self.best[part].crossings.clone()));
        joined
    }

    /// For each part what deposits there: the fastest of this iteration where it is as good as the best, else that.
    pub(super) fn depositors(&self, told: &[(&[Crossing], &Report)]) -> Vec<Vec<Crossing>> {
        let depositor = |(part, best): (&Part, &Fastest)| {
            let own = ran(told).filter(|(_, report)| report.part == *part);
            let fastest = own.min_by(|(_, one), (_, other)| one.time_ns.total_cmp(&other.time_ns));
            match fastest.filter(|(_, report)| report.time_ns <= AS_GOOD * best.time_ns) {
                Some((path, _)) => within(path, part).cloned().collect(),
                None => best.crossings.clone(),
            }
        };
        self.best.iter().map(depositor).collect()
    }
}

/// The parts of what did not fail, and their paths.
fn ran<'a>(told: &[(&'a [Crossing], &'a Report)]) -> impl Iterator<Item = (&'a [Crossing], &'a PartReport)> {
    let ran = told.iter().filter(|(_, report)| report.evaluation.time_ns().is_some());
    ran.flat_map(|(path, report)| report.parts.iter().map(|part| (*path, part)))
}

fn within<'a>(path: &'a [Crossing], part: &Part) -> impl Iterator<Item = &'a Crossing> {
    path.iter().filter(move |crossing| crossing.part.as_ref() == Some(part))
}
