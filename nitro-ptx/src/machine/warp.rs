//! Threads of a warp: the place of each of them, and its registers.

use std::sync::Arc;

use super::bytes::Bytes;
use super::clock::WARP;
use super::image::Function;
use super::meeting::Collective;
use super::source::Place;
use crate::machine::symbolic::Term;

/// The place where a thread goes on after a function.
#[derive(Clone, Debug)]
pub(crate) struct Return {
    /// The call.
    pub(crate) pc: u32,
    pub(crate) registers: u32,
    pub(crate) frame: u32,
    /// Bytes of local memory at the call.
    pub(crate) local_bytes: u32,
    pub(crate) callee: u32,
    /// The places of the results.
    pub(crate) results: Arc<[Place]>,
}

/// The threads of a warp. A set of lanes is a word with a bit for each.
#[derive(Debug)]
pub(crate) struct Warp {
    /// The first thread's index in the block.
    pub(crate) first: usize,
    /// The lane with the first thread of a block behind another one, and that with the last thread of one before
    /// another one.
    pub(crate) edges: [u32; 2],
    /// Lanes whose threads have not ended.
    pub(crate) alive: u32,
    /// Those that wait for others of the block, and of the warp.
    pub(crate) at_barrier: u32,
    pub(crate) at_meeting: u32,
    /// The instruction at which each lane of `at_meeting` waits.
    pub(crate) meeting: [Option<Arc<Collective>>; WARP],
    pub(crate) pc: [u32; WARP],
    /// The first register, and the first byte of local memory, of the function that each thread is in.
    pub(crate) base: [u32; WARP],
    pub(crate) frame: [u32; WARP],
    pub(crate) returns: [Vec<Return>; WARP],
    /// A register of all lanes after the other.
    pub(crate) registers: Vec<u64>,
    /// The terms beside them, where data are symbols; nothing is known of others.
    terms: Vec<Term>,
    pub(crate) local: [Bytes; WARP],
    /// Indices in the block.
    pub(crate) thread: [[u32; 3]; WARP],
    /// Slices in a row that ended while other lanes could have gone on.
    pub(crate) starved: u32,
}

/// The most that all frames of a thread take: registers, and bytes of local memory, as on a device.
pub(crate) const MAX_THREAD_REGISTERS: u32 = 1 << 16;
pub(crate) const MAX_THREAD_BYTES: u32 = 512 << 10;

impl Warp {
    /// Creates the warp from this thread of a block on, which may have neighbours before and behind it.
    pub(crate) fn new(
        first: usize,
        (block, has_neighbours): ([u32; 3], [bool; 2]),
        kernel: &Function,
        filler: u64,
        tracks: bool,
    ) -> Self {
        let threads = block.iter().product::<u32>() as usize;
        let lanes = (threads - first).min(WARP);
        let is_edge = [has_neighbours[0] && first == 0, has_neighbours[1] && first + lanes == threads];
        // Local memory and registers hold the filler until they are written.
        let bytes = vec![filler as u8; kernel.frame_bytes as usize];
        let local = if tracks { Bytes::unwritten(bytes) } else { Bytes::written(bytes) };
        Self {
            first,
            edges: [u32::from(is_edge[0]), u32::from(is_edge[1]) << (lanes - 1)],
            alive: lanes_of(lanes),
            at_barrier: 0,
            at_meeting: 0,
            meeting: std::array::from_fn(|_| None),
            pc: [kernel.entry; WARP],
            base: [0; WARP],
            frame: [0; WARP],
            returns: std::array::from_fn(|_| Vec::new()),
            registers: vec![filler; kernel.registers as usize * WARP],
            terms: Vec::new(),
            local: std::array::from_fn(|_| local.clone()),
            thread: std::array::from_fn(|lane| {
                let at = (first + lane) as u32;
                [at % block[0], at / block[0] % block[1], at / block[0] / block[1]]
            }),
            starved: 0,
        }
    }

    /// Returns the lanes that can go on.
    pub(crate) fn ready(&self) -> u32 {
        self.alive & !self.at_barrier & !self.at_meeting
    }

    /// Returns the lanes of `among` that are where this one is.
    pub(crate) fn together(&self, lane: usize, among: u32) -> u32 {
        let here = (self.base[lane], self.pc[lane]);
        lanes(among)
            .filter(|&other| (self.base[other], self.pc[other]) == here)
            .fold(0, |set, other| set | 1 << other)
    }

    /// Returns the lane that is in the innermost function, and there the least far, so that threads that took
    /// different ways come together again.
    pub(crate) fn hindmost(&self, among: u32) -> Option<usize> {
        lanes(among).min_by_key(|&lane| (std::cmp::Reverse(self.base[lane]), self.pc[lane]))
    }

    /// Returns where the next of the lanes `others` is that is in the same function: there both may go on together.
    pub(crate) fn next_pc(&self, base: u32, others: u32) -> u32 {
        lanes(others)
            .filter(|&lane| self.base[lane] == base)
            .map(|lane| self.pc[lane])
            .min()
            .unwrap_or(u32::MAX)
    }

    pub(crate) fn set_pc(&mut self, set: u32, pc: u32) {
        lanes(set).for_each(|lane| self.pc[lane] = pc);
    }

    /// Returns a register of all lanes that are in the same function as these.
    #[inline]
    pub(crate) fn register_mut(&mut self, register: u32, active: u32) -> &mut [u64] {
        let to = (self.base[active.trailing_zeros() as usize & (WARP - 1)] + register) as usize * WARP;
        &mut self.registers[to..to + WARP]
    }

    /// Returns the term beside a register of a lane.
    pub(crate) fn term(&self, register: u32, lane: usize) -> Term {
        let at = (self.base[lane] + register) as usize * WARP + lane;
        self.terms.get(at).copied().unwrap_or(Term::UNKNOWN)
    }

    pub(crate) fn term_mut(&mut self, register: u32, lane: usize) -> &mut Term {
        let at = (self.base[lane] + register) as usize * WARP + lane;
        if at >= self.terms.len() {
            // A function that is about to be called has no registers yet.
            self.terms.resize(self.registers.len().max(at + 1), Term::UNKNOWN);
        }
        &mut self.terms[at]
    }

    /// Writes a register of some lanes, which are in the same function.
    #[inline]
    pub(crate) fn write(&mut self, register: u32, active: u32, values: &[u64; WARP]) {
        let to = self.register_mut(register, active);
        if active == u32::MAX {
            to.copy_from_slice(values);
        } else {
            lanes(active).for_each(|lane| to[lane] = values[lane]);
        }
    }
}

/// Returns the set of the first so many lanes.
pub(crate) fn lanes_of(count: usize) -> u32 {
    if count >= WARP { u32::MAX } else { (1 << count) - 1 }
}

/// Lists the lanes of a set, in order.
pub(crate) fn lanes(set: u32) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            lane
        })
    })
}
