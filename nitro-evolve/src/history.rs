//! The course of an evolution, which the page draws.

use std::collections::BTreeMap;

use nitro_ptx::Edit;
use nitro_search::evolve::{Fitness, Purpose, Report};
use serde::Serialize;

use crate::log::Entry;

/// The numbers of candidates by what became of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// All trials, with those that were measured again.
    pub trials: usize,
    /// Candidates that ran.
    pub ran: usize,
    /// Candidates with the machine code of another.
    pub same: usize,
    /// Candidates that failed, by the kind of failure.
    pub failed: BTreeMap<String, usize>,
}

/// The state of an evolution after a generation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Moment {
    /// The number of the generation, from 0.
    pub generation: usize,
    /// The seconds since the evolution began.
    pub seconds: f64,
    /// The candidates so far.
    pub trials: usize,
    /// The fastest run so far of a candidate that is as exact as the original.
    pub best_exact_ns: f64,
    /// The fastest run so far of a candidate whose error is allowed.
    pub best_ns: f64,
}

/// The origin of an edit, and its spread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Lineage {
    /// The edit as it stands in a patch.
    pub edit: String,
    /// The first trial with it.
    pub first_trial: u64,
    /// For each generation, the share of its new candidates that had it.
    pub shares: Vec<f64>,
}

/// A candidate that ran.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Attempt {
    /// Its time and error.
    #[serde(flatten)]
    pub fitness: Fitness,
    /// The number of its edits.
    pub edits: usize,
}

/// The course of an evolution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// The numbers of candidates by what became of them.
    pub counts: Counts,
    /// The state after each generation.
    pub(crate) moments: Vec<Moment>,
    /// The candidates that ran, in order.
    pub(crate) tried: Vec<Attempt>,
}

impl History {
    /// Goes through the entries of a log.
    pub(crate) fn new(entries: &[Entry], max_error: f64) -> Self {
        let mut history = Self { counts: Counts::default(), moments: Vec::new(), tried: Vec::new() };
        let mut best = (f64::INFINITY, f64::INFINITY);
        for entry in entries {
            history.counts.add(entry.told.report);
            if let Report::Ran { fitness, .. } = entry.told.report
                && entry.told.proposal.purpose == Purpose::Search
            {
                history.tried.push(Attempt { fitness, edits: entry.told.proposal.edits.len() });
                best.0 = if fitness.error == 0.0 { fitness.time_ns.min(best.0) } else { best.0 };
                best.1 = if fitness.error <= max_error { fitness.time_ns.min(best.1) } else { best.1 };
            }
            if history.moments.last().is_none_or(|moment| moment.generation != entry.generation) {
                let (generation, seconds) = (entry.generation, 0.0);
                history.moments.push(Moment {
                    generation,
                    seconds,
                    trials: 0,
                    best_exact_ns: 0.0,
                    best_ns: 0.0,
                });
            }
            if let Some(moment) = history.moments.last_mut() {
                (moment.best_exact_ns, moment.best_ns) = best;
                (moment.seconds, moment.trials) = (entry.at.as_secs_f64(), history.counts.trials);
            }
        }
        history
    }
}

impl Counts {
    /// Counts a report.
    fn add(&mut self, report: Report) {
        self.trials += 1;
        match report {
            Report::Ran { .. } => self.ran += 1,
            Report::Same(_) => self.same += 1,
            Report::Failed(failure) => {
                *self.failed.entry(format!("{failure:?}").to_lowercase()).or_default() += 1;
            }
            Report::Blamed(_) => *self.failed.entry("blamed".to_owned()).or_default() += 1,
        }
    }
}

/// Returns the entries of new candidates.
fn new_candidates(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    entries.iter().filter(|entry| entry.told.proposal.purpose == Purpose::Search)
}

/// Returns the lineage of each edit that some candidate had.
pub(crate) fn lineages(entries: &[Entry], edits: &[Edit]) -> Vec<Lineage> {
    let mut lineages = Vec::new();
    for edit in edits {
        let (mut first_trial, mut counts) = (None, Vec::new());
        for (number, entry) in (0..).zip(new_candidates(entries)) {
            if counts.len() <= entry.generation {
                counts.resize(entry.generation + 1, (0usize, 0usize));
            }
            let (with_it, all) = &mut counts[entry.generation];
            *all += 1;
            if entry.told.proposal.edits.contains(edit) {
                *with_it += 1;
                first_trial.get_or_insert(number);
            }
        }
        let Some(first_trial) = first_trial else { continue };
        let shares = counts.iter().map(|(with_it, all)| *with_it as f64 / (*all).max(1) as f64).collect();
        lineages.push(Lineage { edit: edit.operation.to_string(), first_trial, shares });
    }
    lineages
}

/// Returns for each generation the most of these edits that one of its new candidates had.
pub(crate) fn together(entries: &[Entry], edits: &[Edit]) -> Vec<usize> {
    let mut most = Vec::new();
    for entry in new_candidates(entries) {
        if most.len() <= entry.generation {
            most.resize(entry.generation + 1, 0);
        }
        let own = edits.iter().filter(|edit| entry.told.proposal.edits.contains(edit)).count();
        most[entry.generation] = own.max(most[entry.generation]);
    }
    most
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nitro_core::Artifact;
    use nitro_ptx::Patch;
    use nitro_search::evolve::Trial;
    use nitro_search::{Failure, Observation};

    use super::*;

    fn edits(lines: &str) -> Vec<Edit> {
        let text = format!("patch of {}\n{lines}", Artifact::of("a text"));
        text.parse::<Patch>().unwrap().edits
    }

    #[test]
    fn edits_are_counted_in_one_candidate_and_not_over_several() {
        let entry = |generation, lines: &str, purpose| {
            let trial = Trial { id: serde_json::from_str("0").unwrap(), purpose, edits: edits(lines) };
            let told = Observation { proposal: trial, report: Report::Failed(Failure::Wrong) };
            Entry { at: Duration::ZERO, generation, told }
        };
        let entries = vec![
            entry(0, "", Purpose::Search),
            entry(1, "delete b1\n", Purpose::Search),
            entry(1, "delete b2\n", Purpose::Search),
            entry(1, "delete b1\ndelete b2\n", Purpose::Validation),
            entry(3, "delete b1\ndelete b2\ndelete b9\n", Purpose::Search),
        ];
        assert_eq!(together(&entries, &edits("delete b1\ndelete b2\n")), [0, 1, 0, 2]);
    }
}
