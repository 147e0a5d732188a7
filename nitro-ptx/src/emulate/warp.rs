//! Threads of a warp: where each of them is, and its registers.

use super::bytes::Bytes;
use super::clock::WARP;
use super::decode::Function;

/// Where a thread goes on after a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    /// The call.
    pub(super) pc: u32,
    pub(super) registers: u32,
    pub(super) frame: u32,
    /// Bytes of local memory at the call.
    pub(super) local_bytes: u32,
    pub(super) callee: u32,
}

/// The threads of a warp. A set of lanes is a word with a bit for each.
#[derive(Debug)]
pub(super) struct Warp {
    /// The first thread's index in the block.
    pub(super) first: usize,
    /// Lanes whose threads have not ended.
    pub(super) alive: u32,
    /// Those that wait for others of the block, and of the warp.
    pub(super) at_barrier: u32,
    pub(super) at_meeting: u32,
    pub(super) pc: [u32; WARP],
    /// Where in the registers and in local memory the function of each thread begins.
    pub(super) base: [u32; WARP],
    pub(super) frame: [u32; WARP],
    pub(super) returns: [Vec<Return>; WARP],
    /// A register of all lanes after the other.
    pub(super) registers: Vec<u64>,
    pub(super) local: [Bytes; WARP],
    /// Indices in the block.
    pub(super) thread: [[u32; 3]; WARP],
    /// Slices in a row that ended while other lanes could have gone on.
    pub(super) starved: u32,
}

/// The most that all frames of a thread take: registers, and bytes of local memory, as on a device.
pub(super) const MAX_THREAD_REGISTERS: u32 = 1 << 16;
pub(super) const MAX_THREAD_BYTES: u32 = 512 << 10;

impl Warp {
    pub(super) fn new(first: usize, block: [u32; 3], kernel: &Function, filler: u64, tracks: bool) -> Self {
        let threads = block.iter().product::<u32>() as usize;
        let lanes = (threads - first).min(WARP);
        let bytes = vec![filler as u8; kernel.frame_bytes as usize];
        let local = if tracks { Bytes::unwritten(bytes) } else { Bytes::written(bytes) };
        Self {
            first,
            alive: lanes_of(lanes),
            at_barrier: 0,
            at_meeting: 0,
            pc: [kernel.entry; WARP],
            base: [0; WARP],
            frame: [0; WARP],
            returns: std::array::from_fn(|_| Vec::new()),
            registers: vec![filler; kernel.registers as usize * WARP],
            local: std::array::from_fn(|_| local.clone()),
            thread: std::array::from_fn(|lane| {
                let at = (first + lane) as u32;
                [at % block[0], at / block[0] % block[1], at / block[0] / block[1]]
            }),
            starved: 0,
        }
    }

    /// Lanes that can go on.
    pub(super) fn ready(&self) -> u32 {
        self.alive & !self.at_barrier & !self.at_meeting
    }

    /// Lanes of `among` that are where this one is.
    pub(super) fn together(&self, lane: usize, among: u32) -> u32 {
        let here = (self.base[lane], self.pc[lane]);
        lanes(among)
            .filter(|&other| (self.base[other], self.pc[other]) == here)
            .fold(0, |set, other| set | 1 << other)
    }

    /// The lane that is in the innermost function, and there the least far: so that threads that took different
    /// ways come together again.
    pub(super) fn hindmost(&self, among: u32) -> Option<usize> {
        lanes(among).min_by_key(|&lane| (std::cmp::Reverse(self.base[lane]), self.pc[lane]))
    }

    /// Where the next of the lanes `others` is that is in the same function: there both may go on together.
    pub(super) fn next_pc(&self, base: u32, others: u32) -> u32 {
        lanes(others)
            .filter(|&lane| self.base[lane] == base)
            .map(|lane| self.pc[lane])
            .min()
            .unwrap_or(u32::MAX)
    }

    pub(super) fn set_pc(&mut self, set: u32, pc: u32) {
        lanes(set).for_each(|lane| self.pc[lane] = pc);
    }
}

/// The first so many lanes.
pub(super) fn lanes_of(count: usize) -> u32 {
    if count >= WARP { u32::MAX } else { (1 << count) - 1 }
}

/// The lanes of a set, in order.
pub(super) fn lanes(set: u32) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            lane
        })
    })
}
