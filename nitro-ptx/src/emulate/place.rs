//! Places of registers in a warp, for those who watch a launch.

use crate::machine::clock::WARP;
use crate::machine::warp::Warp;
use crate::text::module::{Class, Function};

/// The place of a register of the text, and the bits of it that count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) register: usize,
    first: u32,
    mask: u64,
}

impl Place {
    pub(crate) fn value(&self, warp: &Warp, lane: usize) -> u64 {
        let at = (warp.base[lane] + self.first) as usize * WARP + lane;
        warp.registers.get(at).map_or(0, |value| value & self.mask)
    }
}

/// Returns where threads have a register; none for vectors.
pub(crate) fn place(function: &Function, places: &[u32], register: usize) -> Option<Place> {
    let bits = match function.registers[register].class {
        Class::Predicate => 1,
        Class::Bits(bits) | Class::Integer(bits) | Class::Float(bits) => bits.clamp(1, 64),
        Class::Other => return None,
    };
    Some(Place { register, first: *places.get(register)?, mask: u64::MAX >> (64 - bits) })
}
