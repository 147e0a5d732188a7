//! Rules about what becomes of loops.

use super::kernel::{Kernel, Limits, Passing};
use super::nesting::Nesting;
use crate::candidate::{ProblemError, Relation, Rule, Within};

const UNROLLED: usize = 1;
const VECTOR: usize = 2;
const BLOCK: usize = 3;
const INNER: usize = 2;
const OUTER: usize = 3;
const MERGED: usize = 4;

pub(super) fn add(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for one in 0..nesting.loops.len() {
        for other in (0..nesting.loops.len()).filter(|&other| other != one) {
            pair(nesting, one, other)?;
        }
    }
    vectors(kernel, limits, nesting)?;
    blocks(kernel, nesting)?;
    threads(kernel, nesting)?;
    axes(kernel, limits, nesting)?;
    for at in 0..nesting.loops.len() {
        if !kernel.dimensions[nesting.loops[at].dimension].parallel {
            let kept = nesting.kind(at, &["plain", "unrolled"])?;
            nesting.is("what is not parallel keeps its order", kept)?;
        }
    }
    Ok(())
}

/// Says if a loop may lie so to another one, by the order of the two and their kinds.
type Allows = fn(usize, usize, usize) -> bool;

/// The rules of two loops: name, if it is to be said from both sides, and what is allowed.
const PAIRS: [(&str, bool, Allows); 4] = [
    ("merged loops are of one kind", false, |order, kind, other| order != MERGED || kind == other),
    ("unrolled loops hold only unrolled loops and vectors", true, |order, kind, other| {
        order != OUTER || kind != UNROLLED || [UNROLLED, VECTOR].contains(&other)
    }),
    ("a vector holds no loop", true, |order, kind, _| order != OUTER || kind != VECTOR),
    ("blocks are outermost", true, |order, kind, other| {
        kind != BLOCK || [OUTER, MERGED].contains(&order) || (order == INNER && other == BLOCK)
    }),
];

/// Adds what the order of two loops says about their kinds.
fn pair(nesting: &mut Nesting, one: usize, other: usize) -> Result<(), ProblemError> {
    let order = nesting.order(one, other, &super::ORDERS)?.choice;
    let (kind, other_kind) = (nesting.loops[one].kind, nesting.loops[other].kind);
    for (name, from_both_sides, allows) in PAIRS {
        if one > other && !from_both_sides {
            continue;
        }
        // The choice says how the first of the two lies to the second.
        let allowed = Relation::new(&[5, 5, 5], |at| {
            let order = if one < other { at[0] } else { [1, 0, 3, 2, 4][at[0]] };
            allows(order, at[1], at[2])
        });
        let choices = vec![order, kind, other_kind];
        nesting.problem.rule(name, Rule::Table { choices, allowed })?;
    }
    Ok(())
}

/// A vector is one instruction: the innermost tile of a dimension, two elements or more, of one statement all of
/// whose accesses go along it.
fn vectors(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for at in 0..nesting.loops.len() {
        let own = nesting.loops[at];
        let vector = nesting.kind(at, &["vector"])?;
        let last = nesting.loops_of(own.dimension).last() == Some(&at);
        let around = kernel.statements.iter().filter(|statement| nesting.own(statement).contains(&at));
        let along = around.clone().all(|statement| {
            let place = statement.dimensions.iter().position(|&dimension| dimension == own.dimension);
            statement
                .accesses
                .iter()
                .all(|access| place.and_then(|place| access.strides.get(place)) == Some(&1))
        });
        if !(last && along && around.count() == 1) {
            let not = nesting.not(vector);
            nesting.is("a vector goes along all accesses of one statement", not)?;
            continue;
        }
        let values = nesting.values(own.size, |size| (2..=limits.vector).contains(&size));
        nesting.follows(
            "a vector is as wide as an instruction",
            vec![vector],
            Within { choice: own.size, values },
        )?;
        for other in (0..nesting.loops.len()).filter(|&other| other != at) {
            let apart = nesting.order(at, other, &["before", "after", "inner"])?;
            nesting.follows("a vector is of one statement", vec![vector], apart)?;
        }
    }
    Ok(())
}

/// A block loop holds every statement.
fn blocks(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for at in 0..nesting.loops.len() {
        for statement in 0..kernel.statements.len() {
            let block = nesting.kind(at, &["block"])?;
            let outer = nesting.order(at, nesting.object(statement), &["outer"])?;
            nesting.follows("blocks hold every statement", vec![block], outer)?;
        }
    }
    Ok(())
}

/// Between two thread loops of a nest there are only thread loops. Where values are passed on, loops of different
/// statements lie in different nests.
fn threads(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let loops = nesting.loops.len();
    let passes = kernel.dependences.iter().any(|dependence| dependence.passing != Passing::Elsewhere);
    let own = kernel.statements.iter().map(|statement| nesting.own(statement));
    let nests: Vec<Vec<usize>> = if passes { own.collect() } else { vec![(0..loops).collect()] };
    for (one, between, last) in
        (0..loops * loops * loops).map(|at| (at / loops / loops, at / loops % loops, at % loops))
    {
        let may_nest = nests.iter().any(|nest| [one, between, last].iter().all(|at| nest.contains(at)));
        if one == between || between == last || one == last || !may_nest {
            continue;
        }
        let nested = [nesting.order(one, between, &["outer"])?, nesting.order(between, last, &["outer"])?];
        let ends = [nesting.kind(one, &["thread"])?, nesting.kind(last, &["thread"])?];
        let thread = nesting.kind(between, &["thread"])?;
        nesting.follows("threads are contiguous", nested.into_iter().chain(ends).collect(), thread)?;
    }
    Ok(())
}

fn axes(kernel: &Kernel, limits: &Limits, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for statement in &kernel.statements {
        for kind in ["block", "thread"] {
            let of: Result<Vec<_>, _> =
                nesting.own(statement).iter().map(|&at| nesting.kind(at, &[kind])).collect();
            let count = Rule::Count { of: of?, at_least: 0, at_most: limits.axes };
            nesting.problem.rule(format!("axes of {kind}s around {}", statement.name), count)?;
        }
    }
    Ok(())
}
