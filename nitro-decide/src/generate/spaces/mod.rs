//! The kernels that there are spaces of.

mod products;
mod vectors;
mod warps;

use nitro_nest::{Access, Affine, Assignment, Expression, Variable};

/// An element: subscripts are dimensions.
fn at(array: usize, dimensions: &[usize]) -> Access {
    let subscript = |&dimension: &usize| Affine::from(Variable::Iterator(dimension));
    Access { array, subscripts: dimensions.iter().map(subscript).collect() }
}

fn set(target: Access, value: impl Into<Expression>) -> Assignment {
    Assignment { target, value: value.into() }
}
