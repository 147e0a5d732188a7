//! Values: what statements assign.

use std::ops::{Add, Div, Mul, Neg, Sub};

use nitro_launch::Storage;
use serde::{Deserialize, Serialize};

use super::affine::{Affine, Variable};
use super::gather::Gather;
use super::quasi::QuasiAffine;

/// A number, compared bit by bit so that nests can be compared and hashed.
///
/// It has double precision; those of nests in single precision are the same in that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Bits(u64);

impl From<f32> for Bits {
    fn from(value: f32) -> Self {
        f64::from(value).into()
    }
}

impl From<f64> for Bits {
    fn from(value: f64) -> Self {
        Self(value.to_bits())
    }
}

impl From<Bits> for f64 {
    fn from(bits: Bits) -> Self {
        Self::from_bits(bits.0)
    }
}

/// An element of an array.
///
/// ```
/// use nitro_nest::Builder;
///
/// let mut builder = Builder::new("first");
/// let n = builder.parameter("n");
/// let x = builder.input("x", [n.into()]);
/// let access = x.at([n - 1]);
/// assert_eq!(access.subscripts[0].constant(), -1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    /// Index of the array in the nest's list.
    pub array: usize,
    /// One for each dimension, the slowest first.
    pub subscripts: Vec<Affine>,
}

impl Access {
    /// Returns `true` if one of these iterators decides which element it is.
    pub(crate) fn depends_on(&self, iterators: &[usize]) -> bool {
        let mut variables = iterators.iter().map(|iterator| Variable::Iterator(*iterator));
        variables.any(|variable| self.subscripts.iter().any(|subscript| subscript.mentions(variable)))
    }

    /// Returns `true` if each of these iterators decides which element it is.
    pub(crate) fn depends_on_each(&self, iterators: &[usize]) -> bool {
        iterators.iter().all(|iterator| self.depends_on(&[*iterator]))
    }

    /// Puts something in the place of an iterator.
    pub(crate) fn with(&self, iterator: usize, by: &Affine) -> Access {
        let variable = Variable::Iterator(iterator);
        let subscripts = self.subscripts.iter().map(|subscript| subscript.substitute(variable, by)).collect();
        Access { array: self.array, subscripts }
    }

    /// Returns the element so far behind it along the last dimension.
    pub(crate) fn neighbour(&self, distance: impl Into<Affine>) -> Access {
        self.behind(0, distance)
    }

    /// Returns the element so far behind it along a dimension, of which the last one is 0, that before it 1.
    pub(crate) fn behind(&self, dimension: usize, distance: impl Into<Affine>) -> Access {
        let mut element = self.clone();
        if let Some(subscript) = element.subscripts.iter_mut().rev().nth(dimension) {
            *subscript = subscript.clone() + distance;
        }
        element
    }
}

/// Operations on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    /// `-x`
    Negate,
    /// `x.sqrt()`
    SquareRoot,
    /// `x.abs()`
    Absolute,
    /// `x.exp()`
    Exponential,
    /// `x.ln()`
    Logarithm,
    /// `x.tanh()`
    HyperbolicTangent,
    /// `x.sin()`
    Sine,
    /// `x.cos()`
    Cosine,
    /// The nearest number of half precision, `f16`; ties to even
    RoundF16,
    /// The nearest `bf16`; ties to even
    RoundBf16,
}

impl Unary {
    /// Returns `true` for functions whose last bits a library chooses: a GPU's may differ from the host's.
    #[must_use]
    pub fn is_of_library(self) -> bool {
        !matches!(self, Self::Negate | Self::SquareRoot | Self::Absolute) && self.storage().is_none()
    }

    /// Returns the form that it rounds to, if it does nothing else.
    pub(crate) fn storage(self) -> Option<Storage> {
        match self {
            Self::RoundF16 => Some(Storage::F16),
            Self::RoundBf16 => Some(Storage::Bf16),
            _ => None,
        }
    }
}

/// Operations on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    /// `x + y`
    Add,
    /// `x - y`
    Subtract,
    /// `x * y`
    Multiply,
    /// `x / y`
    Divide,
    /// `x.min(y)`; of two zeros either, as in Rust
    Minimum,
    /// `x.max(y)`; of two zeros either, as in Rust
    Maximum,
}

/// A comparison of two values or integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
}

impl Relation {
    /// Returns `true` if it holds between these two.
    pub fn holds<T: PartialOrd>(self, left: &T, right: &T) -> bool {
        match self {
            Relation::Less => left < right,
            Relation::LessOrEqual => left <= right,
            Relation::Greater => left > right,
            Relation::GreaterOrEqual => left >= right,
            Relation::Equal => left == right,
        }
    }
}

/// A value, in the precision of the nest. Sums and products are written with the operators of Rust.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expression {
    /// A number.
    Constant(Bits),
    /// A scalar argument: its index in the nest's list.
    Scalar(usize),
    /// An integer as a number.
    Integer(Affine),
    /// An integer with quotients as a number.
    Quasi(Box<QuasiAffine>),
    /// An element.
    Load(Access),
    /// An element of an array that nothing writes, at a place that is not affine.
    Gather(Box<Gather>),
    /// An operation on one value.
    Unary(Unary, Box<Expression>),
    /// An operation on two values.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// `x.mul_add(y, z)`: a product and a sum, rounded once
    Fused(Box<[Expression; 3]>),
    /// `if left < right { then } else { otherwise }`, between values
    Select(Box<Select>),
}

/// The parts of a choice between two values by comparing two others.
///
/// The value that is not chosen is not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Select {
    /// The comparison of `left` and `right`.
    pub relation: Relation,
    /// The left side.
    pub left: Expression,
    /// The right side.
    pub right: Expression,
    /// The value where that holds.
    pub then: Expression,
    /// The value where it does not.
    pub otherwise: Expression,
}

impl Expression {
    /// Returns a number in double precision, for nests of such.
    #[must_use]
    pub fn double(value: f64) -> Self {
        Self::Constant(value.into())
    }

    /// Returns the square root, rounded as IEEE 754 says.
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self::Unary(Unary::SquareRoot, Box::new(self))
    }

    /// Returns the absolute value.
    #[must_use]
    pub fn abs(self) -> Self {
        Self::Unary(Unary::Absolute, Box::new(self))
    }

    /// Returns *e* to the power of this.
    ///
    /// The function of the host's library and that of a GPU differ in the last bits, here and in
    /// [`ln`](Self::ln), [`tanh`](Self::tanh), [`sin`](Self::sin) and [`cos`](Self::cos).
    #[must_use]
    pub fn exp(self) -> Self {
        Self::Unary(Unary::Exponential, Box::new(self))
    }

    /// Returns the natural logarithm.
    #[must_use]
    pub fn ln(self) -> Self {
        Self::Unary(Unary::Logarithm, Box::new(self))
    }

    /// Returns the hyperbolic tangent.
    #[must_use]
    pub fn tanh(self) -> Self {
        Self::Unary(Unary::HyperbolicTangent, Box::new(self))
    }

    /// Returns the sine.
    #[must_use]
    pub fn sin(self) -> Self {
        Self::Unary(Unary::Sine, Box::new(self))
    }

    /// Returns the cosine.
    #[must_use]
    pub fn cos(self) -> Self {
        Self::Unary(Unary::Cosine, Box::new(self))
    }

    /// Returns the nearest number of half precision, as arrays of such store it.
    #[must_use]
    pub fn round_f16(self) -> Self {
        Self::Unary(Unary::RoundF16, Box::new(self))
    }

    /// Returns the nearest `bf16`, as arrays of such store it.
    #[must_use]
    pub fn round_bf16(self) -> Self {
        Self::Unary(Unary::RoundBf16, Box::new(self))
    }

    /// Returns `1.0 / self`.
    #[must_use]
    pub fn recip(self) -> Self {
        Self::from(1.0) / self
    }

    /// Returns a power as products, in the order of `f32::powi`: from the exponent's lowest bit on, the power of
    /// that bit is multiplied to the result, and becomes its own square. A negative one is `1.0 / power`.
    ///
    /// ```
    /// use nitro_nest::Builder;
    ///
    /// let mut builder = Builder::new("powers");
    /// let x = builder.scalar("x");
    /// let y = builder.in_out("y", []);
    /// builder.assign(y.at::<i64>([]), x.powi(-5));
    /// assert!(builder.finish()?.to_string().contains("y = 1.0 / (x * ((x * x) * (x * x)));"));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    ///
    /// # Panics
    /// When the exponent is beyond [`MAX_EXPONENT`](Self::MAX_EXPONENT).
    #[must_use]
    pub fn powi(self, exponent: i32) -> Self {
        let mut left = exponent.unsigned_abs();
        assert!(left <= Self::MAX_EXPONENT, "the exponent {exponent} is beyond {}", Self::MAX_EXPONENT);
        let (mut square, mut power) = (self, None);
        loop {
            if left % 2 == 1 {
                power = Some(match power {
                    None => square.clone(),
                    Some(power) => Self::Binary(Binary::Multiply, Box::new(power), Box::new(square.clone())),
                });
            }
            left /= 2;
            if left == 0 {
                break;
            }
            square = square.clone() * square;
        }
        let power = power.unwrap_or_else(|| Self::from(1.0));
        if exponent < 0 { power.recip() } else { power }
    }

    /// The largest exponent of [`powi`](Self::powi), and the smallest one negated: the base is written as often.
    pub const MAX_EXPONENT: u32 = 32;

    /// Returns `self * factor + summand`, rounded once.
    ///
    /// Repeated it is no sum that may be added up in another order.
    #[must_use]
    pub fn mul_add(self, factor: impl Into<Self>, summand: impl Into<Self>) -> Self {
        Self::Fused(Box::new([self, factor.into(), summand.into()]))
    }

    /// Returns the smaller of two values; the other one where one is not a number.
    #[must_use]
    pub fn min(self, other: impl Into<Self>) -> Self {
        Self::Binary(Binary::Minimum, Box::new(self), Box::new(other.into()))
    }

    /// Returns the larger of two values; the other one where one is not a number.
    #[must_use]
    pub fn max(self, other: impl Into<Self>) -> Self {
        Self::Binary(Binary::Maximum, Box::new(self), Box::new(other.into()))
    }

    /// Returns `then` where `left` and `right` compare so, else `otherwise`.
    ///
    /// ```
    /// use nitro_nest::{Builder, Expression, Relation};
    ///
    /// let mut builder = Builder::new("relu");
    /// let x = builder.in_out("x", []);
    /// let value = || Expression::from(x.at::<i64>([]));
    /// let zero = || Expression::from(0.0);
    /// let relu = Expression::select(Relation::Less, [value(), zero()], [zero(), value()]);
    /// builder.assign(x.at::<i64>([]), relu.max(0.0));
    /// assert!(builder.finish()?.to_string().contains("x = max((if x < 0.0 { 0.0 } else { x }), 0.0);"));
    /// # Ok::<(), nitro_nest::NestError>(())
    /// ```
    #[must_use]
    pub fn select(relation: Relation, [left, right]: [Self; 2], [then, otherwise]: [Self; 2]) -> Self {
        Self::Select(Box::new(Select { relation, left, right, then, otherwise }))
    }

    /// Returns the elements that it reads, from left to right, but for [`gathers`](Self::gathers).
    #[must_use]
    pub fn reads(&self) -> Vec<&Access> {
        let mut reads = Vec::new();
        self.visit(&mut |expression| {
            if let Self::Load(access) = expression {
                reads.push(access);
            }
        });
        reads
    }

    /// Returns the gathers in it, from left to right.
    #[must_use]
    pub fn gathers(&self) -> Vec<&Gather> {
        let mut found = Vec::new();
        self.visit(&mut |part| {
            if let Self::Gather(gather) = part {
                found.push(&**gather);
            }
        });
        found
    }

    /// Reads other elements in the place of those that it reads.
    pub fn map_loads(&mut self, by: &dyn Fn(Access) -> Access) {
        if let Self::Load(access) = self {
            *access = by(access.clone());
        }
        self.parts_mut().into_iter().for_each(|part| part.map_loads(by));
    }

    /// Changes all integers in it: subscripts and values.
    pub(crate) fn map_integers(&mut self, by: &dyn Fn(&Affine) -> Affine) {
        match self {
            Self::Load(access) => {
                access.subscripts.iter_mut().for_each(|subscript| *subscript = by(subscript))
            }
            Self::Integer(value) => *value = by(value),
            Self::Quasi(value) => value.integers_mut().into_iter().for_each(|one| *one = by(one)),
            Self::Gather(gather) => gather.integers_mut().into_iter().for_each(|one| *one = by(one)),
            _ => self.parts_mut().into_iter().for_each(|part| part.map_integers(by)),
        }
    }

    /// Calls `visitor` with the expression and all in it, from left to right.
    pub fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Self)) {
        visitor(self);
        self.parts().into_iter().for_each(|part| part.visit(visitor));
    }

    /// Returns the values that it is made of, from left to right.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Constant(_) | Self::Scalar(_) | Self::Integer(_) | Self::Quasi(_) => Vec::new(),
            Self::Load(_) | Self::Gather(_) => Vec::new(),
            Self::Unary(_, operand) => vec![operand],
            Self::Binary(_, left, right) => vec![left, right],
            Self::Fused(parts) => parts.iter().collect(),
            Self::Select(select) => {
                let Select { left, right, then, otherwise, .. } = &**select;
                vec![left, right, then, otherwise]
            }
        }
    }

    /// Returns its [`parts`](Self::parts), to be changed.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Constant(_) | Self::Scalar(_) | Self::Integer(_) | Self::Quasi(_) => Vec::new(),
            Self::Load(_) | Self::Gather(_) => Vec::new(),
            Self::Unary(_, operand) => vec![operand],
            Self::Binary(_, left, right) => vec![left, right],
            Self::Fused(parts) => parts.iter_mut().collect(),
            Self::Select(select) => {
                let Select { left, right, then, otherwise, .. } = &mut **select;
                vec![left, right, then, otherwise]
            }
        }
    }
}

impl From<f32> for Expression {
    fn from(value: f32) -> Self {
        Self::Constant(value.into())
    }
}

impl From<Access> for Expression {
    fn from(access: Access) -> Self {
        Self::Load(access)
    }
}

impl From<Gather> for Expression {
    fn from(gather: Gather) -> Self {
        Self::Gather(Box::new(gather))
    }
}

impl From<Affine> for Expression {
    fn from(value: Affine) -> Self {
        Self::Integer(value)
    }
}

impl From<QuasiAffine> for Expression {
    fn from(value: QuasiAffine) -> Self {
        Self::Quasi(Box::new(value))
    }
}

impl From<Variable> for Expression {
    fn from(value: Variable) -> Self {
        Self::Integer(value.into())
    }
}

/// `expression OP x` and `access OP x` for anything that is an expression.
macro_rules! arithmetic {
    ($($operator:ident $method:ident $binary:ident),*) => {$(
        impl<T: Into<Expression>> $operator<T> for Expression {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                Expression::Binary(Binary::$binary, Box::new(self), Box::new(other.into()))
            }
        }

        impl<T: Into<Expression>> $operator<T> for Access {
            type Output = Expression;

            fn $method(self, other: T) -> Expression {
                Expression::from(self).$method(other)
            }
        }
    )*};
}

arithmetic!(Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide);

impl Neg for Expression {
    type Output = Expression;

    fn neg(self) -> Expression {
        Self::Unary(Unary::Negate, Box::new(self))
    }
}
