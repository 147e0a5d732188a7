//! The pass that puts what is done to the same rows into one loop over them, where loops that follow each other do it.
//!
//! A normalisation may be written as loops of their own for the mean, the variance and what becomes of each element.
//! In one loop over rows these are the steps of a row, which is read once.

use super::AnalysedNest;
use super::bounds::mentions;
use super::fusion::{Chain, permutations};
use super::row_kernels::shared_reduction;
use crate::dependence::DependenceError;
use crate::nest::affine::Affine;
use crate::nest::expression::Access;
use crate::nest::{Assignment, Nest, Node, Range, nested};

/// Runs the pass.
pub(super) fn run(input: &AnalysedNest) -> Result<Option<AnalysedNest>, DependenceError> {
    let count = input.nest.body.len();
    for start in 0..count {
        for end in (start + 2..=count).rev() {
            if let Some(joined) = join(input, start..end)? {
                let further = run(&joined)?;
                return Ok(further.or(Some(joined)));
            }
        }
    }
    Ok(None)
}

/// Joins these nodes over as many loops as can be; none: they do nothing to the same rows, or may not be joined.
fn join(
    input: &AnalysedNest,
    among: std::ops::Range<usize>,
) -> Result<Option<AnalysedNest>, DependenceError> {
    let nest = &input.nest;
    let Some(first) = Chain::new(&nest.body[among.start]) else { return Ok(None) };
    for depth in (1..=first.loops.len()).rev() {
        let Some(rows) = Rows::new(input, among.clone(), &first.loops[..depth]) else { continue };
        if !rows.are_worth_it(nest) {
            continue;
        }
        let body = rows.parts.concat();
        let mut joined = nest.clone();
        joined.body.splice(among.clone(), nested(rows.loops.iter().cloned(), body));
        let joined = AnalysedNest::new(joined)?;
        if rows.are_in_order(&joined, nest.body[..among.start].iter().map(Node::statements).sum()) {
            return Ok(Some(joined));
        }
    }
    Ok(None)
}

/// Loops over rows, and what nodes do in them.
struct Rows {
    loops: Vec<Range>,
    parts: Vec<Vec<Node>>,
}

impl Rows {
    /// Takes the loops over rows off the nodes; none: one has others.
    fn new(input: &AnalysedNest, among: std::ops::Range<usize>, loops: &[&Range]) -> Option<Self> {
        let nodes = &input.nest.body;
        let mut before: usize = nodes[..among.start].iter().map(Node::statements).sum();
        let mut parts = Vec::new();
        for node in &nodes[among] {
            parts.push(part(input, node, before, loops)?);
            before += node.statements();
        }
        Some(Self { loops: loops.iter().map(|range| (*range).clone()).collect(), parts })
    }

    fn iterators(&self) -> Vec<usize> {
        self.loops.iter().map(|range| range.iterator).collect()
    }

    /// Returns `true` if something is added up in a row, all parts are steps of rows, and each goes on with what
    /// another one before it touches; two of them with the elements of a row.
    fn are_worth_it(&self, nest: &Nest) -> bool {
        let iterators = self.iterators();
        let is_step = |part: &Vec<Node>| part.iter().all(|node| is_of_row(node, &iterators, &mut Vec::new()));
        let touched: Vec<Vec<&Access>> = self.parts.iter().map(|part| accesses(part)).collect();
        let shares = |one: &[&Access], other: &[&Access], least: usize| {
            one.iter().any(|access| {
                access.subscripts.len() >= least
                    && other.iter().any(|other| are_of_same_row(access, other, &iterators))
            })
        };
        let goes_on = (1..touched.len())
            .all(|at| touched[..at].iter().any(|before| shares(&touched[at], before, self.loops.len())));
        let of_elements = (1..touched.len())
            .any(|at| touched[..at].iter().any(|before| shares(&touched[at], before, self.loops.len() + 1)));
        let adds_up = self.parts.iter().flatten().any(|node| reduces_row(nest, node, &iterators));
        adds_up && of_elements && goes_on && self.parts.iter().all(is_step)
    }

    /// Returns `true` if nothing of a part has to run before something of one before it.
    fn are_in_order(&self, joined: &AnalysedNest, before: usize) -> bool {
        let of_parts = self
            .parts
            .iter()
            .enumerate()
            .flat_map(|(at, part)| std::iter::repeat_n(at, part.iter().map(Node::statements).sum()));
        let of_parts: Vec<usize> = of_parts.collect();
        let part = |statement: usize| of_parts.get(statement.checked_sub(before)?);
        let mut found = joined.dependences.all().iter();
        !found.any(|one| part(one.source).zip(part(one.sink)).is_some_and(|(source, sink)| source > sink))
    }
}

/// Takes loops over rows off a node whose first statement has this number, and names their iterators as these do.
///
/// Loops around a single statement are interchanged for that where it is legal.
fn part(input: &AnalysedNest, node: &Node, statement: usize, rows: &[&Range]) -> Option<Vec<Node>> {
    let chain = Chain::new(node)?;
    let rows = Chain { loops: rows.to_vec(), body: &[] };
    let in_order: Vec<usize> = (0..chain.loops.len()).collect();
    let mut bounds = chain.loops.iter().flat_map(|range| range.lower.iter().chain(&range.upper));
    let is_free = matches!(chain.body, [Node::Assign(_)]) && bounds.all(Affine::is_of_sizes);
    let orders = if is_free { permutations(&in_order) } else { vec![in_order.clone()] };
    let order = orders.into_iter().find(|order| {
        let Some((own, others)) = order.split_at_checked(rows.loops.len()) else { return false };
        others.is_sorted()
            && chain.is_alike(&rows, own)
            && (*order == in_order || input.dependences.permits(&input.nest.statements()[statement], order))
    })?;
    let (own, others) = order.split_at(rows.loops.len());
    let inside = nested(others.iter().map(|at| chain.loops[*at].clone()), chain.body.to_vec());
    let renamed = chain.renamed(&rows, own);
    let mut part = inside;
    part.iter_mut().for_each(|node| node.map_integers(&renamed));
    Some(part)
}

/// Returns `true` if each statement changes a row's elements, each in an iteration of its own, or a value of the row.
fn is_of_row(node: &Node, rows: &[usize], around: &mut Vec<usize>) -> bool {
    match node {
        Node::Assign(Assignment { target, .. }) => {
            target.depends_on_each(rows) && (target.depends_on_each(around) || !target.depends_on(around))
        }
        Node::If(_, body) => body.iter().all(|node| is_of_row(node, rows, around)),
        Node::Loop(range, body) => {
            around.push(range.iterator);
            let is_of_row = body.iter().all(|node| is_of_row(node, rows, around));
            around.pop();
            is_of_row
        }
    }
}

/// Returns `true` if a loop reduces elements of a row to a value of it, in any order.
fn reduces_row(nest: &Nest, node: &Node, rows: &[usize]) -> bool {
    let reduces = |one: &&Assignment| {
        one.target.subscripts.len() == rows.len() && shared_reduction(nest, one).is_some()
    };
    matches!(node, Node::Loop(..)) && node.assignments().iter().any(reduces)
}

fn accesses(nodes: &[Node]) -> Vec<&Access> {
    nodes.iter().flat_map(Node::assignments).flat_map(Assignment::accesses).collect()
}

/// Returns `true` if two accesses are to the same row of an array.
fn are_of_same_row(one: &Access, other: &Access, rows: &[usize]) -> bool {
    let mut pairs = one.subscripts.iter().zip(&other.subscripts);
    let is_of_row = |subscript: &Affine| mentions(subscript, rows);
    one.array == other.array
        && one.depends_on_each(rows)
        && pairs.all(|(one, other)| one == other || !is_of_row(one) && !is_of_row(other))
}
