//! The pass that takes dependences away by temporaries: what is computed stays, and more may run at the same time.
//!
//! - *Expansion*: an array that each iteration of some loops writes before it reads gets an element of its own for
//!   each of them. What it holds in the end is copied back.
//! - *Copies*: where statements read what an array held in the beginning, and others overwrite it, they read a copy.
//!
//! After Feautrier ("Array expansion", 1988). isl says of each read where its value comes from.

use super::bounds::{condition_mentions, iterator};
use super::components::components;
use super::{AnalysedNest, rewritten};
use crate::dependence::{Dependence, DependenceError, DependenceKind, Dependences};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression};
use crate::nest::statement::Statement;
use crate::nest::{Assignment, Condition, Nest, Node, Range, nested};

/// Gives the arrays of a nest temporaries, as long as there is a use for any.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let mut changed: Option<AnalysedNest> = None;
    for array in 0..input.nest.arrays.len() {
        // An array may have a use for several, as one for each statement that reads its beginning.
        loop {
            let further = Storage::new(changed.as_ref().unwrap_or(input), array).with_temporary()?;
            let Some(further) = further else { break };
            changed = Some(AnalysedNest::new(further)?);
        }
    }
    Ok(changed)
}

impl Nest {
    /// Uses temporaries instead of the dependences that come of memory being used again.
    ///
    /// ```
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn row_sums(n: usize, #[shape(n, n)] a: &mut Array2<f32>, #[shape(1)] sum: &mut [f32]) {
    ///     for i in 0..n {
    ///         sum[0] = 0.0;
    ///         for j in 0..n {
    ///             sum[0] += a[[i, j]];
    ///         }
    ///         a[[i, 0]] = sum[0];
    ///     }
    /// }
    ///
    /// let nest = row_sums::nest();
    /// assert!(!nest.dependences()?.is_parallel(&[0, 1, 2], 0)); // all rows share one sum
    /// let expanded = nest.with_temporaries()?;
    /// assert!(expanded.dependences()?.is_parallel(&[0, 1, 2], 0)); // each row has one
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    ///
    /// # Errors
    /// As [`dependences`](Self::dependences).
    pub fn with_temporaries(&self) -> Result<Nest, DependenceError> {
        rewritten(self, run)
    }
}

/// An array of a nest, with the dependences by it.
struct Storage<'a> {
    nest: &'a Nest,
    array: usize,
    dependences: Vec<&'a Dependence>,
    /// The dependences by all arrays.
    all: &'a Dependences,
}

impl<'a> Storage<'a> {
    fn new(input: &'a AnalysedNest, array: usize) -> Self {
        let all = &input.dependences;
        Self { nest: &input.nest, array, dependences: by_array(all, array).collect(), all }
    }

    /// Adds the next temporary that this array has a use for.
    fn with_temporary(&self) -> Result<Option<Nest>, DependenceError> {
        if let Some(expanded) = self.expanded()? {
            return Ok(Some(expanded));
        }
        for statement in 0..self.nest.statements().len() {
            if let Some(copying) = self.copying(statement)? {
                return Ok(Some(copying));
            }
        }
        Ok(None)
    }

    /// Gives each iteration of the outer loops an element, if they do not need what others wrote.
    fn expanded(&self) -> Result<Option<Nest>, DependenceError> {
        let statements = self.nest.statements();
        let mut touching = statements.iter().filter(|statement| self.is_touched_by(statement));
        let Some(first) = touching.next() else { return Ok(None) };
        let writers: Vec<&Statement<'_>> =
            statements.iter().filter(|one| one.assignment.target.array == self.array).collect();
        // Loops around all statements that touch the array, outside of those that carry a value of it.
        let flows = self.dependences.iter().filter(|found| found.kind == DependenceKind::Flow);
        let carried = flows.filter_map(|found| found.level).min().unwrap_or(usize::MAX);
        let common = touching.map(|other| first.common_loops(other)).min().unwrap_or(first.loops.len());
        let mut outer = &first.loops[..common.min(carried)];
        if let Some(end) =
            outer.iter().position(|range| !writers.iter().all(|writer| repeats(writer, range.iterator)))
        {
            outer = &outer[..end];
        }
        let mut gained: Vec<usize> = (0..outer.len()).collect();
        if self.is_carried_by(&gained) {
            // A loop that runs in order all the same, as one in time, needs no element for each iteration.
            let flows = self.flows();
            gained.retain(|level| !self.stays_in_order(&flows, &statements, *level));
        }
        if !self.is_carried_by(&gained)
            || !outer.iter().all(|range| is_plain(range))
            || self.reads_inputs()?
        {
            return Ok(None);
        }
        let by: Vec<&Range> = gained.into_iter().map(|level| outer[level]).collect();
        Ok(last_writers(&writers, outer.len()).map(|last| self.expand(outer, &by, &last)))
    }

    /// Returns `true` if one of these loops carries a dependence by the array.
    fn is_carried_by(&self, levels: &[usize]) -> bool {
        self.dependences.iter().any(|found| found.level.is_some_and(|level| levels.contains(&level)))
    }

    /// Returns the dependences by values, of all arrays: no temporary takes them away.
    fn flows(&self) -> Dependences {
        let flows = self.all.all().iter().filter(|found| found.kind == DependenceKind::Flow);
        Dependences::new(self.nest, flows.cloned().collect())
    }

    /// Returns `true` if values go round all statements that read the array from one iteration of a loop to another.
    fn stays_in_order(&self, flows: &Dependences, statements: &[Statement<'_>], level: usize) -> bool {
        let reads = |statement: &Statement<'_>| statement.reads().iter().any(|read| read.array == self.array);
        let readers: Vec<&Statement<'_>> = statements.iter().filter(|one| reads(one)).collect();
        let Some(first) = readers.first() else { return false };
        let inside = |at: &usize| first.common_loops(&statements[*at]) > level;
        let among: Vec<usize> = (0..statements.len()).filter(inside).collect();
        components(flows, &among, level).iter().any(|circle| {
            let mut around = flows.within(circle, level);
            readers.iter().all(|one| circle.contains(&one.index))
                && around.any(|flow| flow.level == Some(level))
        })
    }

    fn is_touched_by(&self, statement: &Statement<'_>) -> bool {
        statement.assignment.accesses().iter().any(|access| access.array == self.array)
    }

    /// Returns `true` if a statement reads what the array held in the beginning.
    ///
    /// Then it does so too where everything is written first.
    fn reads_inputs(&self) -> Result<bool, DependenceError> {
        let mut nest = self.nest.clone();
        let (loops, element) = all_elements(&mut nest, self.array);
        // A write before everything else hides nothing but what was there in the beginning.
        let clear = Node::Assign(Assignment { target: element, value: Expression::from(0.0) });
        nest.body.insert(0, around(loops, clear));
        let dependences = nest.dependences()?;
        let mut found = by_array(&dependences, self.array);
        Ok(found.any(|found| found.kind == DependenceKind::Flow && found.source == 0))
    }

    /// Expands the array by some of the outer loops, and copies back what these statements wrote last.
    fn expand(&self, outer: &[&Range], by: &[&Range], last: &[&Statement<'_>]) -> Nest {
        let mut nest = self.nest.clone();
        // One dimension for each of these loops, with as many elements as it has iterations.
        let declared = self.nest.arrays[self.array].clone();
        let extents = by.iter().map(|range| range.upper[0].clone() - range.lower[0].clone());
        let shape = extents.chain(declared.shape).collect();
        let own = nest.new_temporary(&format!("{}_of_each", declared.name), shape);
        for node in &mut nest.body {
            node.map_accesses(&|access| {
                let is_own = access.array == self.array;
                if is_own {
                    expanded(access, own, by, |range| iterator(range.iterator))
                } else {
                    access.clone()
                }
            });
        }
        // The array itself gets what the last iteration left.
        for writer in last {
            let back = self.copy_back(&mut nest, writer, outer, by, own);
            nest.body.push(back);
        }
        nest
    }

    /// Copies back the elements that a statement wrote in the last iteration of the outer loops.
    fn copy_back(
        &self,
        nest: &mut Nest,
        writer: &Statement<'_>,
        outer: &[&Range],
        by: &[&Range],
        own: usize,
    ) -> Node {
        // Outer loops are in their last iteration, inner ones have iterators of their own.
        let mut renamed: Vec<(usize, Affine)> =
            outer.iter().map(|range| (range.iterator, last_value(range))).collect();
        let mut loops = Vec::new();
        for range in &writer.loops[outer.len()..] {
            let copy = nest.new_iterator(&format!("{}_back", self.nest.iterators[range.iterator]));
            let [lower, upper] = [&range.lower, &range.upper]
                .map(|all| all.iter().map(|one| replaced(one, &renamed)).collect());
            loops.push(Range { iterator: copy, lower, upper, ..(*range).clone() });
            renamed.push((range.iterator, iterator(copy)));
        }
        let Access { array, subscripts } = &writer.assignment.target;
        let subscripts = subscripts.iter().map(|one| replaced(one, &renamed)).collect();
        let target = Access { array: *array, subscripts };
        let value = Expression::Load(expanded(&target, own, by, last_value));
        // It wrote them if the loops ran at all, and under its own conditions.
        let mut conditions: Vec<Condition> = Vec::new();
        for range in outer {
            conditions.push(Condition::less(range.lower[0].clone(), range.upper[0].clone()));
        }
        for Condition { relation, left, right } in writer.conditions.iter().copied() {
            let [left, right] = [left, right].map(|side| replaced(side, &renamed));
            conditions.push(Condition { relation: *relation, left, right });
        }
        around(loops, Node::If(conditions, vec![Node::Assign(Assignment { target, value })]))
    }

    /// Lets a statement read a copy.
    ///
    /// It has to read what the array held in the beginning, and another iteration has to overwrite that.
    fn copying(&self, statement: usize) -> Result<Option<Nest>, DependenceError> {
        let is_overwritten = self.dependences.iter().any(|found| {
            found.kind == DependenceKind::Anti && found.source == statement && found.level.is_some()
        });
        if !is_overwritten {
            return Ok(None);
        }
        let statements = self.nest.statements();
        let assignment = statements[statement].assignment;
        for read in assignment.value.reads() {
            let is_other = read.array == self.array && *read != assignment.target;
            if is_other && self.nest.reads_inputs(statement, read)? {
                return Ok(Some(self.copy(statement, read)));
            }
        }
        Ok(None)
    }

    fn copy(&self, statement: usize, read: &Access) -> Nest {
        let mut nest = self.nest.clone();
        let declared = self.nest.arrays[self.array].clone();
        let copy = nest.new_temporary(&format!("{}_before", declared.name), declared.shape);
        change(&mut nest, statement, |assignment| {
            assignment.value.map_loads(&|access| {
                let array = if access == *read { copy } else { access.array };
                Access { array, ..access }
            });
        });
        // The copy is filled before anything else is done.
        let (loops, element) = all_elements(&mut nest, self.array);
        let target = Access { array: copy, subscripts: element.subscripts.clone() };
        let fill = Node::Assign(Assignment { target, value: Expression::Load(element) });
        nest.body.insert(0, around(loops, fill));
        nest
    }
}

fn by_array(dependences: &Dependences, array: usize) -> impl Iterator<Item = &Dependence> {
    dependences.all().iter().filter(move |found| found.array == array)
}

/// Returns the element of an expanded array, at these values of the outer loops.
fn expanded(access: &Access, own: usize, outer: &[&Range], at: impl Fn(&Range) -> Affine) -> Access {
    let outer = outer.iter().map(|range| at(range) - range.lower[0].clone());
    Access { array: own, subscripts: outer.chain(access.subscripts.iter().cloned()).collect() }
}

fn last_value(range: &Range) -> Affine {
    range.upper[0].clone() - 1
}

/// Returns `true` if a loop goes in steps of one between numbers that are known before the nest begins.
fn is_plain(range: &Range) -> bool {
    let is_single = range.lower.len() == 1 && range.upper.len() == 1;
    is_single
        && range.step == 1
        && !range.is_reversed
        && range.lower[0].is_of_sizes()
        && range.upper[0].is_of_sizes()
}

/// Returns `true` if a statement writes in the last iteration of a loop all that it writes in others.
fn repeats(writer: &Statement<'_>, iterator: usize) -> bool {
    let variable = Variable::Iterator(iterator);
    let grows = writer.loops.iter().all(|range| {
        range.lower.iter().all(|bound| bound.coefficient(variable) <= 0)
            && range.upper.iter().all(|bound| bound.coefficient(variable) >= 0)
    });
    grows
        && !writer.assignment.target.depends_on(&[iterator])
        && !writer.conditions.iter().any(|condition| condition_mentions(condition, &[iterator]))
}

/// Returns the statements that write all that is written in an iteration of the outer loops, each element once.
fn last_writers<'n>(writers: &[&'n Statement<'n>], outer: usize) -> Option<Vec<&'n Statement<'n>>> {
    let mut last = writers.to_vec();
    last.retain(|writer| {
        let target = &writer.assignment.target;
        writer.loops[outer..].iter().all(|range| target.depends_on(&[range.iterator]))
    });
    let are_covered = writers.iter().all(|writer| last.iter().any(|last| covers(last, writer)));
    (!last.is_empty() && are_covered).then_some(last)
}

/// Returns `true` if a statement writes all that another one writes.
fn covers(statement: &Statement<'_>, other: &Statement<'_>) -> bool {
    statement.assignment.target == other.assignment.target
        && statement.loops.iter().all(|range| other.loops.contains(range))
        && statement.conditions.iter().all(|condition| other.conditions.contains(condition))
}

/// Returns loops over all elements of an array.
fn all_elements(nest: &mut Nest, array: usize) -> (Vec<Range>, Access) {
    let shape = nest.arrays[array].shape.clone();
    let mut loops = Vec::new();
    for (dimension, extent) in shape.into_iter().enumerate() {
        let iterator = nest.new_iterator(&format!("d{dimension}"));
        let (lower, upper) = (vec![Affine::from(0)], vec![extent]);
        loops.push(Range { iterator, lower, upper, step: 1, is_reversed: false });
    }
    let subscripts = loops.iter().map(|range| iterator(range.iterator)).collect();
    (loops, Access { array, subscripts })
}

fn around(loops: Vec<Range>, node: Node) -> Node {
    nested(loops.into_iter(), vec![node]).remove(0)
}

fn replaced(affine: &Affine, by: &[(usize, Affine)]) -> Affine {
    let mut replaced = affine.clone();
    for (iterator, value) in by {
        replaced = replaced.substitute(Variable::Iterator(*iterator), value);
    }
    replaced
}

/// Changes the statement of this index.
fn change(nest: &mut Nest, statement: usize, by: impl Fn(&mut Assignment)) {
    let mut next = 0;
    for node in &mut nest.body {
        node.for_each_statement(&mut |assignment| {
            if next == statement {
                by(assignment);
            }
            next += 1;
        });
    }
}
