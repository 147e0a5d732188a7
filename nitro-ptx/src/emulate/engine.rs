//! A launch that is under way: which block and warp goes on, and for how long.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::block::Block;
use super::block::Shared;
use super::bytes::Bytes;
use super::clock::Clock;
use super::decode::{Function, Program};
use super::error::{At, Fault, Race};
use super::fences::{Knowledge, Told};
use super::guards::Guards;
use super::launch::{Geometry, Launched, Options, Races};
use super::observe::Observer;
use super::race::{Shadow, Stamp};
use super::random::Random;
use super::warp::{Warp, lanes};

/// What blocks that run at the same time may take of this machine's memory.
const RESIDENT_BYTES: u64 = 256 << 20;
/// Slices without any block coming to its end before one more begins: those that run may wait for it.
const PATIENCE: u32 = 64;
/// The most blocks that run at the same time, as on a device.
const MAX_RESIDENT: usize = 4096;

pub(super) struct Engine<'a> {
    pub(super) program: &'a Program,
    pub(super) kernel: &'a Function,
    pub(super) geometry: &'a Geometry,
    pub(super) options: &'a Options,
    pub(super) buffers: &'a mut [Bytes],
    pub(super) variables: &'a mut [Bytes],
    /// Who touched buffers and variables.
    pub(super) shadows: [Vec<Shadow>; 2],
    /// What is told to who reads at an address.
    pub(super) published: HashMap<u64, Knowledge>,
    pub(super) random: Random,
    pub(super) launched: Launched,
    /// Pairs of instructions that race, which are listed.
    pub(super) racing: HashSet<(u32, u32, bool)>,
    /// Who watches.
    pub(super) observer: Option<&'a mut Observer>,
    /// Who notes what guards come to.
    pub(super) guards: Option<&'a mut Guards>,
}

impl<'a> Engine<'a> {
    pub(super) fn new(
        program: &'a Program,
        kernel: &'a Function,
        geometry: &'a Geometry,
        options: &'a Options,
        (buffers, variables): (&'a mut [Bytes], &'a mut [Bytes]),
    ) -> Self {
        let shadows = [vec![Shadow::default(); buffers.len()], vec![Shadow::default(); variables.len()]];
        Self {
            program,
            kernel,
            geometry,
            options,
            buffers,
            variables,
            shadows,
            published: HashMap::new(),
            random: Random::new(options.seed),
            launched: Launched::default(),
            racing: HashSet::new(),
            observer: None,
            guards: None,
        }
    }

    /// The same, watched.
    pub(super) fn observed(self, observer: Option<&'a mut Observer>) -> Self {
        Self { observer, ..self }
    }

    /// Returns the same, whose guards are noted.
    pub(super) fn guarded(self, guards: &'a mut Guards) -> Self {
        Self { guards: Some(guards), ..self }
    }

    /// Runs all blocks, some at the same time, in an order that is drawn.
    pub(super) fn run(mut self) -> Result<Launched, Fault> {
        let step = self.random.stride(self.geometry.blocks);
        let mut next = self.random.below(self.geometry.blocks);
        let mut left = self.geometry.blocks;
        let most = self.most_resident();
        let (mut resident, mut waited): (Vec<Block>, u32) = (Vec::new(), 0);
        while left > 0 || !resident.is_empty() {
            let wanted = 2.min(most);
            if left > 0 && (resident.len() < wanted || waited >= PATIENCE && resident.len() < most) {
                resident.push(self.block(next));
                next = ((u64::from(next) + u64::from(step)) % u64::from(self.geometry.blocks)) as u32;
                left -= 1;
                waited = 0;
            }
            if self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Fault::Late { instructions: self.launched.instructions });
            }
            let at = self.random.below(resident.len() as u32) as usize;
            self.advance(&mut resident[at])?;
            waited += 1;
            if resident[at].alive == 0 {
                resident.swap_remove(at);
                waited = 0;
            }
        }
        Ok(self.launched)
    }

    fn most_resident(&self) -> usize {
        let of_thread = u64::from(self.kernel.registers) * 8 + u64::from(self.kernel.frame_bytes) + 1024;
        // Who touched it is remembered in sixteen times as much.
        let bytes = of_thread * u64::from(self.geometry.threads) + 17 * self.shared_bytes();
        ((RESIDENT_BYTES / bytes) as usize).clamp(1, MAX_RESIDENT)
    }

    /// What a block has of shared memory.
    pub(super) fn shared_bytes(&self) -> u64 {
        let declared = self.kernel.shared.last().map_or(0, |&(_, end)| end);
        u64::from(declared) + u64::from(self.geometry.shared_bytes)
    }

    fn block(&mut self, number: u32) -> Block {
        let [x, y, _] = self.geometry.grid;
        let filler = self.random.bits() | 0x0101_0101_0101_0101;
        let tracks = self.options.uninitialised;
        let warp = |index: u32| {
            Some(Box::new(Warp::new(index as usize * 32, self.geometry.block, self.kernel, filler, tracks)))
        };
        Block {
            number,
            at: [number % x, number / x % y, number / x / y],
            warps: (0..self.geometry.warps).map(warp).collect(),
            shared: Shared::new(self.kernel, self.geometry.shared_bytes, filler as u8, tracks),
            clock: Clock::new(self.geometry.threads as usize),
            told: Told::default(),
            barriers: Default::default(),
            alive: self.geometry.threads,
        }
    }

    /// One warp of a block goes on for a while.
    fn advance(&mut self, block: &mut Block) -> Result<(), Fault> {
        let count = block.warps.len();
        let first = self.random.below(count as u32) as usize;
        let ready = (0..count)
            .map(|at| (first + at) % count)
            .find(|&at| block.warps[at].as_ref().is_some_and(|warp| warp.ready() != 0));
        let Some(at) = ready else { return Err(self.stuck(block)) };
        let Some(mut warp) = block.warps[at].take() else { return Ok(()) };
        let done = self.slice(&mut warp, block);
        block.warps[at] = Some(warp);
        done?;
        self.settle(block)
    }

    /// Runs a warp for a slice.
    fn slice(&mut self, warp: &mut Warp, block: &mut Block) -> Result<(), Fault> {
        let is_adversarial = self.options.adversarial;
        let mut left = 1 + self.random.below(if is_adversarial { 24 } else { 256 });
        // Who spins may wait for another thread of the warp, which has to go on too.
        let mut is_drawn = is_adversarial || warp.starved > 8;
        while left > 0 {
            let ready = warp.ready();
            let lane = if is_drawn { self.random.lane(ready) } else { warp.hindmost(ready) };
            let Some(lane) = lane else { break };
            let mut set = warp.together(lane, ready);
            if is_adversarial && self.random.below(2) == 0 {
                set = (set & self.random.bits() as u32) | 1 << lane;
            }
            let others = ready & !set;
            let limit = if is_drawn { u32::MAX } else { warp.next_pc(warp.base[lane], others) };
            let turn = if is_adversarial { left.min(1 + self.random.below(8)) } else { left };
            let ran = self.execute(warp, block, lane, set, limit, turn)?;
            left = left.saturating_sub(ran.max(1));
            warp.starved = if left == 0 && others != 0 && !is_drawn {
                warp.starved + 1
            } else if is_drawn {
                0
            } else {
                warp.starved
            };
            is_drawn = is_adversarial;
        }
        Ok(())
    }

    /// No warp of a block can go on, and some have not ended.
    fn stuck(&self, block: &Block) -> Fault {
        let waiting = |is_barrier: bool| {
            block.warps.iter().flatten().find_map(|warp| {
                let set = if is_barrier { warp.at_barrier } else { warp.at_meeting };
                lanes(set & warp.alive).next().map(|lane| self.at(warp, block, lane, warp.pc[lane]))
            })
        };
        if let Some(at) = waiting(false) {
            let why = "threads of its warp that it names do not come there".to_owned();
            return Fault::Barrier { at, why };
        }
        let (arrived, needed) =
            block.barriers.iter().find(|barrier| barrier.arrived > 0).map_or((0, 0), |barrier| {
                (
                    barrier.arrived,
                    barrier.needed.map_or(block.alive, |needed| needed.min(self.geometry.threads)),
                )
            });
        match waiting(true) {
            Some(at) => {
                let why = format!("{arrived} of {needed} threads come there, and the others never do");
                Fault::Barrier { at, why }
            }
            None => Fault::Launch("no thread can go on".to_owned()),
        }
    }

    /// A thread at an instruction.
    pub(super) fn at(&self, warp: &Warp, block: &Block, lane: usize, pc: u32) -> At {
        At {
            instruction: self.program.ids[pc as usize],
            opcode: self.program.opcodes[pc as usize].to_string(),
            block: block.at,
            thread: warp.thread[lane],
        }
    }

    /// Takes note of a race.
    pub(super) fn race(
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
        let new = || Race { first: self.at_stamp(first), second: second.clone(), address, is_same_value };
        if self.options.races == Races::Refused {
            return Err(Fault::Race(Box::new(new())));
        }
        if !self.racing.contains(&(first.at() as u32, pc, is_same_value)) {
            let race = new();
            self.racing.insert((first.at() as u32, pc, is_same_value));
            self.launched.races.push(race);
        }
        Ok(())
    }

    fn at_stamp(&self, stamp: Stamp) -> At {
        let [x, y, _] = self.geometry.grid;
        let (number, at) = (stamp.thread / self.geometry.threads, stamp.thread % self.geometry.threads);
        let [bx, by, _] = self.geometry.block;
        At {
            instruction: self.program.ids[stamp.at()],
            opcode: self.program.opcodes[stamp.at()].to_string(),
            block: [number % x, number / x % y, number / x / y],
            thread: [at % bx, at / bx % by, at / bx / by],
        }
    }
}
