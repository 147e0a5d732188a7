//! Rules about how much of a device is used.

use super::super::problem::ProblemError;
use super::super::rule::{Factor, Rule, Term};
use super::kernel::{Kernel, Limits, Nesting};

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

fn shared(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let term = |(array, &memory): (&super::Array, &_)| {
        let tiles =
            nesting.loops.iter().filter(|own| own.level > 0 && array.dimensions.contains(&own.dimension));
        let sizes = tiles.map(|own| Factor::choice(own.size));
        let product = std::iter::once(Factor::fixed(array.element_bytes)).chain(sizes).collect();
        Ok(Term { product, when: Some(nesting.problem.named(memory, &["shared"])?) })
    };
    let of = kernel.arrays.iter().zip(&nesting.memory).map(term).collect::<Result<_, _>>()?;
    let sum = Rule::Sum { of, at_least: 0, at_most: limits.shared_bytes.into() };
    nesting.problem.rule("bytes of shared memory", sum).map(|_| ())
}
