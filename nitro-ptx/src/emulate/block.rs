//! A block: its warps, its shared memory, who waits at its barriers.

use super::bytes::Bytes;
use super::clock::{Clock, Known};
use super::decode::{DYNAMIC, Function};
use super::fences::Told;
use super::op::Vote;
use super::race::Shadow;
use super::warp::Warp;

/// The barriers that a block has.
pub(super) const BARRIERS: usize = 16;

#[derive(Debug)]
pub(super) struct Block {
    /// Counted through the grid, and along x, y and z.
    pub(super) number: u32,
    pub(super) at: [u32; 3],
    /// Those that do not run just now are in their places.
    pub(super) warps: Vec<Option<Box<Warp>>>,
    pub(super) shared: Shared,
    pub(super) clock: Clock,
    pub(super) told: Told,
    pub(super) barriers: [Meeting; BARRIERS],
    /// Threads that have not ended.
    pub(super) alive: u32,
}

/// Who has come to a barrier.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    /// How many threads have come, and how many have to where that is said.
    pub(super) arrived: u32,
    pub(super) needed: Option<u32>,
    /// Warp, lanes, and where they are.
    pub(super) waiting: Vec<(usize, u32, u32)>,
    /// What those know who came, where not all have to.
    pub(super) known: Known,
    pub(super) vote: Option<Poll>,
}

/// Predicates of all, for `bar.red`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Poll {
    pub(super) holds: u32,
    pub(super) asked: u32,
}

impl Poll {
    pub(super) fn result(self, vote: Vote) -> u64 {
        match vote {
            Vote::All => u64::from(self.holds == self.asked),
            Vote::Any => u64::from(self.holds > 0),
            Vote::Uniform => u64::from(self.holds == self.asked || self.holds == 0),
            Vote::Ballot | Vote::Count => self.holds.into(),
        }
    }
}

/// The shared memory of a block: variables that are declared, and as much as the launch says.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) bytes: Bytes,
    pub(super) shadow: Shadow,
    /// Where variables begin and end.
    ranges: Vec<(u32, u32)>,
    /// Bytes of what is declared; the rest is the launch's.
    declared: u32,
}

impl Shared {
    pub(super) fn new(kernel: &Function, dynamic_bytes: u32, filler: u8, tracks: bool) -> Self {
        let declared = kernel.shared.last().map_or(0, |&(_, end)| end).next_multiple_of(16);
        let data = vec![filler; (declared + dynamic_bytes) as usize];
        let bytes = if tracks { Bytes::unwritten(data) } else { Bytes::written(data) };
        let mut ranges = kernel.shared.clone();
        if dynamic_bytes > 0 {
            ranges.push((DYNAMIC, DYNAMIC + dynamic_bytes));
        }
        Self { bytes, shadow: Shadow::default(), ranges, declared }
    }

    /// Where in the bytes an address is, if all of what is touched there is one variable.
    #[inline]
    pub(super) fn place(&self, address: u64, length: u64) -> Option<usize> {
        let end = address.checked_add(length)?;
        let is_in = |&&(from, to): &&(u32, u32)| u64::from(from) <= address && end <= u64::from(to);
        let (from, _) = self.ranges.iter().find(is_in)?;
        let moved = if *from == DYNAMIC { u64::from(DYNAMIC - self.declared) } else { 0 };
        Some((address - moved) as usize)
    }
}
