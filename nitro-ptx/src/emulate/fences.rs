//! What blocks tell each other: a thread that passes a fence and then writes something strong tells who reads that
//! what it knows.

use std::collections::BTreeMap;

use super::race::Stamp;

/// What is known of blocks: of each, before which of its meetings everything is, and before which all that a thread
/// did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Knowledge {
    blocks: BTreeMap<u32, u32>,
    threads: BTreeMap<u32, u32>,
}

impl Knowledge {
    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(super) fn join(&mut self, other: &Self) {
        let later = |own: &mut BTreeMap<u32, u32>, other: &BTreeMap<u32, u32>| {
            for (&of, &time) in other {
                let own = own.entry(of).or_default();
                *own = (*own).max(time);
            }
        };
        later(&mut self.blocks, &other.blocks);
        later(&mut self.threads, &other.threads);
    }

    /// Of a block and of a thread, counted through the grid.
    pub(super) fn note(&mut self, (block, of_block): (u32, u32), (thread, of_thread): (u32, u32)) {
        self.blocks.insert(block, of_block);
        self.threads.insert(thread, of_thread);
    }

    pub(super) fn has(&self, stamp: Stamp, block: u32) -> bool {
        let is_before = |number: Option<&u32>| number.is_some_and(|number| stamp.time < *number);
        is_before(self.blocks.get(&block)) || is_before(self.threads.get(&stamp.thread))
    }
}

/// What threads of a block know of other blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    /// All of them know this.
    of_block: Knowledge,
    /// By thread, what it knows besides, and what it tells by what it writes.
    acquired: BTreeMap<usize, Knowledge>,
    released: BTreeMap<usize, Knowledge>,
}

impl Told {
    /// Whether a thread knows of what another block did.
    pub(super) fn has(&self, thread: usize, stamp: Stamp, block: u32) -> bool {
        self.of_block.has(stamp, block)
            || self.acquired.get(&thread).is_some_and(|known| known.has(stamp, block))
    }

    /// A thread passes a fence: what it has done and knows by now it tells from now on.
    pub(super) fn releases(&mut self, thread: usize, block: (u32, u32), own: (u32, u32)) {
        let mut known = self.of_block.clone();
        if let Some(acquired) = self.acquired.get(&thread) {
            known.join(acquired);
        }
        known.note(block, own);
        self.released.insert(thread, known);
    }

    pub(super) fn released(&self, thread: usize) -> Option<&Knowledge> {
        self.released.get(&thread)
    }

    pub(super) fn acquires(&mut self, thread: usize, known: &Knowledge) {
        self.acquired.entry(thread).or_default().join(known);
    }

    /// All threads meet.
    pub(super) fn block_meets(&mut self) {
        for known in std::mem::take(&mut self.acquired).into_values() {
            self.of_block.join(&known);
        }
    }

    /// Some threads meet.
    pub(super) fn some_meet(&mut self, threads: &[usize]) {
        let mut all = Knowledge::default();
        threads.iter().filter_map(|thread| self.acquired.get(thread)).for_each(|known| all.join(known));
        if !all.is_empty() {
            threads.iter().for_each(|&thread| self.acquires(thread, &all));
        }
    }
}
