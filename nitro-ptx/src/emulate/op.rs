//! Instructions as they are executed: names resolved, opcodes decided.

use super::arithmetic::{Function, Twofold};
use super::race::Touch;

/// The register that nobody reads, in each frame.
pub(super) const SINK: u32 = 0;
/// The register of the carry.
pub(super) const CARRY: u32 = 1;
/// How many registers a frame has before those of the text.
pub(super) const OWN: u32 = 2;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    Register(u32),
    Constant(u64),
    /// An offset in the frame of this function in the thread's local memory.
    Frame(u32),
    Special(Special),
}

/// A register that the hardware sets. Of three, x is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Special {
    Thread(u8),
    Threads(u8),
    Block(u8),
    Blocks(u8),
    Lane,
    Warp,
    Warps,
    /// Lanes that are equal, less, less or equal, greater, greater or equal.
    Mask(u8),
    Clock,
    DynamicShared,
    TotalShared,
}

/// What memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area {
    Global,
    /// A 64-bit address says it.
    Generic,
    Shared,
    Local,
    /// What the launch was given.
    Parameter,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) area: Area,
    pub(super) base: Source,
    pub(super) offset: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub(super) register: u32,
    pub(super) negated: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) guard: Option<Guard>,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Compute(Compute),
    Two(Box<Two>),
    Logic(Box<Logic>),
    /// A register into several, or several into one, each of so many bits.
    Unpack(Source, Box<[u32]>, u32),
    Pack(Box<[Source]>, u32, u32),
    Move(Box<[(Source, u32)]>),
    Load(Box<Load>),
    Store(Box<Store>),
    Atomic(Box<Atomic>),
    Copy(Box<Copy>),
    Branch(u32),
    Choose(Source, Box<[u32]>),
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Box<Barrier>),
    Collective(Box<Collective>),
    ActiveMask(u32),
    Nothing,
    Fence,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Compute {
    pub(super) function: Function,
    pub(super) to: u32,
    pub(super) from: [Source; 4],
    /// In units of an instruction.
    pub(super) cost: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Two {
    pub(super) function: Twofold,
    pub(super) to: [u32; 2],
    pub(super) from: [Source; 4],
}

/// Bitwise logic of three words, and a predicate that says whether anything comes of it, joined with another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Logic {
    pub(super) from: [Source; 3],
    /// The result for each combination of three bits.
    pub(super) table: u8,
    pub(super) with: Source,
    pub(super) is_negated: bool,
    pub(super) is_and: bool,
    pub(super) to: [u32; 2],
}

#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) address: Address,
    pub(super) to: Box<[u32]>,
    /// Of each value.
    pub(super) bytes: u8,
    pub(super) is_signed: bool,
    pub(super) how: Touch,
}

#[derive(Clone, Debug)]
pub(super) struct Store {
    pub(super) address: Address,
    pub(super) from: Box<[Source]>,
    pub(super) bytes: u8,
    pub(super) is_strong: bool,
    /// As if a fence came before.
    pub(super) releases: bool,
}

/// What is in memory and the two values become what is in memory then.
pub(super) type Change = fn(u64, u64, u64) -> u64;

#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub(super) address: Address,
    pub(super) change: Change,
    /// The same in global memory, where it differs.
    pub(super) in_global: Change,
    pub(super) from: [Source; 2],
    pub(super) to: u32,
    pub(super) bytes: u8,
    pub(super) releases: bool,
}

/// From global to shared memory; what is not read is zero.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    pub(super) to: Address,
    pub(super) from: Address,
    pub(super) bytes: u8,
    pub(super) read: Part,
}

/// How much of what is copied is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Whole,
    Bytes(Source),
    /// Nothing where a predicate holds, or does not.
    NotIf(Source, bool),
}

#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: Target,
    pub(super) arguments: Box<[Place]>,
    pub(super) results: Box<[Place]>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Function(u32),
    Pointer(Source),
}

/// What is handed over: a register, or bytes of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Value(Source),
    Bytes { offset: u32, bytes: u32 },
}

#[derive(Clone, Debug)]
pub(super) struct Barrier {
    pub(super) number: Source,
    /// How many threads meet; all of the block where it is not said.
    pub(super) count: Option<Source>,
    pub(super) waits: bool,
    /// All threads of a warp have to be at the same instruction.
    pub(super) is_aligned: bool,
    /// What becomes of the predicates of all, and where it goes to.
    pub(super) vote: Option<(Vote, Source, bool, u32)>,
}

/// What many predicates become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vote {
    All,
    Any,
    /// Whether all are the same.
    Uniform,
    Ballot,
    Count,
}

/// What threads of a warp do together.
#[derive(Clone, Debug)]
pub(super) struct Collective {
    pub(super) what: Together,
    /// Values, as many as the kind takes.
    pub(super) from: [Source; 3],
    pub(super) to: [u32; 2],
    /// None: threads that happen to be here together, as of old.
    pub(super) mask: Option<Source>,
    /// Threads meet at instructions of the same opcode.
    pub(super) meets: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    Wait,
    Shuffle(Shuffle),
    /// Whether the predicate is negated.
    Vote(Vote, bool),
    MatchAny(u8),
    MatchAll(u8),
    Reduce(Reduce),
    Elect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shuffle {
    Up,
    Down,
    Across,
    Index,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduce {
    Add,
    And,
    Or,
    Xor,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
}
