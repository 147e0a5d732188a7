//! Terms that a bound on a time is made of.

use std::fmt;

use nitro_search::MemoryRates;

/// A part of a [`TimeBound`](super::TimeBound). The time is at least each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TimeTerm {
    /// Instructions that the schedulers of a multiprocessor start.
    Issue,
    /// Additions, multiplications and both at once.
    Arithmetic,
    /// Loads and stores of a multiprocessor, each of a warp.
    MemoryInstructions,
    /// Bytes that loads bring to registers, whatever cache or memory they come from.
    LoadedBytes,
    /// Sectors of 32 bytes that loads and stores of global memory touch: what is not coalesced.
    Sectors,
    /// Answers of shared memory, each with one word of each of its banks.
    Wavefronts,
    /// Requests of loads, from shared memory or through the first-level cache, and of tiles that are written: a
    /// register for each lane of a warp, or two where all lanes share in pairs, or one more answer.
    Requests,
    /// The bytes that a block reads of global memory, through the port of its multiprocessor.
    BlockBytes,
    /// Elements that are read, each once, from the second-level cache.
    L2Reads,
    /// Elements that are written, each once, to the second-level cache.
    L2Writes,
    /// Elements that the second-level cache cannot have kept, to and from memory.
    Dram,
    /// The longest chain of what one thread does one after the other, once for each wave of blocks.
    Latency,
    /// Barriers of a block, once for each wave of blocks.
    Barriers,
    /// The phases of a block that stages tiles, since barriers keep it apart: it loads them, waits, and does
    /// all that it computes with them, once for each wave of blocks.
    Phases,
    /// A kernel that does nothing.
    Launch,
}

impl TimeTerm {
    /// All there are.
    pub const ALL: [Self; 15] = [
        Self::Issue,
        Self::Arithmetic,
        Self::MemoryInstructions,
        Self::LoadedBytes,
        Self::Sectors,
        Self::Wavefronts,
        Self::Requests,
        Self::BlockBytes,
        Self::L2Reads,
        Self::L2Writes,
        Self::Dram,
        Self::Latency,
        Self::Barriers,
        Self::Phases,
        Self::Launch,
    ];
}

impl TimeTerm {
    /// Returns its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Issue => "issue of instructions",
            Self::Arithmetic => "arithmetic",
            Self::MemoryInstructions => "loads and stores",
            Self::LoadedBytes => "bytes loaded to registers",
            Self::Sectors => "sectors",
            Self::Wavefronts => "answers of shared memory",
            Self::Requests => "requests of loads",
            Self::BlockBytes => "bytes of a block",
            Self::L2Reads => MemoryRates::L2_READS,
            Self::L2Writes => MemoryRates::L2_WRITES,
            Self::Dram => MemoryRates::DRAM,
            Self::Latency => "latency",
            Self::Barriers => "barriers",
            Self::Phases => "phases of a block",
            Self::Launch => "launch",
        }
    }
}

impl fmt::Display for TimeTerm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// The terms that a [`TimeBound`](super::TimeBound) counts, and what it knows of blocks and warps: all, or all but
/// some, to see what each is good for.
///
/// ```
/// use nitro_decide::{TimeTerm, TimeTerms};
///
/// let without = TimeTerms::default().without(TimeTerm::Latency);
/// assert!(without.has(TimeTerm::Issue) && !without.has(TimeTerm::Latency));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeTerms {
    off: u16,
    /// True where multiprocessors run whole blocks: five blocks take four multiprocessors as long as eight.
    pub whole_blocks: bool,
    /// True where warps are whole: 33 threads take as long as 64.
    pub whole_warps: bool,
    /// True where an iteration of a plain loop begins when the one before has started all its instructions: true of
    /// compilers that do not pipeline loops. Phases count only then.
    pub whole_iterations: bool,
    /// True where sums over tiles, and what is loaded ahead, are in registers, which few blocks have at once: true of
    /// compilers where a thread has room for them.
    pub kept_sums: bool,
}

impl Default for TimeTerms {
    fn default() -> Self {
        Self { off: 0, whole_blocks: true, whole_warps: true, whole_iterations: true, kept_sums: true }
    }
}

impl TimeTerms {
    /// These without one.
    #[must_use]
    pub fn without(self, term: TimeTerm) -> Self {
        Self { off: self.off | 1 << term as u16, ..self }
    }

    /// Returns true if a term is counted.
    #[must_use]
    pub fn has(self, term: TimeTerm) -> bool {
        self.off >> term as u16 & 1 == 0
    }
}
