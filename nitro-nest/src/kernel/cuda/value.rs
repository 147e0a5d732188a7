//! Values and elements in CUDA C++.

use nitro_launch::Element;

use super::Writer;
use crate::kernel::bytes_of;
use crate::nest::affine::Affine;
use crate::nest::display::{self, Names};
use crate::nest::expression::{Access, Binary, Expression, Select, Unary};
use crate::nest::gather::{Gather, Subscript};

impl Writer<'_> {
    /// Writes an element: arrays of the nest are flat; those of the kernel have the subscripts of C.
    pub(super) fn access(&self, access: &Access) -> String {
        let name = self.names.array(access.array);
        let subscripts = self.integers(&access.subscripts);
        let Some(local) = access.array.checked_sub(self.program.nest.arrays.len()) else {
            return self.flat(name, &self.program.nest.arrays[access.array].shape, subscripts);
        };
        let mut subscripts: Vec<String> = subscripts.collect();
        let declared = &self.kernel.locals[local];
        if declared.is_swizzled
            && let [.., row, last] = &mut subscripts[..]
        {
            let of_16_bytes = 16 / bytes_of(declared.storage, self.element());
            *last = format!("({last}) ^ (({row}) % 8 * {of_16_bytes})");
        }
        name.to_owned() + &subscripts.iter().map(|one| format!("[{one}]")).collect::<String>()
    }

    fn integers(&self, all: &[Affine]) -> impl Iterator<Item = String> {
        all.iter().map(|one| display::affine(&self.names, one))
    }

    /// Writes an element of an array of this shape.
    fn flat(&self, name: &str, shape: &[Affine], mut subscripts: impl Iterator<Item = String>) -> String {
        let first = subscripts.next().unwrap_or_else(|| "0".to_owned());
        let extents = shape.iter().skip(1).map(|extent| display::affine(&self.names, extent));
        let flat = subscripts.zip(extents).fold(first, |flat, (subscript, extent)| {
            format!("{} * {} + {subscript}", display::factor(&flat), display::factor(&extent))
        });
        format!("{name}[{flat}]")
    }

    /// Writes an element at a place that is not affine.
    fn gather(&self, gather: &Gather) -> String {
        let nest = &self.program.nest;
        let subscripts = gather.subscripts.iter().map(|subscript| match subscript {
            Subscript::Affine(affine) => display::affine(&self.names, affine),
            Subscript::Quasi(quasi) => display::quasi(&self.names, quasi),
            Subscript::Index(index) => {
                let (name, shape) = (self.names.indices(index.indices), &nest.indices[index.indices].shape);
                format!("({}){}", self.integer, self.flat(name, shape, self.integers(&index.subscripts)))
            }
        });
        self.flat(self.names.array(gather.array), &nest.arrays[gather.array].shape, subscripts)
    }

    pub(super) fn value(&self, value: &Expression) -> String {
        match value {
            Expression::Constant(bits) => number(self.element(), (*bits).into()),
            Expression::Scalar(index) => self.names.scalar(*index).to_owned(),
            Expression::Integer(integer) => {
                format!("({})({})", self.number(), display::affine(&self.names, integer))
            }
            Expression::Quasi(integer) => {
                format!("({})({})", self.number(), display::quasi(&self.names, integer))
            }
            Expression::Load(access) => self.load(access.array, self.access(access)),
            Expression::Gather(gather) => self.load(gather.array, self.gather(gather)),
            Expression::Unary(operator, operand) => {
                format!("{}({})", function(self.element(), *operator), self.value(operand))
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Fused(parts) => {
                let [left, right, summand] = [0, 1, 2].map(|part| self.value(&parts[part]));
                format!("{}({left}, {right}, {summand})", of_type(self.element(), "fma"))
            }
            Expression::Select(select) => {
                let Select { relation, left, right, then, otherwise } = &**select;
                let [then, otherwise] = [then, otherwise].map(|part| self.value(part));
                let [left, right] = match left {
                    // An integer has its sign in any type.
                    Expression::Integer(integer) if *right == Expression::from(0.0) => {
                        [display::affine(&self.names, integer), "0".to_owned()]
                    }
                    Expression::Quasi(integer) if *right == Expression::from(0.0) => {
                        [display::quasi(&self.names, integer), "0".to_owned()]
                    }
                    _ => [left, right].map(|part| self.value(part)),
                };
                format!("(({left}) {} ({right}) ? ({then}) : ({otherwise}))", display::relation(*relation))
            }
        }
    }

    fn binary(&self, operator: Binary, left: &Expression, right: &Expression) -> String {
        let is_function = matches!(operator, Binary::Minimum | Binary::Maximum);
        let [left, right] = [left, right].map(|side| match side {
            Expression::Binary(..) | Expression::Unary(..) if !is_function => {
                format!("({})", self.value(side))
            }
            _ => self.value(side),
        });
        operation(self.element(), operator, &left, &right)
    }
}

/// Writes an operation on two values.
pub(super) fn operation(element: Element, operator: Binary, left: &str, right: &str) -> String {
    match operator {
        Binary::Minimum => format!("{}({left}, {right})", of_type(element, "fmin")),
        Binary::Maximum => format!("{}({left}, {right})", of_type(element, "fmax")),
        Binary::Add => format!("{left} + {right}"),
        Binary::Subtract => format!("{left} - {right}"),
        Binary::Multiply => format!("{left} * {right}"),
        Binary::Divide => format!("{left} / {right}"),
    }
}

/// Returns the function that an operation on one value is.
fn function(element: Element, operator: Unary) -> String {
    let name = match operator {
        Unary::Negate => return "-".to_owned(),
        Unary::SquareRoot => "sqrt",
        Unary::Absolute => "fabs",
        Unary::Exponential => "exp",
        Unary::Logarithm => "log",
        Unary::HyperbolicTangent => "tanh",
        Unary::Sine => "sin",
        Unary::Cosine => "cos",
        Unary::RoundF16 => return "round_f16".to_owned(),
        Unary::RoundBf16 => return "round_bf16".to_owned(),
    };
    of_type(element, name)
}

/// Returns the name of a function of C for numbers of a type.
fn of_type(element: Element, name: &str) -> String {
    match element {
        Element::F32 => format!("{name}f"),
        Element::F64 => name.to_owned(),
    }
}

/// Writes a number as C reads it, to the last bit.
fn number(element: Element, value: f64) -> String {
    let text = match element {
        Element::F32 if value.is_nan() => return "__int_as_float(0x7fc00000)".to_owned(),
        Element::F32 if value.is_infinite() => {
            return format!("__int_as_float({:#x})", (value as f32).to_bits());
        }
        Element::F32 => format!("{:?}f", value as f32),
        Element::F64 if value.is_nan() => return "__longlong_as_double(0x7ff8000000000000)".to_owned(),
        Element::F64 if value.is_infinite() => {
            return format!("__longlong_as_double({:#x})", value.to_bits());
        }
        Element::F64 => format!("{value:?}"),
    };
    if value.is_sign_negative() { format!("({text})") } else { text }
}
