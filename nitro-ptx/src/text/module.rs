//! PTX as data: what a text consists of.

use std::sync::Arc;

use nitro_core::Artifact;

/// A text of PTX as data: its functions are lists of instructions, everything else is kept as it is.
///
/// It is parsed leniently: what is not understood stays in its place, word by word, and analyses leave it alone.
/// Printed again (by `Display`) the text compiles to the same machine code. Registers of nested scopes are named
/// anew, for the function to have one set of them.
///
/// ```
/// use nitro_ptx::Module;
///
/// let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
///             .visible .entry nothing() { .reg .b32 %r<2>; mov.u32 %r1, %tid.x; ret; }";
/// let module = Module::parse(text)?;
/// assert_eq!(module.functions().collect::<Vec<_>>(), ["nothing"]);
/// assert!(module.to_string().contains("\tmov.u32 \t%r1, %tid.x;\n"));
///
/// let error = Module::parse(".entry half() {\n mov.u32 %r1 }").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: a statement has no `;`: mov.u32 %r1");
/// # Ok::<(), nitro_ptx::ParseError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Module {
    pub(crate) pieces: Vec<Piece>,
    /// Of the text that was parsed.
    pub(crate) digest: Artifact,
    /// The lines of that text's instructions, by number.
    pub(crate) lines: Arc<[usize]>,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// As it was.
    Text(String),
    Function(Function),
}

impl Module {
    /// The digest of the text that was parsed, by which a patch knows its base.
    #[must_use]
    pub fn digest(&self) -> Artifact {
        self.digest
    }

    /// The names of the functions that have a body, kernels and others, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.bodies().map(|function| function.name.as_str())
    }

    /// Returns the number of instructions of all functions together.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.bodies().map(|function| function.instructions().count()).sum()
    }

    /// The line of the text on which an instruction stands, from 1; none for what an edit has made.
    ///
    /// ```
    /// use nitro_ptx::{InstructionId, Module};
    ///
    /// let module = Module::parse(".entry k() {\n .reg .b32 %r<2>;\n mov.u32 %r1, 7; ret;\n}")?;
    /// assert_eq!(module.line(InstructionId::Base(1)), Some(3));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn line(&self, id: InstructionId) -> Option<usize> {
        match id {
            InstructionId::Base(number) => self.lines.get(number as usize).copied(),
            InstructionId::Created(_) => None,
        }
    }

    /// Lists the texts that are kept as they were.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Function(_) => None,
        })
    }

    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Function> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Function(function) => Some(function),
            Piece::Text(_) => None,
        })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// From `.entry` or `.func` to the brace.
    pub(crate) head: String,
    pub(crate) registers: Vec<Register>,
    /// The scope around each scope; the body itself is the first, and around itself.
    pub(crate) scopes: Vec<usize>,
    pub(crate) items: Vec<Item>,
}

impl Function {
    pub(crate) fn instructions(&self) -> impl Iterator<Item = (InstructionId, &Instruction)> {
        self.items.iter().filter_map(|item| match &item.content {
            Content::Instruction(id, instruction) => Some((*id, &**instruction)),
            _ => None,
        })
    }

    /// Looks a name up in a scope, and from scope to scope outwards.
    pub(crate) fn outwards<T>(&self, mut scope: usize, find: impl Fn(usize) -> Option<T>) -> Option<T> {
        loop {
            match find(scope) {
                None if scope != 0 => scope = self.scopes[scope],
                found => return found,
            }
        }
    }

    /// Lists the instructions with the scopes that they are in.
    pub(crate) fn placed(&self) -> impl Iterator<Item = (usize, InstructionId, &Instruction)> {
        self.items.iter().filter_map(|item| match &item.content {
            Content::Instruction(id, instruction) => Some((item.scope, *id, &**instruction)),
            _ => None,
        })
    }
}

/// One thing in a body.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) scope: usize,
    pub(crate) content: Content,
}

impl Item {
    /// Returns the number of an instruction.
    pub(crate) fn number(&self) -> Option<InstructionId> {
        match &self.content {
            Content::Instruction(id, _) => Some(*id),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// Kept as it is: a comment, a declaration, a directive.
    Text(String),
    Open,
    Close,
    Label(String),
    /// A list of labels that a branch chooses among.
    Targets {
        name: String,
        text: String,
        labels: Vec<String>,
    },
    Instruction(InstructionId, Arc<Instruction>),
    /// The place of an instruction that an edit has taken away.
    Tombstone(InstructionId),
}

/// The permanent number of an instruction: `b17` is the 17th of the base, `c` and 16 hexadecimal digits one that an
/// edit has made.
///
/// ```
/// use nitro_ptx::InstructionId;
///
/// let id: InstructionId = "b17".parse()?;
/// assert_eq!(id, InstructionId::Base(17));
/// assert_eq!(InstructionId::Created(31).to_string(), "c000000000000001f");
/// # Ok::<(), nitro_ptx::PatchError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionId {
    /// An instruction of the base, counted through the whole module from 0.
    Base(u32),
    /// An instruction that an edit put there, by a hash of the edit.
    Created(u64),
}

/// A kind of register: one may stand for another of the same class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    Predicate,
    /// Any kind of value of so many bits.
    Bits(u16),
    Integer(u16),
    Float(u16),
    /// Vectors of registers, and types that are not known.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Register {
    pub(crate) name: String,
    pub(crate) class: Class,
    /// The number of its values; more than one for a vector.
    pub(crate) lanes: u8,
    /// With its type and where it is declared, if that is not done in the text itself.
    pub(crate) declared_as: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instruction {
    pub(crate) guard: Option<Guard>,
    pub(crate) opcode: String,
    pub(crate) operands: Vec<Vec<Token>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    pub(crate) register: usize,
    pub(crate) negated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A declared register, by its position in the function's list, and a component such as `.x`.
    Register(usize, String),
    Word(String),
    Mark(char),
}
