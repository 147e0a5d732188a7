//! The rules that every nest fulfils. Each is one function, named after what it demands.

use super::affine::{Affine, Variable};
use super::expression::{Access, Expression};
use super::gather::{Gather, Subscript};
use super::{ArrayDeclaration, Assignment, Nest, Node, Range};

type Checked = Result<(), String>;

/// Checks all rules; the error is the first that is broken.
pub fn check(nest: &Nest) -> Checked {
    names_are_identifiers(nest)?;
    names_are_different(nest)?;
    shapes_are_of_parameters(nest)?;
    nest.body.iter().try_for_each(|node| node_is_sound(nest, node, &mut Vec::new()))
}

/// Names become names in CUDA.
fn names_are_identifiers(nest: &Nest) -> Checked {
    for name in nest.names().chain([&nest.name]) {
        let mut letters = name.chars();
        let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
        if !begins || !letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_') {
            return Err(format!("{name:?} is no name: write it with the letters a to z, digits and `_`"));
        }
    }
    Ok(())
}

/// Arguments are told apart by their names; an iterator hides none of them.
fn names_are_different(nest: &Nest) -> Checked {
    let mut arguments: Vec<&String> = nest.names().collect();
    arguments.truncate(arguments.len() - nest.iterators.len());
    if let Some(iterator) = nest.iterators.iter().find(|iterator| arguments.contains(iterator)) {
        return Err(format!("the iterator `{iterator}` has the name of an argument"));
    }
    arguments.sort_unstable();
    match arguments.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("two arguments are called `{}`", pair[0])),
        None => Ok(()),
    }
}

fn shapes_are_of_parameters(nest: &Nest) -> Checked {
    let arrays = nest.arrays.iter().map(|array| (&array.name, &array.shape));
    for (name, shape) in arrays.chain(nest.indices.iter().map(|array| (&array.name, &array.shape))) {
        for (variable, _) in shape.iter().flat_map(Affine::terms) {
            if !matches!(variable, Variable::Parameter(index) if *index < nest.parameters.len()) {
                return Err(format!("the shape of `{name}` is not of parameters alone"));
            }
        }
    }
    Ok(())
}

fn node_is_sound(nest: &Nest, node: &Node, around: &mut Vec<usize>) -> Checked {
    match node {
        Node::Loop(range, body) => {
            range_is_sound(nest, range, around)?;
            around.push(range.iterator);
            body.iter().try_for_each(|node| node_is_sound(nest, node, around))?;
            around.pop();
            Ok(())
        }
        Node::If(conditions, body) => {
            for condition in conditions {
                [&condition.left, &condition.right]
                    .into_iter()
                    .try_for_each(|side| is_in_scope(nest, side, around))?;
            }
            body.iter().try_for_each(|node| node_is_sound(nest, node, around))
        }
        Node::Assign(assignment) => assignment_is_sound(nest, assignment, around),
    }
}

fn range_is_sound(nest: &Nest, range: &Range, around: &[usize]) -> Checked {
    let name = nest.iterators.get(range.iterator).ok_or("a loop has no iterator")?;
    if around.iter().any(|outer| nest.iterators[*outer] == *name) {
        return Err(format!("two loops around one another have the iterator `{name}`"));
    }
    if range.lower.is_empty() || range.upper.is_empty() {
        return Err(format!("the loop over `{name}` lacks a bound"));
    }
    if range.step < 1 || (range.step != 1 && (range.is_reversed || range.lower.len() != 1)) {
        return Err(format!(
            "the step of the loop over `{name}` is {}: it is 1, or more with one lower bound and forwards",
            range.step
        ));
    }
    range.lower.iter().chain(&range.upper).try_for_each(|bound| is_in_scope(nest, bound, around))
}

fn assignment_is_sound(nest: &Nest, assignment: &Assignment, around: &[usize]) -> Checked {
    access_is_sound(nest, &assignment.target, around)?;
    let target = &nest.arrays[assignment.target.array];
    if !target.is_written {
        return Err(format!("`{}` is an input and is written", target.name));
    }
    if !target.storage.is_number() && !is_rounded(nest, target, &assignment.value) {
        let name = target.storage.name(nest.element);
        return Err(format!(
            "`{}` is stored in `{name}`: round what it becomes by `round_{name}`",
            target.name
        ));
    }
    let mut checked = Ok(());
    assignment.value.visit(&mut |part| {
        if checked.is_ok() {
            checked = part_is_sound(nest, part, around);
        }
    });
    checked
}

fn part_is_sound(nest: &Nest, part: &Expression, around: &[usize]) -> Checked {
    match part {
        Expression::Scalar(index) if *index >= nest.scalars.len() => {
            Err(format!("there is no scalar {index}"))
        }
        Expression::Constant(bits) if nest.element.is_single() && !is_single((*bits).into()) => {
            Err(format!("{:?} is no number of single precision", f64::from(*bits)))
        }
        Expression::Integer(affine) => is_in_scope(nest, affine, around),
        Expression::Quasi(quasi) => {
            quasi.integers().into_iter().try_for_each(|integer| is_in_scope(nest, integer, around))
        }
        Expression::Load(access) => access_is_sound(nest, access, around),
        Expression::Gather(gather) => gather_is_sound(nest, gather, around),
        _ => Ok(()),
    }
}

/// Returns `true` if an array has a value as it is: what is stored in 16 bits was rounded to that.
fn is_rounded(nest: &Nest, target: &ArrayDeclaration, value: &Expression) -> bool {
    let rounds =
        matches!(value, Expression::Unary(operator, _) if operator.storage() == Some(target.storage));
    rounds && nest.element.is_single()
}

/// Returns `true` if single precision has the number.
fn is_single(value: f64) -> bool {
    value.is_nan() || f64::from(value as f32) == value
}

fn access_is_sound(nest: &Nest, access: &Access, around: &[usize]) -> Checked {
    let array = nest.arrays.get(access.array).ok_or_else(|| format!("there is no array {}", access.array))?;
    dimensions_agree(&array.name, array.shape.len(), access.subscripts.len())?;
    access.subscripts.iter().try_for_each(|subscript| is_in_scope(nest, subscript, around))
}

/// Which statement would have to come first is not known of an array that is written.
fn gather_is_sound(nest: &Nest, gather: &Gather, around: &[usize]) -> Checked {
    let array = nest.arrays.get(gather.array).ok_or_else(|| format!("there is no array {}", gather.array))?;
    if array.is_written {
        return Err(format!(
            "`{}` is read at a place that is not affine, so that nothing may write it: declare it as an input",
            array.name
        ));
    }
    dimensions_agree(&array.name, array.shape.len(), gather.subscripts.len())?;
    for subscript in &gather.subscripts {
        if let Subscript::Index(index) = subscript {
            let found = nest.indices.get(index.indices);
            let found = found.ok_or_else(|| format!("there is no array {} of integers", index.indices))?;
            dimensions_agree(&found.name, found.shape.len(), index.subscripts.len())?;
        }
    }
    gather.integers().into_iter().try_for_each(|integer| is_in_scope(nest, integer, around))
}

fn dimensions_agree(name: &str, dimensions: usize, subscripts: usize) -> Checked {
    if subscripts == dimensions {
        return Ok(());
    }
    Err(format!("`{name}` has {dimensions} dimensions and is given {subscripts} subscripts"))
}

fn is_in_scope(nest: &Nest, affine: &Affine, around: &[usize]) -> Checked {
    for (variable, _) in affine.terms() {
        match variable {
            Variable::Parameter(index) if *index < nest.parameters.len() => {}
            Variable::Iterator(index) if around.contains(index) => {}
            Variable::Iterator(index) => {
                let name = nest.iterators.get(*index).map_or("?", String::as_str);
                return Err(format!("the iterator `{name}` is used outside of its loop"));
            }
            _ => return Err(format!("{variable:?} is no variable of this nest")),
        }
    }
    Ok(())
}
