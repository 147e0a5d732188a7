//! Terms, each kept once: two are the same function of the data if their numbers are equal.

use std::collections::HashMap;
use std::sync::Arc;

use super::opcode::{Fusion, Opcode, RoundedOnce};

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term(pub(super) u32);

impl Term {
    /// A value that no data change: the machine has it.
    pub(crate) const KNOWN: Self = Self(0);
    /// A value of which nothing is known, such as of memory that nobody has written. It is not even equal to itself.
    pub(crate) const UNKNOWN: Self = Self(1);
    /// The number of the first node.
    const FIRST: u32 = 2;

    /// Returns the term as a value that an instruction can move, and back.
    pub(crate) fn to_bits(self) -> u64 {
        self.0.into()
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits as u32)
    }
}

/// An operand of a term: 64 bits, as registers have them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Operand {
    Known(u64),
    /// Never [`Term::KNOWN`].
    Of(Term),
}

impl Operand {
    pub(crate) const UNKNOWN: Self = Self::Of(Term::UNKNOWN);
    const ZERO: Self = Self::Known(0);

    pub(crate) fn is_known(self) -> bool {
        matches!(self, Self::Known(_))
    }

    /// Returns the term that stands beside the value.
    pub(crate) fn term(self) -> Term {
        match self {
            Self::Known(_) => Term::KNOWN,
            Self::Of(term) => term,
        }
    }
}

/// The operation of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Operation {
    /// An element of a buffer as it was before all launches: the buffer, the offset, and the bytes.
    Leaf,
    /// A result of an opcode, by the opcode's number.
    Result(u32, u8),
    /// The second where the first, a predicate, holds, and else the third.
    Select,
    /// Two values of so many bytes, the lower first.
    Join(u8),
    /// So many bytes from one on, with zeros above.
    Part(u8, u8),
    /// So many bytes, with their sign above.
    Signed(u8),
}

type Node = (Operation, [Operand; 4]);

/// A byte of memory: a byte of a term, or known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(super) term: Term,
    pub(super) byte: u8,
}

impl Cell {
    pub(super) const KNOWN: Self = Self { term: Term::KNOWN, byte: 0 };
    pub(super) const UNKNOWN: Self = Self { term: Term::UNKNOWN, byte: 0 };
}

/// The table of all terms.
#[derive(Debug)]
pub(super) struct Terms {
    nodes: Vec<(Node, u8)>,
    numbers: HashMap<Node, Term>,
    opcodes: Vec<Opcode>,
    by_name: HashMap<Arc<str>, u32>,
    most: usize,
    /// Set once there is a product in a sum, and the opcodes of both say no rounding.
    pub(super) may_be_fused: bool,
}

impl Terms {
    pub(super) fn new(most: usize) -> Self {
        let (nodes, numbers, opcodes, by_name) = Default::default();
        Self { nodes, numbers, opcodes, by_name, most, may_be_fused: false }
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// Returns the number of an opcode.
    pub(super) fn opcode(&mut self, opcode: &Arc<str>) -> u32 {
        if let Some(&number) = self.by_name.get(opcode) {
            return number;
        }
        let number = self.opcodes.len() as u32;
        self.opcodes.push(Opcode::of(opcode));
        self.by_name.insert(Arc::clone(opcode), number);
        number
    }

    /// Returns the node of an operation, which is made if it is new.
    fn node(&mut self, operation: Operation, of: [Operand; 4], fits: u8) -> Operand {
        if of.contains(&Operand::UNKNOWN) || self.is_full() {
            return Operand::UNKNOWN;
        }
        let node = (operation, of);
        let next = Term(self.nodes.len() as u32 + Term::FIRST);
        let term = *self.numbers.entry(node).or_insert(next);
        if term == next {
            self.nodes.push((node, fits));
        }
        Operand::Of(term)
    }

    fn of(&self, operand: Operand) -> Option<Node> {
        match operand {
            Operand::Of(Term(number @ Term::FIRST..)) => Some(self.nodes[(number - Term::FIRST) as usize].0),
            _ => None,
        }
    }

    /// Returns the bytes that a value fits in, with zeros above.
    fn fits(&self, operand: Operand) -> u8 {
        match operand {
            Operand::Known(value) => (64 - value.leading_zeros()).div_ceil(8) as u8,
            Operand::Of(Term(number @ Term::FIRST..)) => self.nodes[(number - Term::FIRST) as usize].1,
            Operand::Of(_) => 8,
        }
    }

    /// Returns the term of an element of a buffer.
    pub(super) fn leaf(&mut self, buffer: u64, offset: u64, bytes: u8) -> Operand {
        let of =
            [Operand::Known(buffer), Operand::Known(offset), Operand::Known(bytes.into()), Operand::ZERO];
        self.node(Operation::Leaf, of, bytes)
    }

    /// Applies an opcode: computes it where no data take part, and makes a term of it elsewhere.
    pub(super) fn apply(
        &mut self,
        number: u32,
        result: u8,
        mut of: [Operand; 4],
        function: impl FnOnce([u64; 4]) -> u64,
    ) -> Operand {
        let opcode = self.opcodes[number as usize];
        if let ([Operand::Known(a), Operand::Known(b), Operand::Known(c), Operand::Known(d)], false) =
            (of, opcode.is_approximate)
        {
            return Operand::Known(function([a, b, c, d]));
        }
        if opcode.is_move {
            return of[0];
        }
        if opcode.is_select {
            return self.select(of[2], of[0], of[1]);
        }
        if opcode.is_narrowing
            && let Some(narrow) = self.narrowed(of[0])
        {
            return narrow;
        }
        if opcode.commutes {
            of[..2].sort_unstable();
        }
        if opcode.fusion == Fusion::Sum && of[..2].iter().any(|operand| self.is_product(*operand)) {
            self.may_be_fused = true;
        }
        let fits = match opcode.chooses {
            true => self.fits(of[0]).max(self.fits(of[1])),
            false => opcode.fits,
        };
        self.node(Operation::Result(number, result), of, fits)
    }

    /// Returns a float of 64 bits as the one of 32 bits that it is converted to, where that is rounded once.
    fn narrowed(&mut self, wide: Operand) -> Option<Operand> {
        if let Some(exact) = self.exact(wide) {
            return Some(exact);
        }
        let (Operation::Result(number, result), mut of) = self.of(wide)? else { return None };
        let RoundedOnce { opcode, operands, adds_product } = self.opcodes[number as usize].rounded_once?;
        let is_power = |factor: &Operand| match factor {
            Operand::Known(value) => RoundedOnce::is_power(f64::from_bits(*value)),
            Operand::Of(_) => false,
        };
        if adds_product && !of[..2].iter().any(is_power) {
            return None;
        }
        for operand in &mut of[..operands] {
            *operand = self.exact(*operand)?;
        }
        let number = self.opcode(&Arc::from(opcode));
        Some(self.apply(number, result, of, |_| 0))
    }

    /// Returns the float of 32 bits that one of 64 bits is.
    fn exact(&self, wide: Operand) -> Option<Operand> {
        if let Operand::Known(value) = wide {
            let narrow = RoundedOnce::exact(f64::from_bits(value))?;
            return Some(Operand::Known(narrow.to_bits().into()));
        }
        let (Operation::Result(number, _), of) = self.of(wide)? else { return None };
        self.opcodes[number as usize].is_widening.then_some(of[0])
    }

    /// Tells whether a value is a product that may be fused with a sum.
    fn is_product(&self, operand: Operand) -> bool {
        let Some((Operation::Result(number, _), of)) = self.of(operand) else { return false };
        match self.opcodes[number as usize].fusion {
            Fusion::Product => true,
            Fusion::Sign => self.is_product(of[0]),
            Fusion::Sum | Fusion::None => false,
        }
    }

    /// Returns the one value where a predicate holds, and the other elsewhere.
    pub(super) fn select(&mut self, predicate: Operand, holds: Operand, fails: Operand) -> Operand {
        match predicate {
            Operand::Known(value) => {
                if value & 1 != 0 {
                    holds
                } else {
                    fails
                }
            }
            Operand::Of(_) if holds == fails => holds,
            Operand::Of(_) => {
                let fits = self.fits(holds).max(self.fits(fails));
                self.node(Operation::Select, [predicate, holds, fails, Operand::ZERO], fits)
            }
        }
    }

    /// Joins two values of so many bytes, of which what is above does not count.
    pub(super) fn join(&mut self, bytes: u8, low: Operand, high: Operand) -> Operand {
        let (low, high) = (self.part(low, 0, bytes), self.part(high, 0, bytes));
        match (low, high) {
            (Operand::Known(low), Operand::Known(high)) => Operand::Known(low | high << (8 * bytes)),
            // With zeros above a value is itself.
            (_, Operand::Known(0)) => low,
            _ if self.is_halved(bytes, low, high) => self.of(low).map_or(low, |(_, [whole, ..])| whole),
            _ => self.node(Operation::Join(bytes), [low, high, Operand::ZERO, Operand::ZERO], 2 * bytes),
        }
    }

    /// Tells whether two values are the halves of one, which has nothing above them.
    fn is_halved(&self, bytes: u8, low: Operand, high: Operand) -> bool {
        let (Some((low, [whole, ..])), Some((high, [other, ..]))) = (self.of(low), self.of(high)) else {
            return false;
        };
        let are_parts = (low, high) == (Operation::Part(0, bytes), Operation::Part(bytes, bytes));
        are_parts && whole == other && self.fits(whole) <= 2 * bytes
    }

    /// Returns so many bytes of a value from one on, with zeros above.
    pub(super) fn part(&mut self, whole: Operand, from: u8, bytes: u8) -> Operand {
        if let Operand::Known(value) = whole {
            return Operand::Known(value >> (8 * from) & (u64::MAX >> (64 - 8 * bytes)));
        }
        if from == 0 && self.fits(whole) <= bytes {
            return whole;
        }
        if from >= self.fits(whole) {
            return Operand::ZERO;
        }
        match self.of(whole) {
            Some((Operation::Join(half), [low, ..])) if from + bytes <= half => self.part(low, from, bytes),
            Some((Operation::Join(half), [_, high, ..])) if from >= half => {
                self.part(high, from - half, bytes)
            }
            Some((Operation::Part(first, length), [inner, ..])) if from + bytes <= length => {
                self.part(inner, first + from, bytes)
            }
            _ => {
                let of = [whole, Operand::ZERO, Operand::ZERO, Operand::ZERO];
                self.node(Operation::Part(from, bytes), of, bytes)
            }
        }
    }

    /// Returns so many bytes of a value, with their sign above.
    pub(super) fn signed(&mut self, value: Operand, bytes: u8) -> Operand {
        let of = [value, Operand::ZERO, Operand::ZERO, Operand::ZERO];
        if bytes == 8 { value } else { self.node(Operation::Signed(bytes), of, 8) }
    }

    /// Returns a byte of a value as memory holds it: of the term that it comes from, however it was put together.
    pub(super) fn cell(&self, value: Operand, byte: u8) -> Cell {
        let (mut value, mut byte) = (value, byte);
        loop {
            (value, byte) = match self.of(value) {
                Some((Operation::Join(half), [low, ..])) if byte < half => (low, byte),
                Some((Operation::Join(half), [_, high, ..])) => (high, byte - half),
                Some((Operation::Part(first, length), [inner, ..])) if byte < length => (inner, first + byte),
                _ => break,
            };
        }
        match value {
            // Above what it fits in a term has zeros.
            Operand::Of(term) if byte < self.fits(value) => Cell { term, byte },
            Operand::Of(Term::UNKNOWN) => Cell::UNKNOWN,
            _ => Cell::KNOWN,
        }
    }
}
