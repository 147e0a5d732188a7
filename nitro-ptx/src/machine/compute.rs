//! Execution of what computes registers from registers, lane by lane.

use super::clock::WARP;
use super::error::Fault;
use super::source::Source;
use super::state::{After, Execute, Here, Machine};
use super::warp::lanes;
use crate::machine::symbolic::Trace;

/// A function with one result. It takes up to four values of 64 bits, of which it uses as many bits as its type has.
/// Whatever else an opcode says may be the last of them.
pub(crate) type Function = fn(u64, u64, u64, u64) -> u64;

/// A function with two results, as of `setp` and of what gives a carry.
pub(crate) type Twofold = fn(u64, u64, u64, u64) -> (u64, u64);

/// An instruction with one result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compute {
    pub(crate) function: Function,
    pub(crate) to: u32,
    pub(crate) from: [Source; 4],
    /// Its time in units of a simple instruction.
    pub(crate) cost: u8,
}

impl Execute for Compute {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        machine.launched.cycles += u64::from(self.cost) - 1;
        let (active, function) = (here.active, self.function);
        let [a, b, c, d] = self.from;
        let (a, b) = (here.values(machine, a), here.values(machine, b));
        // Most instructions have at most two sources that are registers, and most warps are whole.
        if let (Source::Constant(c), Source::Constant(d)) = (c, d) {
            let to = here.warp.register_mut(self.to, active);
            if active == u32::MAX {
                for lane in 0..WARP {
                    to[lane] = function(a[lane], b[lane], c, d);
                }
            } else {
                lanes(active).for_each(|lane| to[lane] = function(a[lane], b[lane], c, d));
            }
            return Ok(After::Next);
        }
        let (c, d) = (here.values(machine, c), here.values(machine, d));
        let to = here.warp.register_mut(self.to, active);
        lanes(active).for_each(|lane| to[lane] = function(a[lane], b[lane], c[lane], d[lane]));
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let from = self.from.map(|source| trace.operands(source));
        for lane in lanes(trace.here.active) {
            let of = [0, 1, 2, 3].map(|at| from[at][lane]);
            let value = trace.apply(0, of, |[a, b, c, d]| (self.function)(a, b, c, d));
            trace.write(self.to, lane, value);
        }
        Ok(())
    }

    fn is_choice(&self) -> bool {
        true
    }
}

/// An instruction with two results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComputeTwo {
    pub(crate) function: Twofold,
    pub(crate) to: [u32; 2],
    pub(crate) from: [Source; 4],
}

impl Execute for ComputeTwo {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let [a, b, c, d] = self.from.map(|source| here.values(machine, source));
        let (mut first, mut second) = ([0; WARP], [0; WARP]);
        for lane in lanes(here.active) {
            (first[lane], second[lane]) = (self.function)(a[lane], b[lane], c[lane], d[lane]);
        }
        // Where both are one register the first is meant.
        here.write(self.to[1], &second);
        here.write(self.to[0], &first);
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let from = self.from.map(|source| trace.operands(source));
        for lane in lanes(trace.here.active) {
            let of = [0, 1, 2, 3].map(|at| from[at][lane]);
            let first = trace.apply(0, of, |[a, b, c, d]| (self.function)(a, b, c, d).0);
            let second = trace.apply(1, of, |[a, b, c, d]| (self.function)(a, b, c, d).1);
            trace.write(self.to[1], lane, second);
            trace.write(self.to[0], lane, first);
        }
        Ok(())
    }

    fn is_choice(&self) -> bool {
        true
    }
}

/// Several moves at once: all registers are read before any is written.
#[derive(Clone, Debug)]
pub(crate) struct Moves(pub(crate) Box<[(Source, u32)]>);

impl Execute for Moves {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        // Sources may be registers that the same instruction writes.
        let read: Vec<_> = self.0.iter().map(|(from, _)| here.values(machine, *from)).collect();
        for ((_, to), values) in self.0.iter().zip(read) {
            here.write(*to, &values);
        }
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let read: Vec<_> = self.0.iter().map(|(from, _)| trace.operands(*from)).collect();
        for ((_, to), values) in self.0.iter().zip(read) {
            lanes(trace.here.active).for_each(|lane| trace.write(*to, lane, values[lane]));
        }
        Ok(())
    }

    fn is_choice(&self) -> bool {
        true
    }
}

/// One value that is taken apart to several registers of so many bits, the lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Unpack {
    pub(crate) from: Source,
    pub(crate) to: Box<[u32]>,
    pub(crate) bits: u32,
}

impl Execute for Unpack {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let values = here.values(machine, self.from);
        for (at, &to) in self.to.iter().enumerate() {
            let part = values.map(|value| value >> (at as u32 * self.bits) & (u64::MAX >> (64 - self.bits)));
            here.write(to, &part);
        }
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let whole = trace.operands(self.from);
        for (at, &to) in (0..).zip(&self.to) {
            for lane in lanes(trace.here.active) {
                let part = trace.part(whole[lane], at * self.bits, self.bits);
                trace.write(to, lane, part);
            }
        }
        Ok(())
    }

    fn is_choice(&self) -> bool {
        true
    }
}

/// Several values of so many bits that are put together to one, the lowest first.
#[derive(Clone, Debug)]
pub(crate) struct Pack {
    pub(crate) from: Box<[Source]>,
    pub(crate) to: u32,
    pub(crate) bits: u32,
}

impl Execute for Pack {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let mut all = [0; WARP];
        for (at, &from) in self.from.iter().enumerate() {
            for (all, value) in all.iter_mut().zip(here.values(machine, from)) {
                *all |= (value & u64::MAX >> (64 - self.bits)) << (at as u32 * self.bits);
            }
        }
        here.write(self.to, &all);
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let parts: Vec<_> = self.from.iter().map(|&from| trace.operands(from)).collect();
        for lane in lanes(trace.here.active) {
            let parts: Vec<_> = parts.iter().map(|part| part[lane]).collect();
            let whole = trace.pack(&parts, self.bits);
            trace.write(self.to, lane, whole);
        }
        Ok(())
    }

    fn is_choice(&self) -> bool {
        true
    }
}
