//! PTX as data: what a text consists of.

use std::collections::HashSet;
use std::sync::Arc;

use nitro_core::Artifact;

use super::head::Head;
use super::reach::{Reached, is_declaration, is_described, written_by_any};
use super::scan::lexemes;

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
    pub(super) pieces: Vec<Piece>,
    /// Of the text that was parsed.
    pub(super) digest: Artifact,
    /// Where the instructions of that text stand, by number.
    pub(super) lines: Arc<[usize]>,
}

#[derive(Clone, Debug)]
pub(super) enum Piece {
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

    /// How many instructions all functions have together.
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

    /// A module of these kernels alone, with the functions that they call, or that variables hold; none if one of
    /// them is not there. Where debug information names places in the others (`nvcc -G`), it is the whole module.
    ///
    /// What is compiled again for every edit should be no more than what is edited.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let module = Module::parse(".version 9.0\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n")?;
    /// assert_eq!(module.kernels(&["b"]).unwrap().functions().collect::<Vec<_>>(), ["b"]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn kernels(&self, names: &[&str]) -> Option<Self> {
        Self::parse(&self.text_of(names)?).ok()
    }

    /// The text of such a module.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let module = Module::parse(".version 9.0\n.visible .entry a() { ret; }\n.visible .entry b() { ret; }\n")?;
    /// assert!(!module.text_of(&["b"]).unwrap().contains(".entry a"));
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn text_of(&self, names: &[&str]) -> Option<String> {
        let is_kernel = |name: &&str| self.bodies().any(|body| body.is_kernel() && body.name == *name);
        if !names.iter().all(is_kernel) {
            return None;
        }
        let reached = Reached::of_text(self, names);
        let is_left_out = |name: &str| !reached.contains(name);
        let left_out: HashSet<&str> = self.functions().filter(|name| is_left_out(name)).collect();
        if is_described(self, &left_out) {
            return Some(self.to_string());
        }
        let mut text = String::new();
        let mut is_after_declaration = false;
        for piece in &self.pieces {
            match piece {
                Piece::Function(function) if left_out.contains(function.name.as_str()) => {
                    without_linkage(&mut text);
                }
                Piece::Function(function) => text.push_str(&function.to_string()),
                Piece::Text(piece) if declared(piece).is_some_and(|name| left_out.contains(name)) => {
                    without_linkage(&mut text);
                    is_after_declaration = true;
                }
                Piece::Text(piece) => {
                    let piece = match std::mem::take(&mut is_after_declaration) {
                        true => piece.strip_prefix(';').unwrap_or(piece),
                        false => piece,
                    };
                    text.push_str(piece);
                }
            }
        }
        Some(text)
    }

    /// These kernels in groups that can be compiled apart: those of different groups have no variable in common
    /// that one could write and another read. In the order of their names here.
    ///
    /// ```
    /// use nitro_ptx::Module;
    ///
    /// let text = ".version 9.0\n.global .u32 n;\n.const .u32 m;\n.entry a() { .reg .b32 %r<2>; ld.global.u32 %r1, [n]; ld.const.u32 %r1, [m]; ret; }\n\
    ///             .entry b() { .reg .b32 %r<2>; ld.const.u32 %r1, [m]; ret; }\n.entry c() { st.global.u32 [n], 1; ret; }\n";
    /// let module = Module::parse(text)?;
    /// assert_eq!(module.apart(&["a", "b", "c"]), [vec!["a", "c"], vec!["b"]]);
    /// # Ok::<(), nitro_ptx::ParseError>(())
    /// ```
    #[must_use]
    pub fn apart<'a>(&self, kernels: &[&'a str]) -> Vec<Vec<&'a str>> {
        let shared = written_by_any(self);
        let mut groups: Vec<(HashSet<&str>, Vec<&'a str>)> = Vec::new();
        for &kernel in kernels {
            let reached = Reached::of(self, &[kernel]);
            let mut group: (HashSet<&str>, _) =
                (shared.iter().copied().filter(|name| reached.contains(name)).collect(), vec![kernel]);
            let (same, others) = groups.into_iter().partition(|(names, _)| !names.is_disjoint(&group.0));
            groups = others;
            for (names, kernels) in same {
                group = (&group.0 | &names, [kernels, group.1].concat());
            }
            groups.push(group);
        }
        let mut groups: Vec<Vec<&'a str>> = groups.into_iter().map(|(_, kernels)| kernels).collect();
        groups.sort_by_key(|group| kernels.iter().position(|kernel| *kernel == group[0]));
        // Where one cannot do without another, as debug information does, nothing is apart.
        let is_alone = |group: &Vec<&str>| {
            self.kernels(group).is_some_and(|part| part.kernel_names().all(|name| group.contains(&name)))
        };
        if groups.iter().all(is_alone) { groups } else { vec![kernels.to_vec()] }
    }

    /// What is kept as it was.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Function(_) => None,
        })
    }

    pub(super) fn bodies(&self) -> impl Iterator<Item = &Function> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Function(function) => Some(function),
            Piece::Text(_) => None,
        })
    }
}

/// The name of a function that a text between functions declares.
fn declared(text: &str) -> Option<&str> {
    is_declaration(text).then(|| Head::of(text).name).filter(|name| !name.is_empty())
}

/// Takes from the end what says how the function is linked that would stand there.
fn without_linkage(text: &mut String) {
    const LINKAGE: [&str; 4] = [".visible", ".weak", ".extern", ".common"];
    let Some(last) = lexemes(text).last().copied().filter(|last| LINKAGE.contains(last)) else {
        text.truncate(text.trim_end().len());
        return text.push('\n');
    };
    // Comments may stand between it and the function.
    let at = last.as_ptr() as usize - text.as_ptr() as usize;
    text.replace_range(at..at + last.len(), "");
    text.push('\n');
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    /// From `.entry` or `.func` to the brace.
    pub(super) head: String,
    pub(super) registers: Vec<Register>,
    /// The scope around each scope; the body itself is the first, and around itself.
    pub(super) scopes: Vec<usize>,
    pub(super) items: Vec<Item>,
}

impl Function {
    pub(super) fn instructions(&self) -> impl Iterator<Item = (InstructionId, &Instruction)> {
        self.items.iter().filter_map(|item| match &item.what {
            What::Instruction(id, instruction) => Some((*id, &**instruction)),
            _ => None,
        })
    }

    /// With the scopes that they are in.
    pub(super) fn placed(&self) -> impl Iterator<Item = (usize, InstructionId, &Instruction)> {
        self.items.iter().filter_map(|item| match &item.what {
            What::Instruction(id, instruction) => Some((item.scope, *id, &**instruction)),
            _ => None,
        })
    }
}

/// One thing in a body.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) scope: usize,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
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
    /// Where an instruction was that an edit has taken away.
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
    /// What an edit put there, by a hash of the edit.
    Created(u64),
}

/// What kind of register it is: one may stand for another of the same class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    Predicate,
    /// Any kind of value of so many bits.
    Bits(u16),
    Integer(u16),
    Float(u16),
    /// Vectors of registers, and types that are not known.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Register {
    pub(super) name: String,
    pub(super) class: Class,
    /// How many values it has; more than one for a vector.
    pub(super) lanes: u8,
    /// With its type and where it is declared, if that is not done in the text itself.
    pub(super) declared_as: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    pub(super) guard: Option<Guard>,
    pub(super) opcode: String,
    pub(super) operands: Vec<Vec<Token>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) register: usize,
    pub(super) negated: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A declared register, by its position in the function's list, and a component such as `.x`.
    Register(usize, String),
    Word(String),
    Mark(char),
}
