//! Rules about how much of a device is used.

use super::kernel::{Array, Dependence, Kernel, Limits, Passing};
use super::nesting::Nesting;
use super::{LAYOUTS, LOADINGS, PADDING};
use crate::candidate::{Factor, ProblemError, Rule, Term};

pub(super) fn add(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for statement in &kernel.statements {
        for (kind, most) in [("thread", limits.threads), ("unrolled", limits.unrolled)] {
            let mut of = Vec::new();
            for at in nesting.own(statement) {
                of.push(nesting.iterations(at, &[kind])?);
            }
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
        elements.push(nesting.iterations(at, &["unrolled", "vector"])?);
        of_block.push(nesting.iterations(at, &["unrolled", "vector", "thread"])?);
    }
    for (of, most, whose) in
        [(elements, limits.registers, "a thread"), (of_block, limits.block_registers, "a block")]
    {
        let name = format!("elements of a value in the registers of {whose}");
        nesting.problem.rule(name, Rule::Product { of, at_least: 0, at_most: most.into() })?;
    }
    Ok(())
}

/// Bounds the bytes of all tiles, and of what is more in each of their rows where they are padded.
fn shared(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let mut of = Vec::new();
    let twice = nesting.loading.map(|loading| nesting.problem.named(loading.choice, &LOADINGS[2..]));
    let twice = twice.transpose()?.map(|when| Factor { when: Some(when), ..Factor::fixed(2) });
    for (position, array) in kernel.arrays.iter().enumerate() {
        let shared = nesting.problem.named(nesting.memory[position], &["shared"])?;
        of.push(Term { product: bytes(nesting, array, &array.dimensions, twice), when: Some(shared) });
        let Some(layout) = nesting.layouts[position].filter(|_| array.dimensions.len() > 1) else { continue };
        let (first, last) = (0, array.dimensions.len() - 1);
        for (label, row) in [(LAYOUTS[1], last), (LAYOUTS[3], first)] {
            let mut others = array.dimensions.clone();
            others.remove(row);
            let padded = Some(nesting.problem.named(layout, &[label])?);
            let mut product = bytes(nesting, array, &others, twice);
            product.push(Factor::fixed(PADDING));
            of.push(Term { product, when: padded });
        }
    }
    let sum = Rule::Sum { of, at_least: 0, at_most: limits.shared_bytes.into() };
    nesting.problem.rule("bytes of shared memory", sum).map(|_| ())
}

/// Returns the bytes of the part of a tile that some dimensions make up, as factors.
fn bytes(nesting: &Nesting, array: &Array, dimensions: &[usize], twice: Option<Factor>) -> Vec<Factor> {
    let mut factors = vec![Factor::fixed(array.element_bytes)];
    for own in nesting.loops.iter().filter(|own| own.level > 0 && dimensions.contains(&own.dimension)) {
        factors.push(Factor::choice(own.size));
    }
    factors.extend(twice);
    factors
}
