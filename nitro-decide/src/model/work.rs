//! The work of a kernel, as far as times are concerned: prepared once, asked for each state.

use std::collections::BTreeSet;

use super::tile::{Staging, Tile};
use crate::candidate::ChoiceId;
use crate::space::{Access, Array, Kernel, Nesting, Operation, Statement};

/// A statement, and what of it costs time.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) name: String,
    /// Its position in the kernel.
    pub(super) statement: usize,
    pub(super) dimensions: Vec<WorkDimension>,
    /// True where an instance is an instruction of arithmetic.
    pub(super) computes: bool,
    /// The elements that its instances need of arrays that nothing in the kernel writes, since what is written may
    /// stay in registers; and what it loads before that.
    pub(super) reads: Vec<ArrayAccess>,
    /// The elements that it writes to global memory.
    pub(super) writes: Vec<ArrayAccess>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct WorkDimension {
    /// Its position in the kernel.
    pub(super) position: usize,
    pub(super) size: u64,
    /// True where an iteration needs the one before.
    pub(super) carried: bool,
    /// True where every iteration computes something else: the others a compiler may do once.
    pub(super) distinct: bool,
}

/// An array that a statement reads or writes.
#[derive(Clone, Debug)]
pub(super) struct ArrayAccess {
    pub(super) array: String,
    pub(super) element_bytes: u64,
    /// For each dimension of the statement.
    pub(super) strides: Vec<u64>,
    /// For each dimension of the statement whether its iterations surely touch different elements, all of these
    /// together too.
    pub(super) apart: Vec<bool>,
    /// The choice of its memory, if it is one.
    pub(super) memory: Option<ChoiceId>,
    /// The layout of its tiles in shared memory, if that is a choice.
    pub(super) tile: Option<Tile>,
    /// The load that brings it to shared memory.
    pub(super) staging: Option<Staging>,
    /// Dimensions of the kernel whose vectors may bring it.
    pub(super) vectors: Vec<usize>,
}

/// The statements that cost time; those that compute come first, the most instances first.
pub(super) fn works(kernel: &Kernel, nesting: &Nesting) -> Vec<Work> {
    let mut works: Vec<Work> =
        (0..kernel.statements.len()).map(|statement| work(kernel, nesting, statement)).collect();
    works.retain(|work| work.costs_time() && work.instances() > 0.0);
    works.sort_by(|one, other| {
        other.computes.cmp(&one.computes).then(other.instances().total_cmp(&one.instances()))
    });
    // An array that several read is loaded once, if threads have it for all of them.
    let mut read = BTreeSet::new();
    for work in &mut works {
        work.reads.retain(|own| read.insert(own.array.clone()));
    }
    works.retain(Work::costs_time);
    works
}

impl Work {
    fn costs_time(&self) -> bool {
        self.computes || !self.reads.is_empty() || !self.writes.is_empty()
    }

    fn instances(&self) -> f64 {
        self.dimensions.iter().map(|own| own.size as f64).product()
    }
}

/// Returns the work of a statement.
fn work(kernel: &Kernel, nesting: &Nesting, position: usize) -> Work {
    let statement = &kernel.statements[position];
    let loads = statement.operation == Operation::Load;
    // A multiplication may become one instruction with an addition
    let adds = kernel.statements.iter().any(|own| matches!(own.operation, Operation::Add | Operation::Fma));
    let (computes, has_reads, has_writes) = match statement.operation {
        Operation::Fma | Operation::Add => (true, true, false),
        Operation::Multiply => (!adds, true, false),
        Operation::Load => (false, true, false),
        Operation::Store => (false, false, true),
        _ => (false, false, false),
    };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for access in &statement.accesses {
        // What the kernel writes itself may still be in registers when it is read.
        if has_reads && (loads || !is_written(kernel, &access.array)) {
            reads.push(touch(kernel, nesting, statement, access));
        }
        if has_writes {
            writes.push(touch(kernel, nesting, statement, access));
        }
    }
    Work {
        name: statement.name.clone(),
        statement: position,
        dimensions: dimensions(kernel, statement),
        computes,
        reads,
        writes,
    }
}

/// Returns true if some statement stores to an array.
fn is_written(kernel: &Kernel, array: &str) -> bool {
    let stores = kernel.statements.iter().filter(|own| own.operation == Operation::Store);
    stores.flat_map(|own| &own.accesses).any(|access| access.array == array)
}

fn dimensions(kernel: &Kernel, statement: &Statement) -> Vec<WorkDimension> {
    let mut dimensions = Vec::new();
    for (at, &position) in statement.dimensions.iter().enumerate() {
        let dimension = &kernel.dimensions[position];
        let carried = !dimension.parallel;
        let varies = statement.accesses.iter().any(|access| access.strides.get(at).is_some_and(|&by| by > 0));
        dimensions.push(WorkDimension {
            position,
            size: dimension.size,
            carried,
            distinct: carried || varies,
        });
    }
    dimensions
}

fn touch(kernel: &Kernel, nesting: &Nesting, statement: &Statement, access: &Access) -> ArrayAccess {
    let count = statement.dimensions.len();
    let strides: Vec<u64> = (0..count).map(|at| access.strides.get(at).copied().unwrap_or(0)).collect();
    let sizes: Vec<u64> =
        statement.dimensions.iter().map(|&position| kernel.dimensions[position].size).collect();
    let array = kernel.arrays.iter().position(|array| array.name == access.array);
    let others =
        kernel.statements.iter().filter(|other| other.accesses.iter().any(|own| own.array == access.array));
    ArrayAccess {
        array: access.array.clone(),
        element_bytes: access.element_bytes,
        apart: apart(&strides, &sizes),
        strides,
        memory: array.and_then(|at| nesting.memory.get(at).copied()),
        tile: array.and_then(|at| tile(nesting, statement, &kernel.arrays[at], *nesting.layouts.get(at)?)),
        staging: array.and_then(|at| Staging::of(kernel, nesting, at)),
        vectors: others.flat_map(|other| other.dimensions.iter().copied()).collect(),
    }
}

fn tile(nesting: &Nesting, statement: &Statement, array: &Array, layout: Option<ChoiceId>) -> Option<Tile> {
    let mut own = Vec::new();
    for of in &array.dimensions {
        own.push(statement.dimensions.iter().position(|own| own == of)?);
    }
    Some(Tile::new(nesting, array, layout?, own))
}

/// Returns the dimensions that together lead to as many elements as they have iterations.
///
/// Each steps over all that those with smaller strides reach.
fn apart(strides: &[u64], sizes: &[u64]) -> Vec<bool> {
    // From the smallest stride on: `reach` is the largest offset so far.
    let mut order: Vec<usize> = (0..strides.len()).filter(|&at| strides[at] > 0).collect();
    order.sort_by_key(|&at| strides[at]);
    let mut apart = vec![false; strides.len()];
    let mut reach = 0_u128;
    for at in order {
        if u128::from(strides[at]) > reach {
            apart[at] = true;
            reach += u128::from(strides[at]) * u128::from(sizes[at].saturating_sub(1));
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_steps_do_not_count_twice() {
        assert_eq!(apart(&[1024, 0, 1], &[512, 9, 1024]), [true, false, true]);
        assert_eq!(apart(&[1, 1], &[100, 3]), [true, false]); // x[i + j]
        assert_eq!(apart(&[3, 2], &[10, 2]), [true, true]); // 0 2 3 5 6 8 ..
        assert_eq!(apart(&[2, 3], &[10, 2]), [true, false]);
    }
}
