//! Outcomes of guards and comparisons, in launches that are watched for it.

use std::collections::{HashMap, HashSet};

use super::place::{Place, place};
use super::program::Program;
use crate::instructions::effect::Kind;
use crate::instructions::sites::{Role, Site};
use crate::machine::clock::WARP;
use crate::machine::warp::{Warp, lanes};
use crate::machine::watch::Watch;
use crate::text::module::{Class, Function, Module, Token};
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
/// A greater number is the address of a buffer.
const MOST_NUMBER: u64 = u32::MAX as u64;

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
    listing: Vec<Listed>,
    seen: Vec<u16>,
    /// The number that each instruction computes of registers, by its place in the program.
    computed: Vec<Option<Computed>>,
}

/// An instruction of the text.
#[derive(Clone, Debug)]
struct Listed {
    /// The place in the program.
    pc: usize,
    /// The position of its function.
    function: usize,
    text: String,
    is_guarded: bool,
}

/// A number that an instruction computes, as long as it was always the same.
#[derive(Clone, Copy, Debug)]
struct Computed {
    place: Place,
    /// The number; none where it was not computed yet.
    always: Option<u64>,
}

/// An instruction of the text, with what launches have shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The instruction.
    pub text: &'a str,
    /// The position of its function among those of the text.
    pub function: usize,
    /// True if it was executed, and its guard came out both ways.
    pub both_ways: bool,
    /// True unless what it computes of registers was always the same number, or what it compares came out one way.
    /// Addresses of buffers may be the same.
    pub varies: bool,
}

impl Guards {
    pub(super) fn new(module: &Module, program: &Program) -> Self {
        let (mut results, mut computed) = (vec![None; program.code.len()], vec![None; program.code.len()]);
        let mut listing = Vec::new();
        for (at, (function, decoded)) in module.bodies().zip(&program.image.functions).enumerate() {
            let fixed = function.fixed();
            for (pc, (id, instruction)) in (decoded.entry as usize..).zip(function.instructions()) {
                if program.image.ids.get(pc) != Some(&id) {
                    continue;
                }
                let text = InstructionText(instruction, &function.registers).to_string();
                listing.push(Listed { pc, function: at, text, is_guarded: instruction.guard.is_some() });
                let defined = instruction.definitions();
                let place = |register: usize| place(function, &decoded.places, register);
                let is_predicate = |register: &usize| function.registers[*register].class == Class::Predicate;
                // A number is the same whatever the inputs, and so is what is computed from numbers and addresses.
                let is_fixed = defined.iter().any(|register| fixed.contains(register));
                if is_fixed || !instruction.sites().iter().any(is_read) {
                    continue;
                }
                // Of two predicates the second is the opposite of the first.
                if let Some(predicate) = defined.iter().copied().find(is_predicate) {
                    results[pc] = place(predicate);
                } else if let [number] = defined[..] {
                    computed[pc] = place(number).map(|place| Computed { place, always: None });
                }
            }
        }
        Self { seen: vec![0; results.len()], results, listing, computed }
    }

    /// Lists the instructions in the order of the text, with what launches have shown of them.
    ///
    /// What was never seen to be otherwise says nothing about inputs with which it is.
    pub fn shown(&self) -> impl Iterator<Item = Shown<'_>> {
        self.listing.iter().map(|Listed { pc, function, text, is_guarded }| {
            let both = HOLDS | FAILS;
            let of_guard = if *is_guarded { both } else { HOLDS };
            let seen = self.seen[*pc];
            let always = self.computed[*pc].and_then(|computed| computed.always);
            let compares_alike = self.results[*pc].is_some() && (seen >> RESULT) & both != both;
            let varies = always.is_none_or(|always| always > MOST_NUMBER) && !compares_alike;
            Shown { text, function: *function, both_ways: seen & of_guard == of_guard, varies }
        })
    }

    /// Returns the number of instructions of which launches have not shown all.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.shown().filter(|shown| !shown.both_ways || !shown.varies).count()
    }

    /// Notes outcomes that were [taken](Self::take).
    pub fn note(&mut self, taken: &[u16]) {
        self.seen.iter_mut().zip(taken).for_each(|(seen, taken)| *seen |= taken);
    }

    /// Adds what other launches have shown of the numbers that instructions compute; outcomes are
    /// [noted](Self::note) apart.
    pub fn add_numbers(&mut self, other: &Self) {
        for (own, other) in self.computed.iter_mut().zip(&other.computed) {
            let Some(Computed { always, .. }) = own else { continue };
            match other {
                None => *own = None,
                Some(Computed { always: None, .. }) => {}
                Some(Computed { always: Some(number), .. }) if *always.get_or_insert(*number) != *number => {
                    *own = None;
                }
                Some(_) => {}
            }
        }
    }

    /// Notes what an instruction computes.
    fn compute(&mut self, pc: u32, warp: &Warp, active: u32) {
        let Some(computed) = self.computed.get_mut(pc as usize) else { return };
        let Some(Computed { place, always }) = computed else { return };
        let varies = lanes(active).any(|lane| {
            let value = place.value(warp, lane);
            *always.get_or_insert(value) != value
        });
        if varies {
            *computed = None;
        }
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
        self.compute(pc, warp, active);
        let Some(Some(result)) = self.results.get(pc as usize) else { return };
        let holds = lanes(active).filter(|&lane| result.value(warp, lane) != 0);
        let holds = holds.fold(0, |all, lane: usize| all | 1 << (lane % WARP));
        self.see(pc, warp.edges, [holds, active & !holds], RESULT);
    }
}

impl Function {
    /// Returns the registers that hold the same in all threads and launches: what one instruction alone computes from
    /// numbers, addresses of variables, and such registers.
    fn fixed(&self) -> HashSet<usize> {
        let mut writers: HashMap<usize, u32> = HashMap::new();
        for register in self.instructions().flat_map(|(_, own)| own.definitions()) {
            *writers.entry(register).or_default() += 1;
        }
        let is_special = |token: &Token| matches!(token, Token::Word(word) if word.starts_with('%'));
        let mut fixed = HashSet::new();
        loop {
            let before = fixed.len();
            for (_, instruction) in self.instructions() {
                let sites = instruction.sites();
                let mut reads = sites.iter().filter(|site| is_read(site)).filter_map(|site| site.register);
                let is_fixed = instruction.effect().kind == Kind::Pure
                    && instruction.guard.is_none()
                    && !instruction.operands.iter().flatten().any(is_special)
                    && reads.all(|register| fixed.contains(&register));
                let written = instruction.definitions();
                fixed.extend(written.into_iter().filter(|register| is_fixed && writers[register] == 1));
            }
            if fixed.len() == before {
                return fixed;
            }
        }
    }
}

/// Tells whether an instruction reads a register there.
fn is_read(site: &Site) -> bool {
    site.register.is_some() && matches!(site.role, Role::Use | Role::Address)
}
