//! Errors: texts that cannot be run, and faults of launches.

use std::fmt;

use crate::InstructionId;

/// An instruction or a declaration that the emulator does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The instruction; none for a declaration.
    pub id: Option<InstructionId>,
    /// Its line in the text, from 1.
    pub line: Option<usize>,
    /// The function that it is in, which need not be a kernel; none for what stands between functions.
    pub function: Option<String>,
    /// Its opcode.
    pub opcode: String,
    /// The part of it that is not known.
    pub why: String,
}

impl Unsupported {
    pub(crate) fn declaration(why: String) -> Self {
        Self { id: None, line: None, function: None, opcode: String::new(), why }
    }
}

impl fmt::Display for Unsupported {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(formatter, "line {line}: ")?;
        }
        let function = self.function.as_deref().map(clean);
        match (self.id, function) {
            (Some(_), Some(function)) => write!(formatter, "`{}` in `{function}`", clean(&self.opcode)),
            (Some(_), None) => write!(formatter, "`{}`", clean(&self.opcode)),
            (None, Some(function)) => write!(formatter, "`{function}`"),
            (None, None) => formatter.write_str("the module"),
        }?;
        write!(formatter, " cannot be emulated: {}", clean(&self.why))
    }
}

impl std::error::Error for Unsupported {}

/// Returns a text of the program without what a terminal would not show.
fn clean(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At {
    /// The instruction.
    pub instruction: InstructionId,
    /// Its opcode.
    pub opcode: String,
    /// The index of the block, along x, y and z.
    pub block: [u32; 3],
    /// The index of the thread in its block, along x, y and z.
    pub thread: [u32; 3],
}

impl fmt::Display for At {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [x, y, z] = self.thread;
        let opcode = clean(&self.opcode);
        write!(
            formatter,
            "{} `{opcode}` of thread ({x}, {y}, {z}) in block ({bx}, {by}, {bz})",
            self.instruction
        )
    }
}

/// Two threads touched the same bytes, at least one wrote, and nothing says which of the two was first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The access that came first this time.
    pub first: At,
    /// The access that came second.
    pub second: At,
    /// The address.
    pub address: u64,
    /// Set where it makes no difference this time: what was written was there already.
    pub is_same_value: bool,
}

impl fmt::Display for Race {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = if self.is_same_value { ", with the same value," } else { "" };
        write!(formatter, "{} and {} race{same} for address {:#x}", self.first, self.second, self.address)
    }
}

/// The reason for which a launch did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The launch itself is wrong; nothing has run.
    #[error("{0}")]
    Launch(String),
    /// No variable and no buffer is where a thread reads or writes, or it writes a constant.
    #[error("{at} touches {bytes} bytes at {address:#x}, where nothing is")]
    OutOfBounds {
        /// The thread.
        at: At,
        /// The address.
        address: u64,
        /// The bytes that it touches.
        bytes: u32,
    },
    /// An address is no multiple of what is read or written there.
    #[error("{at} touches {bytes} bytes at {address:#x}, which is not aligned for that")]
    Misaligned {
        /// The thread.
        at: At,
        /// The address.
        address: u64,
        /// The bytes that it touches.
        bytes: u32,
    },
    /// A thread reads what nobody has written.
    #[error("{at} reads {bytes} bytes at {address:#x}, which nobody has written")]
    Uninitialised {
        /// The thread.
        at: At,
        /// The address.
        address: u64,
        /// The bytes that it touches.
        bytes: u32,
    },
    /// Two threads race.
    #[error("{0}")]
    Race(Box<Race>),
    /// Threads wait for others that never come, or come to another instruction.
    #[error("{at} waits: {why}")]
    Barrier {
        /// One that waits.
        at: At,
        /// For what.
        why: String,
    },
    /// A `trap` was executed.
    #[error("{at} stops the kernel")]
    Trap {
        /// The thread.
        at: At,
    },
    /// A call through a pointer that is to no function, or to one that takes something else; or too many calls
    /// inside of each other.
    #[error("{at} cannot call: {why}")]
    Call {
        /// The thread.
        at: At,
        /// The reason.
        why: String,
    },
    /// Data are symbols, and something depends on them that must not.
    #[error("{at}: {why}")]
    Undecided {
        /// The thread.
        at: At,
        /// The reason.
        why: String,
    },
    /// Warps have executed as many instructions as the options allow.
    #[error("{at} comes after {most} instructions, and the launch has not ended")]
    Endless {
        /// The thread that was running.
        at: At,
        /// As many as were allowed.
        most: u64,
    },
    /// The time that the options give is over.
    #[error("after {instructions} instructions the launch has not ended, and its time is over")]
    Late {
        /// As many as warps have executed.
        instructions: u64,
    },
}
