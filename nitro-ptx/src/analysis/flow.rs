//! Control flow: basic blocks, and which comes after which.

use std::collections::HashMap;

use super::bits::Bits;
use crate::instructions::effect::Kind;
use crate::text::module::{Content, Function, Instruction, InstructionId, Token};

/// The limits of what is analysed, and so edited: sets of blocks and of registers for each block take much memory.
const MAX_BLOCKS: usize = 4096;
const MAX_INSTRUCTIONS: usize = 100_000;
const MAX_SETS: usize = 1 << 30;

/// The meanings of names, by scope and name.
type Names<'a, T> = HashMap<(usize, &'a str), T>;

/// An instruction in its place.
#[derive(Clone, Copy)]
pub(crate) struct Occurrence<'a> {
    pub(crate) id: InstructionId,
    pub(crate) instruction: &'a Instruction,
    pub(crate) scope: usize,
}

/// The blocks of a function; the first is where it begins.
pub(crate) struct Flow<'a> {
    pub(crate) function: &'a Function,
    pub(crate) blocks: Vec<Block<'a>>,
}

#[derive(Default)]
pub(crate) struct Block<'a> {
    pub(crate) code: Vec<Occurrence<'a>>,
    pub(crate) successors: Vec<usize>,
    pub(crate) predecessors: Vec<usize>,
    /// Set where a thread may end here.
    pub(crate) may_end: bool,
}

impl<'a> Flow<'a> {
    /// None for a function that is too large.
    pub(crate) fn new(function: &'a Function) -> Option<Self> {
        if function.instructions().count() > MAX_INSTRUCTIONS {
            return None;
        }
        let mut blocks = vec![Block::default()];
        let mut labels = Names::new();
        let mut lists = Names::new();
        for item in &function.items {
            match &item.content {
                Content::Label(name) => {
                    // What edits put in front of a label has a block in any case.
                    blocks.push(Block::default());
                    labels.insert((item.scope, name.as_str()), blocks.len() - 1);
                }
                Content::Targets { name, labels, .. } => {
                    lists.insert((item.scope, name.as_str()), labels.as_slice());
                }
                Content::Instruction(id, instruction) => {
                    let placed = Occurrence { id: *id, instruction, scope: item.scope };
                    let last = blocks.len() - 1;
                    blocks[last].code.push(placed);
                    if matches!(instruction.effect().kind, Kind::Branch | Kind::End) {
                        blocks.push(Block::default());
                    }
                }
                _ => {}
            }
        }
        if blocks.len() > MAX_BLOCKS || blocks.len() * function.registers.len() > MAX_SETS {
            return None;
        }
        let mut flow = Self { function, blocks };
        (0..flow.blocks.len()).for_each(|block| flow.connect(block, &labels, &lists));
        Some(flow)
    }

    /// The instruction of this number, if it is in this function.
    pub(crate) fn instruction(&self, id: InstructionId) -> Option<&Occurrence<'a>> {
        self.blocks.iter().flat_map(|block| &block.code).find(|placed| placed.id == id)
    }

    fn connect(&mut self, at: usize, labels: &Names<'a, usize>, lists: &Names<'a, &'a [String]>) {
        let next = (at + 1 < self.blocks.len()).then_some(at + 1);
        let mut successors = Vec::new();
        let (mut falls_through, mut may_end) = (true, next.is_none());
        if let Some(last) = self.blocks[at].code.last() {
            let is_guarded = last.instruction.guard.is_some();
            match last.instruction.effect().kind {
                Kind::Branch => {
                    successors = self.targets(last, labels, lists);
                    falls_through = is_guarded;
                }
                Kind::End => {
                    may_end = true;
                    falls_through = is_guarded;
                }
                _ => {}
            }
        }
        successors.extend(next.filter(|_| falls_through));
        successors.sort_unstable();
        successors.dedup();
        successors.iter().for_each(|&successor| self.blocks[successor].predecessors.push(at));
        self.blocks[at].successors = successors;
        self.blocks[at].may_end = may_end;
    }

    /// Returns the blocks that a branch goes to; all if that is not understood.
    fn targets(
        &self,
        branch: &Occurrence,
        labels: &Names<'a, usize>,
        lists: &Names<'a, &'a [String]>,
    ) -> Vec<usize> {
        self.known_targets(branch, labels, lists).unwrap_or_else(|| (0..self.blocks.len()).collect())
    }

    fn known_targets(
        &self,
        branch: &Occurrence,
        labels: &Names<'a, usize>,
        lists: &Names<'a, &'a [String]>,
    ) -> Option<Vec<usize>> {
        let [Token::Word(word)] = branch.instruction.operands.last()?.as_slice() else { return None };
        let (function, scope) = (self.function, branch.scope);
        // The label itself, or those of the list that it names.
        let names = match branch.instruction.opcode.starts_with("brx") {
            true => function.outwards(scope, |scope| lists.get(&(scope, word.as_str())).copied())?,
            false => std::slice::from_ref(word),
        };
        let target = |name: &String| function.outwards(scope, |scope| labels.get(&(scope, name)).copied());
        names.iter().map(target).collect()
    }

    /// For each block those that every way from it to an end goes through, itself included.
    pub(crate) fn post_dominators(&self) -> Vec<Bits> {
        let count = self.blocks.len();
        let mut reaches_end = Bits::none(count);
        let mut open: Vec<usize> = (0..count).filter(|&block| self.blocks[block].may_end).collect();
        while let Some(block) = open.pop() {
            if reaches_end.insert(block) {
                open.extend(&self.blocks[block].predecessors);
            }
        }
        // A circle without a way out counts as if it could be left anywhere.
        let leaves = |block: usize| self.blocks[block].may_end || !reaches_end.has(block);
        let mut sets = vec![Bits::all(count); count];
        let mut changed = true;
        while changed {
            changed = false;
            for block in (0..count).rev() {
                let mut set = if leaves(block) { Bits::none(count) } else { Bits::all(count) };
                self.blocks[block].successors.iter().for_each(|&next| set.intersect(&sets[next]));
                set.insert(block);
                if set != sets[block] {
                    sets[block] = set;
                    changed = true;
                }
            }
        }
        sets
    }
}
