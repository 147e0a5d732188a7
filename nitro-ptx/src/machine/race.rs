//! Races: the last accesses of each byte.

use super::clock::Clock;
use super::fences::BlockKnowledge;
use super::stamp::{FLAG, Stamp};

/// A way of touching bytes. Strong ones are volatile, or atomic, or have an order: they race with nothing that is
/// strong too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Read,
    /// By a path that sees no writes of the launch, before or after: it races with all of them.
    Constant,
    StrongRead,
    /// With true it changes something.
    Write(bool),
    StrongWrite,
}

/// The accesses of a granule that are remembered: the last write, and two reads and two strong writes.
///
/// The two are by different threads, of different warps and blocks if there are such.
#[derive(Clone, Copy, Debug)]
struct Cell {
    write: Stamp,
    reads: [Stamp; 2],
    strong: [Stamp; 2],
    constant: Stamp,
}

const EMPTY: Cell =
    Cell { write: Stamp::NONE, reads: [Stamp::NONE; 2], strong: [Stamp::NONE; 2], constant: Stamp::NONE };

const PAGE: usize = 64;

/// The last accesses of the bytes of some memory.
#[derive(Clone, Debug)]
pub(crate) struct Shadow {
    /// Bytes that are told apart: 4, until something smaller is touched.
    granule: usize,
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
}

impl Default for Shadow {
    fn default() -> Self {
        Self { granule: 4, pages: Vec::new() }
    }
}

/// A thread that touches something, and what it is known of its block.
pub(crate) struct Toucher<'a> {
    pub(crate) stamp: Stamp,
    pub(crate) clock: &'a Clock,
    pub(crate) told: &'a BlockKnowledge,
    /// The first thread of its block, and how many that has.
    pub(crate) first: u32,
    pub(crate) threads: u32,
}

impl Toucher<'_> {
    /// Returns true if another access is before this one, whatever the order of threads.
    #[inline]
    fn follows(&self, other: Stamp) -> bool {
        let own = (self.stamp.thread - self.first) as usize;
        let in_block = other.thread.wrapping_sub(self.first);
        in_block < self.threads && self.clock.is_ordered((in_block as usize, other.time), own)
            || self.told.has(own, other, other.thread / self.threads)
    }

    fn races(&self, other: Stamp) -> bool {
        other.is_some() && !self.follows(other)
    }

    /// Returns how far another thread is from a first one: none, another thread, another warp, another block.
    fn distance(&self, one: Stamp, other: Stamp) -> u32 {
        let [block, other_block] = [one, other].map(|stamp| stamp.thread / self.threads);
        let [warp, other_warp] = [one, other].map(|stamp| stamp.thread % self.threads / 32);
        match (one.thread == other.thread, block == other_block, warp == other_warp) {
            (true, ..) => 0,
            (_, true, true) => 1,
            (_, true, false) => 2,
            _ => 3,
        }
    }

    /// Keeps two that tell most.
    fn keep(&self, kept: &mut [Stamp; 2], new: Stamp) {
        for place in &mut *kept {
            if place.is_some() && (place.thread == new.thread || self.follows(*place)) {
                *place = Stamp::NONE;
            }
        }
        match kept.iter().position(|place| !place.is_some()) {
            Some(place) => kept[place] = new,
            None if self.distance(kept[0], new) > self.distance(kept[0], kept[1]) => kept[1] = new,
            None => {}
        }
    }
}

impl Shadow {
    /// Notes that bytes are touched; who races for them, and whether it makes no difference.
    pub(crate) fn touch(
        &mut self,
        at: usize,
        bytes: usize,
        how: Touch,
        by: &Toucher,
    ) -> Option<(Stamp, bool)> {
        // Most programs touch whole words: bytes are told apart once one does not.
        if self.granule == 4 && !(at.is_multiple_of(4) && bytes.is_multiple_of(4)) {
            self.refine();
        }
        let mut found = None;
        for granule in at / self.granule..(at + bytes).div_ceil(self.granule) {
            let race = self.cell(granule).touch(how, by);
            // One that makes a difference says more.
            if found.is_none_or(|(_, is_same)| is_same) {
                found = race.or(found);
            }
        }
        found
    }

    fn cell(&mut self, granule: usize) -> &mut Cell {
        let page = granule / PAGE;
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        &mut self.pages[page].get_or_insert_with(|| Box::new([EMPTY; PAGE]))[granule % PAGE]
    }

    /// From four bytes to one.
    fn refine(&mut self) {
        let pages = std::mem::take(&mut self.pages);
        self.granule = 1;
        for (index, page) in pages.into_iter().enumerate() {
            let Some(page) = page else { continue };
            for (at, cell) in page.iter().enumerate() {
                (0..4).for_each(|byte| *self.cell((index * PAGE + at) * 4 + byte) = *cell);
            }
        }
    }
}

impl Cell {
    fn touch(&mut self, how: Touch, by: &Toucher) -> Option<(Stamp, bool)> {
        let own = by.stamp;
        // What it has read since it last met anybody has been checked, and nobody has written since.
        let is_known = |read: &Stamp| read.thread == own.thread && read.time == own.time && !read.flag();
        if how == Touch::Read && self.reads.iter().any(is_known) && self.strong == EMPTY.strong {
            return None;
        }
        let flagged = Stamp { pc: own.pc | FLAG, ..own };
        let racing = |stamps: &[Stamp]| stamps.iter().copied().find(|stamp| by.races(*stamp));
        match how {
            Touch::Read | Touch::StrongRead => {
                let is_strong = how == Touch::StrongRead;
                // A read races with the last write, and with strong writes if it is not strong itself.
                let write = racing(&[self.write]).map(|other| (other, !other.flag()));
                let strong = racing(&self.strong).filter(|_| !is_strong).map(|other| (other, false));
                by.keep(&mut self.reads, if is_strong { flagged } else { own });
                strong.or(write)
            }
            Touch::Constant => {
                self.constant = own;
                let all = [self.write, self.strong[0], self.strong[1]];
                all.into_iter().find(|write| write.is_some()).map(|other| (other, false))
            }
            Touch::Write(_) | Touch::StrongWrite if self.constant.is_some() => Some((self.constant, false)),
            Touch::Write(changes) => {
                // A write races with everything that no order puts before it.
                let others =
                    racing(&[self.strong[0], self.strong[1], self.reads[0], self.reads[1], self.write]);
                // What changed before, in no order with this one, may still be seen or not.
                let may_differ = changes || self.write.flag() && by.races(self.write);
                *self = Self { write: if may_differ { flagged } else { own }, ..EMPTY };
                others.map(|other| (other, !changes))
            }
            Touch::StrongWrite => {
                // A strong write races with weak accesses alone ("Memory Consistency Model: Morally Strong
                // Operations").
                let reads = self.reads.iter().copied().find(|read| !read.flag() && by.races(*read));
                let found = racing(&[self.write]).or(reads);
                by.keep(&mut self.strong, own);
                found.map(|other| (other, false))
            }
        }
    }
}
