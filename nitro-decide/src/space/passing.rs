//! Rules about values that go from one nest to another: by which threads they are made and used, and where they are
//! in between.

use super::kernel::{Dependence, Kernel, Operation, Passing};
use super::nesting::Nesting;
use super::{KINDS, LAYOUTS};
use crate::candidate::{ChoiceId, ProblemError, Relation, Rule};

const UNROLLED: usize = 1;
const VECTOR: usize = 2;
const THREAD: usize = 4;

pub(super) fn add(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    for position in 0..kernel.arrays.len() {
        arrays(kernel, nesting, position)?;
    }
    let passed: Vec<&Dependence> =
        kernel.dependences.iter().filter(|one| one.passing != Passing::Elsewhere).collect();
    for dependence in &passed {
        let same = match dependence.passing {
            Passing::Array(array) => nesting.threads[array],
            _ => None,
        };
        same_threads(kernel, nesting, dependence, same)?;
        if let Some(same) = same {
            own_threads(kernel, nesting, dependence, same)?;
        }
    }
    if passed.is_empty() { Ok(()) } else { nests(kernel, nesting) }
}

/// Adds the loading of an array that is passed on.
fn arrays(kernel: &Kernel, nesting: &mut Nesting, position: usize) -> Result<(), ProblemError> {
    let array = &kernel.arrays[position];
    let passing = Passing::Array(position);
    let Some(passed) = kernel.dependences.iter().find(|one| one.passing == passing) else {
        nesting.threads.push(None);
        nesting.layouts.push(None);
        return Ok(());
    };
    let load = &kernel.statements[passed.from].name;
    let threads = nesting.problem.labels(format!("threads of {load}"), ["same", "own"])?;
    let layouts = if array.dimensions.len() > 1 { &LAYOUTS[..] } else { &LAYOUTS[..1] };
    let layout = nesting.problem.labels(format!("layout of {}", array.name), layouts.to_vec())?;
    nesting.threads.push(Some(threads));
    nesting.layouts.push(Some(layout));
    let memory = nesting.memory[position];
    let problem = &nesting.problem;
    let [global, shared] = [problem.named(memory, &["global"])?, problem.named(memory, &["shared"])?];
    let [same, own] = [problem.named(threads, &["same"])?, problem.named(threads, &["own"])?];
    let plain = problem.named(layout, &LAYOUTS[..1])?;
    nesting.follows("who needs a value that is not staged loads it", vec![global], same)?;
    nesting.follows("what is staged is loaded by all threads together", vec![shared], own)?;
    nesting.follows("what is not staged has no layout of its own", vec![global], plain)
}

/// Loops with the loops of the other statement that have the same level: what both share is left out, and who has
/// no such level has no partner.
fn partners(nesting: &Nesting, dependence: &Dependence) -> Vec<(usize, Option<usize>, bool)> {
    let mut found = Vec::new();
    for &(from, to) in &dependence.along {
        let (loops, others) = (nesting.loops_of(from), nesting.loops_of(to));
        for (level, &one) in loops.iter().enumerate() {
            let partner = others.get(level).copied();
            // The last level of one may be cut into several of the other.
            let is_cut = loops.len() != others.len() && level + 1 >= loops.len().min(others.len());
            if partner != Some(one) {
                found.push((one, partner, is_cut));
            }
        }
        found.extend(others.iter().skip(loops.len()).map(|&one| (one, None, true)));
    }
    found
}

/// Adds that a value is in registers where threads are the same: along each loop both have one and the same thread,
/// or each of them all its elements at hand.
fn same_threads(
    kernel: &Kernel,
    nesting: &mut Nesting,
    dependence: &Dependence,
    same: Option<ChoiceId>,
) -> Result<(), ProblemError> {
    let pairs = partners(nesting, dependence);
    for &(one, partner, is_cut) in &pairs {
        let kind = nesting.loops[one].kind;
        let Some(partner) = partner else {
            let name = "elements of a value in registers are known when it is compiled";
            when_same(nesting, name, same, [kind, kind], &|kind, _| at_hand(kind))?;
            continue;
        };
        let other = nesting.loops[partner].kind;
        let name = "a value in registers stays with its thread";
        when_same(nesting, name, same, [kind, other], &|one, other| {
            (one == THREAD && other == THREAD) || (at_hand(one) && at_hand(other))
        })?;
        if !is_cut {
            let sizes = [nesting.loops[one].size, nesting.loops[partner].size];
            let problem = &nesting.problem;
            let numbers = sizes.map(|size| {
                problem.all(size).iter().map(|value| problem.number(size, value)).collect::<Vec<_>>()
            });
            let name = "a value in registers has the same elements for who makes it and who needs it";
            when_same(nesting, name, same, sizes, &|one, other| numbers[0][one] == numbers[1][other])?;
        }
    }
    let all = kernel.statements[dependence.from].operation == Operation::Init;
    in_one_order(nesting, &pairs, same, all)
}

/// Returns true if all elements along a loop of this kind are at hand at once.
fn at_hand(kind: usize) -> bool {
    [UNROLLED, VECTOR].contains(&kind)
}

/// Adds a table of two choices that counts where threads are the same; where there is no choice about that, always.
fn when_same(
    nesting: &mut Nesting,
    name: &str,
    same: Option<ChoiceId>,
    [one, other]: [ChoiceId; 2],
    allows: &dyn Fn(usize, usize) -> bool,
) -> Result<(), ProblemError> {
    // Of a choice with itself there is one column.
    let mut choices = if one == other { vec![one] } else { vec![one, other] };
    let last = choices.len() - 1;
    choices.extend(same);
    let sizes: Vec<usize> = choices.iter().map(|&choice| nesting.problem.all(choice).len()).collect();
    let allowed = Relation::new(&sizes, |at| {
        let counts = at.get(last + 1).is_none_or(|&threads| threads == 0);
        !counts || allows(at[0], at[last])
    });
    nesting.problem.rule(name, Rule::Table { choices, allowed }).map(|_| ())
}

/// Adds that, where threads are the same, it makes no difference how their loops lie, nor how those of what only sets
/// registers do: as those of the other statement.
fn in_one_order(
    nesting: &mut Nesting,
    pairs: &[(usize, Option<usize>, bool)],
    same: Option<ChoiceId>,
    all: bool,
) -> Result<(), ProblemError> {
    let with_partners: Vec<_> = pairs.iter().filter_map(|&(one, partner, _)| Some((one, partner?))).collect();
    for (at, &(one, partner)) in with_partners.iter().enumerate() {
        for &(next, next_partner) in &with_partners[at + 1..] {
            for order in ["inner", "outer"] {
                let mut when = vec![nesting.order(partner, next_partner, &[order])?];
                if !all {
                    when.extend([nesting.kind(one, &["thread"])?, nesting.kind(next, &["thread"])?]);
                }
                if let Some(same) = same {
                    when.push(nesting.problem.named(same, &["same"])?);
                }
                let then = nesting.order(one, next, &[order])?;
                nesting.follows("the same threads lie in one order", when, then)?;
            }
        }
    }
    Ok(())
}

/// Adds that threads which load a tile together are those of the block: as many for tiles of several dimensions,
/// for others as many or fewer.
fn own_threads(
    kernel: &Kernel,
    nesting: &mut Nesting,
    dependence: &Dependence,
    threads: ChoiceId,
) -> Result<(), ProblemError> {
    let own = nesting.problem.named(threads, &["own"])?;
    let [mut loading, mut needing] = [Vec::new(), Vec::new()];
    for (threads, statement) in [(&mut loading, dependence.from), (&mut needing, dependence.to)] {
        for at in nesting.own(&kernel.statements[statement]) {
            threads.push(nesting.iterations(at, &["thread"])?);
        }
    }
    let (when, product, than) = (vec![own], loading.clone(), needing.clone());
    nesting
        .problem
        .rule("a tile is loaded by the threads of a block", Rule::NoMore { when, product, than })?;
    if dependence.along.len() > 1 {
        let (when, product, than) = (vec![own], needing, loading);
        let name = "a tile of several dimensions is loaded by all threads of a block";
        nesting.problem.rule(name, Rule::NoMore { when, product, than })?;
    }
    Ok(())
}

/// Makes what is not shared from the start a nest of each statement's own, with its threads outermost.
fn nests(kernel: &Kernel, nesting: &mut Nesting) -> Result<(), ProblemError> {
    let loops = nesting.loops.len();
    for one in 0..loops {
        for other in one + 1..loops {
            let apart = nesting.order(one, other, &["before", "after", "inner", "outer"])?;
            nesting.is("each statement has loops of its own", apart)?;
        }
    }
    for statement in &kernel.statements {
        let own = nesting.own(statement);
        for &one in &own {
            for &other in &own {
                if other == one || nesting.is_shared(kernel, other) {
                    continue;
                }
                let thread = nesting.kind(one, &["thread"])?;
                let others: Vec<&str> =
                    KINDS.into_iter().filter(|kind| !["thread", "block"].contains(kind)).collect();
                let inside = nesting.kind(other, &others)?;
                let outer = nesting.order(one, other, &["outer"])?;
                nesting.follows("threads are outermost in their nest", vec![thread, inside], outer)?;
            }
        }
    }
    Ok(())
}
