//! The fastest path of each part (section 6.1): what is good for one kernel is not held against it that another one
//! was slow.

use std::collections::BTreeMap;

use crate::Observation;
use crate::paths::{Crossing, Part, PartReport, Path, Report};

/// Within this factor of the best a time is as good.
const AS_GOOD: f64 = 1.05;

#[derive(Default)]
pub(super) struct Parts {
    best: BTreeMap<Part, Fastest>,
}

struct Fastest {
    time_ns: f64,
    /// The nodes that were crossed in the part.
    crossings: Vec<Crossing>,
}

impl Parts {
    /// Remembers the reports of an iteration, and returns true if some part has a new best.
    pub(super) fn record(&mut self, step: &[Observation<Path, Report>]) -> bool {
        let mut changed = false;
        for (path, part) in ran(step) {
            let before = self.best.get(&part.part).map_or(f64::INFINITY, |fastest| fastest.time_ns);
            if part.time_ns < before {
                let crossings = within(path, &part.part).cloned().collect();
                self.best.insert(part.part.clone(), Fastest { time_ns: part.time_ns, crossings });
                changed = true;
            }
        }
        changed
    }

    /// Returns a path with what was fastest of each part in the place of what it crossed there.
    pub(super) fn joined(&self, path: &[Crossing], report: &Report) -> Vec<Crossing> {
        let (mut joined, mut replaced) = (Vec::new(), Vec::<&Part>::new());
        for crossing in path {
            match crossing.part.as_ref().filter(|part| self.is_faster(part, report)) {
                Some(part) => replaced.push(part),
                None => joined.push(crossing.clone()),
            }
        }
        replaced.dedup();
        joined.extend(replaced.into_iter().flat_map(|part| self.best[part].crossings.clone()));
        joined
    }

    /// Returns what deposits in each part: the fastest of this iteration where it is as good as the best, else that.
    pub(super) fn depositors(&self, step: &[Observation<Path, Report>]) -> Vec<Vec<Crossing>> {
        let mut depositors = Vec::with_capacity(self.best.len());
        for (part, best) in &self.best {
            let own = ran(step).filter(|(_, report)| report.part == *part);
            let fastest = own.min_by(|(_, one), (_, other)| one.time_ns.total_cmp(&other.time_ns));
            depositors.push(match fastest.filter(|(_, report)| report.time_ns <= AS_GOOD * best.time_ns) {
                Some((path, _)) => within(path, part).cloned().collect(),
                None => best.crossings.clone(),
            });
        }
        depositors
    }

    /// Returns true if the best of a part is faster than this report.
    fn is_faster(&self, part: &Part, report: &Report) -> bool {
        self.best.get(part).is_some_and(|best| best.time_ns < report.cost_of(Some(part)))
    }
}

/// Returns the parts of what did not fail, with their paths.
fn ran(step: &[Observation<Path, Report>]) -> impl Iterator<Item = (&Path, &PartReport)> {
    let ran = step.iter().filter(|own| own.report.evaluation.time_ns().is_some());
    ran.flat_map(|own| own.report.parts.iter().map(|part| (&own.proposal, part)))
}

fn within<'a>(path: &'a [Crossing], part: &Part) -> impl Iterator<Item = &'a Crossing> {
    path.iter().filter(move |crossing| crossing.part.as_ref() == Some(part))
}
