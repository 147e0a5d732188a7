//! Control flow: basic blocks, and which comes after which.

use std::collections::HashMap;

use super::bits::Bits;
use super::module::{Function, Instruction, InstructionId, Token, What};
use super::opcode::Kind;

/// What is larger is not analysed, and so not edited: sets of blocks and of registers for each block would take too much.
const MAX_BLOCKS: usize = 4096;
const MAX_INSTRUCTIONS: usize = 100_000;
const MAX_SETS: usize = 1 << 30;

/// An instruction in its place.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) id: InstructionId,
    pub(super) instruction: &'a Instruction,
    pub(super) scope: usize,
}

/// The blocks of a function; the first is where it begins.
pub(super) struct Flow<'a> {
    pub(super) function: &'a Function,
    pub(super) blocks: Vec<Block<'a>>,
}

#[derive(Default)]
pub(super) struct Block<'a> {
    pub(super) code: Vec<Placed<'a>>,
    pub(super) successors: Vec<usize>,
    pub(super) predecessors: Vec<usize>,
    /// Whether a thread may end here.
    pub(super) may_end: bool,
}

impl<'a> Flow<'a> {
    /// None for a function that is too large.
    pub(super) fn new(function: &'a Function) -> Option<Self> {
        if function.instructions().count() > MAX_INSTRUCTIONS {
            return None;
        }
        let mut blocks = vec![Block::default()];
        // By scope and name.
        let mut labels: HashMap<(usize, &str), usize> = HashMap::new();
        for item in &function.items {
            match &item.what {
                What::Label(name) => {
                    if blocks.last().is_some_and(|block| !block.code.is_empty()) {
                        blocks.push(Block::default());
                    }
                    labels.insert((item.scope, name), blocks.len() - 1);
                }
                What::Instruction(id, instruction) => {
                    let placed = Placed { id: *id, instruction, scope: item.scope };
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
        (0..flow.blocks.len()).for_each(|block| flow.connect(block, &labels));
        Some(flow)
    }

    fn connect(&mut self, at: usize, labels: &HashMap<(usize, &str), usize>) {
        let next = (at + 1 < self.blocks.len()).then_some(at + 1);
        let mut successors = Vec::new();
        let (mut falls_through, mut may_end) = (true, next.is_none());
        if let Some(last) = self.blocks[at].code.last() {
            let is_guarded = last.instruction.guard.is_some();
            match last.instruction.effect().kind {
                Kind::Branch => {
                    successors = self.targets(last, labels);
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

    /// Where a branch goes; anywhere if that is not understood.
    fn targets(&self, branch: &Placed, labels: &HashMap<(usize, &str), usize>) -> Vec<usize> {
        let word = branch.instruction.operands.last().and_then(|operand| match operand.as_slice() {
            [Token::Word(word)] => Some(word.as_str()),
            _ => None,
        });
        let list = word.and_then(|word| {
            self.function.items.iter().find_map(|item| match &item.what {
                What::Targets { name, labels, .. } if name == word => Some(labels),
                _ => None,
            })
        });
        let is_indexed = branch.instruction.opcode.starts_with("brx");
        let names: Option<Vec<&str>> = match (is_indexed, list, word) {
            (true, Some(list), _) => Some(list.iter().map(String::as_str).collect()),
            (false, _, Some(word)) => Some(vec![word]),
            _ => None,
        };
        let found = names
            .and_then(|names| names.into_iter().map(|name| self.label(branch.scope, name, labels)).collect());
        found.unwrap_or_else(|| (0..self.blocks.len()).collect())
    }

    /// The block of a label that is seen from a scope.
    fn label(&self, mut scope: usize, name: &str, labels: &HashMap<(usize, &str), usize>) -> Option<usize> {
        loop {
            match labels.get(&(scope, name)) {
                Some(&block) => return Some(block),
                None if scope == 0 => return None,
                None => scope = self.function.scopes[scope],
            }
        }
    }

    /// For each block those that every way from it to an end goes through, itself included.
    pub(super) fn post_dominators(&self) -> Vec<Bits> {
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
