//! Inputs that nobody wrote, looked for where the original does something else.
//!
//! A patch that confuses two guards, or leaves one out, is right with sizes at which both come to the same. So sizes
//! are tried around all that the kernel computes and compares with, and between any two after which guards come to
//! something else the place is looked for at which that begins.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Guards, Options, Races};
use nitro_stats::random::Random;

use super::case::{self, Left};
use crate::Workload;
use crate::workload::{Case, Inputs, LESS};

/// Instructions of the original over all cases, and in one.
const MOST_INSTRUCTIONS: u64 = 4_000_000;
const MOST_OF_CASE: u64 = 200_000;
/// Shares of them after which cases of the next kind are tried: one number around what is known, then between.
const AROUND: f64 = 0.5;
const BETWEEN: f64 = 0.75;
/// Bytes of the buffers of a case, and of all.
const MOST_BYTES: usize = 1 << 20;
const MOST_BYTES_OF_ALL: usize = 128 << 20;
const MOST_CASES: usize = 1_000;
/// Multiples of a block that threads may take one after the other.
const MULTIPLES: u64 = 8;
/// Cases in which all numbers are drawn of what was found around.
const DRAWN: usize = 200;

/// A digest of what guards come to, and of whether there is more than one block along each axis.
type Outcome = u64;

/// A case that was run.
pub(super) struct Explored {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    /// What the original leaves.
    pub(super) expected: Left,
    outcome: Outcome,
}

/// What was found of cases that nobody wrote.
pub(super) struct Unwritten {
    /// Those that the original can run; those first with which its guards come to something new.
    pub(super) cases: Vec<Explored>,
    /// How many those are.
    pub(super) new: usize,
    /// How the original leaves its buffers, with the case in words, for each case in which it does.
    pub(super) faults: Vec<String>,
}

/// Looks for cases that nobody wrote.
pub(super) fn unwritten(workload: &Workload, module: &Module, original: &Arc<Emulator>) -> Unwritten {
    let mut explorer = Explorer {
        workload,
        original,
        guards: original.guards(module),
        seen: HashSet::new(),
        explored: Vec::new(),
        faults: Vec::new(),
        instructions: 0,
        bytes: 0,
    };
    for case in workload.small_cases() {
        explorer.run(&case);
    }
    let mut known: BTreeSet<u64> = module.numbers(&workload.kernels());
    let own = workload.numbers();
    known
        .extend(own.iter().flat_map(|number| (1..=MULTIPLES).map(move |times| number.saturating_mul(times))));
    let counts = workload.counts();
    let mut choices = vec![Vec::new(); counts.last().map_or(0, |(at, _)| at + 1)];
    for (done, &(at, most)) in (1..).zip(&counts) {
        let share = f64::from(done) / counts.len() as f64;
        choices[at] = explorer.along(at, &around(&known, most), share);
    }
    for case in workload.drawn_cases(&choices, DRAWN) {
        explorer.run(&case);
    }
    let (cases, new) = by_novelty(explorer.explored);
    Unwritten { cases, new, faults: explorer.faults }
}

/// Returns sizes from 1 to `most` around these numbers, and between: those that matter most first.
fn around(numbers: &BTreeSet<u64>, most: u64) -> Vec<u64> {
    let mut random = Random::new(most);
    let mut sizes = Vec::new();
    let mut before = 0;
    for &number in numbers.iter().filter(|&&number| number < most) {
        sizes.extend([number, number + 1, number.saturating_sub(1)]);
        let gap = number - before;
        if gap > 2 {
            sizes.push(before + 1 + random.below(gap as usize - 1) as u64);
        }
        before = number;
    }
    // What comes first is run in any case.
    for at in (1..sizes.len()).rev() {
        sizes.swap(at, random.below(at + 1));
    }
    let powers = (0..63).map(|exponent| 1 << exponent).take_while(|power| *power < most);
    let mut all: Vec<u64> = powers.chain([most]).chain(sizes).collect();
    all.retain(|size| (1..=most).contains(size));
    let mut seen = HashSet::new();
    all.retain(|size| seen.insert(*size));
    all
}

struct Explorer<'a> {
    workload: &'a Workload,
    original: &'a Arc<Emulator>,
    guards: Guards,
    /// The cases that were tried.
    seen: HashSet<String>,
    explored: Vec<Explored>,
    faults: Vec<String>,
    instructions: u64,
    bytes: usize,
}

impl Explorer<'_> {
    /// Runs the small case with these sizes in the place of one number, then with sizes between any two of which it is
    /// not known where the outcome changes; the sizes at which it does, and their neighbours.
    fn along(&mut self, at: usize, sizes: &[u64], share: f64) -> Vec<u64> {
        let Some(small) = self.workload.small_case() else { return Vec::new() };
        let mut outcomes = BTreeMap::new();
        for &size in sizes {
            if self.is_beyond(AROUND * share) {
                break;
            }
            outcomes.insert(size, self.outcome(&small.with(at, size as f64)));
        }
        while let Some(size) = widest_change(&outcomes).filter(|_| !self.is_beyond(BETWEEN * share)) {
            outcomes.insert(size, self.outcome(&small.with(at, size as f64)));
        }
        let mut choices = edges(&outcomes);
        choices.extend(LESS);
        choices
    }

    fn is_beyond(&self, share: f64) -> bool {
        self.instructions as f64 > share * MOST_INSTRUCTIONS as f64 || self.explored.len() >= MOST_CASES
    }

    /// Runs a case, and keeps it; its outcome, of what the original cannot run none.
    fn outcome(&mut self, case: &Case) -> Option<Outcome> {
        let name = self.workload.describe(case);
        if self.seen.contains(&name) {
            return self.explored.iter().find(|known| known.name == name).map(|known| known.outcome);
        }
        self.run(case)
    }

    fn run(&mut self, case: &Case) -> Option<Outcome> {
        let name = self.workload.describe(case);
        if self.is_beyond(1.0) || self.bytes > MOST_BYTES_OF_ALL || !self.seen.insert(name.clone()) {
            return None;
        }
        let inputs = self.workload.inputs_within(case, MOST_BYTES)?;
        let deadline = self.workload.deadline();
        let options =
            Options { races: Races::Ignored, max_instructions: MOST_OF_CASE, deadline, ..Options::default() };
        let left = case::run_guarded(self.original, self.original, &inputs, options, Some(&mut self.guards));
        let guards = self.guards.take();
        // A fault takes about as long as what ends well.
        self.instructions += left.as_ref().map_or(MOST_OF_CASE / 8, |left| left.instructions);
        if let Err(fault @ (Fault::OutOfBounds { .. } | Fault::Misaligned { .. })) = &left {
            self.faults.push(format!("with {name}, {fault}"));
        }
        let expected = left.ok()?;
        let mut outcome = DefaultHasher::new();
        guards.hash(&mut outcome);
        inputs.launches.iter().for_each(|launch| launch.grid.map(|blocks| blocks > 1).hash(&mut outcome));
        let outcome = outcome.finish();
        self.bytes += inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum::<usize>();
        self.explored.push(Explored { name, inputs, expected, outcome });
        Some(outcome)
    }
}

/// Outcomes by sizes, of those with which the original can run.
type Outcomes = BTreeMap<u64, Option<Outcome>>;

/// Returns the middle of the two sizes that are furthest apart of those between which the outcome changes.
fn widest_change(outcomes: &Outcomes) -> Option<u64> {
    let changes = outcomes.iter().zip(outcomes.iter().skip(1)).filter(|(one, other)| one.1 != other.1);
    let gaps = changes.map(|((&one, _), (&other, _))| (other - one, one)).filter(|(gap, _)| *gap > 1);
    gaps.max().map(|(gap, one)| one + gap / 2)
}

/// Returns the sizes beside which the outcome is another one.
fn edges(outcomes: &Outcomes) -> Vec<u64> {
    let changes = outcomes.iter().zip(outcomes.iter().skip(1)).filter(|(one, other)| one.1 != other.1);
    let runs = |size: &&u64| outcomes.get(*size).is_some_and(Option::is_some);
    let edges: BTreeSet<u64> =
        changes.flat_map(|(one, other)| [one.0, other.0]).filter(runs).copied().collect();
    edges.into_iter().collect()
}

/// Puts those first with which the outcome is new, the smallest of each, all by their instructions.
fn by_novelty(mut explored: Vec<Explored>) -> (Vec<Explored>, usize) {
    explored.sort_by_key(|case| case.expected.instructions);
    let mut outcomes = HashSet::new();
    let (mut new, others): (Vec<Explored>, Vec<Explored>) =
        explored.into_iter().partition(|case| outcomes.insert(case.outcome));
    let count = new.len();
    new.extend(others);
    (new, count)
}
