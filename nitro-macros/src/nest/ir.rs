//! The nest that was meant: arguments, loops, statements and values, free of mistakes.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{ItemFn, Path};

/// A function as a nest.
pub(crate) struct Nest {
    /// The options of the attribute.
    pub options: Options,
    /// The function as written.
    pub function: ItemFn,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
    /// The type of its numbers.
    pub element: Element,
    /// The statements.
    pub body: Vec<Node>,
    /// Variables, which are arrays beside the arguments.
    pub variables: Vec<Variable>,
}

/// A variable: an array with an element for each iteration of the loops around it.
pub(crate) struct Variable {
    /// The name of the array in statements, that of no other.
    pub array: Ident,
    /// The name that was written.
    pub name: Ident,
    /// The extent of each dimension, one a loop.
    pub shape: Vec<Affine>,
}

/// The type of all numbers of a nest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Element {
    #[default]
    F32,
    F64,
}

impl Element {
    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }
}

/// The options of the attribute.
pub(crate) struct Options {
    /// The path to the crate `nitro_nest` in generated code.
    pub krate: Path,
    /// True where sums may be added up in another order.
    pub reassociates: bool,
}

/// An argument.
pub(crate) struct Argument {
    /// Its name, that of no other argument.
    pub name: Ident,
    /// Its kind.
    pub kind: Kind,
}

/// The kind of an argument.
pub(crate) enum Kind {
    /// `usize`
    Parameter,
    /// `f32` or `f64`
    Scalar,
    /// An array of numbers.
    Array(Array),
    /// An array of integers, which is only read.
    Indices(Array),
}

/// An array argument.
#[derive(Clone)]
pub(crate) struct Array {
    /// The extent of each dimension.
    pub shape: Vec<Affine>,
    /// True where it is `&mut`.
    pub is_written: bool,
    /// True where it is a slice, with subscripts `[i]`; others have `[[i, j]]`.
    pub is_slice: bool,
    /// The type of 16 bits that its elements are stored in, if they are not numbers of the nest.
    pub storage: Option<Storage>,
}

/// A type of 16 bits in which arrays are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    F16,
    Bf16,
}

impl Storage {
    /// Its name in Rust.
    pub fn name(self) -> &'static str {
        match self {
            Storage::F16 => "f16",
            Storage::Bf16 => "bf16",
        }
    }

    /// The method of `Expression` that rounds to it.
    pub fn rounding(self) -> &'static str {
        match self {
            Storage::F16 => "round_f16",
            Storage::Bf16 => "round_bf16",
        }
    }
}

/// A part of a function.
#[derive(Clone)]
pub(crate) enum Node {
    /// `for`
    Loop(Loop),
    /// `if`
    If(Vec<Condition>, Vec<Node>),
    /// An assignment, plain or with an operation.
    Assign(Assignment),
}

impl Node {
    /// Returns the number of statements in it.
    pub fn statements(&self) -> usize {
        match self {
            Node::Loop(Loop { body, .. }) | Node::If(_, body) => body.iter().map(Node::statements).sum(),
            Node::Assign(_) => 1,
        }
    }
}

/// A loop.
#[derive(Clone)]
pub(crate) struct Loop {
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
    /// The statements that it repeats.
    pub body: Vec<Node>,
}

/// A comparison of integers.
#[derive(Clone)]
pub(crate) struct Condition {
    /// The variant of `Relation`.
    pub relation: &'static str,
    /// The left side.
    pub left: Affine,
    /// The right side.
    pub right: Affine,
}

/// An assignment.
#[derive(Clone)]
pub(crate) struct Assignment {
    /// The element that is written.
    pub target: Access,
    /// The method of the operator's trait in `+=` and its like.
    pub operation: Option<Operation>,
    /// The value.
    pub value: Value,
}

impl Assignment {
    /// The value that the element becomes.
    pub fn becomes(&self) -> Value {
        match self.operation {
            None => self.value.clone(),
            Some(operation) => {
                Value::Binary(operation, Box::new([Value::Load(self.target.clone()), self.value.clone()]))
            }
        }
    }
}

/// An element.
#[derive(Clone)]
pub(crate) struct Access {
    /// The array.
    pub array: Ident,
    /// The subscripts.
    pub subscripts: Vec<Affine>,
}

/// An element at a place that is not affine.
#[derive(Clone)]
pub(crate) struct Gather {
    /// The array.
    pub array: Ident,
    /// The subscripts.
    pub subscripts: Vec<Subscript>,
}

/// A subscript of a gather.
#[derive(Clone)]
pub(crate) enum Subscript {
    /// A sum.
    Affine(Affine),
    /// A sum with quotients.
    Quasi(Quasi),
    /// An element of an array of integers.
    Index(Access),
}

/// A sum with quotients.
#[derive(Clone)]
pub(crate) struct Quasi {
    /// What has none.
    pub affine: Affine,
    /// The others.
    pub quotients: Vec<Quotient>,
}

/// So many times a quotient, rounded down.
#[derive(Clone)]
pub(crate) struct Quotient {
    /// How many times.
    pub factor: i64,
    /// What is divided; it is not negative.
    pub dividend: Quasi,
    /// A positive number.
    pub divisor: i64,
}

/// A sum of multiples of parameters and iterators, and a constant.
#[derive(Clone, Default)]
pub(crate) struct Affine {
    /// Variables with their coefficients; one may occur several times.
    pub terms: Vec<(Ident, i64)>,
    /// The number that is added.
    pub constant: i64,
}

/// `+`, `-`, `*`, `/`
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

/// A value.
#[derive(Clone)]
pub(crate) enum Value {
    /// A literal, or an infinite number; of single precision where the nest is of that.
    Constant(f64),
    /// A scalar argument.
    Scalar(Ident),
    /// An integer as a number.
    Integer(Affine),
    /// An integer with quotients as a number.
    Quasi(Quasi),
    /// A product of sizes as a number.
    Product(Vec<Ident>),
    /// An element.
    Load(Access),
    /// An element at a place that is not affine; of an array that nothing writes.
    Gather(Gather),
    /// `-x`
    Negate(Box<Value>),
    /// `x.method(..)`: the name of the method, which `Expression` has too.
    Method(&'static str, Vec<Value>),
    /// `x.powi(NUMBER)`
    Power(Box<Value>, i32),
    /// An operation.
    Binary(Operation, Box<[Value; 2]>),
    /// The variant of `Relation`; left, right, then, otherwise.
    Select(&'static str, Box<[Value; 4]>),
}

impl Value {
    /// Returns true where it reads an element of this array.
    pub fn reads(&self, array: &Ident) -> bool {
        match self {
            Value::Load(access) => is_same(&access.array, array),
            _ => self.parts().iter().any(|part| part.reads(array)),
        }
    }

    /// The values that it is made of.
    pub fn parts(&self) -> &[Value] {
        match self {
            Value::Constant(_) | Value::Scalar(_) | Value::Load(_) => &[],
            Value::Integer(_) | Value::Quasi(_) | Value::Product(_) | Value::Gather(_) => &[],
            Value::Negate(operand) | Value::Power(operand, _) => std::slice::from_ref(&**operand),
            Value::Method(_, parts) => parts,
            Value::Binary(_, parts) => &parts[..],
            Value::Select(_, parts) => &parts[..],
        }
    }

    /// Calls for all elements that it reads, but those at places that arrays say, which nothing writes.
    pub fn for_each_load(&self, call: &mut dyn FnMut(&Access)) {
        match self {
            Value::Load(access) => call(access),
            _ => self.parts().iter().for_each(|part| part.for_each_load(call)),
        }
    }

    /// Changes these elements.
    pub fn change_loads(&mut self, change: &mut dyn FnMut(&mut Access)) {
        match self {
            Value::Load(access) => change(access),
            _ => self.parts_mut().iter_mut().for_each(|part| part.change_loads(change)),
        }
    }

    /// Writes a value wherever it reads an element of this array.
    pub fn replace(&mut self, array: &Ident, by: &Value) {
        match self {
            Value::Load(access) if is_same(&access.array, array) => *self = by.clone(),
            _ => self.parts_mut().iter_mut().for_each(|part| part.replace(array, by)),
        }
    }

    /// The number of all its parts, and itself.
    pub fn count(&self) -> usize {
        1 + self.parts().iter().map(Value::count).sum::<usize>()
    }

    fn parts_mut(&mut self) -> &mut [Value] {
        match self {
            Value::Constant(_) | Value::Scalar(_) | Value::Load(_) => &mut [],
            Value::Integer(_) | Value::Quasi(_) | Value::Product(_) | Value::Gather(_) => &mut [],
            Value::Negate(operand) | Value::Power(operand, _) => std::slice::from_mut(&mut **operand),
            Value::Method(_, parts) => parts,
            Value::Binary(_, parts) => &mut parts[..],
            Value::Select(_, parts) => &mut parts[..],
        }
    }
}

/// Returns true where two identifiers are one name, which may be written raw.
pub(crate) fn is_same(left: &Ident, right: &Ident) -> bool {
    left.unraw() == right.unraw()
}
