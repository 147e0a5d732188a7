//! Memory as instructions access it: addresses, bounds, races, and who watches.

use super::block::Block;
use super::clock::WARP;
use super::cost::{banks, sectors};
use super::error::Fault;
use super::launch::Races;
use super::memory::split;
use super::race::{Touch, Toucher};
use super::source::{Address, Area, LOCAL, PARAMETERS, SHARED};
use super::stamp::Stamp;
use super::state::{Here, Machine};
use super::warp::Warp;
use super::watch::{self, Word};

/// The place of the bytes that an address means.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spot {
    Buffer(usize, usize),
    Variable(usize, usize),
    Shared(usize),
    Local(usize),
    Parameter(usize),
}

/// An access by one thread: so many bytes from an address on.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) lane: usize,
    pub(crate) address: u64,
    pub(crate) bytes: usize,
}

impl Spot {
    /// Returns true for memory that all blocks see.
    pub(crate) fn is_global(self) -> bool {
        matches!(self, Self::Buffer(..) | Self::Variable(..))
    }

    /// Lists the words that an access touches.
    pub(crate) fn words(self, here: &Here, access: Access) -> impl Iterator<Item = Word> + use<> {
        let (kind, of, at) = match self {
            Self::Buffer(number, at) => (watch::BUFFER, number as u32, at),
            Self::Variable(number, at) => (watch::VARIABLE, number as u32, at),
            Self::Shared(at) => (watch::SHARED, here.block.number, at),
            // Threads of blocks that are far apart may be taken for each other.
            Self::Local(at) => {
                (watch::LOCAL, here.block.number << 10 | (here.warp.first + access.lane) as u32, at)
            }
            Self::Parameter(_) => (u8::MAX, 0, 0),
        };
        let last = (at + access.bytes.max(1) - 1) / 4;
        (at / 4..=last).map(move |word| (kind, of, word as u32))
    }
}

impl Machine<'_> {
    /// Returns the address of each active thread.
    pub(crate) fn addresses(&self, here: &Here, address: Address) -> [u64; WARP] {
        let values = here.values(self, address.base);
        match address.area {
            // These have 32 bits, whatever register they are in.
            Area::Shared | Area::Local => {
                values.map(|value| u64::from(value.wrapping_add(address.offset) as u32))
            }
            _ => values.map(|value| value.wrapping_add(address.offset)),
        }
    }

    /// Adds the cost of an access beyond its instruction.
    pub(crate) fn pay(&mut self, area: Area, addresses: &[u64; WARP], active: u32, bytes: usize) {
        let first = addresses[active.trailing_zeros() as usize & (WARP - 1)];
        self.launched.cycles += match area {
            Area::Shared => banks(addresses, active, bytes),
            Area::Generic if first >> 60 == SHARED >> 60 => banks(addresses, active, bytes),
            Area::Global | Area::Generic => sectors(addresses, active, bytes),
            Area::Local | Area::Parameter => 1,
        };
    }

    /// Finds an address, if all that is touched there is one buffer or variable, and aligned.
    #[inline]
    pub(crate) fn spot(&self, here: &Here, area: Area, access: Access, writes: bool) -> Result<Spot, Fault> {
        let Access { lane, address, bytes } = access;
        let length = bytes as u64;
        // Generic addresses within a window mean another space ("Generic Addressing").
        let (area, offset) = match (area, address >> 60) {
            (Area::Generic, window) if window == SHARED >> 60 => (Area::Shared, address - SHARED),
            (Area::Generic, window) if window == LOCAL >> 60 => (Area::Local, address - LOCAL),
            (Area::Generic, window) if window == PARAMETERS >> 60 => (Area::Parameter, address - PARAMETERS),
            _ => (area, address),
        };
        let found = match area {
            Area::Shared => here.block.shared.place(offset, length).map(Spot::Shared),
            Area::Local => here.warp.local[lane].has(offset, length).then_some(Spot::Local(offset as usize)),
            Area::Parameter => {
                let end = offset.checked_add(length);
                let is_there = end.is_some_and(|end| end <= self.geometry.parameters.len() as u64);
                (is_there && !writes).then_some(Spot::Parameter(offset as usize))
            }
            Area::Global | Area::Generic => self.global(address, length, writes),
        };
        let Some(found) = found else {
            return Err(Fault::OutOfBounds { at: here.at(self, lane), address, bytes: bytes as u32 });
        };
        // Accesses are naturally aligned ("Addresses as Operands"); what is copied from may have any length.
        if bytes.is_power_of_two() && offset % length != 0 {
            return Err(Fault::Misaligned { at: here.at(self, lane), address, bytes: bytes as u32 });
        }
        Ok(found)
    }

    #[inline]
    fn global(&self, address: u64, length: u64, writes: bool) -> Option<Spot> {
        let (number, is_variable, offset) = split(address);
        // Constants are not written ("Constant State Space").
        if is_variable && writes && self.image.variables.get(number)?.is_constant {
            return None;
        }
        let (memory, found) = match self.bound.get(number).copied().flatten().filter(|_| is_variable) {
            Some(buffer) => (self.buffers.get(buffer)?, Spot::Buffer(buffer, offset as usize)),
            None if is_variable => (self.variables.get(number)?, Spot::Variable(number, offset as usize)),
            None => (self.buffers.get(number)?, Spot::Buffer(number, offset as usize)),
        };
        memory.has(offset, length).then_some(found)
    }

    /// Tells whoever watches that these bytes are read.
    pub(crate) fn watch_read(&mut self, here: &Here, spot: Spot, access: Access, writes: bool) {
        if let Some(watch) = self.watch.as_deref_mut() {
            watch.reads(here.pc, &mut spot.words(here, access), writes);
        }
    }

    /// Refuses to read bytes that nobody has written, if the options say so.
    pub(crate) fn check_written(&self, here: &Here, spot: Spot, access: Access) -> Result<(), Fault> {
        let Access { lane, address, bytes } = access;
        if !self.options.uninitialised {
            return Ok(());
        }
        let is_written = match spot {
            Spot::Buffer(number, at) => self.buffers[number].is_written(at, bytes),
            Spot::Variable(number, at) => self.variables[number].is_written(at, bytes),
            Spot::Shared(at) => here.block.shared.bytes.is_written(at, bytes),
            Spot::Local(at) => here.warp.local[lane].is_written(at, bytes),
            Spot::Parameter(_) => true,
        };
        if is_written {
            return Ok(());
        }
        Err(Fault::Uninitialised { at: here.at(self, lane), address, bytes: bytes as u32 })
    }

    /// Takes note of an access, and looks for races with earlier ones.
    pub(crate) fn touch(
        &mut self,
        here: &mut Here,
        spot: Spot,
        access: Access,
        how: Touch,
    ) -> Result<(), Fault> {
        if self.options.races == Races::Ignored {
            return Ok(());
        }
        let Access { lane, address, bytes } = access;
        match how {
            Touch::StrongRead => self.hear(here, spot, access),
            Touch::StrongWrite => self.tell(here, spot, access),
            Touch::Read | Touch::Constant | Touch::Write(_) => {}
        }
        let threads = self.geometry.threads;
        let block = &mut *here.block;
        let (thread, first) = (here.warp.first + lane, block.number * threads);
        // An access is stamped with the thread's last meeting: what came before that is known to those it met.
        let stamp = Stamp { thread: first + thread as u32, time: block.clock.now(thread), pc: here.pc };
        let by = Toucher { stamp, clock: &block.clock, told: &block.told, first, threads };
        let found = match spot {
            Spot::Buffer(number, at) => self.shadows[0][number].touch(at, bytes, how, &by),
            Spot::Variable(number, at) => self.shadows[1][number].touch(at, bytes, how, &by),
            Spot::Shared(at) => block.shared.shadow.touch(at, bytes, how, &by),
            // No other thread sees these.
            Spot::Local(_) | Spot::Parameter(_) => None,
        };
        let Some((other, is_same_value)) = found else { return Ok(()) };
        let second = here.at(self, lane);
        self.race(other, second, here.pc, address, is_same_value)
    }

    /// Lets a thread pass a fence.
    pub(crate) fn fence(&self, warp: &Warp, block: &mut Block, lane: usize) {
        if self.options.races == Races::Ignored {
            return;
        }
        let thread = warp.first + lane;
        let (of_block, of_thread) = block.clock.fence(thread);
        // Threads are counted through the grid, so that knowledge may pass from block to block.
        let counted = block.number * self.geometry.threads + thread as u32;
        block.told.releases(thread, (block.number, of_block), (counted, of_thread));
    }

    /// Publishes what a thread knows where it writes something that others may wait for.
    fn tell(&mut self, here: &Here, spot: Spot, access: Access) {
        let known = here.block.told.released(here.warp.first + access.lane);
        if let Some(known) = known.filter(|_| spot.is_global()) {
            self.published.entry(access.address).or_default().join(known);
        }
    }

    /// Gives a thread the knowledge of those who wrote what it reads.
    pub(crate) fn hear(&self, here: &mut Here, spot: Spot, access: Access) {
        if self.published.is_empty() || !spot.is_global() {
            return;
        }
        if let Some(known) = self.published.get(&access.address) {
            here.block.told.acquires(here.warp.first + access.lane, known);
        }
    }

    /// Reads so many bytes beyond a spot.
    #[inline]
    pub(crate) fn get(&self, here: &Here, lane: usize, spot: Spot, beyond: usize, bytes: usize) -> u64 {
        match spot {
            Spot::Buffer(number, at) => self.buffers[number].get(at + beyond, bytes),
            Spot::Variable(number, at) => self.variables[number].get(at + beyond, bytes),
            Spot::Shared(at) => here.block.shared.bytes.get(at + beyond, bytes),
            Spot::Local(at) => here.warp.local[lane].get(at + beyond, bytes),
            Spot::Parameter(at) => {
                let mut value = [0; 8];
                value[..bytes].copy_from_slice(&self.geometry.parameters[at + beyond..][..bytes]);
                u64::from_le_bytes(value)
            }
        }
    }

    /// Writes so many bytes beyond a spot.
    #[inline]
    pub(crate) fn set(
        &mut self,
        here: &mut Here,
        lane: usize,
        (spot, beyond, bytes): (Spot, usize, usize),
        value: u64,
    ) {
        match spot {
            Spot::Buffer(number, at) => self.buffers[number].set(at + beyond, bytes, value),
            Spot::Variable(number, at) => self.variables[number].set(at + beyond, bytes, value),
            Spot::Shared(at) => here.block.shared.bytes.set(at + beyond, bytes, value),
            Spot::Local(at) => here.warp.local[lane].set(at + beyond, bytes, value),
            // No spot is there that is written.
            Spot::Parameter(_) => {}
        }
    }
}
