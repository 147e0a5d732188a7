//! Rules about how loops and statements lie to one another.

use std::collections::BTreeSet;

use super::kernel::{Dependence, Kernel};
use super::nesting::Nesting;
use crate::candidate::{ProblemError, Relation, Rule};

pub(super) fn add(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    triples(nesting)?;
    statements(kernel, nesting)?;
    levels(kernel, nesting)?;
    merged_sizes(nesting)?;
    kernel.dependences.iter().try_for_each(|dependence| depends(kernel, nesting, dependence))
}

/// Transitivity, and that before respects nesting: three objects are three stretches of a program, each of which is
/// apart from, within or the same as another.
fn triples(nesting: &mut Nesting) -> Result<(), ProblemError> {
    // Six lines are enough for every order of three stretches.
    let lines: Vec<(usize, usize)> =
        (0..6).flat_map(|start| (start..6).map(move |end| (start, end))).collect();
    let mut found = BTreeSet::new();
    for &one in &lines {
        for &other in &lines {
            for &third in &lines {
                let orders = [lies(one, other), lies(other, third), lies(one, third)];
                if let [Some(first), Some(second), Some(across)] = orders {
                    found.insert([first, second, across]);
                }
            }
        }
    }
    let allowed = Relation::new(&[5, 5, 5], |values| found.contains(values));
    let objects = nesting.orders.len();
    for one in 0..objects {
        for other in one + 1..objects {
            for third in other + 1..objects {
                let pairs = [(one, other), (other, third), (one, third)];
                let choices = pairs.map(|(one, other)| nesting.orders[one][other - one - 1]).to_vec();
                let table = Rule::Table { choices, allowed: allowed.clone() };
                nesting.problem.rule("order is transitive and before respects nesting", table)?;
            }
        }
    }
    Ok(())
}

/// Returns the order of one stretch to another, as a position in `ORDERS`; `None` where they overlap or share one
/// end, which nothing in a program does.
fn lies(one: (usize, usize), other: (usize, usize)) -> Option<usize> {
    if one == other {
        Some(4)
    } else if one.1 < other.0 {
        Some(0)
    } else if other.1 < one.0 {
        Some(1)
    } else if other.0 < one.0 && one.1 < other.1 {
        Some(2)
    } else {
        (one.0 < other.0 && other.1 < one.1).then_some(3)
    }
}

/// A statement is within its own loops, and within another only if that is merged with one of them; its own are
/// distinct.
fn statements(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for (at, statement) in kernel.statements.iter().enumerate() {
        let (object, own) = (nesting.object(at), nesting.own(statement));
        for other in 0..at {
            let apart = nesting.order(nesting.object(other), object, &["before", "after"])?;
            nesting.is("statements hold nothing", apart)?;
        }
        for position in 0..nesting.loops.len() {
            if own.contains(&position) {
                let inner = nesting.order(object, position, &["inner"])?;
                nesting.is("a statement is within its loops", inner)?;
                continue;
            }
            let not_around = nesting.order(object, position, &["before", "after", "inner"])?;
            nesting.is("statements hold nothing", not_around)?;
            let merged: Result<Vec<_>, _> =
                own.iter().map(|&own| nesting.order(position, own, &["merged"])).collect();
            let outside = nesting.order(object, position, &["before", "after"])?;
            let apart = merged?.into_iter().map(|merged| nesting.not(merged)).collect();
            nesting.follows(
                "a statement is within no loop of others that is not merged with one of its own",
                apart,
                outside,
            )?;
        }
        for &one in &own {
            for &other in own.iter().filter(|&&other| other > one) {
                let nested = nesting.order(one, other, &["inner", "outer"])?;
                nesting.is("loops around one statement are nested and not merged", nested)?;
            }
        }
    }
    Ok(())
}

/// The tiles of a dimension lie within one another, unless its loops may be in any order; what is shared is outside
/// of what is not.
fn levels(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for (position, dimension) in kernel.dimensions.iter().enumerate() {
        let loops = nesting.loops_of(position);
        for (level, &one) in loops.iter().enumerate() {
            for (next, &other) in loops.iter().enumerate().skip(level + 1) {
                let shared = nesting.loops[one].dimension != nesting.loops[other].dimension;
                if shared || (next == level + 1 && !dimension.interchanges) {
                    let outer = nesting.order(one, other, &["outer"])?;
                    nesting.is("tiles are within what they tile", outer)?;
                }
            }
        }
    }
    Ok(())
}

fn merged_sizes(nesting: &mut Nesting) -> Result<(), ProblemError> {
    for one in 0..nesting.loops.len() {
        for other in one + 1..nesting.loops.len() {
            let (size, other_size) = (nesting.loops[one].size, nesting.loops[other].size);
            let order = nesting.order(one, other, &["merged"])?;
            let problem = &nesting.problem;
            let sizes = [5, problem.all(size).len(), problem.all(other_size).len()];
            let allowed = Relation::new(&sizes, |values| {
                let are_same = problem.number(size, values[1]) == problem.number(other_size, values[2]);
                !order.values.has(values[0]) || are_same
            });
            let choices = vec![order.choice, size, other_size];
            nesting.problem.rule("merged loops are of one size", Rule::Table { choices, allowed })?;
        }
    }
    Ok(())
}

/// Adds that what is needed is done before; a loop around it has ended before too, unless it is merged with one in
/// which each iteration needs its own alone.
fn depends(kernel: &Kernel, nesting: &mut Nesting, dependence: &Dependence) -> Result<(), ProblemError> {
    let (from, to) = (nesting.object(dependence.from), nesting.object(dependence.to));
    let before = nesting.order(from, to, &["before"])?;
    nesting.is("what is needed is done before", before)?;
    let (first, second) = (&kernel.statements[dependence.from], &kernel.statements[dependence.to]);
    let needing = nesting.own(second);
    for position in nesting.own(first) {
        if nesting.is_repeated(first, position) && needing.contains(&position) {
            continue; // what is needed was done in the same iteration
        }
        let ended = nesting.order(position, to, &["before"])?;
        let mut pairs = dependence.along.iter();
        let pair = pairs.find_map(|&(from, to)| Some((to, nesting.level(from, position)?)));
        let partner = pair.and_then(|(to, level)| {
            nesting.loops_of(to).into_iter().find(|&other| nesting.level(to, other) == Some(level))
        });
        let shared = match partner {
            Some(partner) if partner != position => vec![nesting.order(position, partner, &["merged"])?],
            Some(_) => continue, // both are in this loop from the start
            None => vec![],
        };
        let apart = shared.into_iter().map(|merged| nesting.not(merged)).collect();
        nesting.follows("a loop has ended before what needs all of it", apart, ended)?;
    }
    Ok(())
}
