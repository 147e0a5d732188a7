//! The data of launches as symbols, and what becomes of them.

use std::collections::{BTreeSet, HashMap};

use super::memory::{Cells, Owned};
use super::terms::{Cell, Term, Terms};
use crate::machine::memory::{Memory, index};
use crate::machine::transfer::Reduction;

/// Symbols for the data of launches, and the terms that come of them.
///
/// Programs are compared by [`begin`](Symbols::begin) before each, the same symbols for the same buffers, and
/// [`left`](Symbols::left) after it. Terms are equal if they are the same opcodes of the same operands; but for what
/// always gives the same bits, the order of the operands of a sum or product, nothing is rearranged. NaN counts as
/// equal to NaN, whatever its payload.
///
/// ```
/// use nitro_ptx::Module;
/// use nitro_ptx::emulate::{Emulator, Launch, Memory, Options, Symbols};
///
/// let kernel = |last: &str| format!(".entry k(.param .u64 to) {{ .reg .b64 %rd1; .reg .f32 %f<3>;\n\
///     ld.param.u64 %rd1, [to]; ld.global.f32 %f1, [%rd1]; {last}; st.global.f32 [%rd1], %f2; ret; }}");
/// let mut symbols = Symbols::new(1000);
/// let mut left = |last: &str| {
///     let emulator = Emulator::new(&Module::parse(&kernel(last))?)?;
///     let mut memory = Memory::new();
///     symbols.begin();
///     let to = memory.allocate(vec![0; 4]);
///     symbols.data(to, 4, 4);
///     let parameters = [to.to_le_bytes().to_vec()];
///     let launch = Launch { kernel: "k", grid: [1; 3], block: [1; 3], shared_bytes: 0, parameters: &parameters };
///     emulator.launch_symbolic(&launch, &mut memory, &Options::default(), &mut symbols)?;
///     Ok::<_, Box<dyn std::error::Error>>(symbols.left(to, &memory))
/// };
/// let original = left("add.rn.f32 %f2, %f1, 0f3F800000")?;
/// assert_eq!(original.first_difference(&left("add.rn.f32 %f2, 0f3F800000, %f1")?), None);
/// // The bits are the same with what was drawn, which is zero, and not with other data.
/// assert_eq!(original.first_difference(&left("mov.f32 %f2, 0f3F800000")?), Some(0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Symbols {
    pub(super) terms: Terms,
    pub(super) cells: Cells,
    /// The atomic operation on each eight bytes in this launch.
    pub(super) reductions: HashMap<Owned, Reduction>,
    /// What guards and addresses that depend on data have been; none where they may not depend on data.
    pub(super) decisions: Option<Decisions>,
}

/// What guards and addresses that depend on data were with the data that were drawn.
///
/// Two programs with the same decisions go the same ways with all data for which these are so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions(pub(super) BTreeSet<(Term, u64)>);

/// The bytes of a buffer, each known or a byte of a term.
#[derive(Clone, Debug, Default)]
pub struct SymbolicBytes(Vec<(Cell, u8)>);

impl Symbols {
    /// Creates symbols with at most so many terms.
    #[must_use]
    pub fn new(most_terms: usize) -> Self {
        let (cells, reductions) = Default::default();
        Self { terms: Terms::new(most_terms), cells, reductions, decisions: None }
    }

    /// Creates symbols that let control and addresses depend on data: they are what they are with the data that memory
    /// holds, which is noted as [`decisions`](Symbols::decisions).
    #[must_use]
    pub fn deciding(most_terms: usize) -> Self {
        Self { decisions: Some(Decisions::default()), ..Self::new(most_terms) }
    }

    /// Begins with a program: nothing in its memory is a symbol yet. Terms of earlier programs stay.
    pub fn begin(&mut self) {
        self.cells = Cells::default();
        self.decisions = self.decisions.take().map(|_| Decisions::default());
    }

    /// Returns what guards and addresses that depend on data have been since the program began.
    #[must_use]
    pub fn decisions(&self) -> Decisions {
        self.decisions.clone().unwrap_or_default()
    }

    /// Makes each element of a buffer a symbol of its own: of all `length_bytes`, elements of so many.
    ///
    /// # Panics
    /// When no element has that many bytes.
    pub fn data(&mut self, buffer: u64, length_bytes: usize, element_bytes: usize) {
        let begins = (0..length_bytes).step_by(element_bytes);
        self.numbers(buffer, length_bytes, begins.map(|at| (at, element_bytes.min(length_bytes - at))));
    }

    /// Makes numbers of a buffer, each with its first byte and how many it has, symbols of their own. The rest of all
    /// `length_bytes` stays as it is.
    ///
    /// # Panics
    /// When no number has that many bytes, or one is not in the buffer.
    pub fn numbers(
        &mut self,
        buffer: u64,
        length_bytes: usize,
        numbers: impl IntoIterator<Item = (usize, usize)>,
    ) {
        let number = index(buffer);
        let cells = self.cells.buffer(number, length_bytes);
        for (at, bytes) in numbers {
            assert!(matches!(bytes, 1..=8), "no number has {bytes} bytes");
            let leaf = self.terms.leaf(number as u64, at as u64, bytes as u8);
            for (byte, cell) in (0..).zip(&mut cells[at..at + bytes]) {
                *cell = self.terms.cell(leaf, byte);
            }
        }
    }

    /// Makes nothing known of a buffer: what depends on its content is equal to nothing.
    pub fn unknown(&mut self, buffer: u64, length_bytes: usize) {
        self.cells.buffer(index(buffer), length_bytes).fill(Cell::UNKNOWN);
    }

    /// Makes a buffer hold what memory does, whatever the data: the host has written it.
    pub fn known(&mut self, buffer: u64, length_bytes: usize) {
        self.cells.buffer(index(buffer), length_bytes).fill(Cell::KNOWN);
    }

    /// Copies what so many bytes of a buffer hold to another one, as the host does. Of both the number of all bytes and
    /// the first byte are given.
    ///
    /// # Panics
    /// When a buffer has fewer bytes.
    pub fn copy(&mut self, from: (u64, usize, usize), to: (u64, usize, usize), bytes: usize) {
        let copied = self.cells.buffer(index(from.0), from.1)[from.2..from.2 + bytes].to_vec();
        self.cells.buffer(index(to.0), to.1)[to.2..to.2 + bytes].copy_from_slice(&copied);
    }

    /// Returns what the launches left in a buffer.
    ///
    /// # Panics
    /// When the address is none that was given for a buffer.
    pub fn left(&mut self, buffer: u64, memory: &Memory) -> SymbolicBytes {
        let bytes = memory.bytes(buffer);
        let cells = self.cells.buffer(index(buffer), bytes.len());
        SymbolicBytes(cells.iter().copied().zip(bytes.iter().copied()).collect())
    }

    /// Tells whether there is a product in a sum where the opcodes of both say no rounding: then the assembler may
    /// fuse the two, and equal terms are the same bits on a device only where it does so alike.
    #[must_use]
    pub fn may_be_fused(&self) -> bool {
        self.terms.may_be_fused
    }
}

impl SymbolicBytes {
    /// Returns `true` if all bytes are the same with all data.
    #[must_use]
    pub fn are_known(&self) -> bool {
        self.0.iter().all(|(cell, _)| *cell == Cell::KNOWN)
    }

    /// Returns the first byte that may differ with some data; what is not known may.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<usize> {
        self.differences(other).next()
    }

    /// Returns the bytes that may differ with some data, in order; what is not known may. Of two buffers of different
    /// lengths that is also the first byte that one of them has alone.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let differs = |((cell, byte), (of, other)): (&(Cell, u8), &(Cell, u8))| match cell.term {
            Term::UNKNOWN => true,
            Term::KNOWN => *of != Cell::KNOWN || byte != other,
            _ => cell != of,
        };
        let common = self.0.iter().zip(&other.0).enumerate();
        let own = (self.0.len() != other.0.len()).then_some(self.0.len().min(other.0.len()));
        common.filter(move |(_, pair)| differs(*pair)).map(|(at, _)| at).chain(own)
    }
}
