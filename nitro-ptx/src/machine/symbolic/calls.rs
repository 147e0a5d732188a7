//! Terms that calls hand over, and get back.

use super::memory::{place, value};
use super::terms::{Cell, Operand, Term};
use super::trace::{Trace, operand};
use crate::machine::access::Spot;
use crate::machine::image::Function;
use crate::machine::source::{Place, Source};

/// What a thread hands over.
pub(crate) enum Handed {
    /// A register, or a number.
    Value(Operand),
    /// Bytes of a frame, with what they are where no data change them.
    Bytes(Vec<Cell>, Vec<u8>),
}

/// The registers and the memory of a function that a thread is in, by where they begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) registers: u32,
    pub(crate) bytes: u32,
}

impl Trace<'_, '_, '_> {
    /// Returns what a thread hands over from a place of the function that it is in.
    pub(crate) fn handed(&mut self, lane: usize, from: Place) -> Handed {
        match from {
            Place::Value(source) => {
                let values = self.here.values(self.machine, source);
                Handed::Value(operand(self.here.warp, source, lane, values[lane]))
            }
            Place::Bytes { offset, bytes } => {
                let (at, length) = ((self.here.warp.frame[lane] + offset) as usize, bytes as usize);
                let known = self.here.warp.local[lane].data[at..at + length].to_vec();
                Handed::Bytes(self.local(lane, at, length).to_vec(), known)
            }
        }
    }

    /// Puts what is handed over in its place of a frame.
    pub(crate) fn take(&mut self, lane: usize, to: Frame, place: Place, handed: &Handed) {
        match (place, handed) {
            (Place::Value(Source::Register(register)), handed) => {
                let taken = match handed {
                    Handed::Value(operand) => *operand,
                    Handed::Bytes(cells, known) => {
                        let known = (0..8).map(|byte| known.get(byte).copied().unwrap_or(0));
                        let known = known.rev().fold(0, |bits, byte| bits << 8 | u64::from(byte));
                        value(&mut self.symbols.terms, &cells[..cells.len().min(8)], known)
                    }
                };
                self.set_term(lane, to.registers + register, taken.term());
            }
            (Place::Value(_), _) => {}
            (Place::Bytes { offset, bytes }, handed) => {
                let (at, length) = ((to.bytes + offset) as usize, bytes as usize);
                let cells: Vec<Cell> = match handed {
                    Handed::Value(Operand::Known(_)) => vec![Cell::KNOWN; length],
                    Handed::Value(operand) => {
                        (0..bytes as u8).map(|byte| self.symbols.terms.cell(*operand, byte)).collect()
                    }
                    Handed::Bytes(cells, _) => cells.clone(),
                };
                let length = length.min(cells.len());
                self.local(lane, at, length).copy_from_slice(&cells[..length]);
            }
        }
    }

    /// Forgets what was where a function that is called has its registers and its memory.
    pub(crate) fn begin(&mut self, lane: usize, of: Frame, function: &Function) {
        for register in 0..function.registers {
            self.set_term(lane, of.registers + register, Term::UNKNOWN);
        }
        self.local(lane, of.bytes as usize, function.frame_bytes as usize).fill(Cell::UNKNOWN);
    }

    /// Sets the term of a register, counted from the first of the thread.
    fn set_term(&mut self, lane: usize, register: u32, term: Term) {
        let own = std::mem::take(&mut self.here.warp.base[lane]);
        *self.here.warp.term_mut(register, lane) = term;
        self.here.warp.base[lane] = own;
    }

    /// Returns bytes of a thread's own memory.
    fn local(&mut self, lane: usize, at: usize, bytes: usize) -> &mut [Cell] {
        let place = place(Spot::Local(at), self.here, lane).filter(|_| bytes > 0);
        place.map_or(&mut [], |place| self.symbols.cells.at(place, bytes))
    }
}
