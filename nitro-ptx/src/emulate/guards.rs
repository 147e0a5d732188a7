//! Outcomes of guards and comparisons, in launches that are watched for it.

use super::place::{Place, place};
use super::program::Program;
use crate::machine::clock::WARP;
use crate::machine::warp::{Warp, lanes};
use crate::machine::watch::Watch;
use crate::text::module::{Class, Module};

/// For some thread the guard holds, or the comparison is true.
const HOLDS: u8 = 1;
/// For some thread it does not.
const FAILS: u8 = 2;
/// Both at once, in one warp.
const PARTS: u8 = 4;
/// The same of a comparison stands behind those of the guard.
const RESULT: u8 = 3;

/// The outcomes of guards and comparisons in some launches of a program.
///
/// [`Emulator::guards`](super::Emulator::guards) makes it.
///
/// Inputs with which a program does something else mostly have other outcomes: a thread beyond the edge, a warp that
/// parts, a tile that is not full.
#[derive(Clone, Debug)]
pub struct Guards {
    /// The predicate that each instruction sets, by its place in the program.
    results: Vec<Option<Place>>,
    seen: Vec<u8>,
}

impl Guards {
    pub(super) fn new(module: &Module, program: &Program) -> Self {
        let mut results = vec![None; program.code.len()];
        for (function, decoded) in module.bodies().zip(&program.image.functions) {
            for (pc, (id, instruction)) in (decoded.entry as usize..).zip(function.instructions()) {
                if program.image.ids.get(pc) != Some(&id) {
                    continue;
                }
                let is_predicate = |register: &usize| function.registers[*register].class == Class::Predicate;
                // Of two predicates the second is the opposite of the first.
                let set = instruction.definitions().into_iter().find(is_predicate);
                results[pc] = set.and_then(|register| place(function, &decoded.places, register));
            }
        }
        Self { seen: vec![0; results.len()], results }
    }

    /// Returns what was seen so far, in an order of its own, and forgets it. It is equal where all outcomes are.
    pub fn take(&mut self) -> Vec<u8> {
        let nothing = vec![0; self.seen.len()];
        std::mem::replace(&mut self.seen, nothing)
    }

    fn see(&mut self, pc: u32, holds: u32, fails: u32, shift: u8) {
        let Some(seen) = self.seen.get_mut(pc as usize) else { return };
        *seen |= match (holds != 0, fails != 0) {
            (true, true) => HOLDS | FAILS | PARTS,
            (true, false) => HOLDS,
            (false, true) => FAILS,
            (false, false) => 0,
        } << shift;
    }
}

impl Watch for Guards {
    fn before(&mut self, pc: u32, _: &Warp, set: u32, active: u32) {
        self.see(pc, active, set & !active, 0);
    }

    fn after(&mut self, pc: u32, warp: &Warp, active: u32) {
        let Some(Some(result)) = self.results.get(pc as usize) else { return };
        let holds = lanes(active).filter(|&lane| result.value(warp, lane) != 0);
        let holds = holds.fold(0, |all, lane: usize| all | 1 << (lane % WARP));
        self.see(pc, holds, active & !holds, RESULT);
    }
}
