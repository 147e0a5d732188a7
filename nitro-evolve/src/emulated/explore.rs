//! The search for inputs that nobody wrote, and with which the original does something new.
//!
//! A patch that confuses two guards, or leaves one out, is right with sizes at which both come to the same. So sizes
//! are tried around all that the kernel computes and compares with, and between any two after which guards come to
//! something else the place is looked for at which that begins.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Fault, Guards, Options, Races};
use nitro_search::threads::{cores, on_threads};
use nitro_stats::random::Random;

use super::case::{self, RunResult};
use super::piece::{Piece, pieces};
use super::shown::Hidden;
use crate::workload::{Case, Inputs, LESS, Workload};

/// The most instructions of the original over all cases.
const MOST_INSTRUCTIONS: u64 = 4_000_000;
/// The most instructions of the original in one case.
const MOST_OF_CASE: u64 = 200_000;
/// The shares of them after which no case of some kind is tried any more: with powers of two, with small numbers, with
/// one number around known sizes, and between two sizes.
const LADDERS: f64 = 0.35;
const SMALL: f64 = 0.5;
const AROUND: f64 = 0.7;
const BETWEEN: f64 = 0.85;
/// The factor by which one number may make a small case larger.
const MOST_GROWTH: u64 = 10;
/// The most bytes of the buffers of a case, unless the smallest one has more than half of that. Where that has no more
/// than the second number, it is twice as many.
const MOST_BYTES: usize = 1 << 20;
const MOST_OF_SMALLEST_BYTES: usize = 16 << 20;
/// The most bytes of the buffers of all cases.
const MOST_BYTES_OF_ALL: usize = 128 << 20;
const MOST_CASES: usize = 1_000;
/// The most multiples of a known number, such as a block, whose neighbours are tried.
const MULTIPLES: u64 = 8;
/// The number of cases in which all numbers are drawn of the sizes that were found.
const DRAWN: usize = 200;

/// The most instructions of cases with several blocks and rounds that come before all others.
const MOST_OF_SEVERAL: u64 = 70_000;

/// The cases that are run side by side, on however many cores, and the powers of two, each larger than the last.
const AT_ONCE: usize = 32;
const POWERS_AT_ONCE: usize = 2;
/// The instructions of a case from which on none with a larger number is tried for that alone.
const LARGE: u64 = MOST_OF_CASE / 3;

/// A digest of the outcomes of guards, and of the axes that have more than one block.
type Outcome = u64;

/// A case that the original has run.
pub(super) struct ExploredCase {
    pub(super) name: String,
    pub(super) inputs: Inputs,
    /// The result of the original.
    pub(super) expected: RunResult,
    outcome: Outcome,
    /// What its guards come to, behind each other.
    guards: Vec<u16>,
    /// Set if it shows more of the original than those that were run before.
    shows_more: bool,
}

/// Cases that nobody wrote.
pub(super) struct UnwrittenInputs {
    /// The cases that the original can run, first small ones of several blocks and rounds, then those in which a guard
    /// comes to something new, or which show more of the original, then those in which guards together do.
    pub(super) cases: Vec<ExploredCase>,
    /// The number of those.
    pub(super) new: usize,
    /// The fault of each case in which the original leaves its buffers.
    pub(super) faults: Vec<String>,
    /// What the cases have not shown of it.
    pub(super) hidden: Hidden,
    /// Pieces of large cases, in which it does what it does in none of those.
    pub(super) pieces: Vec<Piece>,
}

/// Searches cases that nobody wrote.
pub(super) fn unwritten(workload: &Workload, module: &Module, original: &Arc<Emulator>) -> UnwrittenInputs {
    let mut explorer = Explorer {
        workload,
        original,
        guards: original.guards(module),
        shown: original.guards(module),
        seen: HashSet::new(),
        explored: Vec::new(),
        faults: Vec::new(),
        instructions: 0,
        bytes: 0,
        most_bytes: most_bytes(workload),
    };
    let mut known: BTreeSet<u64> = module.numbers(&workload.kernels());
    for number in workload.numbers() {
        known.extend((1..=MULTIPLES).map(|times| number.saturating_mul(times)));
    }
    // What is wrong between blocks, or after some rounds, is so with all that is combined later.
    explorer.run_all(&workload.several(&known), 1.0);
    let several = explorer.explored.len();
    // What a compiler unrolled shows at larger numbers alone, and each is to be seen there.
    let (counts, others) = (workload.counts(), explorer.others());
    let mut ladders = Vec::with_capacity(counts.len());
    for &(at, most) in &counts {
        ladders.push(explorer.ladder(others.as_ref(), at, most));
    }
    explorer.run_all(&workload.small_cases(), SMALL);
    // Along each number of a case: sizes around all that kernel and workload compute and compare with.
    let mut choices = vec![Vec::new(); counts.last().map_or(0, |(at, _)| at + 1)];
    let begun = explorer.spent();
    for (done, (&(at, most), ladder)) in (1..).zip(counts.iter().zip(ladders)) {
        let share = f64::from(done) / counts.len() as f64;
        let shares = [AROUND, BETWEEN].map(|end| begun + (end - begun).max(0.0) * share);
        choices[at] = explorer.along(others.as_ref(), ladder, (at, &around(&known, most)), shares);
    }
    // What is wrong may need several odd numbers together.
    explorer.run_all(&workload.drawn_cases(&choices, DRAWN), 1.0);
    let Explorer { explored, mut shown, faults, .. } = explorer;
    let hidden = Hidden::of(&shown);
    let pieces = pieces(workload, original, &mut shown);
    let (cases, new) = by_novelty(explored, several);
    UnwrittenInputs { cases, new, faults, hidden, pieces }
}

/// Returns the most bytes of a case: a table that is as long in all cases is no reason to run none.
fn most_bytes(workload: &Workload) -> usize {
    let least = workload.small_cases().iter().filter_map(|case| workload.bytes(case)).min().unwrap_or(0);
    if least <= MOST_OF_SMALLEST_BYTES { MOST_BYTES.max(2 * least) } else { MOST_BYTES }
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
    let mut seen = HashSet::new();
    sizes.push(most);
    sizes.retain(|size| (1..=most).contains(size) && seen.insert(*size));
    sizes
}

/// The search, with the budget that it has spent.
struct Explorer<'a> {
    workload: &'a Workload,
    original: &'a Arc<Emulator>,
    guards: Guards,
    /// What all cases have shown of it.
    shown: Guards,
    /// The names of the cases that were tried.
    seen: HashSet<String>,
    explored: Vec<ExploredCase>,
    faults: Vec<String>,
    instructions: u64,
    bytes: usize,
    /// The most bytes of a case.
    most_bytes: usize,
}

impl Explorer<'_> {
    /// Returns the case of which numbers are changed one by one: the small one, or where that is large for a case, so
    /// that no number in it could grow, the one that has few of all.
    fn others(&mut self) -> Option<Case> {
        let small = self.workload.small_case()?;
        self.run_all(std::slice::from_ref(&small), 1.0);
        let name = self.workload.describe(&small);
        let known = self.explored.iter().find(|known| known.name == name);
        let is_small = known.is_some_and(|known| known.expected.instructions <= MOST_OF_CASE / MOST_GROWTH);
        if is_small { Some(small) } else { self.workload.few() }
    }

    /// Runs a case with powers of two in the place of one number, until it is large. Returns the outcomes.
    fn ladder(&mut self, others: Option<&Case>, at: usize, most: u64) -> Outcomes {
        let (Some(others), mut outcomes) = (others, Outcomes::new()) else { return Outcomes::new() };
        let powers: Vec<u64> =
            (0..63).map(|exponent| 1 << exponent).take_while(|power| *power <= most).collect();
        for powers in powers.chunks(POWERS_AT_ONCE) {
            let cases: Vec<Case> = powers.iter().map(|&size| others.with(at, size as f64)).collect();
            let is_usual = outcomes.values().any(Option::is_some);
            let found = self.run_all(&cases, LADDERS);
            let is_too_large = found.iter().all(Option::is_none);
            let is_large = self.explored.last().is_some_and(|last| last.expected.instructions > LARGE);
            outcomes.extend(powers.iter().copied().zip(found));
            if is_usual && (is_too_large || is_large) {
                break;
            }
        }
        // What was too large says nothing.
        while let Some((&size, None)) = outcomes.last_key_value() {
            outcomes.remove(&size);
        }
        outcomes
    }

    /// Runs a case with these sizes in the place of one number, as far as its ladder went, then bisects between sizes
    /// with different outcomes. Returns the sizes at which the outcome changes, with their neighbours.
    fn along(
        &mut self,
        others: Option<&Case>,
        ladder: Outcomes,
        (at, sizes): (usize, &[u64]),
        [around, between]: [f64; 2],
    ) -> Vec<u64> {
        let (Some(others), mut outcomes) = (others, ladder) else { return Vec::new() };
        let case = |size: &u64| others.with(at, *size as f64);
        let most = outcomes.last_key_value().map_or(u64::MAX, |(size, _)| size.saturating_mul(2));
        let sizes: Vec<u64> = sizes.iter().copied().filter(|&size| size < most).collect();
        let cases: Vec<Case> = sizes.iter().map(case).collect();
        let found = self.run_all(&cases, around);
        outcomes.extend(sizes.into_iter().zip(found));
        loop {
            let sizes = widest_changes(&outcomes);
            let cases: Vec<Case> = sizes.iter().map(case).collect();
            let found = self.run_all(&cases, between);
            if found.is_empty() {
                break;
            }
            outcomes.extend(sizes.into_iter().zip(found));
        }
        let mut choices = edges(&outcomes);
        choices.extend(LESS);
        choices
    }

    /// Returns the share of the budget that is spent.
    fn spent(&self) -> f64 {
        self.instructions as f64 / MOST_INSTRUCTIONS as f64
    }

    /// Tells whether this share of the budget is spent.
    fn is_beyond(&self, share: f64) -> bool {
        self.spent() > share || self.explored.len() >= MOST_CASES
    }

    /// Runs cases side by side until this share of the budget is spent. Returns the outcomes of the first ones, as if
    /// each had been run after the other; none where the original cannot run it.
    fn run_all(&mut self, cases: &[Case], share: f64) -> Vec<Option<Outcome>> {
        let mut outcomes = Vec::with_capacity(cases.len());
        for cases in cases.chunks(AT_ONCE) {
            if self.is_beyond(share) {
                break;
            }
            let attempts = on_threads(cores(), cases, |case| {
                let name = self.workload.describe(case);
                let attempt = self.attempt(case, &name);
                (name, attempt)
            });
            for (name, attempt) in attempts {
                if self.is_beyond(share) {
                    return outcomes;
                }
                outcomes.push(self.outcome(name, attempt));
            }
        }
        outcomes
    }

    /// Runs a case that is new; none where it is not, or too large.
    fn attempt(&self, case: &Case, name: &str) -> Option<Attempt> {
        if self.is_beyond(1.0) || self.seen.contains(name) {
            return None;
        }
        let inputs = self.workload.inputs_within(case, self.most_bytes)?;
        let deadline = self.workload.deadline();
        let options =
            Options { races: Races::Ignored, max_instructions: MOST_OF_CASE, deadline, ..Options::default() };
        let mut guards = self.guards.clone();
        let result = case::run_guarded(self.original, self.original, &inputs, options, Some(&mut guards));
        Some(Attempt { inputs, result, guards })
    }

    /// Returns the outcome of a case that was run now, or before; none where the original cannot run it.
    fn outcome(&mut self, name: String, attempt: Option<Attempt>) -> Option<Outcome> {
        if self.seen.contains(&name) {
            let known = self.explored.iter().find(|known| known.name == name);
            return known.map(|known| known.outcome);
        }
        if self.is_beyond(1.0) || self.bytes > MOST_BYTES_OF_ALL {
            return None;
        }
        self.seen.insert(name.clone());
        let Attempt { inputs, result, mut guards } = attempt?;
        self.guards.add_numbers(&guards);
        // A fault takes about as long as what ends well.
        self.instructions += result.as_ref().map_or(MOST_OF_CASE / 8, |result| result.instructions);
        if let Err(fault @ (Fault::OutOfBounds { .. } | Fault::Misaligned { .. })) = &result {
            self.faults.push(format!("with {name}, {fault}"));
        }
        let expected = result.ok()?;
        let hidden = self.shown.hidden();
        self.shown.add_numbers(&guards);
        let guards = guards.take();
        self.shown.note(&guards);
        let shows_more = self.shown.hidden() < hidden;
        let mut outcome = DefaultHasher::new();
        guards.hash(&mut outcome);
        inputs.launches.iter().for_each(|launch| launch.grid.map(|blocks| blocks > 1).hash(&mut outcome));
        let outcome = outcome.finish();
        self.bytes += inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum::<usize>();
        self.explored.push(ExploredCase { name, inputs, expected, outcome, guards, shows_more });
        Some(outcome)
    }
}

/// A run of a case.
struct Attempt {
    inputs: Inputs,
    result: Result<RunResult, Fault>,
    /// What its guards came to, and its instructions computed.
    guards: Guards,
}

/// The outcomes by size; none where the original cannot run.
type Outcomes = BTreeMap<u64, Option<Outcome>>;

/// Returns the middles of the sizes that are furthest apart of those between which the outcome changes.
fn widest_changes(outcomes: &Outcomes) -> Vec<u64> {
    let changes = outcomes.iter().zip(outcomes.iter().skip(1)).filter(|(one, other)| one.1 != other.1);
    let gaps = changes.map(|((&one, _), (&other, _))| (other - one, one)).filter(|(gap, _)| *gap > 1);
    let mut gaps: Vec<(u64, u64)> = gaps.collect();
    gaps.sort_unstable_by_key(|gap| Reverse(*gap));
    gaps.into_iter().take(AT_ONCE).map(|(gap, one)| one + gap / 2).collect()
}

/// Returns the sizes beside which the outcome is another one.
fn edges(outcomes: &Outcomes) -> Vec<u64> {
    let changes = outcomes.iter().zip(outcomes.iter().skip(1)).filter(|(one, other)| one.1 != other.1);
    let mut edges = BTreeSet::new();
    for (one, other) in changes {
        edges.extend([one, other].iter().filter(|(_, outcome)| outcome.is_some()).map(|(size, _)| **size));
    }
    edges.into_iter().collect()
}

/// Puts small ones of the first so many first, then those in which a guard comes to something new, then those whose
/// outcome is new, the smallest of each. Returns also how many these are.
fn by_novelty(mut explored: Vec<ExploredCase>, several: usize) -> (Vec<ExploredCase>, usize) {
    let mut others = explored.split_off(several);
    explored.sort_by_key(|case| case.expected.instructions);
    let mut total = 0;
    let (several, large): (Vec<_>, Vec<_>) = explored.into_iter().partition(|case| {
        total += case.expected.instructions;
        total <= MOST_OF_SEVERAL
    });
    others.extend(large);
    others.sort_by_key(|case| case.expected.instructions);
    let (mut outcomes, mut seen) = (HashSet::new(), Vec::new());
    let mut is_new = |case: &ExploredCase| {
        seen.resize(case.guards.len(), 0);
        let is_new = case.shows_more || seen.iter().zip(&case.guards).any(|(seen, now)| now & !seen != 0);
        seen.iter_mut().zip(&case.guards).for_each(|(seen, now)| *seen |= now);
        is_new
    };
    several.iter().for_each(|case| _ = is_new(case));
    let (of_guards, others): (Vec<_>, Vec<_>) = others.into_iter().partition(is_new);
    let mut new: Vec<ExploredCase> = several.into_iter().chain(of_guards).collect();
    outcomes.extend(new.iter().map(|case| case.outcome));
    let (other_new, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|case| outcomes.insert(case.outcome));
    new.extend(other_new);
    let count = new.len();
    new.extend(others);
    (new, count)
}
