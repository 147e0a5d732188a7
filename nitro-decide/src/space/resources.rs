//! Rules about how much of a device is used.

use super::kernel::{Dependence, Kernel, Limits, NestLoop, Nesting, Passing};
use super::{LAYOUTS, LOADINGS, PADDING};
use crate::candidate::{Factor, ProblemError, Rule, Term};

pub(super) fn add(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for statement in &kernel.statements {
        for (kind, most) in [("thread", limits.threads), ("unrolled", limits.unrolled)] {
            let factor = |&at: &usize| {
                let when = Some(nesting.kind(at, &[kind])?);
                Ok(Factor { when, ..Factor::choice(nesting.loops[at].size) })
            };
            let of = nesting.own(statement).iter().map(factor).collect::<Result<_, _>>()?;
            let product = Rule::Product { of, at_least: 0, at_most: most.into() };
            nesting.problem.rule(format!("iterations that are {kind} around {}", statement.name), product)?;
        }
    }
    for dependence in kernel.dependences.iter().filter(|one| one.passing == Passing::Registers) {
        registers(dependence, limits, nesting)?;
    }
    shared(kernel, limits, nesting)
}

/// A value that is in registers has room there, of one thread and of all threads of a block: else what says so is
/// none that a compiler can follow.
fn registers(dependence: &Dependence, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let mut elements = Vec::new();
    let mut of_block = Vec::new();
    for at in dependence.along.iter().flat_map(|&(from, _)| nesting.loops_of(from)) {
        let of_kinds = |kinds: &[&str]| -> Result<Factor, ProblemError> {
            Ok(Factor { when: Some(nesting.kind(at, kinds)?), ..Factor::choice(nesting.loops[at].size) })
        };
        elements.push(of_kinds(&["unrolled", "vector"])?);
        of_block.push(of_kinds(&["unrolled", "vector", "thread"])?);
    }
    for (of, most, whose) in
        [(elements, limits.registers, "a thread"), (of_block, limits.block_registers, "a block")]
    {
        let name = format!("elements of a value in the registers of {whose}");
        nesting.problem.rule(name, Rule::Product { of, at_least: 0, at_most: most.into() })?;
    }
    Ok(())
}

/// Tiles, and what is more in each of their rows where they are padded.
fn shared(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let mut of = Vec::new();
    let twice = nesting.loading.map(|loading| nesting.problem.named(loading.choice, &LOADINGS[2..]));
    let twice = twice.transpose()?.map(|when| Factor { when: Some(when), ..Factor::fixed(2) });
    for (position, array) in kernel.arrays.iter().enumerate() {
        let sizes = |dimensions: &[usize]| -> Vec<Factor> {
            let tiles = |own: &&NestLoop| own.level > 0 && dimensions.contains(&own.dimension);
            let sizes = nesting.loops.iter().filter(tiles).map(|own| Factor::choice(own.size));
            std::iter::once(Factor::fixed(array.element_bytes)).chain(sizes).chain(twice).collect()
        };
        let shared = nesting.problem.named(nesting.memory[position], &["shared"])?;
        of.push(Term { product: sizes(&array.dimensions), when: Some(shared) });
        let Some(layout) = nesting.layouts[position].filter(|_| array.dimensions.len() > 1) else { continue };
        let (first, last) = (0, array.dimensions.len() - 1);
        for (label, row) in [(LAYOUTS[1], last), (LAYOUTS[3], first)] {
            let others: Vec<usize> = array
                .dimensions
                .iter()
                .copied()
                .enumerate()
                .filter(|&(at, _)| at != row)
                .map(|(_, dimension)| dimension)
                .collect();
            let padded = Some(nesting.problem.named(layout, &[label])?);
            of.push(Term { product: [sizes(&others), vec![Factor::fixed(PADDING)]].concat(), when: padded });
        }
    }
    let sum = Rule::Sum { of, at_least: 0, at_most: limits.shared_bytes.into() };
    nesting.problem.rule("bytes of shared memory", sum).map(|_| ())
}
