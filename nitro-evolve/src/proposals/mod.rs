//! Proposals: edits that a profile of the original suggests.
//!
//! The original runs on the emulator with the inputs of the search, and what is always the same there is proposed.
//! Inputs of the validation and the test never come in here, and may refuse a proposal as any other edit.

mod barriers;
mod blocks;

use std::collections::BTreeMap;
use std::time::Instant;

use nitro_ptx::emulate::{Fault, Memory, Options, Races};
use nitro_ptx::{Profile, Proposal};

use self::barriers::Barriers;
use crate::emulated::case::{self, Course};
use crate::subject::Subject;
use crate::workload::{InputBuffer, Inputs, Role, Set};

/// The most instructions of warps that are watched, over all inputs: about a second.
const MOST_INSTRUCTIONS: u64 = 2_000_000;
/// The most bytes of an input; larger ones are left out.
const MOST_BYTES: usize = 1 << 28;

impl Subject {
    /// Returns the same with edits that a profile proposes among those that are drawn.
    ///
    /// Where its kernels cannot be emulated, only text and workload propose edits.
    #[must_use]
    pub fn with_proposals(&self, threads: usize) -> Self {
        let mut all = proposals(self, threads).unwrap_or_default();
        all.extend(blocks::proposals(self.workload()));
        self.clone().proposing(all)
    }

    /// Returns the number of proposed edits for each reason.
    pub(crate) fn proposed(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        for proposal in self.base().proposed() {
            *counts.entry(proposal.reason.to_string()).or_default() += 1;
        }
        counts
    }
}

/// Profiles the original; none where nothing can be watched.
fn proposals(subject: &Subject, threads: usize) -> Option<Vec<Proposal>> {
    let workload = subject.workload();
    let kernels = workload.all_kernels();
    let mut profile = Profile::new(subject.base(), &kernels).ok()?;
    let mut inputs = Vec::new();
    for number in 0..workload.cases(Set::Search) {
        inputs.extend(workload.inputs(Set::Search, number).ok().filter(|inputs| bytes(inputs) <= MOST_BYTES));
    }
    // The smallest inputs are watched as a whole.
    inputs.sort_by_key(Inputs::threads);
    let (smallest, others) = inputs.split_first()?;
    let mut left = watch(&mut profile, smallest, MOST_INSTRUCTIONS, workload.deadline());
    let executed = profile.executed();
    let of_barriers = std::thread::scope(|scope| {
        let of_smallest = scope.spawn(|| {
            Barriers::new(subject, smallest, threads).map(|barriers| barriers.proposals(&executed))
        });
        for inputs in others {
            left = watch(&mut profile, inputs, left, workload.deadline());
        }
        of_smallest.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    let mut proposals = profile.proposals();
    proposals.extend(of_barriers.unwrap_or_default());
    Some(proposals)
}

/// Returns the bytes of all buffers.
fn bytes(inputs: &Inputs) -> usize {
    inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum()
}

/// Watches a case as far as the budget goes. Returns the instructions that are left for others.
fn watch(profile: &mut Profile<'_>, inputs: &Inputs, most: u64, deadline: Option<Instant>) -> u64 {
    let mut memory = Memory::new();
    let addresses = case::allocate_all(&mut memory, inputs);
    let mut left = most;
    let (mut course, mut judge) = (Course::default(), inputs.judge.iter());
    while let Some(launch) = course.next_launch(inputs, &addresses, &mut memory).or_else(|| judge.next()) {
        let parameters = launch.parameters(&addresses);
        let emulated = case::emulated(launch, &parameters);
        let options =
            Options { max_instructions: left, races: Races::Ignored, deadline, ..Options::default() };
        match profile.launch(&emulated, &mut memory, &options) {
            Ok(launched) => left = left.saturating_sub(launched.instructions),
            Err(fault) => {
                left = if matches!(fault, Fault::Endless { .. } | Fault::Late { .. }) { 0 } else { left };
                break;
            }
        }
    }
    let mut unread = Vec::new();
    // A case that has not ended would have read more.
    if left > 0 {
        let buffers = inputs.buffers.iter().zip(&addresses);
        let buffers = buffers.enumerate();
        // The host reads what ends a loop.
        let is_unread = |at: usize, buffer: &InputBuffer| buffer.role == Role::Scratch && !inputs.is_flag(at);
        unread.extend(
            buffers.filter(|(at, (buffer, _))| is_unread(*at, buffer)).map(|(_, (_, address))| *address),
        );
    }
    profile.end(&unread);
    left
}

#[cfg(test)]
mod tests;
