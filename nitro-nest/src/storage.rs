//! Temporaries that take dependences away: what is computed stays the same, and more of it may run at the same time.
//!
//! - *Expansion*: an array that each iteration of some loops writes before it reads gets an element of its own for
//!   each of them. What it holds in the end is copied back.
//! - *Copies*: where statements read what an array held in the beginning, and others overwrite it, they read a copy.
//!
//! After Feautrier ("Array expansion", 1988). isl says of each read where its value comes from.

use crate::dependence::{Dependence, DependenceError, DependenceKind, Dependences};
use crate::nest::affine::{Affine, Variable};
use crate::nest::expression::{Access, Expression, Relation};
use crate::nest::statement::Statement;
use crate::nest::{ArrayDeclaration, Assignment, Condition, Nest, Node, Range};

impl Nest {
    /// The nest with temporaries instead of the dependences that come of memory being used again.
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
        Ok(self.expanded()?.0)
    }

    /// With temporaries, and the dependences then.
    pub(crate) fn expanded(&self) -> Result<(Nest, Dependences), DependenceError> {
        let mut nest = self.clone();
        let mut dependences = nest.dependences()?;
        for array in 0..self.arrays.len() {
            while let Some(changed) = Storage::of(&nest, &dependences, array).with_temporary()? {
                dependences = changed.dependences()?;
                nest = changed;
            }
        }
        Ok((nest, dependences))
    }

    fn new_iterator(&mut self, name: &str) -> usize {
        self.iterators.push(self.free(name));
        self.iterators.len() - 1
    }

    fn new_temporary(&mut self, name: &str, shape: Vec<Affine>) -> usize {
        let name = self.free(name);
        self.arrays.push(ArrayDeclaration { name, shape, is_written: true });
        self.temporaries += 1;
        self.arrays.len() - 1
    }
}

/// An array of a nest and what depends on each other by it.
struct Storage<'a> {
    nest: &'a Nest,
    array: usize,
    dependences: Vec<&'a Dependence>,
}

impl<'a> Storage<'a> {
    fn of(nest: &'a Nest, dependences: &'a Dependences, array: usize) -> Self {
        Self { nest, array, dependences: by_array(dependences, array).collect() }
    }

    /// With the next temporary that this array has a use for.
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

    /// With an element for each iteration of the outer loops, if these do not need what others wrote.
    fn expanded(&self) -> Result<Option<Nest>, DependenceError> {
        let statements = self.nest.statements();
        let touching: Vec<&Statement<'_>> =
            statements.iter().filter(|statement| touches(statement, self.array)).collect();
        let Some((first, others)) = touching.split_first() else { return Ok(None) };
        let flows = self.dependences.iter().filter(|found| found.kind == DependenceKind::Flow);
        let carried = flows.filter_map(|found| found.level).min().unwrap_or(usize::MAX);
        let common = others.iter().map(|other| first.common_loops(other)).min().unwrap_or(first.loops.len());
        let writers: Vec<&&Statement<'_>> =
            touching.iter().filter(|one| one.assignment.target.array == self.array).collect();
        let outer = &first.loops[..common.min(carried)];
        let is_repeated = |range: &&&Range| writers.iter().all(|writer| repeats(writer, range.iterator));
        let outer = &outer[..outer.iter().take_while(is_repeated).count()];
        let gains = self.dependences.iter().any(|found| found.level.is_some_and(|level| level < outer.len()));
        if !gains || !outer.iter().all(|range| is_plain(range)) || self.reads_inputs()? {
            return Ok(None);
        }
        let Some(last) = last_writers(&writers, outer.len()) else { return Ok(None) };
        Ok(Some(self.expand(outer, &last)))
    }

    /// Whether a statement reads what the array held in the beginning: then it does so too where everything is
    /// written first.
    fn reads_inputs(&self) -> Result<bool, DependenceError> {
        let mut nest = self.nest.clone();
        let (loops, element) = all_elements(&mut nest, self.array);
        let clear = Node::Assign(Assignment { target: element, value: Expression::from(0.0) });
        nest.body.insert(0, around(loops, clear));
        let is_first = |found: &Dependence| found.kind == DependenceKind::Flow && found.source == 0;
        Ok(by_array(&nest.dependences()?, self.array).any(is_first))
    }

    fn expand(&self, outer: &[&Range], last: &[&&Statement<'_>]) -> Nest {
        let mut nest = self.nest.clone();
        let declared = self.nest.arrays[self.array].clone();
        let extents = outer.iter().map(|range| range.upper[0].clone() - range.lower[0].clone());
        let shape = extents.chain(declared.shape).collect();
        let own = nest.new_temporary(&format!("{}_of_each", declared.name), shape);
        let place = |access: &Access, at: &dyn Fn(&Range) -> Affine| {
            let outer = outer.iter().map(|range| at(range) - range.lower[0].clone());
            Access { array: own, subscripts: outer.chain(access.subscripts.iter().cloned()).collect() }
        };
        let now = |range: &Range| Affine::from(Variable::Iterator(range.iterator));
        rewrite(&mut nest.body, &|access| {
            if access.array == self.array { place(access, &now) } else { access.clone() }
        });
        let end = |range: &Range| range.upper[0].clone() - 1;
        for writer in last {
            let back = self.copy_back(&mut nest, writer, outer, &|access| place(access, &end));
            nest.body.push(back);
        }
        nest
    }

    /// The elements that a statement wrote in the last iteration of the outer loops.
    fn copy_back(
        &self,
        nest: &mut Nest,
        writer: &Statement<'_>,
        outer: &[&Range],
        last: &dyn Fn(&Access) -> Access,
    ) -> Node {
        let mut renamed: Vec<(usize, Affine)> =
            outer.iter().map(|range| (range.iterator, range.upper[0].clone() - 1)).collect();
        let mut loops = Vec::new();
        for range in &writer.loops[outer.len()..] {
            let name = format!("{}_back", self.nest.iterators[range.iterator]);
            let iterator = nest.new_iterator(&name);
            let bounds = |all: &[Affine]| all.iter().map(|bound| replaced(bound, &renamed)).collect();
            let (lower, upper) = (bounds(&range.lower), bounds(&range.upper));
            loops.push(Range { iterator, lower, upper, ..(*range).clone() });
            renamed.push((range.iterator, Affine::from(Variable::Iterator(iterator))));
        }
        let of = |access: &Access| Access {
            array: access.array,
            subscripts: access.subscripts.iter().map(|one| replaced(one, &renamed)).collect(),
        };
        let target = of(&writer.assignment.target);
        let value = Expression::Load(last(&target));
        let ran = outer.iter().map(|range| Condition {
            relation: Relation::Less,
            left: range.lower[0].clone(),
            right: range.upper[0].clone(),
        });
        let own = writer.conditions.iter().map(|condition| Condition {
            relation: condition.relation,
            left: replaced(&condition.left, &renamed),
            right: replaced(&condition.right, &renamed),
        });
        let inner = Node::If(ran.chain(own).collect(), vec![Node::Assign(Assignment { target, value })]);
        around(loops, inner)
    }

    /// With a copy that a statement reads, if it reads what the array held in the beginning and another iteration
    /// overwrites that.
    fn copying(&self, statement: usize) -> Result<Option<Nest>, DependenceError> {
        let is_overwritten = |found: &&Dependence| {
            found.kind == DependenceKind::Anti && found.source == statement && found.level.is_some()
        };
        if !self.dependences.iter().any(is_overwritten) {
            return Ok(None);
        }
        let statements = self.nest.statements();
        let assignment = statements[statement].assignment;
        let reads = assignment.value.reads().into_iter();
        for read in reads.filter(|read| read.array == self.array && **read != assignment.target) {
            if self.is_input(statement, read)? {
                return Ok(Some(self.copy(statement, read)));
            }
        }
        Ok(None)
    }

    /// Whether what a statement reads there is what the array held in the beginning, always: no write is before a
    /// statement that reads nothing else.
    fn is_input(&self, statement: usize, read: &Access) -> Result<bool, DependenceError> {
        let mut nest = self.nest.clone();
        change(&mut nest.body, statement, &mut 0, &mut |assignment| {
            assignment.value = Expression::Load(read.clone());
        });
        let is_written = |found: &Dependence| found.kind == DependenceKind::Flow && found.sink == statement;
        Ok(!by_array(&nest.dependences()?, self.array).any(is_written))
    }

    fn copy(&self, statement: usize, read: &Access) -> Nest {
        let mut nest = self.nest.clone();
        let declared = self.nest.arrays[self.array].clone();
        let copy = nest.new_temporary(&format!("{}_before", declared.name), declared.shape);
        change(&mut nest.body, statement, &mut 0, &mut |assignment| {
            assignment.value.map_loads(&|access| {
                let array = if access == *read { copy } else { access.array };
                Access { array, ..access }
            });
        });
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

fn touches(statement: &Statement<'_>, array: usize) -> bool {
    statement.assignment.target.array == array || statement.reads().iter().any(|read| read.array == array)
}

/// Whether it goes from one number to another, both known before the nest begins, in steps of one.
fn is_plain(range: &Range) -> bool {
    let is_single = range.lower.len() == 1 && range.upper.len() == 1;
    is_single
        && range.step == 1
        && !range.is_reversed
        && range.lower[0].is_of_sizes()
        && range.upper[0].is_of_sizes()
}

/// Whether a statement writes in the last iteration of a loop, which has this iterator, all that it writes in others.
fn repeats(writer: &Statement<'_>, iterator: usize) -> bool {
    let variable = Variable::Iterator(iterator);
    let mut bounds = writer.loops.iter().flat_map(|range| {
        let lower = range.lower.iter().map(|bound| -bound.coefficient(variable));
        lower.chain(range.upper.iter().map(|bound| bound.coefficient(variable)))
    });
    let mut conditions = writer.conditions.iter();
    !writer.assignment.target.subscripts.iter().any(|one| one.mentions(variable))
        && !conditions
            .any(|condition| condition.left.mentions(variable) || condition.right.mentions(variable))
        && bounds.all(|coefficient| coefficient >= 0)
}

/// The statements that write all that is written in an iteration of the outer loops, each element once. None: there
/// are none such.
fn last_writers<'a, 'n>(
    writers: &[&'a &'n Statement<'n>],
    outer: usize,
) -> Option<Vec<&'a &'n Statement<'n>>> {
    let writes_once = |writer: &&&'a &'n Statement<'n>| {
        let target = &writer.assignment.target;
        writer.loops[outer..]
            .iter()
            .all(|range| target.subscripts.iter().any(|one| one.mentions(Variable::Iterator(range.iterator))))
    };
    let last: Vec<&&Statement<'_>> = writers.iter().filter(writes_once).copied().collect();
    let is_covered = |writer: &&Statement<'_>| {
        last.iter().any(|other| {
            other.assignment.target == writer.assignment.target
                && other.loops.iter().all(|range| writer.loops.contains(range))
                && other.conditions.iter().all(|condition| writer.conditions.contains(condition))
        })
    };
    (!last.is_empty() && writers.iter().all(|writer| is_covered(writer))).then_some(last)
}

/// Loops over all elements of an array.
fn all_elements(nest: &mut Nest, array: usize) -> (Vec<Range>, Access) {
    let shape = nest.arrays[array].shape.clone();
    let mut loops = Vec::new();
    for (dimension, extent) in shape.into_iter().enumerate() {
        let iterator = nest.new_iterator(&format!("d{dimension}"));
        let (lower, upper) = (vec![Affine::from(0)], vec![extent]);
        loops.push(Range { iterator, lower, upper, step: 1, is_reversed: false });
    }
    let subscripts = loops.iter().map(|range| Affine::from(Variable::Iterator(range.iterator))).collect();
    (loops, Access { array, subscripts })
}

fn around(loops: Vec<Range>, node: Node) -> Node {
    loops.into_iter().rev().fold(node, |node, range| Node::Loop(range, vec![node]))
}

fn replaced(affine: &Affine, by: &[(usize, Affine)]) -> Affine {
    by.iter().fold(affine.clone(), |affine, (iterator, value)| {
        affine.substitute(Variable::Iterator(*iterator), value)
    })
}

/// Changes the statement of this index; `next` counts statements.
fn change(nodes: &mut [Node], statement: usize, next: &mut usize, by: &mut dyn FnMut(&mut Assignment)) {
    for node in nodes {
        match node {
            Node::Loop(_, body) | Node::If(_, body) => change(body, statement, next, by),
            Node::Assign(assignment) => {
                if *next == statement {
                    by(assignment);
                }
                *next += 1;
            }
        }
    }
}

pub(crate) fn rewrite(nodes: &mut [Node], by: &dyn Fn(&Access) -> Access) {
    for node in nodes {
        match node {
            Node::Loop(_, body) | Node::If(_, body) => rewrite(body, by),
            Node::Assign(assignment) => {
                assignment.target = by(&assignment.target);
                assignment.value.map_loads(&|access| by(&access));
            }
        }
    }
}
