//! Nests and kernels as text. Parts know variables by number: a [`Names`] says what they are called.

use std::fmt::{self, Display, Formatter, Write};

use nitro_launch::{Element, SizeProduct};

use super::affine::{Affine, Variable};
use super::expression::{Access, Binary, Expression, Relation, Select, Unary};
use super::gather::{Gather, Subscript};
use super::quasi::{QuasiAffine, Quotient};
use super::{Assignment, Condition, Nest, Node, Range};

/// The names of variables, scalars and arrays.
pub(crate) trait Names {
    /// The name of a variable.
    fn variable(&self, variable: Variable) -> &str;
    /// The name of a scalar.
    fn scalar(&self, index: usize) -> &str;
    /// The name of an array.
    fn array(&self, index: usize) -> &str;
    /// The name of an array of integers.
    fn indices(&self, index: usize) -> &str;
    /// The type of numbers.
    fn element(&self) -> Element;
}

/// Writes a factor of a product: a sum in parentheses.
pub(crate) fn factor(text: &str) -> String {
    if text.contains([' ', '-']) { format!("({text})") } else { text.to_owned() }
}

/// The names of the dimensions of a grid.
pub(crate) const DIMENSIONS: [&str; 8] = ["x", "y", "z", "u", "v", "w", "s", "t"];

/// The names of the indices of a block. Of a grid with more than three dimensions they are all made from `blockIdx.x`.
const BLOCKS: [&str; 8] = [
    "blockIdx.x",
    "blockIdx.y",
    "blockIdx.z",
    "blockIdx.u",
    "blockIdx.v",
    "blockIdx.w",
    "blockIdx.s",
    "blockIdx.t",
];

impl Names for Nest {
    fn variable(&self, variable: Variable) -> &str {
        match variable {
            Variable::Parameter(index) => &self.parameters[index],
            Variable::Iterator(index) => &self.iterators[index],
            Variable::Block(axis) => BLOCKS[axis],
            Variable::Thread(axis) => ["threadIdx.x", "threadIdx.y", "threadIdx.z"][axis],
        }
    }

    fn scalar(&self, index: usize) -> &str {
        &self.scalars[index]
    }

    fn array(&self, index: usize) -> &str {
        &self.arrays[index].name
    }

    fn indices(&self, index: usize) -> &str {
        &self.indices[index].name
    }

    fn element(&self) -> Element {
        self.element
    }
}

/// Writes a sum as it would be written: `2 * n - i - 1`.
pub fn affine(names: &dyn Names, affine: &Affine) -> String {
    let mut text = String::new();
    for (variable, coefficient) in affine.terms() {
        let name = names.variable(*variable);
        let factor = match coefficient.unsigned_abs() {
            1 => name.to_owned(),
            factor => format!("{factor} * {name}"),
        };
        add(&mut text, *coefficient < 0, &factor);
    }
    if affine.constant() != 0 || text.is_empty() {
        add(&mut text, affine.constant() < 0, &affine.constant().unsigned_abs().to_string());
    }
    text
}

/// Writes a sum with quotients: `i - 2 * (i / 2)`.
pub fn quasi(names: &dyn Names, quasi: &QuasiAffine) -> String {
    let mut text = affine(names, &quasi.affine);
    for Quotient { factor, dividend, divisor } in &quasi.quotients {
        let quotient = format!("{} / {divisor}", self::factor(&self::quasi(names, dividend)));
        let term = match factor.unsigned_abs() {
            1 => format!("({quotient})"),
            times => format!("{times} * ({quotient})"),
        };
        if text == "0" {
            text.clear();
        }
        add(&mut text, *factor < 0, &term);
    }
    text
}

fn add(text: &mut String, is_negative: bool, term: &str) {
    text.push_str(match (text.is_empty(), is_negative) {
        (true, false) => "",
        (true, true) => "-",
        (false, false) => " + ",
        (false, true) => " - ",
    });
    text.push_str(term);
}

/// Writes `array[i, j]`; an array without dimensions by its name alone.
pub fn access(names: &dyn Names, access: &Access) -> String {
    let subscripts: Vec<_> = access.subscripts.iter().map(|subscript| affine(names, subscript)).collect();
    element(names.array(access.array), &subscripts)
}

fn element(name: &str, subscripts: &[String]) -> String {
    if subscripts.is_empty() { name.to_owned() } else { format!("{name}[{}]", subscripts.join(", ")) }
}

/// Writes `array[indices[i], j]`.
fn gather(names: &dyn Names, gather: &Gather) -> String {
    let mut subscripts = Vec::new();
    for subscript in &gather.subscripts {
        subscripts.push(match subscript {
            Subscript::Affine(own) => affine(names, own),
            Subscript::Quasi(own) => quasi(names, own),
            Subscript::Index(index) => {
                let own: Vec<_> = index.subscripts.iter().map(|one| affine(names, one)).collect();
                element(names.indices(index.indices), &own)
            }
        });
    }
    element(names.array(gather.array), &subscripts)
}

/// Writes `<` and so on.
pub fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Less => "<",
        Relation::LessOrEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterOrEqual => ">=",
        Relation::Equal => "==",
    }
}

/// Writes a value in the notation of Rust.
pub fn expression(names: &dyn Names, value: &Expression) -> String {
    let of = |value: &Expression| expression(names, value);
    match value {
        Expression::Constant(bits) => number(names.element(), (*bits).into()),
        Expression::Scalar(index) => names.scalar(*index).to_owned(),
        Expression::Integer(integer) => format!("({}) as {}", affine(names, integer), names.element().name()),
        Expression::Quasi(integer) => format!("({}) as {}", quasi(names, integer), names.element().name()),
        Expression::Load(load) => access(names, load),
        Expression::Gather(own) => gather(names, own),
        Expression::Unary(Unary::Negate, operand) => format!("-{}", operand_text(names, operand)),
        Expression::Unary(operator, operand) => format!("{}({})", function(*operator), of(operand)),
        Expression::Binary(operator, left, right) => binary(names, *operator, left, right),
        Expression::Fused(parts) => {
            let [left, right, summand] = &**parts;
            format!("mul_add({}, {}, {})", of(left), of(right), of(summand))
        }
        Expression::Select(select) => {
            let Select { relation: how, left, right, then, otherwise } = &**select;
            let compared = format!("{} {} {}", of(left), relation(*how), of(right));
            format!("(if {compared} {{ {} }} else {{ {} }})", of(then), of(otherwise))
        }
    }
}

/// Writes a number; infinite ones by the names that Rust has for them.
fn number(element: Element, value: f64) -> String {
    match (value, element) {
        (f64::INFINITY, _) => format!("{}::INFINITY", element.name()),
        (f64::NEG_INFINITY, _) => format!("{}::NEG_INFINITY", element.name()),
        (finite, Element::F32) => format!("{:?}", finite as f32),
        (finite, Element::F64) => format!("{finite:?}"),
    }
}

/// Returns the name of the method that an operation on one value is.
fn function(operator: Unary) -> &'static str {
    match operator {
        Unary::Negate => "neg",
        Unary::SquareRoot => "sqrt",
        Unary::Absolute => "abs",
        Unary::Exponential => "exp",
        Unary::Logarithm => "ln",
        Unary::HyperbolicTangent => "tanh",
        Unary::Sine => "sin",
        Unary::Cosine => "cos",
        Unary::RoundF16 => "round_f16",
        Unary::RoundBf16 => "round_bf16",
    }
}

fn binary(names: &dyn Names, operator: Binary, left: &Expression, right: &Expression) -> String {
    let sign = match operator {
        Binary::Minimum => return format!("min({}, {})", expression(names, left), expression(names, right)),
        Binary::Maximum => return format!("max({}, {})", expression(names, left), expression(names, right)),
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
    };
    format!("{} {sign} {}", operand_text(names, left), operand_text(names, right))
}

/// Writes an operand: an operation is in parentheses, so that the order of rounding is seen.
fn operand_text(names: &dyn Names, operand: &Expression) -> String {
    let text = expression(names, operand);
    let is_operation = matches!(
        operand,
        Expression::Binary(Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide, ..)
            | Expression::Unary(Unary::Negate, _)
    );
    if is_operation { format!("({text})") } else { text }
}

/// Writes `lower..upper`, with `max` and `min` where there are several.
pub fn range(names: &dyn Names, range: &Range) -> String {
    let (lower, upper) = (bound(names, "max", &range.lower), bound(names, "min", &range.upper));
    match (range.is_reversed, range.step) {
        (true, _) => format!("({lower}..{upper}).rev()"),
        (false, 1) => format!("{lower}..{upper}"),
        (false, step) => format!("({lower}..{upper}).step_by({step})"),
    }
}

/// Writes one bound, or the `max` or `min` of several.
pub fn bound(names: &dyn Names, of_several: &str, bounds: &[Affine]) -> String {
    let texts: Vec<_> = bounds.iter().map(|bound| affine(names, bound)).collect();
    if texts.len() == 1 { texts.concat() } else { format!("{of_several}({})", texts.join(", ")) }
}

/// Writes conditions, joined by `&&`.
pub fn conditions(names: &dyn Names, all: &[Condition]) -> String {
    let mut texts = Vec::new();
    for Condition { relation: how, left, right } in all {
        texts.push(format!("{} {} {}", affine(names, left), relation(*how), affine(names, right)));
    }
    texts.join(" && ")
}

/// Writes `target = value;`.
pub fn assignment(names: &dyn Names, assignment: &Assignment) -> String {
    format!("{} = {};", access(names, &assignment.target), expression(names, &assignment.value))
}

impl Display for Nest {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let sizes = self.parameters();
        let products = self.products.iter().map(|SizeProduct { name, factors: [one, other] }| {
            format!("{name}: usize = {} * {}", sizes[*one], sizes[*other])
        });
        let parameters = sizes.iter().map(|name| format!("{name}: usize")).chain(products);
        let element = self.element.name();
        let scalars = self.scalars.iter().map(|name| format!("{name}: {element}"));
        let arrays = self.arrays.iter().map(|array| {
            let shape: Vec<_> = array.shape.iter().map(|extent| affine(self, extent)).collect();
            let kind = if array.is_written { "&mut " } else { "&" };
            format!("{}: {kind}{}[{}]", array.name, array.storage.name(self.element), shape.join(", "))
        });
        let indices = self.indices.iter().map(|array| {
            let shape: Vec<_> = array.shape.iter().map(|extent| affine(self, extent)).collect();
            format!("{}: &u32[{}]", array.name, shape.join(", "))
        });
        let arguments: Vec<_> = parameters.chain(scalars).chain(arrays).chain(indices).collect();
        writeln!(formatter, "nest {}({}) {{", self.name, arguments.join(", "))?;
        let mut text = String::new();
        nodes(self, &self.body, 1, &mut text)?;
        write!(formatter, "{text}}}")
    }
}

/// Writes nodes, each on lines of its own.
pub(crate) fn nodes(nest: &Nest, all: &[Node], depth: usize, text: &mut String) -> fmt::Result {
    let indent = "    ".repeat(depth);
    for node in all {
        match node {
            Node::Assign(statement) => {
                writeln!(text, "{indent}{}", assignment(nest, statement))?;
                continue;
            }
            Node::Loop(over, _) => {
                let name = &nest.iterators[over.iterator];
                writeln!(text, "{indent}for {name} in {} {{", range(nest, over))?;
            }
            Node::If(all, _) => writeln!(text, "{indent}if {} {{", conditions(nest, all))?,
        }
        nodes(nest, node.body(), depth + 1, text)?;
        writeln!(text, "{indent}}}")?;
    }
    Ok(())
}
