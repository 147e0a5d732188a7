//! The machine on which instructions are executed: the state of a launch, and the interface of instructions to it.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::Arc;

use super::block::Block;
use super::bytes::Bytes;
use super::clock::WARP;
use super::error::{At, Fault, Race};
use super::fences::Knowledge;
use super::image::{Function, Image};
use super::launch::{Geometry, Launched, Options, Races};
use super::race::Shadow;
use super::random::Random;
use super::source::{Source, Special};
use super::stamp::Stamp;
use super::warp::{Warp, lanes};
use super::watch::Watcher;
use crate::machine::symbolic::{Symbols, Trace};

/// The cost of a barrier and of a fence in modelled time.
pub(crate) const FENCE_CYCLES: u64 = 8;

/// An instruction with its guard.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) guard: Option<Guard>,
    pub(crate) action: Action,
}

/// A predicate under which an instruction is executed ("Predicated Execution").
#[derive(Clone, Copy, Debug)]
pub(crate) struct Guard {
    pub(crate) register: u32,
    pub(crate) negated: bool,
}

/// The meaning of an instruction.
pub(crate) type Action = Arc<dyn Execute>;

/// An instruction that can be executed.
pub(crate) trait Execute: Debug + Send + Sync {
    /// Executes it for the active threads, of which there is at least one.
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault>;

    /// Tracks the terms of what it is about to execute, where data are symbols, or says why that cannot be.
    fn trace(&self, _: &mut Trace) -> Result<(), String> {
        Err("what it does is not known for symbols".to_owned())
    }

    /// Returns true if all that it does is to write registers: then its guard may depend on data.
    fn is_choice(&self) -> bool {
        false
    }
}

/// The threads of a warp that are at an instruction together.
pub(crate) struct Here<'w> {
    pub(crate) warp: &'w mut Warp,
    pub(crate) block: &'w mut Block,
    pub(crate) pc: u32,
    /// The lanes that are here, and those of them whose guard holds.
    pub(crate) set: u32,
    pub(crate) active: u32,
}

/// The effect of an instruction on where its threads go on.
pub(crate) enum After {
    /// All go on with the next one.
    Next,
    /// All go on there.
    Jump(u32),
    /// They are no longer at one place, or some of them wait: their places have been noted.
    Parted,
}

/// A launch that is under way.
pub(crate) struct Machine<'a> {
    pub(crate) image: &'a Image,
    pub(crate) kernel: &'a Function,
    pub(crate) geometry: &'a Geometry,
    pub(crate) options: &'a Options,
    pub(crate) buffers: &'a mut [Bytes],
    pub(crate) variables: &'a mut [Bytes],
    /// The buffers that variables are, by the variables' positions.
    pub(crate) bound: Vec<Option<usize>>,
    /// The last accesses of buffers and variables.
    pub(crate) shadows: [Vec<Shadow>; 2],
    /// The knowledge that a reader at an address gets of other threads.
    pub(crate) published: HashMap<u64, Knowledge>,
    pub(crate) random: Random,
    pub(crate) launched: Launched,
    /// The pairs of instructions that race and are listed.
    racing: HashSet<(u32, u32, bool)>,
    pub(crate) watch: Watcher<'a>,
    pub(crate) symbols: Option<&'a mut Symbols>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        image: &'a Image,
        kernel: &'a Function,
        geometry: &'a Geometry,
        options: &'a Options,
        (buffers, variables, bound): (&'a mut [Bytes], &'a mut [Bytes], Vec<Option<usize>>),
        (watch, symbols): (Watcher<'a>, Option<&'a mut Symbols>),
    ) -> Self {
        let shadows = [vec![Shadow::default(); buffers.len()], vec![Shadow::default(); variables.len()]];
        let random = Random::new(options.seed);
        let (published, launched, racing) = (HashMap::new(), Launched::default(), HashSet::new());
        Self {
            image,
            kernel,
            geometry,
            options,
            buffers,
            variables,
            bound,
            shadows,
            published,
            random,
            launched,
            racing,
            watch,
            symbols,
        }
    }

    /// Returns the bytes of shared memory of a block.
    pub(crate) fn shared_bytes(&self) -> u64 {
        let declared = self.kernel.shared.last().map_or(0, |&(_, end)| end);
        u64::from(declared) + u64::from(self.geometry.shared_bytes)
    }

    /// Returns a source's value in each of the active threads; in others it may be anything.
    #[inline]
    pub(crate) fn values(&self, warp: &Warp, block: &Block, source: Source, active: u32) -> [u64; WARP] {
        match source {
            Source::Register(register) => {
                let mut values = [0; WARP];
                // Threads that are at one instruction have their frames at one place.
                let lane = active.trailing_zeros() as usize & (WARP - 1);
                let from = (warp.base[lane] + register) as usize * WARP;
                values.copy_from_slice(&warp.registers[from..from + WARP]);
                values
            }
            Source::Constant(value) => [value; WARP],
            Source::Frame(offset) => warp.frame.map(|frame| u64::from(frame.wrapping_add(offset))),
            Source::Special(special) => self.special(warp, block, special),
        }
    }

    fn special(&self, warp: &Warp, block: &Block, special: Special) -> [u64; WARP] {
        match special {
            Special::Thread(axis) => warp.thread.map(|thread| thread[axis as usize].into()),
            Special::Threads(axis) => [self.geometry.block[axis as usize].into(); WARP],
            Special::Block(axis) => [block.at[axis as usize].into(); WARP],
            Special::Blocks(axis) => [self.geometry.grid[axis as usize].into(); WARP],
            Special::Lane => std::array::from_fn(|lane| lane as u64),
            Special::Warp => [(warp.first / WARP) as u64; WARP],
            Special::Warps => [self.geometry.warps.into(); WARP],
            Special::Mask(kind) => std::array::from_fn(|lane| lane_mask(kind, lane).into()),
            Special::Clock => [self.launched.cycles; WARP],
            Special::Device(value) => [value.into(); WARP],
            Special::DynamicShared => [self.geometry.shared_bytes.into(); WARP],
            Special::TotalShared => [self.shared_bytes(); WARP],
        }
    }

    /// Names a thread at an instruction.
    pub(crate) fn at(&self, warp: &Warp, block: &Block, lane: usize, pc: u32) -> At {
        At {
            instruction: self.image.ids[pc as usize],
            opcode: self.image.opcodes[pc as usize].to_string(),
            block: block.at,
            thread: warp.thread[lane],
        }
    }

    /// Takes note of a race: ignores it, lists it, or ends the launch, as the options say.
    pub(crate) fn race(
        &mut self,
        first: Stamp,
        second: At,
        pc: u32,
        address: u64,
        is_same_value: bool,
    ) -> Result<(), Fault> {
        if is_same_value && !self.options.same_value_races {
            return Ok(());
        }
        // A pair of instructions is listed once, however often its threads race.
        let pair = (first.at() as u32, pc, is_same_value);
        if self.options.races != Races::Refused && self.racing.contains(&pair) {
            return Ok(());
        }
        let race = Race { first: self.at_stamp(first), second, address, is_same_value };
        if self.options.races == Races::Refused {
            return Err(Fault::Race(Box::new(race)));
        }
        self.racing.insert(pair);
        self.launched.races.push(race);
        Ok(())
    }

    fn at_stamp(&self, stamp: Stamp) -> At {
        let (number, at) = (stamp.thread / self.geometry.threads, stamp.thread % self.geometry.threads);
        let [bx, by, _] = self.geometry.block;
        At {
            instruction: self.image.ids[stamp.at()],
            opcode: self.image.opcodes[stamp.at()].to_string(),
            block: self.geometry.block_at(number),
            thread: [at % bx, at / bx % by, at / bx / by],
        }
    }
}

/// Returns the lanes that are equal to, less than, at most, greater than or at least this one.
fn lane_mask(kind: u8, lane: usize) -> u32 {
    let (own, below) = (1_u32 << lane, (1_u32 << lane) - 1);
    match kind {
        0 => own,
        1 => below,
        2 => below | own,
        3 => !(below | own),
        _ => !below,
    }
}

impl Here<'_> {
    /// Returns a source's value in each of the active threads.
    #[inline]
    pub(crate) fn values(&self, machine: &Machine, source: Source) -> [u64; WARP] {
        machine.values(self.warp, self.block, source, self.active)
    }

    /// Writes a register of the active threads.
    #[inline]
    pub(crate) fn write(&mut self, register: u32, values: &[u64; WARP]) {
        self.warp.write(register, self.active, values);
    }

    /// Names one of the threads.
    pub(crate) fn at(&self, machine: &Machine, lane: usize) -> At {
        machine.at(self.warp, self.block, lane, self.pc)
    }

    /// Sends those whose guard fails to the next instruction.
    pub(crate) fn part(&mut self) {
        self.warp.set_pc(self.set & !self.active, self.pc + 1);
    }

    /// Ends threads.
    pub(crate) fn end(&mut self, set: u32) {
        self.warp.alive &= !set;
        self.block.alive -= set.count_ones();
        lanes(set).for_each(|lane| self.block.clock.ends(self.warp.first + lane));
    }
}
