//! A block: its warps, its shared memory, and the threads that wait at its barriers.

use super::bytes::Bytes;
use super::clock::{Clock, KnownTimes, WARP};
use super::fences::BlockKnowledge;
use super::image::Function;
use super::launch::Geometry;
use super::race::Shadow;
use super::source::DYNAMIC;
use super::warp::Warp;

/// The barriers that a block has ("Parallel Synchronization and Communication Instructions: barrier").
pub(crate) const BARRIERS: usize = 16;

#[derive(Debug)]
pub(crate) struct Block {
    /// Counted through the grid, and along x, y and z.
    pub(crate) number: u32,
    pub(crate) at: [u32; 3],
    /// Those that do not run just now are in their places.
    pub(crate) warps: Vec<Option<Box<Warp>>>,
    pub(crate) shared: Shared,
    pub(crate) clock: Clock,
    pub(crate) told: BlockKnowledge,
    pub(crate) barriers: [Meeting; BARRIERS],
    /// Threads that have not ended.
    pub(crate) alive: u32,
}

impl Block {
    /// Begins a block. Memory and registers that nobody has written hold `filler`.
    pub(crate) fn new(
        number: u32,
        geometry: &Geometry,
        kernel: &Function,
        filler: u64,
        tracks: bool,
    ) -> Self {
        let first_threads = (0..geometry.threads as usize).step_by(WARP);
        // A block to the left gives the first thread a neighbour, and one to the right the last thread.
        let has_neighbours = [number > 0, number + 1 < geometry.blocks];
        let warp = |first| {
            Some(Box::new(Warp::new(first, (geometry.block, has_neighbours), kernel, filler, tracks)))
        };
        Self {
            number,
            at: geometry.block_at(number),
            warps: first_threads.map(warp).collect(),
            shared: Shared::new(kernel, geometry.shared_bytes, filler as u8, tracks),
            clock: Clock::new(geometry.threads as usize),
            told: BlockKnowledge::default(),
            barriers: Default::default(),
            alive: geometry.threads,
        }
    }
}

/// The threads that have come to a barrier.
#[derive(Debug, Default)]
pub(crate) struct Meeting {
    /// The threads that have come, and as many as have to where that is said.
    pub(crate) arrived: u32,
    pub(crate) needed: Option<u32>,
    pub(crate) waiting: Vec<Waiting>,
    /// The knowledge of those that came, where not all have to.
    pub(crate) known: KnownTimes,
    pub(crate) poll: Option<Poll>,
}

/// Lanes of a warp that wait at a barrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) lanes: u32,
    pub(crate) pc: u32,
    /// The vote that they ask for, and the register of its result.
    pub(crate) vote: Option<(Vote, u32)>,
}

/// A result of many predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Count,
}

/// Predicates of several threads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Poll {
    pub(crate) holds: u32,
    pub(crate) asked: u32,
}

impl Poll {
    pub(crate) fn result(self, vote: Vote) -> u64 {
        match vote {
            Vote::All => u64::from(self.holds == self.asked),
            Vote::Any => u64::from(self.holds > 0),
            Vote::Count => self.holds.into(),
        }
    }
}

/// The shared memory of a block: variables that are declared, and as much as the launch says.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) bytes: Bytes,
    pub(crate) shadow: Shadow,
    /// Begin and end of each variable.
    ranges: Vec<(u32, u32)>,
    /// Bytes of what is declared; the rest is the launch's.
    declared: u32,
}

impl Shared {
    fn new(kernel: &Function, dynamic_bytes: u32, filler: u8, tracks: bool) -> Self {
        let declared = kernel.shared.last().map_or(0, |&(_, end)| end).next_multiple_of(16);
        // Behind the variables lies the memory whose size the launch says.
        let data = vec![filler; (declared + dynamic_bytes) as usize];
        let bytes = if tracks { Bytes::unwritten(data) } else { Bytes::written(data) };
        let mut ranges = kernel.shared.clone();
        if dynamic_bytes > 0 {
            ranges.push((DYNAMIC, DYNAMIC + dynamic_bytes));
        }
        Self { bytes, shadow: Shadow::default(), ranges, declared }
    }

    /// Returns where in the bytes an address is, if all of what is touched there is one variable.
    #[inline]
    pub(crate) fn place(&self, address: u64, length: u64) -> Option<usize> {
        let end = address.checked_add(length)?;
        let (from, _) =
            self.ranges.iter().find(|(from, to)| u64::from(*from) <= address && end <= u64::from(*to))?;
        // Between what is declared and what the launch adds lie addresses of nothing.
        let moved = if *from == DYNAMIC { u64::from(DYNAMIC - self.declared) } else { 0 };
        Some((address - moved) as usize)
    }
}
