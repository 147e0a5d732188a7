//! The terms that memory holds, byte by byte.

use std::collections::HashMap;

use super::terms::{Cell, Operand, Terms};
use crate::machine::access::Spot;
use crate::machine::clock::WARP;
use crate::machine::state::Here;

/// The kinds of memory that have terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Buffer,
    Variable,
    /// Of a block.
    Shared,
    /// Of a thread, counted in its block.
    Local,
}

/// Memory: of what kind, and of which block or number.
type Owner = (Kind, u64);

/// The terms that memory holds.
#[derive(Debug, Default)]
pub(super) struct Cells {
    bytes: HashMap<Owner, Vec<Cell>>,
}

/// A place in it.
pub(super) type Owned = (Owner, usize);

/// Returns the place of a spot that a thread touches; none for parameters, which have no terms.
pub(super) fn place(spot: Spot, here: &Here, lane: usize) -> Option<Owned> {
    let block = u64::from(here.block.number);
    Some(match spot {
        Spot::Buffer(number, at) => ((Kind::Buffer, number as u64), at),
        Spot::Variable(number, at) => ((Kind::Variable, number as u64), at),
        Spot::Shared(at) => ((Kind::Shared, block), at),
        Spot::Local(at) => ((Kind::Local, block << 16 | (here.warp.first + lane % WARP) as u64), at),
        Spot::Parameter(_) => return None,
    })
}

impl Cells {
    /// Forgets what blocks had: their memory ends with the launch.
    pub(super) fn launch(&mut self) {
        self.bytes.retain(|(kind, _), _| matches!(kind, Kind::Buffer | Kind::Variable));
    }

    /// Returns so many bytes from a place on.
    pub(super) fn at(&mut self, (owner, at): Owned, bytes: usize) -> &mut [Cell] {
        let all = self.bytes.entry(owner).or_default();
        if all.len() < at + bytes {
            // Blocks begin with memory that nobody has written.
            let is_written = matches!(owner.0, Kind::Buffer | Kind::Variable);
            all.resize(at + bytes, if is_written { Cell::KNOWN } else { Cell::UNKNOWN });
        }
        &mut all[at..at + bytes]
    }

    /// Returns the terms of a whole buffer.
    pub(super) fn buffer(&mut self, number: usize, bytes: usize) -> &mut [Cell] {
        self.at(((Kind::Buffer, number as u64), 0), bytes)
    }
}

/// Puts together what bytes of memory hold, where `known` has those that no data change.
pub(super) fn value(terms: &mut Terms, cells: &[Cell], known: u64) -> Operand {
    let length = cells.len() as u8;
    let first = cells[0];
    if cells.iter().all(|cell| *cell == Cell::KNOWN) {
        return Operand::Known(known);
    }
    if cells.contains(&Cell::UNKNOWN) {
        return Operand::UNKNOWN;
    }
    let follows = |(at, cell): (usize, &Cell)| cell.term == first.term && cell.byte == first.byte + at as u8;
    if first != Cell::KNOWN && cells.iter().enumerate().all(follows) {
        return terms.part(Operand::Of(first.term), first.byte, length);
    }
    if length == 1 {
        return terms.part(Operand::Of(first.term), first.byte, 1);
    }
    let (low, high) = cells.split_at(cells.len() / 2);
    let half = low.len() as u8;
    let low = value(terms, low, known & (u64::MAX >> (64 - 8 * half)));
    let high = value(terms, high, known >> (8 * half));
    terms.join(half, low, high)
}
