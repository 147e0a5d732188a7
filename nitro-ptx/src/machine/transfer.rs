//! Execution of loads, stores, atomic operations and copies ("Data Movement and Conversion Instructions").

use super::access::Access;
use super::clock::WARP;
use super::error::Fault;
use super::launch::Races;
use super::race::Touch;
use super::source::{Address, Area, Source};
use super::state::{After, Execute, Here, Machine};
use super::warp::lanes;
use crate::machine::symbolic::{Operand, Trace};
use crate::text::types::Type;

/// A load of one value or of a vector.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub(crate) address: Address,
    pub(crate) to: Box<[u32]>,
    /// Of each value.
    pub(crate) bytes: u8,
    pub(crate) is_signed: bool,
    pub(crate) how: Touch,
}

impl Execute for Load {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let Self { address: Address { area, .. }, bytes, .. } = *self;
        let addresses = machine.addresses(here, self.address);
        let (each, bytes) = (usize::from(bytes), usize::from(bytes) * self.to.len());
        machine.pay(area, &addresses, here.active, bytes);
        for lane in lanes(here.active) {
            let access = Access { lane, address: addresses[lane], bytes };
            let spot = machine.spot(here, area, access, false)?;
            // Checks come before the value is read, so that a fault names the access.
            machine.check_written(here, spot, access)?;
            machine.touch(here, spot, access, self.how)?;
            machine.watch_read(here, spot, access, false);
            for (at, &to) in self.to.iter().enumerate() {
                let mut value = machine.get(here, lane, spot, at * each, each);
                // A register that is wider than the value has its sign, or zeros ("ld").
                if self.is_signed {
                    let unused = 64 - 8 * each as u32;
                    value = ((value << unused) as i64 >> unused) as u64;
                }
                let index = (here.warp.base[lane] + to) as usize * WARP + lane;
                here.warp.registers[index] = value;
            }
        }
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let addresses = trace.addresses(self.address)?;
        let each = usize::from(self.bytes);
        for lane in lanes(trace.here.active) {
            let access = Access { lane, address: addresses[lane], bytes: each * self.to.len() };
            // Where nothing is, execution says so.
            let Ok(spot) = trace.machine.spot(trace.here, self.address.area, access, false) else { continue };
            for (at, &to) in self.to.iter().enumerate() {
                let value = match self.how {
                    // It may read what another thread writes just now.
                    Touch::StrongRead => Operand::UNKNOWN,
                    _ => trace.load(lane, (spot, at * each, each), self.is_signed),
                };
                trace.write(to, lane, value);
            }
        }
        Ok(())
    }
}

/// A store of one value or of a vector.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub(crate) address: Address,
    pub(crate) from: Box<[Source]>,
    /// Of each value.
    pub(crate) bytes: u8,
    pub(crate) is_strong: bool,
    /// It is as if a fence came before.
    pub(crate) releases: bool,
}

impl Execute for Store {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let area = self.address.area;
        let addresses = machine.addresses(here, self.address);
        let (each, count) = (usize::from(self.bytes), self.from.len());
        machine.pay(area, &addresses, here.active, each * count);
        let mut values = [[0; WARP]; 8];
        for (values, &from) in values.iter_mut().zip(&self.from) {
            *values = here.values(machine, from);
        }
        let mask = u64::MAX >> (64 - 8 * each);
        for lane in lanes(here.active) {
            if self.releases {
                machine.fence(here.warp, here.block, lane);
            }
            let access = Access { lane, address: addresses[lane], bytes: each * count };
            let spot = machine.spot(here, area, access, true)?;
            // Only races and watchers ask whether a store changes anything.
            let is_asked = machine.options.races != Races::Ignored || machine.watch.is_some();
            let changes = is_asked
                && (0..count)
                    .any(|at| machine.get(here, lane, spot, at * each, each) != values[at][lane] & mask);
            let how = if self.is_strong { Touch::StrongWrite } else { Touch::Write(changes) };
            machine.touch(here, spot, access, how)?;
            if let Some(watch) = machine.watch.as_deref_mut() {
                watch.stores(here.pc, &mut spot.words(here, access), changes);
            }
            for (at, values) in values.iter().enumerate().take(count) {
                machine.set(here, lane, (spot, at * each, each), values[lane]);
            }
        }
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let addresses = trace.addresses(self.address)?;
        let (each, count) = (usize::from(self.bytes), self.from.len());
        for (at, &from) in self.from.iter().enumerate() {
            let values = trace.operands(from);
            for lane in lanes(trace.here.active) {
                let access = Access { lane, address: addresses[lane], bytes: each * count };
                let Ok(spot) = trace.machine.spot(trace.here, self.address.area, access, true) else {
                    continue;
                };
                // Another thread may write there just now, and either be the last one.
                let value = if self.is_strong { Operand::UNKNOWN } else { values[lane] };
                trace.store(lane, (spot, at * each, each), value);
            }
        }
        Ok(())
    }
}

/// An atomic operation: from the value in memory and two others to the value in memory then.
pub(crate) type Change = fn(u64, u64, u64) -> u64;

/// The name and type of an operation on integers whose order does not matter.
pub(crate) type Reduction = (&'static str, Type);

/// An atomic operation on memory (`atom`, `red`).
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) address: Address,
    pub(crate) change: Change,
    /// The same in global memory, where it differs.
    pub(crate) in_global: Change,
    pub(crate) from: [Source; 2],
    pub(crate) to: u32,
    pub(crate) bytes: u8,
    pub(crate) releases: bool,
    /// The operation, where its results in memory are the same in whatever order threads come.
    pub(crate) reduction: Option<Reduction>,
}

impl Execute for Atomic {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let area = self.address.area;
        let addresses = machine.addresses(here, self.address);
        let bytes = usize::from(self.bytes);
        machine.pay(area, &addresses, here.active, bytes);
        let [first, second] = self.from.map(|source| here.values(machine, source));
        let mut before = [0; WARP];
        // Any thread may be the first.
        let turn = u32::MAX << machine.random.below(WARP as u32);
        for lane in lanes(here.active & turn).chain(lanes(here.active & !turn)) {
            if self.releases {
                machine.fence(here.warp, here.block, lane);
            }
            let access = Access { lane, address: addresses[lane], bytes };
            let spot = machine.spot(here, area, access, true)?;
            machine.check_written(here, spot, access)?;
            machine.hear(here, spot, access);
            machine.touch(here, spot, access, Touch::StrongWrite)?;
            machine.watch_read(here, spot, access, true);
            before[lane] = machine.get(here, lane, spot, 0, bytes);
            let change = if spot.is_global() { self.in_global } else { self.change };
            let value = change(before[lane], first[lane], second[lane]);
            machine.set(here, lane, (spot, 0, bytes), value);
        }
        here.write(self.to, &before);
        Ok(After::Next)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        let addresses = trace.addresses(self.address)?;
        let bytes = usize::from(self.bytes);
        let values = trace.operands(self.from[0]);
        for lane in lanes(trace.here.active) {
            let access = Access { lane, address: addresses[lane], bytes };
            let Ok(spot) = trace.machine.spot(trace.here, self.address.area, access, true) else { continue };
            let before = trace.load(lane, (spot, 0, bytes), false);
            // In whatever order threads come, a sum of integers is the same in the end.
            let is_ordered = self.reduction.is_none_or(|own| trace.is_mixed(lane, spot, own));
            if is_ordered || !before.is_known() || !values[lane].is_known() {
                return Err("its result depends on data, or on the order of threads".to_owned());
            }
            trace.write(self.to, lane, Operand::UNKNOWN);
        }
        Ok(())
    }
}

/// A copy from global to shared memory; what is not read becomes zero (`cp.async`).
#[derive(Clone, Debug)]
pub(crate) struct Copy {
    pub(crate) to: Address,
    pub(crate) from: Address,
    pub(crate) bytes: u8,
    pub(crate) read: Part,
}

/// The part of the source that a copy reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Whole,
    Bytes(Source),
    /// Nothing where a predicate holds, or does not.
    NotIf(Source, bool),
}

impl Execute for Copy {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let from = machine.addresses(here, self.from);
        let to = machine.addresses(here, self.to);
        let bytes = usize::from(self.bytes);
        machine.pay(Area::Global, &from, here.active, bytes);
        // Whatever is beyond the source's size is filled with zeros ("cp.async").
        let read = self.read.bytes(machine, here, bytes);
        for lane in lanes(here.active) {
            let mut values = [0_u8; 16];
            if read[lane] > 0 {
                let access = Access { lane, address: from[lane], bytes: read[lane] };
                let source = machine.spot(here, Area::Global, access, false)?;
                machine.check_written(here, source, access)?;
                machine.touch(here, source, access, Touch::Read)?;
                machine.watch_read(here, source, access, false);
                for (at, value) in values.iter_mut().enumerate().take(read[lane]) {
                    *value = machine.get(here, lane, source, at, 1) as u8;
                }
            }
            let access = Access { lane, address: to[lane], bytes };
            let target = machine.spot(here, Area::Shared, access, true)?;
            machine.touch(here, target, access, Touch::Write(true))?;
            machine.watch_read(here, target, access, true);
            for (at, value) in values.into_iter().enumerate().take(bytes) {
                machine.set(here, lane, (target, at, 1), value.into());
            }
        }
        Ok(After::Next)
    }
}

impl Part {
    /// Returns the bytes that each thread reads.
    fn bytes(self, machine: &Machine, here: &Here, whole: usize) -> [usize; WARP] {
        match self {
            Self::Whole => [whole; WARP],
            Self::Bytes(source) => here.values(machine, source).map(|read| (read as u32 as usize).min(whole)),
            Self::NotIf(predicate, negated) => {
                let values = here.values(machine, predicate);
                values.map(|value| if value & 1 == u64::from(negated) { whole } else { 0 })
            }
        }
    }
}
