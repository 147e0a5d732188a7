//! Knowledge between blocks: a thread that passes a fence and then writes something strong gives its knowledge to
//! those who read that.

use std::collections::BTreeMap;

use super::stamp::Stamp;

/// The knowledge of other blocks: of each the meeting before which everything is known, and of threads a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Knowledge {
    blocks: BTreeMap<u32, u32>,
    threads: BTreeMap<u32, u32>,
}

impl Knowledge {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn join(&mut self, other: &Self) {
        for (own, other) in [(&mut self.blocks, &other.blocks), (&mut self.threads, &other.threads)] {
            for (&of, &time) in other {
                let own = own.entry(of).or_default();
                *own = (*own).max(time);
            }
        }
    }

    /// Of a block and of a thread, counted through the grid.
    pub(crate) fn note(&mut self, (block, of_block): (u32, u32), (thread, of_thread): (u32, u32)) {
        self.blocks.insert(block, of_block);
        self.threads.insert(thread, of_thread);
    }

    pub(crate) fn has(&self, stamp: Stamp, block: u32) -> bool {
        let ends = [self.blocks.get(&block), self.threads.get(&stamp.thread)];
        ends.into_iter().flatten().any(|end| stamp.time < *end)
    }
}

/// The knowledge of a block's threads of other blocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockKnowledge {
    /// All of them know this.
    of_block: Knowledge,
    /// By thread, what it knows besides, and what it tells by what it writes.
    acquired: BTreeMap<usize, Knowledge>,
    released: BTreeMap<usize, Knowledge>,
}

impl BlockKnowledge {
    /// Returns true if a thread knows of what another block did.
    pub(crate) fn has(&self, thread: usize, stamp: Stamp, block: u32) -> bool {
        self.of_block.has(stamp, block)
            || self.acquired.get(&thread).is_some_and(|known| known.has(stamp, block))
    }

    /// A thread passes a fence: what it has done and knows by now it tells from now on.
    pub(crate) fn releases(&mut self, thread: usize, block: (u32, u32), own: (u32, u32)) {
        // A release covers what the thread did, and what it has learnt from others.
        let mut known = self.of_block.clone();
        if let Some(acquired) = self.acquired.get(&thread) {
            known.join(acquired);
        }
        known.note(block, own);
        self.released.insert(thread, known);
    }

    pub(crate) fn released(&self, thread: usize) -> Option<&Knowledge> {
        self.released.get(&thread)
    }

    pub(crate) fn acquires(&mut self, thread: usize, known: &Knowledge) {
        self.acquired.entry(thread).or_default().join(known);
    }

    /// All threads meet.
    pub(crate) fn block_meets(&mut self) {
        for known in std::mem::take(&mut self.acquired).into_values() {
            self.of_block.join(&known);
        }
    }

    /// Some threads meet.
    pub(crate) fn some_meet(&mut self, threads: &[usize]) {
        let mut all = Knowledge::default();
        threads.iter().filter_map(|thread| self.acquired.get(thread)).for_each(|known| all.join(known));
        if !all.is_empty() {
            threads.iter().for_each(|&thread| self.acquires(thread, &all));
        }
    }
}
