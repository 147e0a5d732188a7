//! How an evolution went: what a page draws.

use std::collections::BTreeMap;

use nitro_ptx::Edit;
use nitro_search::evolve::{Fitness, Purpose, Report};
use serde::Serialize;

use crate::evolve::Found;
use crate::log::Entry;

/// What became of the candidates.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Counts {
    /// All that were looked at, with those that were measured again.
    pub trials: usize,
    /// Those that ran.
    pub ran: usize,
    /// Those with the machine code of another.
    pub same: usize,
    /// Those that failed, by how.
    pub failed: BTreeMap<String, usize>,
}

/// Where an evolution stood after a generation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The generation, the first is 0.
    pub generation: usize,
    /// Since the evolution began.
    pub seconds: f64,
    /// Candidates so far.
    pub trials: usize,
    /// The fastest run so far of what is as exact as the original.
    pub best_exact_ns: f64,
    /// The fastest run so far of all that is allowed.
    pub best_ns: f64,
}

/// How an edit of a patch came into being and spread.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lineage {
    /// As it stands in a patch.
    pub edit: String,
    /// The first trial with it.
    pub first_trial: u64,
    /// For each generation, the share of its new candidates that had it.
    pub shares: Vec<f64>,
}

/// What was tried, by time and error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Tried {
    /// Time and error.
    #[serde(flatten)]
    pub fitness: Fitness,
    /// How many edits.
    pub edits: usize,
}

/// The course of an evolution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct History {
    /// What became of the candidates.
    pub counts: Counts,
    /// After each generation.
    pub moments: Vec<Moment>,
    /// Everything that ran, in order.
    pub tried: Vec<Tried>,
}

impl History {
    pub(crate) fn new(entries: &[Entry], max_error: f64) -> Self {
        let mut history = Self { counts: Counts::default(), moments: Vec::new(), tried: Vec::new() };
        let mut best = (f64::INFINITY, f64::INFINITY);
        for entry in entries {
            history.counts.add(entry.told.report);
            if let Report::Ran { fitness, .. } = entry.told.report
                && entry.told.proposal.purpose == Purpose::Search
            {
                history.tried.push(Tried { fitness, edits: entry.told.proposal.edits.len() });
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
    fn add(&mut self, report: Report) {
        self.trials += 1;
        match report {
            Report::Ran { .. } => self.ran += 1,
            Report::Same(_) => self.same += 1,
            Report::Failed(failure) => {
                *self.failed.entry(format!("{failure:?}").to_lowercase()).or_default() += 1;
            }
        }
    }
}

/// How these edits came to be.
pub(crate) fn lineages(found: &Found, edits: &[Edit]) -> Vec<Lineage> {
    let new = || found.entries.iter().filter(|entry| entry.told.proposal.purpose == Purpose::Search);
    let generations = new().map(|entry| entry.generation + 1).max().unwrap_or(0);
    edits
        .iter()
        .filter_map(|edit| {
            let first = new().find(|entry| entry.told.proposal.edits.contains(edit))?;
            let mut counts = vec![(0usize, 0usize); generations];
            for entry in new() {
                counts[entry.generation].0 += usize::from(entry.told.proposal.edits.contains(edit));
                counts[entry.generation].1 += 1;
            }
            let share = |(with, all): (usize, usize)| with as f64 / all.max(1) as f64;
            Some(Lineage {
                edit: edit.operation.to_string(),
                first_trial: new().position(|entry| std::ptr::eq(entry, first)).unwrap_or(0) as u64,
                shares: counts.into_iter().map(share).collect(),
            })
        })
        .collect()
}

/// For each generation, the most of these edits that one of its new candidates had: how they came together.
pub(crate) fn together(found: &Found, edits: &[Edit]) -> Vec<usize> {
    let mut most = Vec::new();
    for entry in found.entries.iter().filter(|entry| entry.told.proposal.purpose == Purpose::Search) {
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
        let found = Found {
            entries,
            begun_with: Vec::new(),
            front: Vec::new(),
            finalists: Vec::new(),
            generations: 4,
            time: Duration::ZERO,
        };
        assert_eq!(together(&found, &edits("delete b1\ndelete b2\n")), [0, 1, 0, 2]);
    }
}
