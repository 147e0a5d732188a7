//! Where threads meet: barriers of a block, and what threads of a warp do together.

use super::block::{BARRIERS, Block, Poll};
use super::clock::WARP;
use super::engine::Engine;
use super::error::Fault;
use super::execute::{After, FENCE, write};
use super::op::{Barrier, Collective, Reduce, Shuffle, Together, Vote, What};
use super::warp::{Warp, lanes};

impl Engine<'_> {
    /// Threads come to a barrier; whether it is passed shows once their warp pauses.
    pub(super) fn barrier(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        barrier: &Barrier,
        (pc, set, active): (u32, u32, u32),
    ) -> Result<(), Fault> {
        self.launched.cycles += FENCE;
        warp.set_pc(set & !active, pc + 1);
        let numbers = self.values(warp, block, barrier.number, active);
        let counts = barrier.count.map(|count| self.values(warp, block, count, active));
        let votes = barrier.vote.map(|(_, predicate, negated, _)| {
            self.values(warp, block, predicate, active).map(|value| value & 1 != u64::from(negated))
        });
        for lane in lanes(active) {
            let number = numbers[lane] as u32 as usize;
            let needed = counts.map(|counts| counts[lane] as u32);
            if let Some(why) = self.refused(block, barrier, (warp.first / WARP, pc), number, needed) {
                return Err(Fault::Barrier { at: self.at(warp, block, lane, pc), why });
            }
            let meeting = &mut block.barriers[number];
            (meeting.needed, meeting.arrived) = (needed, meeting.arrived + 1);
            if let Some(votes) = votes {
                let poll = meeting.vote.get_or_insert_with(Poll::default);
                (poll.asked, poll.holds) = (poll.asked + 1, poll.holds + u32::from(votes[lane]));
            }
            if needed.is_some() {
                let mut known = std::mem::take(&mut meeting.known);
                block.clock.arrives(warp.first + lane, &mut known);
                block.barriers[number].known = known;
            }
            let meeting = &mut block.barriers[number];
            if barrier.waits {
                meeting.waiting.push((warp.first / WARP, 1 << lane, pc));
                warp.at_barrier |= 1 << lane;
                warp.pc[lane] = pc;
            } else {
                warp.pc[lane] = pc + 1;
            }
        }
        Ok(())
    }

    /// Why a thread of a warp may not come to a barrier here.
    fn refused(
        &self,
        block: &Block,
        barrier: &Barrier,
        (warp, pc): (usize, u32),
        number: usize,
        needed: Option<u32>,
    ) -> Option<String> {
        let Some(meeting) = block.barriers.get(number) else {
            return Some(format!("there is no barrier {number}"));
        };
        let most = self.geometry.warps * WARP as u32;
        if needed.is_some_and(|needed| needed == 0 || needed % WARP as u32 != 0 || needed > most) {
            return Some("as many threads as are to meet there are no whole warps of the block".to_owned());
        }
        if meeting.arrived > 0 && meeting.needed != needed {
            return Some("threads that came before said another number of threads".to_owned());
        }
        let is_elsewhere = |&&(other, _, at): &&(usize, u32, u32)| {
            at != pc && (needed.is_none() || barrier.is_aligned && other == warp)
        };
        let &(_, _, other) = meeting.waiting.iter().find(is_elsewhere)?;
        Some(format!("other threads wait at {}, which is another barrier", self.program.ids[other as usize]))
    }

    /// Lets those go on whose barrier all have come to. Threads that have ended are not waited for.
    pub(super) fn settle(&mut self, block: &mut Block) -> Result<(), Fault> {
        for number in 0..BARRIERS {
            let meeting = &block.barriers[number];
            // Counts are of whole warps, of which the last may not be full.
            let needed = meeting.needed.map_or(block.alive, |needed| needed.min(self.geometry.threads));
            if meeting.arrived == 0 || meeting.arrived < needed {
                continue;
            }
            let meeting = std::mem::take(&mut block.barriers[number]);
            if meeting.needed.is_none() {
                block.clock.block_meets();
                block.told.block_meets();
            } else {
                let waits =
                    |&(index, set, _): &(usize, u32, u32)| lanes(set).map(move |lane| index * WARP + lane);
                block.told.some_meet(&meeting.waiting.iter().flat_map(waits).collect::<Vec<_>>());
            }
            for (index, set, pc) in meeting.waiting {
                let Some(warp) = &mut block.warps[index] else { continue };
                if meeting.needed.is_some() {
                    lanes(set).for_each(|lane| block.clock.leaves(warp.first + lane, &meeting.known));
                }
                warp.at_barrier &= !set;
                warp.set_pc(set, pc + 1);
                let What::Barrier(barrier) = &self.program.code[pc as usize].what else { continue };
                if let (Some((vote, _, _, to)), Some(poll)) = (barrier.vote, meeting.vote) {
                    write(warp, to, set, &[poll.result(vote); WARP]);
                }
            }
        }
        self.meet_without_ended(block)
    }

    /// Threads that have ended are not waited for in warps either.
    fn meet_without_ended(&mut self, block: &mut Block) -> Result<(), Fault> {
        for index in 0..block.warps.len() {
            let stuck =
                block.warps[index].as_ref().is_some_and(|warp| warp.at_meeting != 0 && warp.ready() == 0);
            if !stuck {
                continue;
            }
            let Some(mut warp) = block.warps[index].take() else { continue };
            let waiting = warp.at_meeting;
            for lane in lanes(waiting) {
                if warp.at_meeting >> lane & 1 != 0 {
                    self.try_meeting(&mut warp, block, lane);
                }
            }
            block.warps[index] = Some(warp);
        }
        Ok(())
    }

    /// Threads come to an instruction of their warp. It is executed once all have come that it names.
    pub(super) fn collective(
        &mut self,
        warp: &mut Warp,
        block: &mut Block,
        collective: &Collective,
        (pc, set, active): (u32, u32, u32),
    ) -> Result<After, Fault> {
        let Some(mask) = collective.mask else {
            self.meet_as_they_are(warp, block, (pc, set, active));
            return Ok(After::Next);
        };
        let masks = self.values(warp, block, mask, active);
        for lane in lanes(active) {
            if masks[lane] as u32 >> lane & 1 == 0 {
                let why = format!("its mask {:#x} does not name itself", masks[lane] as u32);
                return Err(Fault::Barrier { at: self.at(warp, block, lane, pc), why });
            }
        }
        warp.set_pc(set & !active, pc + 1);
        warp.set_pc(active, pc);
        warp.at_meeting |= active;
        for lane in lanes(active) {
            if warp.at_meeting >> lane & 1 != 0 {
                self.try_meeting(warp, block, lane);
            }
        }
        let is_done = warp.at_meeting & active == 0;
        Ok(if is_done && set == active { After::Next } else { After::Parted })
    }

    /// Executes what a thread waits for if all are there.
    fn try_meeting(&mut self, warp: &mut Warp, block: &mut Block, lane: usize) {
        let program = self.program;
        let of = |warp: &Warp, lane: usize| match &program.code[warp.pc[lane] as usize].what {
            What::Collective(collective) if warp.at_meeting >> lane & 1 != 0 => Some(collective),
            _ => None,
        };
        let Some(own) = of(warp, lane) else { return };
        let Some(mask) = own.mask else { return };
        let mask = self.values(warp, block, mask, 1 << lane)[lane] as u32;
        let named = mask & warp.alive;
        for other in lanes(named) {
            let is_there = of(warp, other).is_some_and(|there| {
                let of_there = |there| self.values(warp, block, there, 1 << other)[other] as u32;
                there.meets == own.meets && there.mask.map(of_there) == Some(mask)
            });
            if !is_there {
                return;
            }
        }
        self.exchange(warp, block, named, mask);
        lanes(named).for_each(|lane| warp.pc[lane] += 1);
        warp.at_meeting &= !named;
        if own.what == Together::Wait {
            block.clock.warp_meets(warp.first, named, named == warp.alive);
            block.told.some_meet(&lanes(named).map(|lane| warp.first + lane).collect::<Vec<_>>());
        }
    }

    /// Threads that are at an instruction together, which says not who takes part.
    fn meet_as_they_are(&mut self, warp: &mut Warp, block: &Block, (pc, set, active): (u32, u32, u32)) {
        warp.set_pc(active, pc);
        self.exchange(warp, block, active, active);
        warp.set_pc(set, pc + 1);
    }

    /// Gives each of the threads that meet its results.
    fn exchange(&mut self, warp: &mut Warp, block: &Block, set: u32, mask: u32) {
        let results = self.together(warp, block, set, mask);
        for lane in lanes(set) {
            let What::Collective(collective) = &self.program.code[warp.pc[lane] as usize].what else {
                continue;
            };
            for (to, results) in collective.to.into_iter().zip(&results) {
                write(warp, to, 1 << lane, results);
            }
        }
    }

    /// The two results of each of the threads that meet.
    fn together(&mut self, warp: &Warp, block: &Block, set: u32, mask: u32) -> [[u64; WARP]; 2] {
        let program = self.program;
        let mut given = [[0; WARP]; 3];
        let mut what = [Together::Wait; WARP];
        for lane in lanes(set) {
            if let What::Collective(collective) = &program.code[warp.pc[lane] as usize].what {
                what[lane] = collective.what;
                for (given, from) in given.iter_mut().zip(collective.from) {
                    given[lane] = self.values(warp, block, from, 1 << lane)[lane];
                }
            }
        }
        let (mut first, mut second) = ([0; WARP], [0; WARP]);
        let noise = self.random.bits() & 0xffff_ffff;
        for lane in lanes(set) {
            (first[lane], second[lane]) = match what[lane] {
                Together::Wait => (0, 0),
                Together::Shuffle(how) => shuffled(how, &given, lane, set, noise),
                Together::Vote(vote, negated) => {
                    let holds = |lane: &usize| given[0][*lane] & 1 != u64::from(negated);
                    let ballot = lanes(set).filter(holds).fold(0_u32, |found, lane| found | 1 << lane);
                    let poll = Poll { holds: ballot.count_ones(), asked: set.count_ones() };
                    (if vote == Vote::Ballot { ballot.into() } else { poll.result(vote) }, 0)
                }
                Together::MatchAny(bytes) => (matching(&given[0], lane, set, bytes).into(), 0),
                Together::MatchAll(bytes) => {
                    let all = matching(&given[0], lane, set, bytes) == set;
                    (if all { mask.into() } else { 0 }, all.into())
                }
                Together::Reduce(how) => (reduced(how, &given[0], set), 0),
                Together::Elect => {
                    let chosen = set.trailing_zeros();
                    (chosen.into(), (chosen as usize == lane).into())
                }
            };
        }
        [first, second]
    }
}

/// What a thread gets of another, and whether that one is in range. From one that does not take part it may be
/// anything.
fn shuffled(
    how: Shuffle,
    [values, lanes, limits]: &[[u64; WARP]; 3],
    lane: usize,
    set: u32,
    noise: u64,
) -> (u64, u64) {
    let (by, limit, own) = (lanes[lane] as i64 & 31, limits[lane], lane as i64);
    let segment = (limit >> 8 & 31) as i64;
    let (most, least) = ((own & segment) | (limit as i64 & 31 & !segment), own & segment);
    let (from, is_in) = match how {
        Shuffle::Up => (own - by, own - by >= most),
        Shuffle::Down => (own + by, own + by <= most),
        Shuffle::Across => (own ^ by, own ^ by <= most),
        Shuffle::Index => (least | (by & !segment), least | (by & !segment) <= most),
    };
    let from = if is_in { from as usize } else { lane };
    let value = if set >> from & 1 != 0 { values[from] & 0xffff_ffff } else { noise };
    (value, is_in.into())
}

fn matching(values: &[u64; WARP], lane: usize, set: u32, bytes: u8) -> u32 {
    let mask = if bytes == 8 { u64::MAX } else { 0xffff_ffff };
    lanes(set)
        .filter(|&other| (values[other] ^ values[lane]) & mask == 0)
        .fold(0, |found, lane| found | 1 << lane)
}

fn reduced(how: Reduce, values: &[u64; WARP], set: u32) -> u64 {
    let mut all = lanes(set).map(|lane| values[lane] as u32);
    let result = match how {
        Reduce::Add => all.fold(0, u32::wrapping_add),
        Reduce::And => all.fold(u32::MAX, |a, b| a & b),
        Reduce::Or => all.fold(0, |a, b| a | b),
        Reduce::Xor => all.fold(0, |a, b| a ^ b),
        Reduce::MinUnsigned => all.min().unwrap_or(0),
        Reduce::MaxUnsigned => all.max().unwrap_or(0),
        Reduce::MinSigned => all.by_ref().map(|value| value as i32).min().unwrap_or(0) as u32,
        Reduce::MaxSigned => all.by_ref().map(|value| value as i32).max().unwrap_or(0) as u32,
    };
    result.into()
}
