//! The sweeps of a loop in time, found in the statements of its kernels.

use super::stencil::{Field, Stencil, Sweep, offset};
use crate::lower::bounds::{mentions, not_negative};
use crate::lower::draft::KernelGroup;
use crate::nest::affine::{Affine, Variable};
use crate::nest::statement::Statement;
use crate::nest::{Condition, Nest};

impl Stencil {
    /// Finds out what an iteration of a loop does, whose kernels are these groups in order.
    ///
    /// None: the arrays are no grids of cells, or a statement is not done at all cells of a box in any order.
    pub(super) fn new(nest: &Nest, groups: &[&KernelGroup], time: usize) -> Option<Self> {
        let all = nest.statements();
        let mut own: Vec<(&KernelGroup, &Statement<'_>)> = Vec::new();
        for group in groups {
            own.extend(group.statements.iter().map(|at| (*group, &all[*at])));
        }
        let mut arrays: Vec<usize> = own.iter().map(|(_, one)| one.assignment.target.array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        let dimensions = nest.arrays[*arrays.first()?].shape.len();
        if !(2..=3).contains(&dimensions) {
            return None;
        }
        let sweeps: Option<Vec<Sweep>> =
            own.iter().map(|(group, statement)| sweep(statement, group, &arrays, dimensions, time)).collect();
        let sweeps = sweeps?;
        let extents = (0..dimensions)
            .map(|dimension| common_extent(nest, &arrays, dimension))
            .collect::<Option<_>>()?;
        let fields: Vec<Field> = (0..arrays.len())
            .map(|at| Field { array: arrays[at], is_overwritten: is_overwritten(&sweeps, at, arrays[at]) })
            .collect();
        let is_kept = fields.iter().any(|field| !field.is_overwritten);
        let words = nest.element.bytes() as i64 / 4;
        is_kept.then_some(Self { dimensions, fields, sweeps, extents, words })
    }
}

fn sweep(
    statement: &Statement<'_>,
    group: &KernelGroup,
    arrays: &[usize],
    dimensions: usize,
    time: usize,
) -> Option<Sweep> {
    let adds_atomically = group.split.is_some() || !group.summed.is_empty() || !group.scattered.is_empty();
    if group.row.is_some() || adds_atomically {
        return None;
    }
    let assignment = statement.assignment;
    let target = &assignment.target;
    let at = statement.loops.iter().position(|range| range.iterator == time)?;
    let loops = &statement.loops[at + 1..];
    let inner: Vec<usize> = loops.iter().map(|range| range.iterator).collect();
    let is_plain = loops.iter().all(|range| {
        group.grid.contains(&range.iterator)
            && range.step == 1
            && range.lower.iter().chain(&range.upper).all(Affine::is_of_sizes)
    });
    if !is_plain || target.subscripts.len() != dimensions {
        return None;
    }
    let mut sweep = Sweep {
        statement: statement.index,
        field: arrays.iter().position(|array| *array == target.array)?,
        assignment: assignment.clone(),
        iterators: Vec::new(),
        domain: vec![[Vec::new(), Vec::new()]; dimensions],
        guards: Vec::new(),
    };
    for (dimension, subscript) in target.subscripts.iter().enumerate() {
        let Some(iterator) = inner.iter().find(|one| mentions(subscript, &[**one])) else {
            // One coordinate alone.
            sweep.domain[dimension] = [vec![subscript.clone()], vec![subscript.clone() + 1]];
            subscript.is_of_sizes().then_some(())?;
            continue;
        };
        let shift = subscript.clone() - Variable::Iterator(*iterator) * 1;
        let is_new = sweep.iterators.iter().all(|(known, ..)| known != iterator);
        (is_new && shift.is_of_sizes()).then_some(())?;
        let range = loops.iter().find(|range| range.iterator == *iterator)?;
        let along = |bounds: &[Affine]| bounds.iter().map(|bound| bound.clone() + shift.clone()).collect();
        sweep.domain[dimension] = [along(&range.lower), along(&range.upper)];
        sweep.iterators.push((*iterator, dimension, shift));
    }
    if sweep.iterators.len() < inner.len() {
        return None;
    }
    for condition in &statement.conditions {
        sweep.restrict(condition)?;
    }
    let reads = statement.reads();
    let mut of_fields = reads.iter().filter(|read| arrays.contains(&read.array));
    of_fields.all(|read| offset(read, target).is_some()).then_some(sweep)
}

impl Sweep {
    /// Keeps to cells for which a condition holds; none: they are not a box.
    fn restrict(&mut self, condition: &Condition) -> Option<()> {
        for value in not_negative(condition) {
            let own = self.iterators.iter().find(|(iterator, ..)| mentions(&value, &[*iterator]));
            let Some((iterator, dimension, shift)) = own.cloned() else {
                value.is_of_sizes().then_some(())?;
                self.guards.push(Condition::at_least(value, Affine::from(0)));
                continue;
            };
            let variable = Variable::Iterator(iterator);
            let factor = value.coefficient(variable);
            let rest = value - variable * factor;
            (factor.abs() == 1 && rest.is_of_sizes()).then_some(())?;
            let [lower, upper] = &mut self.domain[dimension];
            match factor {
                1 => lower.push(shift - rest),
                _ => upper.push(shift + rest + 1),
            }
        }
        Some(())
    }
}

/// Returns the extent of a dimension that is at least that of each array.
fn common_extent(nest: &Nest, arrays: &[usize], dimension: usize) -> Option<Affine> {
    let mut largest: Option<Affine> = None;
    for array in arrays {
        let extent = &nest.arrays[*array].shape[dimension];
        let difference = largest.as_ref().map_or(Affine::from(1), |largest| extent.clone() - largest.clone());
        difference.terms().is_empty().then_some(())?;
        if difference.constant() > 0 {
            largest = Some(extent.clone());
        }
    }
    largest
}

/// Returns `true` if the first sweep that touches a field writes it without reading it, and none writes other cells.
fn is_overwritten(sweeps: &[Sweep], field: usize, array: usize) -> bool {
    let reads = |sweep: &Sweep| sweep.assignment.value.reads().iter().any(|read| read.array == array);
    let Some(first) = sweeps.iter().find(|sweep| sweep.field == field || reads(sweep)) else { return false };
    let mut writers = sweeps.iter().filter(|sweep| sweep.field == field);
    !reads(first) && writers.all(|sweep| sweep.domain == first.domain && sweep.guards.is_empty())
}
