//! The order of a launch: which block and warp goes on, and for how long.

use std::time::Instant;

use crate::machine::block::Block;
use crate::machine::clock::WARP;
use crate::machine::error::{At, Fault};
use crate::machine::launch::Launched;
use crate::machine::state::{After, Here, Machine, Op};
use crate::machine::warp::{Warp, lanes};

/// The bytes of this machine's memory that blocks may take which run at the same time.
const RESIDENT_BYTES: u64 = 256 << 20;
/// Slices without any block coming to its end before one more begins: those that run may wait for it.
const PATIENCE: u32 = 64;
/// The most blocks that run at the same time, as on a device.
const MAX_RESIDENT: usize = 4096;

/// A launch that runs instructions on a machine.
pub(super) struct Engine<'a> {
    pub(super) code: &'a [Op],
    pub(super) machine: Machine<'a>,
}

impl Engine<'_> {
    /// Runs all blocks, some at the same time, in an order that is drawn.
    pub(super) fn run(mut self) -> Result<Launched, Fault> {
        // Blocks begin in an order that a stride draws: it comes by all of them.
        let step = self.machine.random.stride(self.machine.geometry.blocks);
        let mut next = self.machine.random.below(self.machine.geometry.blocks);
        let mut left = self.machine.geometry.blocks;
        let most = self.most_resident();
        let (mut resident, mut waited): (Vec<Block>, u32) = (Vec::new(), 0);
        while left > 0 || !resident.is_empty() {
            // Two blocks run at once, so that their accesses interleave.
            let wanted = 2.min(most);
            if left > 0 && (resident.len() < wanted || waited >= PATIENCE && resident.len() < most) {
                let Machine { geometry, kernel, options, .. } = self.machine;
                let filler = self.machine.random.bits() | 0x0101_0101_0101_0101;
                resident.push(Block::new(next, geometry, kernel, filler, options.uninitialised));
                next = ((u64::from(next) + u64::from(step)) % u64::from(geometry.blocks)) as u32;
                left -= 1;
                waited = 0;
            }
            if self.machine.options.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Err(Fault::Late { instructions: self.machine.launched.instructions });
            }
            let at = self.machine.random.below(resident.len() as u32) as usize;
            self.advance(&mut resident[at])?;
            waited += 1;
            if resident[at].alive == 0 {
                resident.swap_remove(at);
                waited = 0;
            }
        }
        Ok(self.machine.launched)
    }

    /// Returns the number of blocks that may run at the same time.
    fn most_resident(&self) -> usize {
        let kernel = self.machine.kernel;
        let of_thread = u64::from(kernel.registers) * 8 + u64::from(kernel.frame_bytes) + 1024;
        // Accesses of it are remembered in sixteen times as much.
        let bytes = of_thread * u64::from(self.machine.geometry.threads) + 17 * self.machine.shared_bytes();
        ((RESIDENT_BYTES / bytes) as usize).clamp(1, MAX_RESIDENT)
    }

    /// Lets one warp of a block go on for a while.
    fn advance(&mut self, block: &mut Block) -> Result<(), Fault> {
        let count = block.warps.len();
        let first = self.machine.random.below(count as u32) as usize;
        // The first warp from a drawn one on that can go on.
        let ready = (0..count)
            .map(|at| (first + at) % count)
            .find(|&at| block.warps[at].as_ref().is_some_and(|warp| warp.ready() != 0));
        let Some(at) = ready else { return Err(self.stuck(block)) };
        let Some(mut warp) = block.warps[at].take() else { return Ok(()) };
        let done = self.slice(&mut warp, block);
        block.warps[at] = Some(warp);
        done?;
        self.machine.settle(block);
        Ok(())
    }

    /// Runs a warp for a slice: those of its threads go on that are least far, until they meet others.
    fn slice(&mut self, warp: &mut Warp, block: &mut Block) -> Result<(), Fault> {
        let is_adversarial = self.machine.options.adversarial;
        let mut left = 1 + self.machine.random.below(if is_adversarial { 24 } else { 256 });
        // A thread that spins may wait for another thread of the warp, which has to go on too.
        let mut is_drawn = is_adversarial || warp.starved > 8;
        while left > 0 {
            let ready = warp.ready();
            let lane = if is_drawn { self.machine.random.lane(ready) } else { warp.hindmost(ready) };
            let Some(lane) = lane else { break };
            let mut set = warp.together(lane, ready);
            // Half of the time some of those that are together are left behind.
            if is_adversarial && self.machine.random.below(2) == 0 {
                set = (set & self.machine.random.bits() as u32) | 1 << lane;
            }
            let others = ready & !set;
            // Threads that are ahead wait where the others may join them.
            let limit = if is_drawn { u32::MAX } else { warp.next_pc(warp.base[lane], others) };
            let turn = if is_adversarial { left.min(1 + self.machine.random.below(8)) } else { left };
            let ran = self.execute(warp, block, lane, set, limit, turn)?;
            left = left.saturating_sub(ran.max(1));
            if is_drawn {
                warp.starved = 0;
            } else if left == 0 && others != 0 {
                warp.starved += 1;
            }
            is_drawn = is_adversarial;
        }
        Ok(())
    }

    /// Says why no warp of a block can go on, where some have not ended.
    fn stuck(&self, block: &Block) -> Fault {
        if let Some(at) = self.waiting(block, |warp| warp.at_meeting) {
            let why = "threads of its warp that it names do not come there".to_owned();
            return Fault::Barrier { at, why };
        }
        let Some(at) = self.waiting(block, |warp| warp.at_barrier) else {
            return Fault::Launch("no thread can go on".to_owned());
        };
        let barrier = block.barriers.iter().find(|barrier| barrier.arrived > 0);
        let arrived = barrier.map_or(0, |barrier| barrier.arrived);
        let needed = barrier.map_or(0, |barrier| {
            barrier.needed.map_or(block.alive, |needed| needed.min(self.machine.geometry.threads))
        });
        let why = format!("{arrived} of {needed} threads come there, and the others never do");
        Fault::Barrier { at, why }
    }

    /// Names the first thread of a block that waits.
    fn waiting(&self, block: &Block, set: impl Fn(&Warp) -> u32) -> Option<At> {
        block.warps.iter().flatten().find_map(|warp| {
            let lane = lanes(set(warp) & warp.alive).next()?;
            Some(self.machine.at(warp, block, lane, warp.pc[lane]))
        })
    }

    /// Executes up to `turn` instructions, as long as the set stays together and does not come to `limit`, and returns
    /// how many.
    fn execute(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        lane: usize,
        set: u32,
        limit: u32,
        turn: u32,
    ) -> Result<u32, Fault> {
        let machine = &mut self.machine;
        let most = machine.options.max_instructions;
        let (mut pc, mut ran) = (warp.pc[lane], 0);
        while ran < turn {
            let op = &self.code[pc as usize];
            ran += 1;
            machine.launched.instructions += 1;
            machine.launched.cycles += 1;
            if machine.launched.instructions > most {
                return Err(Fault::Endless { at: machine.at(warp, block, lane, pc), most });
            }
            let active = guarded(warp, op, warp.base[lane], set);
            machine.launched.thread_instructions += u64::from(active.count_ones());
            if let Some(watch) = machine.watch.as_deref_mut() {
                watch.before(pc, warp, set, active);
            }
            if machine.symbols.is_some() {
                trace(machine, op, &mut Here { warp, block, pc, set, active })?;
            }
            // Where no guard holds there is nothing to execute.
            let after = match active {
                0 => After::Next,
                _ => op.action.execute(machine, &mut Here { warp, block, pc, set, active })?,
            };
            match after {
                After::Next => {
                    if let Some(watch) = machine.watch.as_deref_mut() {
                        watch.after(pc, warp, active);
                    }
                    pc += 1;
                }
                After::Jump(to) => pc = to,
                After::Parted => return Ok(ran),
            }
            if pc >= limit {
                break;
            }
        }
        warp.set_pc(set, pc);
        Ok(ran)
    }
}

/// Tracks the terms of an instruction that is about to be executed.
fn trace(machine: &mut Machine, op: &Op, here: &mut Here) -> Result<(), Fault> {
    let Some(symbols) = machine.symbols.take() else { return Ok(()) };
    let traced = symbols.step(machine, op, here);
    machine.symbols = Some(symbols);
    let lane = here.set.trailing_zeros() as usize & (WARP - 1);
    traced.map_err(|why| Fault::Undecided { at: here.at(machine, lane), why })
}

/// Returns those of a set whose guard holds.
#[inline]
fn guarded(warp: &Warp, op: &Op, base: u32, set: u32) -> u32 {
    let Some(guard) = op.guard else { return set };
    let from = (base + guard.register) as usize * WARP;
    let mut holds = 0;
    for (lane, value) in warp.registers[from..from + WARP].iter().enumerate() {
        holds |= ((value & 1) as u32) << lane;
    }
    set & if guard.negated { !holds } else { holds }
}
