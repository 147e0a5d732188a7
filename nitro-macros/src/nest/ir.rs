//! What was meant: arguments, loops, statements and values, free of mistakes.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{ItemFn, Path};

/// A function as a nest.
pub struct Nest {
    /// What the attribute says.
    pub options: Options,
    /// The function as written.
    pub function: ItemFn,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// What it does.
    pub body: Vec<Node>,
}

/// What the attribute says.
pub struct Options {
    /// Where generated code finds the crate `nitro_nest`.
    pub krate: Path,
    /// Whether sums may be added up in another order.
    pub reassociates: bool,
}

/// An argument.
pub struct Argument {
    /// Its name, that of no other argument.
    pub name: Ident,
    /// What it is.
    pub kind: Kind,
}

/// What an argument is.
pub enum Kind {
    /// `usize`
    Parameter,
    /// `f32`
    Scalar,
    /// An array of single precision.
    Array(Array),
}

/// An array argument.
#[derive(Clone)]
pub struct Array {
    /// The extent of each dimension.
    pub shape: Vec<Affine>,
    /// Whether it is `&mut`.
    pub is_written: bool,
    /// Whether it is a slice, with subscripts `[i]`; others have `[[i, j]]`.
    pub is_slice: bool,
}

/// A part of a function.
pub enum Node {
    /// `for`
    Loop(Loop),
    /// `if`
    If(Vec<Condition>, Vec<Node>),
    /// An assignment, plain or with an operation.
    Assign(Assignment),
}

/// A loop.
pub struct Loop {
    /// Its iterator.
    pub iterator: Ident,
    /// The iterator is at least each of these.
    pub lower: Vec<Affine>,
    /// The iterator is below each of these.
    pub upper: Vec<Affine>,
    /// `step_by`
    pub step: i64,
    /// `rev`
    pub is_reversed: bool,
    /// What it repeats.
    pub body: Vec<Node>,
}

/// A comparison of integers.
pub struct Condition {
    /// The variant of `Relation`.
    pub relation: &'static str,
    /// What is compared.
    pub left: Affine,
    /// What it is compared with.
    pub right: Affine,
}

/// An assignment.
pub struct Assignment {
    /// What is written.
    pub target: Access,
    /// The method of the operator's trait in `+=` and its like.
    pub operation: Option<Operation>,
    /// The value.
    pub value: Value,
}

/// An element.
#[derive(Clone)]
pub struct Access {
    /// The array.
    pub array: Ident,
    /// The subscripts.
    pub subscripts: Vec<Affine>,
}

/// A sum of multiples of parameters and iterators, and a constant.
#[derive(Clone, Default)]
pub struct Affine {
    /// Variables with their coefficients; one may occur several times.
    pub terms: Vec<(Ident, i64)>,
    /// What is added.
    pub constant: i64,
}

/// `+`, `-`, `*`, `/`
#[derive(Clone, Copy)]
pub enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// A value of single precision.
#[derive(Clone)]
pub enum Value {
    /// A literal.
    Constant(f32),
    /// A scalar argument.
    Scalar(Ident),
    /// An integer as a number.
    Integer(Affine),
    /// An element.
    Load(Access),
    /// `-x`
    Negate(Box<Value>),
    /// `x.method(..)`: the name of the method, which `Expression` has too.
    Method(&'static str, Vec<Value>),
    /// An operation.
    Binary(Operation, Box<[Value; 2]>),
    /// The variant of `Relation`; left, right, then, otherwise.
    Select(&'static str, Box<[Value; 4]>),
}

impl Value {
    /// Whether it reads an element of this array.
    pub fn reads(&self, array: &Ident) -> bool {
        let any = |parts: &[Value]| parts.iter().any(|part| part.reads(array));
        match self {
            Value::Constant(_) | Value::Scalar(_) | Value::Integer(_) => false,
            Value::Load(access) => is_same(&access.array, array),
            Value::Negate(operand) => operand.reads(array),
            Value::Method(_, parts) => any(parts),
            Value::Binary(_, parts) => any(&parts[..]),
            Value::Select(_, parts) => any(&parts[..]),
        }
    }
}

/// Whether two identifiers are one name, which may be written raw.
pub fn is_same(left: &Ident, right: &Ident) -> bool {
    left.unraw() == right.unraw()
}
