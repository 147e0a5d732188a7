//! Outcomes of guards and comparisons, in launches that are watched for it.

use super::place::{Place, place};
use super::program::Program;
use crate::machine::clock::WARP;
use crate::machine::warp::{Warp, lanes};
use crate::machine::watch::Watch;
use crate::text::module::{Class, Module};
use crate::text::print::InstructionText;

/// For some thread the guard holds, or the comparison is true.
const HOLDS: u16 = 1;
/// For some thread it does not.
const FAILS: u16 = 2;
/// The same of a block's first thread stands behind these where there is a block before it, and that of its last
/// thread where there is one after it: such threads read what is at the edge of a tile.
const OF_EDGE: u8 = 2;
/// Both at once, in one warp.
const PARTS: u16 = 1 << 6;
/// The same of a comparison stands behind those of the guard.
const RESULT: u8 = 7;

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
    /// The place of each instruction in the program, with its text and true if it has a guard.
    listing: Vec<(usize, String, bool)>,
    seen: Vec<u16>,
}

impl Guards {
    pub(super) fn new(module: &Module, program: &Program) -> Self {
        let (mut results, mut listing) = (vec![None; program.code.len()], Vec::new());
        for (function, decoded) in module.bodies().zip(&program.image.functions) {
            for (pc, (id, instruction)) in (decoded.entry as usize..).zip(function.instructions()) {
                if program.image.ids.get(pc) != Some(&id) {
                    continue;
                }
                let text = InstructionText(instruction, &function.registers).to_string();
                listing.push((pc, text, instruction.guard.is_some()));
                let is_predicate = |register: &usize| function.registers[*register].class == Class::Predicate;
                // Of two predicates the second is the opposite of the first.
                let set = instruction.definitions().into_iter().find(is_predicate);
                results[pc] = set.and_then(|register| place(function, &decoded.places, register));
            }
        }
        Self { seen: vec![0; results.len()], results, listing }
    }

    /// Lists the instructions in the order of the text, each with true if launches have shown all that it does: it was
    /// executed, and its guard and what it compares came out both ways.
    ///
    /// What was never seen to be otherwise says nothing about inputs with which it is.
    pub fn shown(&self) -> impl Iterator<Item = (&str, bool)> {
        self.listing.iter().map(|(pc, text, is_guarded)| {
            let both = HOLDS | FAILS;
            let of_guard = if *is_guarded { both } else { HOLDS };
            let of_result = if self.results[*pc].is_some() { both << RESULT } else { 0 };
            let asked = of_guard | of_result;
            (text.as_str(), self.seen[*pc] & asked == asked)
        })
    }

    /// Returns what was seen so far, in an order of its own, and forgets it. It is equal where all outcomes are.
    pub fn take(&mut self) -> Vec<u16> {
        let nothing = vec![0; self.seen.len()];
        std::mem::replace(&mut self.seen, nothing)
    }

    fn see(&mut self, pc: u32, edges: [u32; 2], [holds, fails]: [u32; 2], shift: u8) {
        let Some(seen) = self.seen.get_mut(pc as usize) else { return };
        let of = |lanes: u32, bit: u16| if lanes == 0 { 0 } else { bit };
        let mut now = of(holds, HOLDS) | of(fails, FAILS);
        if now == HOLDS | FAILS {
            now |= PARTS;
        }
        for (place, edge) in (1..).zip(edges) {
            now |= (of(holds & edge, HOLDS) | of(fails & edge, FAILS)) << (place * OF_EDGE);
        }
        *seen |= now << shift;
    }
}

impl Watch for Guards {
    fn before(&mut self, pc: u32, warp: &Warp, set: u32, active: u32) {
        self.see(pc, warp.edges, [active, set & !active], 0);
    }

    fn after(&mut self, pc: u32, warp: &Warp, active: u32) {
        let Some(Some(result)) = self.results.get(pc as usize) else { return };
        let holds = lanes(active).filter(|&lane| result.value(warp, lane) != 0);
        let holds = holds.fold(0, |all, lane: usize| all | 1 << (lane % WARP));
        self.see(pc, warp.edges, [holds, active & !holds], RESULT);
    }
}
