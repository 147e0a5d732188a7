//! Stores behind loops: what each round of a loop stores in the same place is stored once, when the loop ends.
//!
//! A sum in memory (`x[i] += ..` in a loop) stays there, since a load of the next round might read that place. So the
//! assembler stores in each round, and puts no load in front of a store.

use std::ops::Range;

use super::edit::Reach;
use super::overlap::{accessed, overlap, touched};
use super::reword;
use crate::instructions::effect::Kind;
use crate::text::module::{Content, Function, InstructionId};
use crate::text::types::Space;

impl Function {
    /// Puts stores behind the loops that they are in, where each round stores in the same place. Returns them, without
    /// those that they overwrite in the same round.
    pub(super) fn sink(&mut self, reach: &Reach) -> Vec<InstructionId> {
        let (mut done, mut back, mut leads) = (Vec::new(), 0, self.leads());
        while back < self.items.len() {
            let body = self.simple_loop(back, &leads);
            let last = body.and_then(|body| {
                let at = body.clone().rev().find(|&at| self.is_sinkable(at, &body, &leads, reach))?;
                Some((at, body))
            });
            match last {
                Some((at, body)) => {
                    done.extend(self.put_behind(at, body));
                    leads = self.leads();
                    // The branch stands one place further up, and other stores may follow.
                    back -= 1;
                }
                None => back += 1,
            }
        }
        done
    }

    /// Puts a store behind its loop, and takes those away that it overwrites.
    fn put_behind(&mut self, at: usize, body: Range<usize>) -> Option<InstructionId> {
        let Content::Instruction(moved, store) = &self.items[at].content else { return None };
        let (moved, place) = (*moved, accessed(store));
        for other in body.clone().filter(|other| *other != at) {
            if let Content::Instruction(id, earlier) = &self.items[other].content
                && earlier.effect().kind == Kind::Store
                && accessed(earlier) == place
            {
                self.items[other].content = Content::Tombstone(*id);
            }
        }
        let store = self.items.remove(at);
        self.items.insert(body.end, store);
        Some(moved)
    }

    /// Returns the positions between the label and the branch of a loop, if a branch at this position is the only way
    /// back, and out: threads come in at the label alone, and nobody waits inside.
    fn simple_loop(&self, back: usize, leads: &[Option<usize>]) -> Option<Range<usize>> {
        self.instruction_at(back)?.guard?;
        let head = leads[back]?;
        let body = head + 1..back;
        let is_same_scope = self.items[head].scope == self.items[back].scope;
        let is_plain = |at: usize| match &self.items[at].content {
            Content::Targets { .. } => false,
            Content::Instruction(_, instruction) => match instruction.effect().kind {
                Kind::Pure | Kind::Load | Kind::Store | Kind::Hint => true,
                Kind::Branch => leads[at].is_some_and(|to| (at + 1..back).contains(&to)),
                _ => false,
            },
            _ => true,
        };
        let leads_in = |at: usize| match &self.items[at].content {
            Content::Targets { .. } => true,
            _ => leads[at].is_some_and(|to| body.contains(&to)),
        };
        let is_entered_at_head = (0..head).chain(back + 1..self.items.len()).all(|at| !leads_in(at));
        (is_same_scope && head < back && body.clone().all(is_plain) && is_entered_at_head).then_some(body)
    }

    /// Tells whether a store may come behind its loop, for all that its operands say.
    fn is_sinkable(&self, at: usize, body: &Range<usize>, leads: &[Option<usize>], reach: &Reach) -> bool {
        let (Content::Instruction(id, store), Some(back)) =
            (&self.items[at].content, self.items.get(body.end))
        else {
            return false;
        };
        let is_plain = store.effect().kind == Kind::Store
            && matches!(store.effect().space, Space::Global | Space::Shared | Space::Generic)
            && store.guard.is_none()
            && !reword::is_volatile(&store.opcode)
            && !store.is_unusual()
            && self.items[at].scope == back.scope;
        let Some((address, _)) = accessed(store).filter(|_| is_plain && reach.covers(*id, &self.name)) else {
            return false;
        };
        let is_kept = touched(store).into_iter().all(|value| !self.is_written(value, at + 1..body.end));
        let is_in_each_round = leads[body.start..at].iter().flatten().all(|to| *to <= at);
        let is_alone = body.clone().filter(|other| *other != at).all(|other| {
            let Some(access) = self.instruction_at(other) else { return true };
            match access.effect().kind {
                Kind::Load => !overlap(access, store),
                Kind::Store => !overlap(access, store) || other < at && accessed(access) == accessed(store),
                _ => true,
            }
        });
        is_kept && is_in_each_round && is_alone && !self.is_written(address, body.clone())
    }
}
