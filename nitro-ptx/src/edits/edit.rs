//! Edits, and what they are called in a patch.

use std::collections::BTreeSet;

use crate::instructions::sites::Slot;
use crate::text::module::InstructionId;

/// The content of a place of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A register of the function, such as `%r7`; those that copies define are made of the copy's number:
    /// `%c0123456789abcdef_0`.
    Register(String),
    /// A number as PTX writes it: `1`, `-5`, `0f3F800000`.
    Number(String),
}

/// A way of a load or store through the caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CacheMode {
    /// As the device does it by itself.
    Default,
    /// Loads, at all levels.
    Ca,
    /// Only in the second level.
    Cg,
    /// For data that is likely to be used once.
    Cs,
    /// Loads of global memory that nobody writes while the kernel runs.
    Nc,
    /// Stores, through to memory.
    Wt,
}

/// The places of an edit that may be made in many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// At these instructions of one function.
    At(BTreeSet<InstructionId>),
    /// Wherever it can be made in this function.
    All(String),
}

/// The operation of an edit. Places are named by permanent numbers: what was deleted or moved leaves its place, so
/// that `before` can be found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Puts something else into a place of an instruction.
    Operand {
        /// The instruction.
        at: InstructionId,
        /// The place: the registers and numbers of all operands, counted from 0; 255 is the guard.
        slot: u8,
        /// The new content, of the same class.
        to: Value,
    },
    /// Changes the cache mode of a load or store.
    Cache {
        /// The load or store.
        at: InstructionId,
        /// The new mode.
        mode: CacheMode,
    },
    /// Puts a copy of an instruction somewhere, whose result is a new register.
    Copy {
        /// The instruction that is copied.
        source: InstructionId,
        /// In front of what.
        before: InstructionId,
    },
    /// Moves an instruction.
    Move {
        /// The instruction that is moved.
        source: InstructionId,
        /// In front of what.
        before: InstructionId,
    },
    /// Computes a result as another instruction computes one of the same class.
    Replace {
        /// The instruction that goes, but for its result.
        at: InstructionId,
        /// The instruction that is copied there.
        source: InstructionId,
    },
    /// Exchanges two instructions with results of the same class.
    Swap(InstructionId, InstructionId),
    /// Takes an instruction away.
    Delete(InstructionId),
    /// Puts loads in front of an instruction above them, whatever branches and barriers stand between, with what their
    /// addresses are computed from. So threads wait for several loads at once. Threads that took another branch load
    /// too, which may stray.
    Lift {
        /// The loads.
        loads: Reach,
        /// In front of what.
        before: InstructionId,
    },
    /// Converts a branch, or two: its condition guards what it jumps over instead (if-conversion). So the assembler
    /// has one block in which it may put loads together.
    Predicate(Reach),
    /// Stores behind a loop what each round of it stores in the same place: only what the last one leaves is left. The
    /// assembler stores in each round, where loads of the loop might read that place.
    Sink(Reach),
    /// Makes loads of a loop a round ahead, under the condition of one more round: so they are on their way while this
    /// round is computed, whatever branches and barriers it has.
    Ahead(Reach),
    /// Lets innermost loops go several rounds in one: what they do is repeated under the condition of one more round,
    /// so that loads of several rounds stand in one block; or behind a test of it, where that cannot be. Places are the
    /// branches back.
    Unroll {
        /// The loops.
        loops: Reach,
        /// The rounds that become one.
        rounds: u32,
    },
    /// Puts a load in front of the stores before it, unless they are seen to store what it reads. The assembler does
    /// not, where addresses may be the same.
    Raise(Reach),
    /// Makes a load and those of its neighbours below it one load of a vector, or a store and those above it one store.
    /// That needs an address which is a
    /// multiple of the vector's size, as those of rows and structures are; others are misaligned, and the kernel fails.
    Widen(Reach),
    /// Lets all loads through a pointer, which this parameter of a kernel is, go by the read-only path: what
    /// `const` and `__restrict__` would say.
    ReadOnly(String),
    /// Divides integers as if they had no sign, which is the same where none is negative, and fewer instructions.
    Unsigned(Reach),
    /// Computes with 32 bits what comes of floats of 32 bits, is computed with 64 and goes into floats of 32 bits
    /// again.
    /// Its places are the conversions at the end.
    Narrow(Reach),
    /// Computes a quotient or a root approximately.
    Approximate(Reach),
    /// Computes a quotient or a root as that of ordinary numbers: as the assembler does, but without its look at
    /// operands that are infinite, no numbers, or near the largest or smallest ones.
    Quick(Reach),
    /// Lets threads wait at a barrier for those of their warp alone. That is enough where no others give them anything,
    /// as at the end of a reduction.
    WarpBarrier(Reach),
    /// Tells the assembler how many registers a thread of a kernel may have (`.maxnreg`). By itself it spares them, so
    /// that as many threads as possible fit at once; with more it puts more loads together.
    Registers {
        /// The kernel.
        kernel: String,
        /// The most registers of a thread.
        most: u32,
    },
    /// Tells the assembler the threads of each block of a kernel (`.reqntid`), which it may rely on. A launch with
    /// others fails.
    Block {
        /// The kernel.
        kernel: String,
        /// The threads along each axis.
        threads: [u32; 3],
    },
}

impl Operation {
    /// Returns the number of the instruction that this makes, or of the first that a swap makes. It comes of the text
    /// of the operation, so that it is the same wherever that is found.
    #[must_use]
    pub fn created(&self) -> InstructionId {
        InstructionId::Created(self.digest())
    }

    /// The number of the second instruction that a swap makes.
    pub(crate) fn second(&self) -> InstructionId {
        InstructionId::Created(self.digest().wrapping_add(1))
    }

    fn digest(&self) -> u64 {
        nitro_core::Artifact::of(&self.to_string()).digest()
    }
}

/// A repair: what a place has to hold since an edit took its value away.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fix {
    /// Of this instruction,
    pub at: InstructionId,
    /// in this place, counted as that of [`Operation::Operand`],
    pub slot: Slot,
    /// this.
    pub to: Value,
}

/// An edit with the repairs that it needs, which were found when it was made: so it does the same wherever it is
/// applied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    /// The operation itself.
    pub operation: Operation,
    /// Repairs, which are made after all edits.
    pub fixes: Vec<Fix>,
}

/// The reason for which a patch does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch was made for another text.
    #[error(
        "the patch is for the text with digest {patch}, and this one has {base}: it was compiled from another source \
         or by another compiler"
    )]
    OtherBase {
        /// Digest of the patch's base.
        patch: nitro_core::Artifact,
        /// Digest of this text.
        base: nitro_core::Artifact,
    },
    /// A line of a patch is none.
    #[error("line {line}: {what}")]
    Syntax {
        /// From 1.
        line: usize,
        /// The mistake, and what is expected.
        what: String,
    },
    /// An instruction is not there, or no longer.
    #[error("`{edit}`: there is no {id}, or another edit took it away")]
    Missing {
        /// The edit.
        edit: String,
        /// The number that it names.
        id: InstructionId,
    },
    /// The edit may not be made.
    #[error("`{edit}`: {why}")]
    Refused {
        /// The edit.
        edit: String,
        /// The reason.
        why: String,
    },
    /// A register may have no value where it is read.
    #[error("{register} may have no value where {id} reads it")]
    Undefined {
        /// The instruction that reads.
        id: InstructionId,
        /// The register's name.
        register: String,
    },
    /// Not all threads may come to a barrier, since the way there is divergent.
    #[error("not all threads may come to {id}, where they meet, since they may diverge at {branch}")]
    Barrier {
        /// The barrier, or another instruction that threads come to together.
        id: InstructionId,
        /// The branch, or the barrier itself if its guard is not the same for all threads.
        branch: InstructionId,
    },
}
