//! An instruction that is about to be executed, with the terms beside its values.

use super::memory::{place, value};
use super::symbols::{Decisions, Symbols};
use super::terms::{Cell, Operand, Term};
use crate::machine::access::Spot;
use crate::machine::clock::WARP;
use crate::machine::source::{Address, Source, Special};
use crate::machine::state::{Guard, Here, Machine, Op};
use crate::machine::transfer::Reduction;
use crate::machine::warp::{Warp, lanes};

/// Threads at an instruction, with the terms of what they have.
///
/// `here.active` has also those whose guard depends on data.
pub(crate) struct Trace<'t, 'm, 'w> {
    pub(super) symbols: &'t mut Symbols,
    pub(crate) machine: &'t Machine<'m>,
    pub(crate) here: &'t mut Here<'w>,
    /// The number of the opcode.
    opcode: u32,
    guard: Option<Guard>,
    /// The lanes whose guard depends on data.
    unsure: u32,
}

impl Symbols {
    /// Begins a launch.
    pub(crate) fn launch(&mut self) {
        self.cells.launch();
        self.reductions.clear();
    }

    /// Tracks the terms of an instruction that is about to be executed, or says why that cannot be.
    pub(crate) fn step(&mut self, machine: &Machine, op: &Op, here: &mut Here) -> Result<(), String> {
        let mut unsure = 0;
        if let Some(Guard { register, .. }) = op.guard {
            for lane in lanes(here.set) {
                unsure |= u32::from(here.warp.term(register, lane) != Term::KNOWN) << lane;
            }
        }
        if let Some(Guard { register, .. }) = op.guard
            && (self.decisions.is_some() || !op.action.is_choice())
        {
            for lane in lanes(std::mem::take(&mut unsure)) {
                let at = (here.warp.base[lane] + register) as usize * WARP + lane;
                self.decide(here.warp.term(register, lane), here.warp.registers[at] & 1, "control")?;
            }
        }
        let active = (here.active & !unsure) | unsure;
        if active == 0 {
            return Ok(());
        }
        let opcode = self.terms.opcode(&machine.image.opcodes[here.pc as usize]);
        let before = std::mem::replace(&mut here.active, active);
        op.action.trace(&mut Trace { symbols: self, machine, here, opcode, guard: op.guard, unsure })?;
        here.active = before;
        if self.terms.is_full() {
            return Err("there are too many terms".to_owned());
        }
        Ok(())
    }

    /// Notes what a guard or an address is with the data that the machine has, where something may depend on that.
    fn decide(&mut self, term: Term, value: u64, what: &str) -> Result<(), String> {
        match (&mut self.decisions, term) {
            (_, Term::KNOWN) => Ok(()),
            (Some(_), Term::UNKNOWN) => Err(format!("{what} depends on what nobody knows")),
            (Some(Decisions(decisions)), _) => {
                decisions.insert((term, value));
                Ok(())
            }
            (None, _) => Err(format!("{what} depends on data")),
        }
    }

    /// Returns the lower 32 bits of a value that a thread hands to others.
    pub(crate) fn handed(&mut self, value: Operand) -> Operand {
        self.terms.part(value, 0, 4)
    }
}

impl Trace<'_, '_, '_> {
    /// Returns a source in each of the active threads.
    pub(crate) fn operands(&self, source: Source) -> [Operand; WARP] {
        let values = self.here.values(self.machine, source);
        std::array::from_fn(|lane| operand(self.here.warp, source, lane, values[lane]))
    }

    /// Requires that a source does not depend on data, or notes what it is.
    pub(crate) fn require_known(&mut self, source: Source, what: &str) -> Result<(), String> {
        let values = self.here.values(self.machine, source);
        for lane in lanes(self.here.active) {
            let term = operand(self.here.warp, source, lane, values[lane]).term();
            self.symbols.decide(term, values[lane], what)?;
        }
        Ok(())
    }

    /// Applies the opcode in a thread.
    pub(crate) fn apply(
        &mut self,
        result: u8,
        of: [Operand; 4],
        function: impl FnOnce([u64; 4]) -> u64,
    ) -> Operand {
        self.symbols.terms.apply(self.opcode, result, of, function)
    }

    /// Returns so many bits of a value from one on.
    pub(crate) fn part(&mut self, whole: Operand, from: u32, bits: u32) -> Operand {
        self.symbols.terms.part(whole, (from / 8) as u8, (bits / 8) as u8)
    }

    /// Puts together values of so many bits, the lowest first.
    pub(crate) fn pack(&mut self, values: &[Operand], bits: u32) -> Operand {
        match values {
            [one] => self.part(*one, 0, bits),
            _ => {
                let (low, high) = values.split_at(values.len() / 2);
                let half = bits * low.len() as u32 / 8;
                let (low, high) = (self.pack(low, bits), self.pack(high, bits));
                self.symbols.terms.join(half as u8, low, high)
            }
        }
    }

    /// Writes a register of a thread. Where its guard depends on data, so does which value the register has then.
    pub(crate) fn write(&mut self, register: u32, lane: usize, value: Operand) {
        let mut value = value;
        if let Some(Guard { register: guard, negated }) = self.guard.filter(|_| self.unsure >> lane & 1 != 0)
        {
            let at = (self.here.warp.base[lane] + register) as usize * WARP + lane;
            let before =
                operand(self.here.warp, Source::Register(register), lane, self.here.warp.registers[at]);
            let predicate = Operand::Of(self.here.warp.term(guard, lane));
            let (holds, fails) = if negated { (before, value) } else { (value, before) };
            value = self.symbols.terms.select(predicate, holds, fails);
        }
        *self.here.warp.term_mut(register, lane) = value.term();
    }

    /// Returns addresses, which may not depend on data, or are noted.
    pub(crate) fn addresses(&mut self, address: Address) -> Result<[u64; WARP], String> {
        self.require_known(address.base, "its address")?;
        Ok(self.machine.addresses(self.here, address))
    }

    /// Loads so many bytes beyond a spot, with their sign or with zeros above.
    pub(crate) fn load(
        &mut self,
        lane: usize,
        (spot, beyond, bytes): (Spot, usize, usize),
        is_signed: bool,
    ) -> Operand {
        let known = self.machine.get(self.here, lane, spot, beyond, bytes);
        let Symbols { terms, cells, .. } = &mut *self.symbols;
        let loaded = match place(spot, self.here, lane) {
            Some((owner, at)) => value(terms, cells.at((owner, at + beyond), bytes), known),
            None => Operand::Known(known),
        };
        // What is known the machine extends itself.
        if is_signed && !loaded.is_known() { terms.signed(loaded, bytes as u8) } else { loaded }
    }

    /// Notes an atomic operation on memory; true if another one came there before, so that their order matters.
    pub(crate) fn is_mixed(&mut self, lane: usize, spot: Spot, own: Reduction) -> bool {
        let place = place(spot, self.here, lane).map(|(owner, at)| (owner, at / 8));
        place.is_none_or(|place| *self.symbols.reductions.entry(place).or_insert(own) != own)
    }

    /// Stores so many bytes of a value beyond a spot.
    pub(crate) fn store(
        &mut self,
        lane: usize,
        (spot, beyond, bytes): (Spot, usize, usize),
        stored: Operand,
    ) {
        let Symbols { terms, cells, .. } = &mut *self.symbols;
        let Some((owner, at)) = place(spot, self.here, lane) else { return };
        for (byte, cell) in (0..).zip(cells.at((owner, at + beyond), bytes)) {
            *cell = match stored {
                Operand::Known(_) => Cell::KNOWN,
                Operand::Of(_) => terms.cell(stored, byte),
            };
        }
    }
}

/// Returns a source of a thread, which has this value.
pub(crate) fn operand(warp: &Warp, source: Source, lane: usize, value: u64) -> Operand {
    match source {
        Source::Register(register) => match warp.term(register, lane) {
            Term::KNOWN => Operand::Known(value),
            term => Operand::Of(term),
        },
        // A device decides these.
        Source::Special(Special::Clock | Special::Device(_) | Special::Warp | Special::TotalShared) => {
            Operand::UNKNOWN
        }
        Source::Constant(_) | Source::Frame(_) | Source::Special(_) => Operand::Known(value),
    }
}
