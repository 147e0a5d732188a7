//! Barriers that some inputs do not need.

use std::collections::BTreeSet;
use std::sync::Arc;

use nitro_ptx::emulate::{Emulator, Fault, Options};
use nitro_ptx::{Edit, InstructionId, Operation, Proposal, Reach, Reason};
use nitro_search::threads::on_threads;

use crate::emulated::case;
use crate::subject::Subject;
use crate::workload::Inputs;

/// The most instructions of a run with an edited barrier, in one order of threads.
const MOST_INSTRUCTIONS: u64 = 500_000;
/// The most barriers that are left out one by one.
const MOST_BARRIERS: usize = 64;
/// The orders of threads in which nothing may race: one that is not hostile, and one that is.
const ORDERS: [bool; 2] = [false, true];

/// The content of the buffers after a run; none where that has not ended.
type Content = Option<Vec<Vec<u8>>>;

/// The results of the original with some inputs, which an edit of its barriers has to leave too.
pub(super) struct Barriers<'a> {
    subject: &'a Subject,
    inputs: &'a Inputs,
    original: Vec<Content>,
    threads: usize,
}

impl<'a> Barriers<'a> {
    /// Runs the original; none where that races itself.
    pub(super) fn new(subject: &'a Subject, inputs: &'a Inputs, threads: usize) -> Option<Self> {
        let original = contents(subject, &[], inputs)?;
        Some(Self { subject, inputs, original, threads })
    }

    /// Proposes to delete executed barriers without which nothing races and all results are the same.
    ///
    /// Of the others it proposes barriers of warps, each alone and all of a function together, where that is enough.
    pub(super) fn proposals(&self, executed: &BTreeSet<InstructionId>) -> Vec<Proposal> {
        let mut found = Vec::new();
        for barriers in self.subject.base().barriers() {
            let executed: BTreeSet<InstructionId> =
                barriers.into_iter().filter(|id| executed.contains(id)).take(MOST_BARRIERS).collect();
            let needless = self.right(&executed, Operation::Delete);
            let of_warps = self.right(&(&executed - &needless), of_warp);
            found.extend(needless.iter().map(|&id| Proposal::new(Reason::Barrier, Operation::Delete(id))));
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

    /// Returns the barriers that may be edited so, each alone.
    fn right(
        &self,
        barriers: &BTreeSet<InstructionId>,
        operation: fn(InstructionId) -> Operation,
    ) -> BTreeSet<InstructionId> {
        let barriers: Vec<InstructionId> = barriers.iter().copied().collect();
        let are_right = on_threads(self.threads, &barriers, |&id| self.is_right(&operation(id)));
        barriers.into_iter().zip(are_right).filter_map(|(id, is_right)| is_right.then_some(id)).collect()
    }

    /// Tells whether the results are the original's after an edit.
    fn is_right(&self, operation: &Operation) -> bool {
        let edit = Edit { operation: operation.clone(), fixes: Vec::new() };
        contents(self.subject, &[edit], self.inputs).is_some_and(|contents| contents == self.original)
    }
}

/// Returns the edit of a barrier after which the threads of each warp wait for each other alone.
fn of_warp(id: InstructionId) -> Operation {
    Operation::WarpBarrier(Reach::at(id))
}

/// Runs some edits in each order of threads, as far as the budget goes; none where threads race.
fn contents(subject: &Subject, edits: &[Edit], inputs: &Inputs) -> Option<Vec<Content>> {
    let kernels = subject.workload().all_kernels();
    let emulator = Arc::new(Emulator::for_kernels(&subject.base().apply(edits).ok()?, &kernels).ok()?);
    let mut contents = Vec::new();
    for adversarial in ORDERS {
        let options = Options { adversarial, max_instructions: MOST_INSTRUCTIONS, ..Options::default() };
        contents.push(match case::run(&emulator, &emulator, inputs, options) {
            Ok(result) => Some(result.buffers),
            // As much as was run of both is the same amount.
            Err(Fault::Endless { .. }) => None,
            Err(_) => return None,
        });
    }
    Some(contents)
}
