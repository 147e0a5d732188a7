//! Instructions that threads of a warp execute together, as data.

use super::clock::WARP;
use super::source::Source;

/// An instruction that exchanges values within a warp, or lets its threads wait for each other.
#[derive(Clone, Debug)]
pub(crate) struct Collective {
    pub(crate) from: [Source; 3],
    /// The first source is a predicate that counts negated.
    pub(crate) is_negated: bool,
    pub(crate) to: [u32; 2],
    /// The threads that take part. None: those that happen to be here together, as of old.
    pub(crate) mask: Option<Source>,
    /// A digest of the opcode: threads meet at instructions of the same one.
    pub(crate) meets: u64,
    /// It orders memory among those that take part, as `bar.warp.sync` does and `shfl.sync` does not.
    pub(crate) is_barrier: bool,
    /// Its first result is a value of a thread as it is (`shfl`).
    pub(crate) hands_on: bool,
    /// The two results of one thread.
    pub(crate) result: fn(&Exchange, usize) -> (u64, u64),
}

/// The values of the threads that meet.
pub(crate) struct Exchange {
    pub(crate) given: [[u64; WARP]; 3],
    /// The threads that take part, and the mask that they gave.
    pub(crate) set: u32,
    pub(crate) mask: u32,
    /// The value that is read of a thread that does not take part.
    pub(crate) noise: u64,
}
