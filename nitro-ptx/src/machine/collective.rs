//! Execution of what threads of a warp do together: `shfl`, `vote`, `match`, `redux`, `elect`, `bar.warp.sync`.

use std::sync::Arc;

use super::block::Block;
use super::clock::WARP;
use super::error::Fault;
use super::meeting::{Collective, Exchange};
use super::state::{After, Execute, Here, Machine};
use super::warp::{Warp, lanes};
use crate::machine::symbolic::{Term, Trace, operand};

impl Execute for Arc<Collective> {
    /// Lets threads come to the instruction. It is executed once all have come that its mask names.
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        here.warp.set_pc(here.active, here.pc);
        let Some(mask) = self.mask else {
            // Without `.sync` nothing says who takes part: those do that are here.
            lanes(here.active).for_each(|lane| here.warp.meeting[lane] = Some(Arc::clone(self)));
            machine.exchange(here.warp, here.block, here.active, here.active);
            return Ok(After::Next);
        };
        let masks = here.values(machine, mask);
        for lane in lanes(here.active) {
            if masks[lane] as u32 >> lane & 1 == 0 {
                let why = format!("its mask {:#x} does not name itself", masks[lane] as u32);
                return Err(Fault::Barrier { at: here.at(machine, lane), why });
            }
        }
        here.part();
        here.warp.at_meeting |= here.active;
        lanes(here.active).for_each(|lane| here.warp.meeting[lane] = Some(Arc::clone(self)));
        machine.meet_all(here.warp, here.block, here.active);
        let is_done = here.warp.at_meeting & here.active == 0;
        Ok(if is_done && here.set == here.active { After::Next } else { After::Parted })
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let first = usize::from(self.hands_on);
        for source in self.from[first..].iter().copied().chain(self.mask) {
            trace.require_known(source, "control")?;
        }
        Ok(())
    }
}

impl Machine<'_> {
    /// Executes what these threads wait for, as far as all others have come to it.
    pub(crate) fn meet_all(&mut self, warp: &mut Warp, block: &mut Block, set: u32) {
        for lane in lanes(warp.at_meeting & set) {
            // Another one of the threads may have taken it along.
            if warp.at_meeting >> lane & 1 != 0 {
                self.try_meeting(warp, block, lane);
            }
        }
    }

    /// Executes the instruction that a thread waits at if all threads are there that its mask names.
    fn try_meeting(&mut self, warp: &mut Warp, block: &mut Block, lane: usize) {
        let Some((own, mask)) = self.awaited(warp, block, lane) else { return };
        // Threads that have ended are not waited for.
        let named = mask & warp.alive;
        for other in lanes(named) {
            let there = self.awaited(warp, block, other);
            if there.is_none_or(|(there, named)| (there.meets, named) != (own.meets, mask)) {
                return;
            }
        }
        let is_barrier = own.is_barrier;
        self.exchange(warp, block, named, mask);
        lanes(named).for_each(|lane| warp.pc[lane] += 1);
        warp.at_meeting &= !named;
        if is_barrier {
            block.clock.warp_meets(warp.first, named, named == warp.alive);
            block.told.some_meet(&lanes(named).map(|lane| warp.first + lane).collect::<Vec<_>>());
        }
    }

    /// Returns the instruction that a thread waits at, and its mask there.
    fn awaited<'w>(&self, warp: &'w Warp, block: &Block, lane: usize) -> Option<(&'w Collective, u32)> {
        let own = warp.meeting[lane].as_deref().filter(|_| warp.at_meeting >> lane & 1 != 0)?;
        Some((own, self.values(warp, block, own.mask?, 1 << lane)[lane] as u32))
    }

    /// Gives each of the threads that meet its results.
    fn exchange(&mut self, warp: &mut Warp, block: &Block, set: u32, mask: u32) {
        let mut given = [[0; WARP]; 3];
        for lane in lanes(set) {
            let Some(own) = &warp.meeting[lane] else { continue };
            for (given, from) in given.iter_mut().zip(own.from) {
                given[lane] = self.values(warp, block, from, 1 << lane)[lane];
            }
            given[0][lane] ^= u64::from(own.is_negated);
        }
        self.exchange_terms(warp, &given, set, mask);
        // All values are read before any result is written.
        let exchange = Exchange { given, set, mask, noise: self.random.bits() & 0xffff_ffff };
        for lane in lanes(set) {
            let Some(own) = warp.meeting[lane].take() else { continue };
            let (first, second) = (own.result)(&exchange, lane);
            warp.write(own.to[0], 1 << lane, &[first; WARP]);
            warp.write(own.to[1], 1 << lane, &[second; WARP]);
        }
    }

    /// Gives each of the threads that meet the terms of its results, where data are symbols.
    fn exchange_terms(&mut self, warp: &mut Warp, given: &[[u64; WARP]; 3], set: u32, mask: u32) {
        let Some(symbols) = self.symbols.as_deref_mut() else { return };
        let mut handed = [Term::KNOWN; WARP];
        for lane in lanes(set) {
            let Some(own) = &warp.meeting[lane] else { continue };
            let value = operand(warp, own.from[0], lane, given[0][lane]);
            handed[lane] = symbols.handed(value).term();
        }
        // A term goes the way of its value.
        let given = [handed.map(Term::to_bits), given[1], given[2]];
        let exchange = Exchange { given, set, mask, noise: Term::UNKNOWN.to_bits() };
        for lane in lanes(set) {
            let Some(own) = warp.meeting[lane].clone() else { continue };
            // Without a mask those take part that are here by chance.
            let (first, second) = match (own.mask.is_some(), own.hands_on) {
                (false, _) => (Term::UNKNOWN, Term::UNKNOWN),
                (true, true) => (Term::from_bits((own.result)(&exchange, lane).0), Term::KNOWN),
                (true, false) => (Term::KNOWN, Term::KNOWN),
            };
            *warp.term_mut(own.to[0], lane) = first;
            *warp.term_mut(own.to[1], lane) = second;
        }
    }
}
