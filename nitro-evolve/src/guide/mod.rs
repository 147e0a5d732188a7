//! Edits that a profile suggests: the original runs on the emulator, with the inputs of the search, and what is
//! always the same there is proposed.
//!
//! Inputs of the validation and the test never come in here. What is proposed may be wrong with them, as any other
//! edit.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use nitro_ptx::emulate::{Emulator, Fault, Launch as Emulated, Memory, Options, Races};
use nitro_ptx::{Base, Edit, InstructionId, Operation, Profile, Proposal, Reach, Reason};

use crate::emulated::case;
use crate::subject::Subject;
use crate::workload::{Inputs, Role, Set};
use nitro_search::threads::on_threads;

/// Instructions of warps that are watched, over all inputs: some seconds.
const MOST_INSTRUCTIONS: u64 = 4_000_000;
/// Those that are run with a barrier edited, for each and each order of threads.
const MOST_WITHOUT: u64 = 500_000;
/// Inputs with more are left out.
const MOST_BYTES: usize = 1 << 28;
/// More are not left out one by one.
const MOST_BARRIERS: usize = 64;
/// Orders of threads in which nothing may race, the second a hostile one.
const ORDERS: [bool; 2] = [false, true];

impl Subject {
    /// The same, with edits that a profile suggests among those that are drawn; as it is where its kernels cannot
    /// be emulated.
    #[must_use]
    pub fn guided(&self, threads: usize) -> Self {
        self.clone().proposing(proposals(self, threads).unwrap_or_default())
    }

    /// How many edits are proposed, by why.
    pub(crate) fn proposed(&self) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        self.base()
            .proposed()
            .for_each(|proposal| *counts.entry(proposal.reason.to_string()).or_default() += 1);
        counts
    }
}

/// None where nothing can be watched.
fn proposals(subject: &Subject, threads: usize) -> Option<Vec<Proposal>> {
    let workload = subject.workload();
    let kernels = workload.all_kernels();
    let mut profile = Profile::new(subject.base(), &kernels).ok()?;
    let mut inputs: Vec<Inputs> =
        (0..workload.cases(Set::Search)).filter_map(|case| workload.inputs(Set::Search, case).ok()).collect();
    inputs
        .retain(|inputs| inputs.buffers.iter().map(|buffer| buffer.bytes.len()).sum::<usize>() <= MOST_BYTES);
    // What is smallest is watched as a whole.
    inputs.sort_by_key(threads_of);
    let (mut left, mut barriers) = (MOST_INSTRUCTIONS, None);
    for inputs in &inputs {
        left = watch(&mut profile, inputs, left, workload.deadline());
        barriers = barriers.or_else(|| {
            let barriers = Barriers::new(subject, inputs, threads);
            Some(barriers.map(|barriers| barriers.proposals(&profile.executed())).unwrap_or_default())
        });
    }
    let mut proposals = profile.proposals();
    proposals.extend(barriers.into_iter().flatten());
    Some(proposals)
}

fn threads_of(inputs: &Inputs) -> u64 {
    let of = |sizes: [u32; 3]| sizes.into_iter().map(u64::from).product::<u64>();
    inputs
        .launches
        .iter()
        .map(|launch| of(launch.grid).saturating_mul(of(launch.block)))
        .fold(0, u64::saturating_add)
}

/// Watches a case as far as it goes; how many instructions are left for others.
fn watch(profile: &mut Profile<'_>, inputs: &Inputs, most: u64, deadline: Option<Instant>) -> u64 {
    let mut memory = Memory::new();
    let addresses: Vec<u64> =
        inputs.buffers.iter().map(|buffer| case::allocate(&mut memory, buffer)).collect();
    let mut left = most;
    for launch in inputs.launches.iter().chain(&inputs.judge) {
        let parameters: Vec<Vec<u8>> =
            launch.arguments.iter().map(|argument| argument.bytes(&addresses)).collect();
        let emulated = Emulated {
            kernel: &launch.kernel,
            grid: launch.grid,
            block: launch.block,
            shared_bytes: launch.shared_bytes,
            parameters: &parameters,
        };
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
    let is_unread = |role: Role| matches!(role, Role::Scratch);
    let unread = inputs.buffers.iter().zip(&addresses).filter(|(buffer, _)| is_unread(buffer.role));
    // A case that has not ended would have read more.
    let unread: Vec<u64> = if left > 0 { unread.map(|(_, address)| *address).collect() } else { Vec::new() };
    profile.end(&unread);
    left
}

/// What the original leaves with some inputs, which an edit of its barriers has to leave too.
struct Barriers<'a> {
    subject: &'a Subject,
    inputs: &'a Inputs,
    original: Vec<Left>,
    threads: usize,
}

impl<'a> Barriers<'a> {
    /// None where the original races itself.
    fn new(subject: &'a Subject, inputs: &'a Inputs, threads: usize) -> Option<Self> {
        let original = outcomes(subject, subject.base(), &[], inputs)?;
        Some(Self { subject, inputs, original, threads })
    }

    /// Of those to which these inputs come, those without which nothing races and all results are the same, in some
    /// orders of threads, as far as these were run; and of the others those at which it is enough for that to wait
    /// for the warp.
    fn proposals(&self, executed: &BTreeSet<InstructionId>) -> Vec<Proposal> {
        let mut found = Vec::new();
        for barriers in self.subject.base().barriers() {
            let executed = barriers.into_iter().filter(|id| executed.contains(id)).take(MOST_BARRIERS);
            let executed: BTreeSet<InstructionId> = executed.collect();
            let needless = self.right(&executed, Operation::Delete);
            let of_warps = self.right(&(&executed - &needless), of_warp);
            found
                .extend(needless.into_iter().map(|id| Proposal::new(Reason::Barrier, Operation::Delete(id))));
            found.extend(of_warps.iter().map(|&id| Proposal::new(Reason::Warp, of_warp(id))));
            // Each alone may save less than times differ by.
            let several = of_warps.len() > 1;
            let together = Operation::WarpBarrier(Reach::At(of_warps));
            if several && self.is_right(&together) {
                found.push(Proposal::new(Reason::Warp, together));
            }
        }
        found
    }

    /// Those that may be edited so.
    fn right(
        &self,
        barriers: &BTreeSet<InstructionId>,
        operation: fn(InstructionId) -> Operation,
    ) -> BTreeSet<InstructionId> {
        let barriers: Vec<InstructionId> = barriers.iter().copied().collect();
        let which = on_threads(self.threads, &barriers, |&id| self.is_right(&operation(id)));
        barriers.into_iter().zip(which).filter_map(|(id, is_right)| is_right.then_some(id)).collect()
    }

    fn is_right(&self, operation: &Operation) -> bool {
        let edit = Edit { operation: operation.clone(), fixes: Vec::new() };
        outcomes(self.subject, self.subject.base(), &[edit], self.inputs)
            .is_some_and(|left| left == self.original)
    }
}

fn of_warp(id: InstructionId) -> Operation {
    Operation::WarpBarrier(Reach::at(id))
}

/// What a run leaves in its buffers; none where it has not ended.
type Left = Option<Vec<Vec<u8>>>;

/// What some edits leave in each order of threads; none where threads race.
fn outcomes(subject: &Subject, base: &Base, edits: &[Edit], inputs: &Inputs) -> Option<Vec<Left>> {
    let kernels = subject.workload().all_kernels();
    let emulator = Arc::new(Emulator::for_kernels(&base.apply(edits).ok()?, &kernels).ok()?);
    let outcome = |adversarial| {
        let options = Options { adversarial, max_instructions: MOST_WITHOUT, ..Options::default() };
        match case::run(&emulator, &emulator, inputs, options) {
            Ok(left) => Some(Some(left.buffers)),
            // As much as was run of both is the same amount.
            Err(Fault::Endless { .. }) => Some(None),
            Err(_) => None,
        }
    };
    ORDERS.into_iter().map(outcome).collect()
}

#[cfg(test)]
mod tests;
