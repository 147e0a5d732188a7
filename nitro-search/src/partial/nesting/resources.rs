//! Rules about how much of a device is used.

use super::super::problem::ProblemError;
use super::super::rule::{Factor, Rule, Term};
use super::kernel::{Kernel, Limits, NestLoop, Nesting};
use super::{LAYOUTS, LOADINGS, PADDING};

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
    shared(kernel, limits, nesting)
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
