//! Reading and writing memory.

use super::block::Block;
use super::clock::WARP;
use super::cost::{banks, sectors};
use super::decode::{LOCAL, PARAMETERS, SHARED};
use super::engine::Engine;
use super::error::Fault;
use super::execute::write;
use super::launch::Races;
use super::memory::split;
use super::observe::{self, Word};
use super::op::{Address, Area, Atomic, Copy, Load, Part, Store};
use super::race::{Stamp, Touch, Toucher};
use super::warp::{Warp, lanes};

/// Where the bytes are that an address means.
#[derive(Clone, Copy, Debug)]
enum Place {
    Buffer(usize, usize),
    Variable(usize, usize),
    Shared(usize),
    Local(usize),
    Parameter(usize),
}

/// A thread that touches memory: its lane, and where it is.
#[derive(Clone, Copy)]
struct Who<'w> {
    warp: &'w Warp,
    lane: usize,
    pc: u32,
}

/// The words that are touched.
fn words(who: Who, block: &Block, place: Place, bytes: usize) -> impl Iterator<Item = Word> + use<> {
    let (kind, of, at) = match place {
        Place::Buffer(number, at) => (observe::BUFFER, number as u32, at),
        Place::Variable(number, at) => (observe::VARIABLE, number as u32, at),
        Place::Shared(at) => (observe::SHARED, block.number, at),
        // Threads of blocks that are far apart may be taken for each other.
        Place::Local(at) => (observe::LOCAL, block.number << 10 | (who.warp.first + who.lane) as u32, at),
        Place::Parameter(_) => (u8::MAX, 0, 0),
    };
    let last = (at + bytes.max(1) - 1) / 4;
    (at / 4..=last).map(move |word| (kind, of, word as u32))
}

impl Engine<'_> {
    pub(super) fn load(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        load: &Load,
        (pc, active): (u32, u32),
    ) -> Result<(), Fault> {
        let addresses = self.addresses(warp, block, load.address, active);
        let (bytes, count) = (usize::from(load.bytes), load.to.len());
        self.pay(load.address.area, &addresses, active, bytes * count);
        let touch = load.how;
        for lane in lanes(active) {
            let who = Who { warp, lane, pc };
            let place = self.place(who, block, load.address.area, addresses[lane], bytes * count, false)?;
            self.check_written(who, block, place, addresses[lane], bytes * count)?;
            self.touch(who, block, place, (addresses[lane], bytes * count), touch)?;
            self.watch_read(who, block, place, bytes * count, false);
            for (at, &to) in load.to.iter().enumerate() {
                let mut value = self.get(warp, block, lane, place, at * bytes, bytes);
                if load.is_signed {
                    let unused = 64 - 8 * bytes as u32;
                    value = ((value << unused) as i64 >> unused) as u64;
                }
                let index = (warp.base[lane] + to) as usize * WARP + lane;
                warp.registers[index] = value;
            }
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        store: &Store,
        (pc, active): (u32, u32),
    ) -> Result<(), Fault> {
        let addresses = self.addresses(warp, block, store.address, active);
        let (bytes, count) = (usize::from(store.bytes), store.from.len());
        self.pay(store.address.area, &addresses, active, bytes * count);
        let mut values = [[0; WARP]; 8];
        for (values, &from) in values.iter_mut().zip(&store.from) {
            *values = self.values(warp, block, from, active);
        }
        for lane in lanes(active) {
            if store.releases {
                self.fence(warp, block, lane);
            }
            let who = Who { warp, lane, pc };
            let place = self.place(who, block, store.address.area, addresses[lane], bytes * count, true)?;
            let mask = u64::MAX >> (64 - 8 * bytes);
            let changes = (self.options.races != Races::Ignored || self.observer.is_some())
                && (0..count).any(|at| {
                    self.get(warp, block, lane, place, at * bytes, bytes) != values[at][lane] & mask
                });
            let touch = if store.is_strong { Touch::StrongWrite } else { Touch::Write(changes) };
            self.touch(who, block, place, (addresses[lane], bytes * count), touch)?;
            if let Some(observer) = self.observer.as_deref_mut() {
                observer.stores(pc, words(who, block, place, bytes * count), changes);
            }
            for (at, values) in values.iter().enumerate().take(count) {
                self.set(warp, block, lane, (place, at * bytes, bytes), values[lane]);
            }
        }
        Ok(())
    }

    pub(super) fn atomic(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        atomic: &Atomic,
        (pc, active): (u32, u32),
    ) -> Result<(), Fault> {
        let addresses = self.addresses(warp, block, atomic.address, active);
        let bytes = usize::from(atomic.bytes);
        self.pay(atomic.address.area, &addresses, active, bytes);
        let [first, second] = atomic.from.map(|source| self.values(warp, block, source, active));
        let mut before = [0; WARP];
        // Any thread may be the first.
        let turn = self.random.below(WARP as u32);
        let from = lanes(active & u32::MAX << turn).chain(lanes(active & !(u32::MAX << turn)));
        for lane in from {
            if atomic.releases {
                self.fence(warp, block, lane);
            }
            let who = Who { warp, lane, pc };
            let place = self.place(who, block, atomic.address.area, addresses[lane], bytes, true)?;
            self.check_written(who, block, place, addresses[lane], bytes)?;
            self.hear(block, warp.first + lane, place, addresses[lane]);
            self.touch(who, block, place, (addresses[lane], bytes), Touch::StrongWrite)?;
            self.watch_read(who, block, place, bytes, true);
            before[lane] = self.get(warp, block, lane, place, 0, bytes);
            let is_global = matches!(place, Place::Buffer(..) | Place::Variable(..));
            let change = if is_global { atomic.in_global } else { atomic.change };
            let value = change(before[lane], first[lane], second[lane]);
            self.set(warp, block, lane, (place, 0, bytes), value);
        }
        write(warp, atomic.to, active, &before);
        Ok(())
    }

    pub(super) fn copy(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        copy: &Copy,
        (pc, active): (u32, u32),
    ) -> Result<(), Fault> {
        let from = self.addresses(warp, block, copy.from, active);
        let to = self.addresses(warp, block, copy.to, active);
        let bytes = usize::from(copy.bytes);
        self.pay(Area::Global, &from, active, bytes);
        let read: [usize; WARP] = match copy.read {
            Part::Whole => [bytes; WARP],
            Part::Bytes(source) => {
                self.values(warp, block, source, active).map(|read| (read as u32 as usize).min(bytes))
            }
            Part::NotIf(predicate, negated) => self
                .values(warp, block, predicate, active)
                .map(|value| if value & 1 == u64::from(negated) { bytes } else { 0 }),
        };
        for lane in lanes(active) {
            let who = Who { warp, lane, pc };
            let read = read[lane];
            let mut values = [0_u8; 16];
            if read > 0 {
                let source = self.place(who, block, Area::Global, from[lane], read, false)?;
                self.check_written(who, block, source, from[lane], read)?;
                self.touch(who, block, source, (from[lane], read), Touch::Read)?;
                self.watch_read(who, block, source, read, false);
                for (at, value) in values.iter_mut().enumerate().take(read) {
                    *value = self.get(warp, block, lane, source, at, 1) as u8;
                }
            }
            let target = self.place(who, block, Area::Shared, to[lane], bytes, true)?;
            self.touch(who, block, target, (to[lane], bytes), Touch::Write(true))?;
            self.watch_read(who, block, target, bytes, true);
            for (at, value) in values.into_iter().enumerate().take(bytes) {
                self.set(warp, block, lane, (target, at, 1), value.into());
            }
        }
        Ok(())
    }

    fn addresses(&self, warp: &Warp, block: &Block, address: Address, active: u32) -> [u64; WARP] {
        let values = self.values(warp, block, address.base, active);
        match address.area {
            // These have 32 bits, whatever register they are in.
            Area::Shared | Area::Local => {
                values.map(|value| u64::from(value.wrapping_add(address.offset) as u32))
            }
            _ => values.map(|value| value.wrapping_add(address.offset)),
        }
    }

    /// What an access costs beyond its instruction.
    fn pay(&mut self, area: Area, addresses: &[u64; WARP], active: u32, bytes: usize) {
        let first = addresses[active.trailing_zeros() as usize & (WARP - 1)];
        self.launched.cycles += match area {
            Area::Shared => banks(addresses, active, bytes),
            Area::Generic if first >> 60 == SHARED >> 60 => banks(addresses, active, bytes),
            Area::Global | Area::Generic => sectors(addresses, active, bytes),
            Area::Local | Area::Parameter => 1,
        };
    }

    /// Where an address is, if all that is touched there is one buffer or variable.
    #[inline]
    fn place(
        &self,
        who: Who,
        block: &Block,
        area: Area,
        address: u64,
        bytes: usize,
        writes: bool,
    ) -> Result<Place, Fault> {
        let length = bytes as u64;
        let (area, offset) = match (area, address >> 60) {
            (Area::Generic, window) if window == SHARED >> 60 => (Area::Shared, address - SHARED),
            (Area::Generic, window) if window == LOCAL >> 60 => (Area::Local, address - LOCAL),
            (Area::Generic, window) if window == PARAMETERS >> 60 => (Area::Parameter, address - PARAMETERS),
            _ => (area, address),
        };
        let found = match area {
            Area::Shared => block.shared.place(offset, length).map(Place::Shared),
            Area::Local => {
                who.warp.local[who.lane].has(offset, length).then_some(Place::Local(offset as usize))
            }
            Area::Parameter => {
                let is_there = offset
                    .checked_add(length)
                    .is_some_and(|end| end <= self.geometry.parameters.len() as u64);
                (is_there && !writes).then_some(Place::Parameter(offset as usize))
            }
            Area::Global | Area::Generic => self.global(address, length, writes),
        };
        let at = || self.at(who.warp, block, who.lane, who.pc);
        let found = found.ok_or_else(|| Fault::OutOfBounds { at: at(), address, bytes: bytes as u32 })?;
        // What is copied from may have any length.
        match bytes.is_power_of_two() && offset % length != 0 {
            true => Err(Fault::Misaligned { at: at(), address, bytes: bytes as u32 }),
            false => Ok(found),
        }
    }

    #[inline]
    fn global(&self, address: u64, length: u64, writes: bool) -> Option<Place> {
        let (number, is_variable, offset) = split(address);
        let memory = if is_variable { self.variables.get(number)? } else { self.buffers.get(number)? };
        let is_allowed = !(writes && is_variable && self.program.variables[number].is_constant);
        (is_allowed && memory.has(offset, length)).then_some(if is_variable {
            Place::Variable(number, offset as usize)
        } else {
            Place::Buffer(number, offset as usize)
        })
    }

    /// Whoever watches is told that these bytes are read.
    fn watch_read(&mut self, who: Who, block: &Block, place: Place, bytes: usize, writes: bool) {
        if let Some(observer) = self.observer.as_deref_mut() {
            observer.reads(who.pc, words(who, block, place, bytes), writes);
        }
    }

    fn check_written(
        &self,
        who: Who,
        block: &Block,
        place: Place,
        address: u64,
        bytes: usize,
    ) -> Result<(), Fault> {
        if !self.options.uninitialised {
            return Ok(());
        }
        let is_written = match place {
            Place::Buffer(number, at) => self.buffers[number].is_written(at, bytes),
            Place::Variable(number, at) => self.variables[number].is_written(at, bytes),
            Place::Shared(at) => block.shared.bytes.is_written(at, bytes),
            Place::Local(at) => who.warp.local[who.lane].is_written(at, bytes),
            Place::Parameter(_) => true,
        };
        let at = || self.at(who.warp, block, who.lane, who.pc);
        if is_written { Ok(()) } else { Err(Fault::Uninitialised { at: at(), address, bytes: bytes as u32 }) }
    }

    /// Takes note of who touches what.
    fn touch(
        &mut self,
        who: Who,
        block: &mut Block,
        place: Place,
        (address, bytes): (u64, usize),
        how: Touch,
    ) -> Result<(), Fault> {
        if self.options.races == Races::Ignored {
            return Ok(());
        }
        let thread = who.warp.first + who.lane;
        let threads = self.geometry.threads;
        match how {
            Touch::StrongRead => self.hear(block, thread, place, address),
            Touch::StrongWrite => self.tell(block, thread, place, address),
            Touch::Read | Touch::Constant | Touch::Write(_) => {}
        }
        let first = block.number * threads;
        let stamp = Stamp { thread: first + thread as u32, time: block.clock.now(thread), pc: who.pc };
        let by = Toucher { stamp, clock: &block.clock, told: &block.told, first, threads };
        let found = match place {
            Place::Buffer(number, at) => self.shadows[0][number].touch(at, bytes, how, &by),
            Place::Variable(number, at) => self.shadows[1][number].touch(at, bytes, how, &by),
            Place::Shared(at) => block.shared.shadow.touch(at, bytes, how, &by),
            Place::Local(_) | Place::Parameter(_) => None,
        };
        let Some((other, is_same_value)) = found else { return Ok(()) };
        let second = self.at(who.warp, block, who.lane, who.pc);
        self.race(other, second, who.pc, address, is_same_value)
    }

    /// A thread passes a fence.
    pub(super) fn fence(&self, warp: &Warp, block: &mut Block, lane: usize) {
        if self.options.races == Races::Ignored {
            return;
        }
        let thread = warp.first + lane;
        let (of_block, of_thread) = block.clock.fence(thread);
        let counted = block.number * self.geometry.threads + thread as u32;
        block.told.releases(thread, (block.number, of_block), (counted, of_thread));
    }

    /// A thread writes what others may wait for.
    fn tell(&mut self, block: &Block, thread: usize, place: Place, address: u64) {
        if let (Place::Buffer(..) | Place::Variable(..), Some(known)) = (place, block.told.released(thread)) {
            self.published.entry(address).or_default().join(known);
        }
    }

    /// A thread reads what others may have told it by.
    fn hear(&self, block: &mut Block, thread: usize, place: Place, address: u64) {
        if self.published.is_empty() || !matches!(place, Place::Buffer(..) | Place::Variable(..)) {
            return;
        }
        if let Some(known) = self.published.get(&address) {
            block.told.acquires(thread, known);
        }
    }

    #[inline]
    fn get(&self, warp: &Warp, block: &Block, lane: usize, place: Place, beyond: usize, bytes: usize) -> u64 {
        match place {
            Place::Buffer(number, at) => self.buffers[number].get(at + beyond, bytes),
            Place::Variable(number, at) => self.variables[number].get(at + beyond, bytes),
            Place::Shared(at) => block.shared.bytes.get(at + beyond, bytes),
            Place::Local(at) => warp.local[lane].get(at + beyond, bytes),
            Place::Parameter(at) => {
                let mut value = [0; 8];
                value[..bytes].copy_from_slice(&self.geometry.parameters[at + beyond..][..bytes]);
                u64::from_le_bytes(value)
            }
        }
    }

    #[inline]
    fn set(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        lane: usize,
        (place, beyond, bytes): (Place, usize, usize),
        value: u64,
    ) {
        match place {
            Place::Buffer(number, at) => self.buffers[number].set(at + beyond, bytes, value),
            Place::Variable(number, at) => self.variables[number].set(at + beyond, bytes, value),
            Place::Shared(at) => block.shared.bytes.set(at + beyond, bytes, value),
            Place::Local(at) => warp.local[lane].set(at + beyond, bytes, value),
            // Nothing is placed there that is written.
            Place::Parameter(_) => {}
        }
    }
}
