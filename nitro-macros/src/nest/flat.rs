//! Slices that have several dimensions: a place such as `i * m + j` is read as one in each dimension.
//!
//! The subscript is divided by the strides, which are products of extents. Parts but the first have to be within the
//! extents of their dimensions, wherever the element is touched: then no other parts give the same place, and elements
//! of different subscripts are different ones, as dependences take them to be. What is not known to be within is
//! refused. The first part may be beyond its extent: then the place is beyond the slice, too.

use proc_macro2::Ident;
use syn::{Expr, Result};

use super::elements::subscript;
use super::integers::BEYOND;
use super::ir::{Affine, Array, Subscript};
use super::polynomial::{Factor, Polynomial, polynomial};
use super::scope::{Scope, at};

/// Reads the subscript of a slice.
pub(super) fn places(
    written: &Expr,
    array: &Ident,
    declared: &Array,
    scope: &Scope,
) -> Result<Vec<Subscript>> {
    if declared.shape.len() == 1 {
        return one(written, array, scope);
    }
    let extents: Vec<Polynomial> = declared.shape.iter().cloned().map(Polynomial::from).collect();
    let whole = polynomial(written, scope)?;
    let Some(parts) = divided(whole, &extents) else { return at(written, BEYOND) };
    let within = within(parts.clone(), &extents, scope);
    if let Some(part) = within.as_ref().unwrap_or(&parts).iter().find(|part| place_in(part).is_none()) {
        return at(written, scope.facts.quotients.in_words(irregular(array, part, &parts, &extents)));
    }
    let words = |unknown: Unknown| scope.facts.quotients.in_words(unknown.message(array, &parts));
    let parts = within.map_or_else(|unknown| at(written, words(unknown)), Ok)?;
    Ok(parts.iter().filter_map(place_in).collect())
}

/// The place in a dimension: a sum, or an integer of an array alone.
fn place_in(part: &Polynomial) -> Option<Subscript> {
    lone_index(part).or_else(|| part.affine().map(Subscript::Affine))
}

/// Reads the subscript of a slice of one dimension.
fn one(written: &Expr, array: &Ident, scope: &Scope) -> Result<Vec<Subscript>> {
    let read = subscript(written, scope);
    if read.is_err() && polynomial(written, scope).is_ok_and(|sum| sum.affine().is_none() && !sum.has_index())
    {
        return at(
            written,
            format!(
                "`{array}` has one dimension, and this is a place in several: write their extents, the slowest \
                 first, as in `#[shape(n, m)]` for `{array}[i * m + j]`"
            ),
        );
    }
    read.map(|subscript| vec![subscript])
}

/// The parts by the strides, from the outermost dimension on.
fn divided(whole: Polynomial, extents: &[Polynomial]) -> Option<Vec<Polynomial>> {
    let (mut parts, mut rest) = (Vec::new(), whole);
    for at in 1..extents.len() {
        let stride = extents[at..].iter().try_fold(Polynomial::number(1), |all, own| all.times(own))?;
        let [quotient, remainder] = rest.divided(&stride)?;
        parts.push(quotient);
        rest = remainder;
    }
    parts.push(rest);
    Some(parts)
}

/// The parts, of which each but the first is within its extent. A part may be one extent too large or too small: as
/// `i * m + m - 1` divided by `m` is `i + 1`, and `-1` is left.
fn within(
    mut parts: Vec<Polynomial>,
    extents: &[Polynomial],
    scope: &Scope,
) -> std::result::Result<Vec<Polynomial>, Unknown> {
    let mut known = scope.clone();
    // Elements that are touched are those of an array that has some.
    for extent in extents.iter().filter_map(Polynomial::affine) {
        known.facts.note([&extent, &Affine::default()], 1, -1);
    }
    for at in (1..parts.len()).rev() {
        // Whoever reads at such a place looks whether it is one.
        if lone_index(&parts[at]).is_some() {
            continue;
        }
        let carried = [0, 1, -1].into_iter().find_map(|carried| {
            let part = parts[at].clone().plus(&extents[at], carried)?;
            let rest = parts[at - 1].clone().plus(&Polynomial::number(1), -carried)?;
            unknown(&part, &extents[at], &known).is_empty().then_some([rest, part])
        });
        match carried {
            Some([rest, part]) => (parts[at - 1], parts[at]) = (rest, part),
            None => {
                let conditions = unknown(&parts[at], &extents[at], &known);
                return Err(Unknown { part: parts[at].clone(), extent: extents[at].clone(), conditions });
            }
        }
    }
    Ok(parts)
}

/// The conditions on a place in a dimension that do not follow from what is known.
fn unknown(part: &Polynomial, extent: &Polynomial, known: &Scope) -> Vec<String> {
    let bounds = [(Some(part.clone()), ">="), (extent.clone().plus(part, -1), ">")];
    let mut conditions = Vec::new();
    for (sum, relation) in bounds {
        let Some(sum) = sum else { return vec![BEYOND.to_owned()] };
        let least =
            if relation == ">" { sum.clone().plus(&Polynomial::number(1), -1) } else { Some(sum.clone()) };
        if !least.and_then(|least| least.affine()).is_some_and(|least| known.facts.prove(&least)) {
            conditions.push(sum.compared(relation));
        }
    }
    conditions
}

/// A place of which is not known that it is within its dimension.
struct Unknown {
    part: Polynomial,
    extent: Polynomial,
    /// What would have to hold.
    conditions: Vec<String>,
}

impl Unknown {
    fn message(&self, array: &Ident, parts: &[Polynomial]) -> String {
        let Unknown { part, extent, conditions } = self;
        let (place, conditions) = (joined(parts), conditions.join(" && "));
        format!(
            "this is the place `[{place}]` of `{array}`, and nothing says that `{part}` is within `0..{extent}`: write \
             loops and the shape by the same sizes, or `if {conditions}` around it"
        )
    }
}

fn irregular(array: &Ident, part: &Polynomial, parts: &[Polynomial], extents: &[Polynomial]) -> String {
    if part.has_index() {
        return format!(
            "this is the place `[{}]` of `{array}`, where an integer of an array stands alone as a subscript: have \
             sums in the array",
            joined(parts)
        );
    }
    format!(
        "`{}` is a step along no dimension of `#[shape({})] {array}`: write the sizes that are factors in its \
         subscripts as extents of the shape, the slowest first",
        part.highest(),
        joined(extents)
    )
}

fn joined(parts: &[Polynomial]) -> String {
    parts.iter().map(Polynomial::to_string).collect::<Vec<_>>().join(", ")
}

/// The integer of an array, where it stands alone.
fn lone_index(part: &Polynomial) -> Option<Subscript> {
    match part.factors()? {
        [Factor::Index(_, access)] => Some(Subscript::Index(access.clone())),
        _ => None,
    }
}

/// An example of a place in a slice with such dimensions.
pub(super) fn example(array: &Array, subscripts: &[&str]) -> String {
    let mut place = subscripts[0].to_owned();
    for (at, subscript) in subscripts.iter().enumerate().skip(1) {
        let extent = Polynomial::from(array.shape[at].clone()).to_string();
        let extent = if extent.contains([' ']) { format!("({extent})") } else { extent };
        let outer = if at == 1 { place } else { format!("({place})") };
        place = format!("{outer} * {extent} + {subscript}");
    }
    place
}
