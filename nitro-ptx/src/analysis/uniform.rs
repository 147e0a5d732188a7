//! Divergence: barriers must not come to lie where threads of a block may go different ways.

use std::collections::{BTreeSet, HashMap};

use super::bits::Bits;
use super::flow::{Flow, Occurrence};
use crate::instructions::effect::Kind;
use crate::instructions::sites::Role;
use crate::text::module::{InstructionId, Token};
use crate::text::types::Space;

/// The ways out of divergent branches that lead to each barrier, and to whatever else threads come to together.
///
/// It has itself as a way if its guard may keep some threads away.
pub(crate) type Barriers = HashMap<InstructionId, BTreeSet<Way>>;

/// A branch, and one of its two sides, in the order of the text. All targets but the first count as one.
pub(crate) type Way = (InstructionId, usize);

/// Finds the barriers of a function. `is_kernel`: its parameters are the same for all threads.
pub(crate) fn barriers(flow: &Flow, is_kernel: bool) -> Barriers {
    let mut placed = flow.blocks.iter().flat_map(|block| &block.code);
    if !placed.any(is_barrier) {
        return Barriers::new();
    }
    let controls = controls(flow);
    let varying = varying(flow, &controls, is_kernel);
    let mut found = Barriers::new();
    for (index, block) in flow.blocks.iter().enumerate() {
        for placed in block.code.iter().filter(|placed| is_barrier(placed)) {
            let ways = controls[index].iter().map(of_way);
            let ways = ways.filter(|&(branch, _)| diverges(flow, branch, &varying));
            let mut ids: BTreeSet<Way> =
                ways.filter_map(|(branch, side)| Some((flow.blocks[branch].code.last()?.id, side))).collect();
            if placed.instruction.guard.is_some_and(|guard| varying.has(guard.register)) {
                ids.insert((placed.id, 0));
            }
            found.insert(placed.id, ids);
        }
    }
    found
}

fn is_barrier(placed: &Occurrence) -> bool {
    let opcode = &placed.instruction.opcode;
    let is_known = matches!(placed.instruction.effect().kind, Kind::Barrier | Kind::Collective);
    // What is called may have barriers; what is not known otherwise may say that threads come to it together.
    is_known
        || ["bar", "mbarrier", "call"].iter().any(|first| opcode.starts_with(first))
        || opcode.contains(".sync")
        || opcode.contains(".aligned")
}

/// Returns for each block the ways that decide whether it is come to, directly or because they lead to such a branch.
///
/// A way is a number: twice the block of the branch, plus the side (control dependence of Ferrante, Ottenstein and
/// Warren, "The program dependence graph and its use in optimization").
fn controls(flow: &Flow) -> Vec<Bits> {
    let after = flow.post_dominators();
    let count = flow.blocks.len();
    let mut controls = vec![Bits::none(2 * count); count];
    for (branch, block) in flow.blocks.iter().enumerate() {
        if block.successors.len() + usize::from(block.may_end) < 2 {
            continue;
        }
        for (side, &next) in block.successors.iter().enumerate() {
            for controlled in after[next].iter().filter(|&at| at == branch || !after[branch].has(at)) {
                controls[controlled].insert(2 * branch + side.min(1));
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..count {
            let mut all = controls[at].clone();
            controls[at].iter().map(of_way).for_each(|(branch, _)| all.unite(&controls[branch]));
            if all != controls[at] {
                controls[at] = all;
                changed = true;
            }
        }
    }
    controls
}

/// The block of the branch, and the side.
fn of_way(way: usize) -> (usize, usize) {
    (way / 2, way % 2)
}

/// The registers that may differ between threads of a block.
fn varying(flow: &Flow, controls: &[Bits], is_kernel: bool) -> Bits {
    let mut varying = Bits::none(flow.function.registers.len());
    let mut changed = true;
    while changed {
        changed = false;
        for (index, block) in flow.blocks.iter().enumerate() {
            let is_divergent = controls[index].iter().any(|way| diverges(flow, of_way(way).0, &varying));
            for placed in &block.code {
                if is_divergent || varies(placed, &varying, is_kernel) {
                    for register in placed.instruction.definitions() {
                        changed |= varying.insert(register);
                    }
                }
            }
        }
    }
    varying
}

/// Returns true if threads may go different ways at the end of this block.
///
/// That a branch says `.uni` is no proof: an edit may have changed what it depends on.
fn diverges(flow: &Flow, block: usize, varying: &Bits) -> bool {
    let Some(last) = flow.blocks[block].code.last() else { return false };
    let guard = last.instruction.guard.is_some_and(|guard| varying.has(guard.register));
    let mut read = last.instruction.sites().into_iter().filter_map(|site| site.register);
    guard || read.any(|register| varying.has(register))
}

/// Returns true if the result of an instruction may differ between threads, by what it reads.
fn varies(placed: &Occurrence, varying: &Bits, is_kernel: bool) -> bool {
    let instruction = placed.instruction;
    let effect = instruction.effect();
    let by_kind = match effect.kind {
        Kind::Pure => false,
        Kind::Load => match effect.space {
            Space::Parameter => !is_kernel || placed.scope != 0, // results of calls are in scopes of their own
            Space::Constant => false,
            _ => true,
        },
        _ => true,
    };
    let reads = instruction.sites().into_iter().filter(|site| site.role != Role::Definition);
    by_kind
        || instruction.guard.is_some_and(|guard| varying.has(guard.register))
        || reads.filter_map(|site| site.register).any(|register| varying.has(register))
        || instruction.operands.iter().flatten().any(is_of_thread)
}

/// Special registers that are not the same in all threads of a block.
fn is_of_thread(token: &Token) -> bool {
    const OF_BLOCK: [&str; 8] = [
        "%ntid",
        "%ctaid",
        "%nctaid",
        "%clusterid",
        "%nclusterid",
        "%cluster_ctaid",
        "%cluster_nctaid",
        "%gridid",
    ];
    let Token::Word(word) = token else { return false };
    let name = word.split('.').next().unwrap_or(word);
    name.starts_with('%') && !OF_BLOCK.contains(&name)
}
