//! Variables that need no array of their own.
//!
//! One that no loop and no `if` writes is a name for a value, and then for another one. One that becomes an element of
//! an array at its end is that element all along: `let mut sum = 0.0; for .. { sum += .. } y[i] = sum;` is what
//! `y[i] = 0.0; for .. { y[i] += .. }` is.

use proc_macro2::Ident;

use super::ir::{Access, Assignment, Node, Value, is_same};
use super::polynomial::Polynomial;

/// The most parts of a value that is written wherever its variable is read.
const MAX_PARTS: usize = 32;

/// Writes values in the place of a variable that begins at a place among these nodes, if only statements between it and
/// the end write it; returns true then.
pub(super) fn inline(nodes: &mut Vec<Node>, first: usize, variable: &Ident) -> bool {
    let mut left = nodes[..first].to_vec();
    // None: it is too long, or of elements that have changed.
    let mut current: Option<Value> = None;
    for node in &nodes[first..] {
        let mut node = node.clone();
        let is_read = reads(&node, variable);
        match &current {
            Some(value) => {
                for_each_assignment(&mut node, &mut |own| own.value.replace(variable, value));
            }
            None if is_read => return false,
            None => {}
        }
        match node {
            Node::Assign(assignment) if assignment.target.array == *variable => {
                let mut value = assignment.becomes();
                if let Some(before) = current {
                    value.replace(variable, &before);
                }
                current = Some(value).filter(|value| value.count() <= MAX_PARTS);
            }
            node => {
                let changes =
                    |value: &Value| any_assignment(&node, &mut |own| value.reads(&own.target.array));
                let is_changed = current.as_ref().is_some_and(changes);
                // A statement reads before it writes.
                let is_late = is_read && is_changed && !matches!(node, Node::Assign(_));
                if is_late || writes(&node, variable) {
                    return false;
                }
                current = current.filter(|_| !is_changed);
                left.push(node);
            }
        }
    }
    *nodes = left;
    true
}

/// Has an element stand for a variable that begins at a place among these nodes, if the variable becomes that element;
/// returns true then.
pub(super) fn place(
    nodes: &mut Vec<Node>,
    first: usize,
    variable: &Ident,
    can_hold: impl Fn(&Ident) -> bool,
) -> bool {
    let reads =
        |at: &usize| matches!(&nodes[*at], Node::Assign(Assignment { value, .. }) if value.reads(variable));
    let last: Vec<usize> = (first + 1..nodes.len()).filter(reads).collect();
    let copies = last.iter().find(|at| is_copy(&nodes[**at], variable));
    let found = copies.into_iter().chain(last.last()).copied().find(|last| {
        matches!(&nodes[*last], Node::Assign(Assignment { target, .. }) if can_hold(&target.array))
            && is_free(nodes, [first, *last], variable)
    });
    let Some(Node::Assign(Assignment { target: element, .. })) = found.map(|last| nodes[last].clone()) else {
        return false;
    };
    let mut place = |access: &mut Access| {
        if access.array == *variable {
            *access = element.clone();
        }
    };
    for node in &mut nodes[first..] {
        for_each_assignment(node, &mut |own| {
            place(&mut own.target);
            own.value.change_loads(&mut place);
        });
    }
    // What becomes itself stays as it is. The last comes first, as it is behind the other.
    for at in found.into_iter().chain([first]) {
        if is_copy_of_itself(&nodes[at]) {
            nodes.remove(at);
        }
    }
    true
}

/// The assignments that these nodes are, what a condition asks for last: then it is the same for all of them. None: there
/// is another node, or the order matters.
pub(super) fn ordered<'a>(nodes: &'a [Node], asked: &Value) -> Option<Vec<&'a Assignment>> {
    let all: Option<Vec<&Assignment>> = nodes
        .iter()
        .map(|node| match node {
            Node::Assign(assignment) => Some(assignment),
            _ => None,
        })
        .collect();
    let mut all = all?;
    let changes = |one: &&Assignment| asked.reads(&one.target.array);
    let Some(place) = all.iter().position(changes) else { return Some(all) };
    let last = all.remove(place);
    let touches_last = |one: &&Assignment| {
        let (own, other) = (&one.target.array, &last.target.array);
        own == other || one.value.reads(other) || last.value.reads(own)
    };
    let is_free = !all[place..].iter().any(touches_last) && !all.iter().any(changes);
    all.push(last);
    is_free.then_some(all)
}

/// Returns true where an element that a variable becomes is not in use while the variable is.
fn is_free(nodes: &[Node], [first, last]: [usize; 2], variable: &Ident) -> bool {
    let Node::Assign(Assignment { target: element, operation: None, value }) = &nodes[last] else {
        return false;
    };
    let mut is_read = false;
    value.for_each_load(&mut |read| is_read |= may_be_same(read, element));
    let behind = &nodes[last + 1..];
    let is_over = if is_copy(&nodes[last], variable) {
        !behind.iter().any(|node| may_write(node, element))
            && !behind.iter().any(|node| writes(node, variable))
    } else {
        !behind.iter().any(|node| touches(node, variable))
    };
    element.array != *variable
        && !is_read
        && is_over
        && !nodes[first + 1..last].iter().any(|node| may_touch(node, element))
}

/// Returns true for `element = variable`.
fn is_copy(node: &Node, variable: &Ident) -> bool {
    let Node::Assign(Assignment { operation: None, value: Value::Load(read), .. }) = node else {
        return false;
    };
    read.array == *variable
}

fn is_copy_of_itself(node: &Node) -> bool {
    match node {
        Node::Assign(Assignment { target, operation: None, value: Value::Load(read) }) => {
            is_equal(target, read)
        }
        _ => false,
    }
}

/// Returns true where two elements are the same one.
pub(super) fn is_equal(one: &Access, other: &Access) -> bool {
    is_same(&one.array, &other.array) && distances(one, other).all(|own| own.is_some_and(|own| own.is_zero()))
}

/// Returns true where two elements may be the same one: not those of one array of which a subscript differs by a number.
fn may_be_same(one: &Access, other: &Access) -> bool {
    let differs = |distance: Option<Polynomial>| {
        let distance = distance.and_then(|distance| distance.affine());
        distance.is_some_and(|distance| distance.terms.is_empty() && distance.constant != 0)
    };
    is_same(&one.array, &other.array) && !distances(one, other).any(differs)
}

/// How far two elements of an array are apart along each dimension. None: it is too far to say.
fn distances(one: &Access, other: &Access) -> impl Iterator<Item = Option<Polynomial>> {
    one.subscripts
        .iter()
        .zip(&other.subscripts)
        .map(|(one, other)| Polynomial::from(one.clone()).plus(&Polynomial::from(other.clone()), -1))
}

fn may_write(node: &Node, element: &Access) -> bool {
    any_assignment(node, &mut |assignment| may_be_same(&assignment.target, element))
}

fn may_touch(node: &Node, element: &Access) -> bool {
    any_assignment(node, &mut |assignment| {
        let mut is_read = false;
        assignment.value.for_each_load(&mut |read| is_read |= may_be_same(read, element));
        is_read || may_be_same(&assignment.target, element)
    })
}

fn touches(node: &Node, array: &Ident) -> bool {
    any_assignment(node, &mut |assignment| {
        is_same(&assignment.target.array, array) || assignment.value.reads(array)
    })
}

/// Returns true where it reads elements of an array, also to change them.
fn reads(node: &Node, array: &Ident) -> bool {
    any_assignment(node, &mut |assignment| {
        let is_changed = assignment.operation.is_some() && is_same(&assignment.target.array, array);
        is_changed || assignment.value.reads(array)
    })
}

fn writes(node: &Node, array: &Ident) -> bool {
    any_assignment(node, &mut |assignment| is_same(&assignment.target.array, array))
}

fn any_assignment(node: &Node, is: &mut dyn FnMut(&Assignment) -> bool) -> bool {
    match node {
        Node::Loop(repeated) => repeated.body.iter().any(|node| any_assignment(node, is)),
        Node::If(_, body) => body.iter().any(|node| any_assignment(node, is)),
        Node::Assign(assignment) => is(assignment),
    }
}

fn for_each_assignment(node: &mut Node, change: &mut dyn FnMut(&mut Assignment)) {
    match node {
        Node::Loop(repeated) => repeated.body.iter_mut().for_each(|node| for_each_assignment(node, change)),
        Node::If(_, body) => body.iter_mut().for_each(|node| for_each_assignment(node, change)),
        Node::Assign(assignment) => change(assignment),
    }
}

#[cfg(test)]
mod tests;
