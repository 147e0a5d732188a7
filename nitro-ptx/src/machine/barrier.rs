//! Execution of barriers ("Parallel Synchronization and Communication Instructions: bar, barrier").

use super::block::{BARRIERS, Block, Poll, Vote, Waiting};
use super::clock::WARP;
use super::error::Fault;
use super::source::Source;
use super::state::{After, Execute, FENCE_CYCLES, Here, Machine};
use super::warp::lanes;
use crate::machine::symbolic::{Operand, Trace};

/// An instruction at which threads of a block meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Barrier {
    pub(crate) number: Source,
    /// The number of threads that meet; all of the block where it is not said.
    pub(crate) count: Option<Source>,
    /// Threads wait for the others, as at all but `.arrive`.
    pub(crate) waits: bool,
    /// All threads of a warp have to be at the same instruction.
    pub(crate) is_aligned: bool,
    pub(crate) vote: Option<BarrierVote>,
}

/// The reduction of a predicate of all threads (`bar.red`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierVote {
    pub(crate) vote: Vote,
    pub(crate) predicate: Source,
    pub(crate) is_negated: bool,
    pub(crate) to: u32,
}

impl Execute for Barrier {
    /// Lets threads come to the barrier; whether it is passed shows once their warp pauses.
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        machine.launched.cycles += FENCE_CYCLES;
        here.part();
        let numbers = here.values(machine, self.number);
        let counts = self.count.map(|count| here.values(machine, count));
        let votes = self.vote.map(|BarrierVote { predicate, is_negated, .. }| {
            here.values(machine, predicate).map(|value| value & 1 != u64::from(is_negated))
        });
        for lane in lanes(here.active) {
            let number = numbers[lane] as u32 as usize;
            let needed = counts.map(|counts| counts[lane] as u32);
            if let Some(why) = self.refusal(machine, here, number, needed) {
                return Err(Fault::Barrier { at: here.at(machine, lane), why });
            }
            let meeting = &mut here.block.barriers[number];
            // The first thread to come says how many have to.
            (meeting.needed, meeting.arrived) = (needed, meeting.arrived + 1);
            if let Some(votes) = votes {
                let poll = meeting.poll.get_or_insert_with(Poll::default);
                (poll.asked, poll.holds) = (poll.asked + 1, poll.holds + u32::from(votes[lane]));
            }
            if needed.is_some() {
                here.block.clock.arrives(here.warp.first + lane, &mut meeting.known);
            }
            if self.waits {
                let vote = self.vote.map(|vote| (vote.vote, vote.to));
                let warp = here.warp.first / WARP;
                meeting.waiting.push(Waiting { warp, lanes: 1 << lane, pc: here.pc, vote });
                here.warp.at_barrier |= 1 << lane;
                here.warp.pc[lane] = here.pc;
            } else {
                here.warp.pc[lane] = here.pc + 1;
            }
        }
        Ok(After::Parted)
    }

    fn trace(&self, trace: &mut Trace) -> Result<(), String> {
        for source in [Some(self.number), self.count, self.vote.map(|vote| vote.predicate)] {
            source.map_or(Ok(()), |source| trace.require_known(source, "control"))?;
        }
        // Nobody reads the result before it is there.
        if let Some(BarrierVote { to, .. }) = self.vote {
            lanes(trace.here.active).for_each(|lane| trace.write(to, lane, Operand::Known(0)));
        }
        Ok(())
    }
}

impl Barrier {
    /// Returns why a thread may not come to a barrier here, if it may not.
    fn refusal(&self, machine: &Machine, here: &Here, number: usize, needed: Option<u32>) -> Option<String> {
        let Some(meeting) = here.block.barriers.get(number) else {
            return Some(format!("there is no barrier {number}"));
        };
        // The count of threads is a multiple of the warp size ("bar, barrier").
        let most = machine.geometry.warps * WARP as u32;
        if needed.is_some_and(|needed| needed == 0 || needed % WARP as u32 != 0 || needed > most) {
            return Some("as many threads as are to meet there are no whole warps of the block".to_owned());
        }
        if meeting.arrived > 0 && meeting.needed != needed {
            return Some("threads that came before said another number of threads".to_owned());
        }
        // Without a count all threads come to one instruction, as CUDA demands; with `.aligned` those of a warp do.
        let elsewhere = meeting.waiting.iter().find(|other| {
            let is_bound = needed.is_none() || self.is_aligned && other.warp == here.warp.first / WARP;
            other.pc != here.pc && is_bound
        })?;
        let other = machine.image.ids[elsewhere.pc as usize];
        Some(format!("other threads wait at {other}, which is another barrier"))
    }
}

impl Machine<'_> {
    /// Lets those go on whose barrier all have come to. Threads that have ended are not waited for.
    pub(crate) fn settle(&mut self, block: &mut Block) {
        for number in 0..BARRIERS {
            let meeting = &block.barriers[number];
            // Counts are of whole warps, of which the last may not be full.
            let needed = meeting.needed.map_or(block.alive, |needed| needed.min(self.geometry.threads));
            if meeting.arrived == 0 || meeting.arrived < needed {
                continue;
            }
            let meeting = std::mem::take(&mut block.barriers[number]);
            // A barrier of the whole block orders everything before it; another one only those that came.
            if meeting.needed.is_none() {
                block.clock.block_meets();
                block.told.block_meets();
            } else {
                let threads = meeting.waiting.iter().flat_map(Waiting::threads).collect::<Vec<_>>();
                block.told.some_meet(&threads);
            }
            for waiting in meeting.waiting {
                let Some(warp) = &mut block.warps[waiting.warp] else { continue };
                if meeting.needed.is_some() {
                    waiting.threads().for_each(|thread| block.clock.leaves(thread, &meeting.known));
                }
                warp.at_barrier &= !waiting.lanes;
                warp.set_pc(waiting.lanes, waiting.pc + 1);
                if let (Some((vote, to)), Some(poll)) = (waiting.vote, meeting.poll) {
                    warp.write(to, waiting.lanes, &[poll.result(vote); WARP]);
                }
            }
        }
        self.meet_without_ended(block);
    }

    /// Lets threads meet in warps, of which the others have ended by now.
    fn meet_without_ended(&mut self, block: &mut Block) {
        for index in 0..block.warps.len() {
            let is_stuck =
                block.warps[index].as_ref().is_some_and(|warp| warp.at_meeting != 0 && warp.ready() == 0);
            if !is_stuck {
                continue;
            }
            let Some(mut warp) = block.warps[index].take() else { continue };
            self.meet_all(&mut warp, block, u32::MAX);
            block.warps[index] = Some(warp);
        }
    }
}

impl Waiting {
    /// Lists the threads of the block that wait.
    fn threads(&self) -> impl Iterator<Item = usize> + use<> {
        let first = self.warp * WARP;
        lanes(self.lanes).map(move |lane| first + lane)
    }
}
