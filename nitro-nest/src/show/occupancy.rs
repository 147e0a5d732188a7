//! The threads of a kernel that a multiprocessor has at once, and what keeps it from having more.

use std::fmt;

use nitro_cuda::Usage;

/// Threads of a warp.
const WARP: u32 = 32;
/// Registers of a multiprocessor, of every architecture here.
const REGISTERS: u32 = 64 << 10;
/// Registers are given to a warp in portions, and warps come in fours.
const REGISTER_PORTION: u32 = 256;
const WARP_PORTION: u32 = 4;
/// Shared memory is given to a block in portions; some of it the driver takes for itself.
const SHARED_PORTION: u32 = 128;
const SHARED_OF_DRIVER: u32 = 1 << 10;

/// The resources of a multiprocessor: architecture, warps, blocks, bytes of shared memory.
///
/// From the CUDA Programming Guide, "Compute Capabilities".
const MULTIPROCESSORS: [(u32, u32, u32, u32); 8] = [
    (80, 64, 32, 164 << 10),
    (86, 48, 16, 100 << 10),
    (87, 48, 16, 164 << 10),
    (89, 48, 24, 100 << 10),
    (90, 64, 32, 228 << 10),
    (100, 64, 32, 228 << 10),
    (103, 64, 32, 228 << 10),
    (120, 48, 24, 100 << 10),
];

/// A limit on the blocks of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The threads that it has.
    Threads,
    /// Registers.
    Registers,
    /// Shared memory.
    Shared,
    /// The blocks that it has.
    Blocks,
}

/// The share of a multiprocessor's threads that a kernel has at once, as far as its own resources decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks that are resident on one multiprocessor.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps of a multiprocessor.
    pub most_warps: u32,
    /// The resource that is used up first.
    pub bound: Bound,
}

impl Occupancy {
    /// Computes the occupancy of blocks of so many threads on an architecture, as in `90`.
    ///
    /// None: the architecture is not known here.
    ///
    /// ```
    /// use nitro_nest::{Bound, Occupancy};
    /// use nitro_cuda::Usage;
    ///
    /// let usage = Usage { registers: 128, ..Usage::default() };
    /// let occupancy = Occupancy::of(usage, 256, 90).unwrap();
    /// assert_eq!((occupancy.blocks, occupancy.share(), occupancy.bound), (2, 0.25, Bound::Registers));
    /// assert_eq!(Occupancy::of(usage, 256, 20), None);
    /// ```
    #[must_use]
    pub fn of(usage: Usage, threads: u32, architecture: u32) -> Option<Self> {
        let (_, most_warps, most_blocks, shared) =
            MULTIPROCESSORS.into_iter().find(|one| one.0 == architecture)?;
        let warps = threads.div_ceil(WARP).max(1);
        let of_warp = (usage.registers.max(1) * WARP).next_multiple_of(REGISTER_PORTION);
        let by_registers = REGISTERS / of_warp / WARP_PORTION * WARP_PORTION / warps;
        let of_block = usage.static_shared_bytes.next_multiple_of(SHARED_PORTION) + SHARED_OF_DRIVER;
        let (blocks, bound) = [
            (most_warps / warps, Bound::Threads),
            (by_registers, Bound::Registers),
            (shared / of_block, Bound::Shared),
            (most_blocks, Bound::Blocks),
        ]
        .into_iter()
        .min_by_key(|(blocks, _)| *blocks)?;
        Some(Self { blocks, warps: blocks * warps, most_warps, bound })
    }

    /// Returns the share of the multiprocessor's warps, 1 is all.
    #[must_use]
    pub fn share(self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps)
    }
}

impl fmt::Display for Occupancy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bound = match self.bound {
            Bound::Threads => "threads",
            Bound::Registers => "registers",
            Bound::Shared => "shared memory",
            Bound::Blocks => "the number of blocks",
        };
        let Self { warps, most_warps, blocks, .. } = self;
        let percent = 100.0 * self.share();
        write!(
            formatter,
            "{percent:.0} % ({warps} of {most_warps} warps, {blocks} blocks), limited by {bound}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(registers: u32, static_shared_bytes: u32, threads: u32, architecture: u32) -> (u32, Bound) {
        let usage = Usage { registers, static_shared_bytes, ..Usage::default() };
        let occupancy = Occupancy::of(usage, threads, architecture).unwrap();
        (occupancy.blocks, occupancy.bound)
    }

    /// As NVIDIA's occupancy calculator has it.
    #[test]
    fn what_is_used_up_first_limits() {
        assert_eq!(of(32, 0, 256, 90), (8, Bound::Threads));
        assert_eq!(of(33, 0, 256, 90), (6, Bound::Registers)); // 1280 registers a warp, 48 warps
        assert_eq!(of(255, 0, 256, 90), (1, Bound::Registers));
        assert_eq!(of(32, 48 << 10, 128, 90), (4, Bound::Shared));
        assert_eq!(of(16, 0, 32, 90), (32, Bound::Blocks));
        assert_eq!(of(16, 0, 32, 86), (16, Bound::Blocks));
        assert_eq!(of(32, 0, 1024, 89), (1, Bound::Threads));
    }
}
