//! Arithmetic in workloads: lengths, grids, and what arrays hold.

use std::collections::BTreeSet;

use nitro_stats::random::Random;

use super::names::Names;

/// The most bytes of a formula; no person writes a longer one.
const MOST_BYTES: usize = 2_000;
/// The most parentheses and signs within each other.
const DEEPEST: usize = 32;

/// A formula over numbers that have names, bound to where they stand in a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    pub(super) text: String,
    root: Node,
}

/// A node of the syntax tree.
#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    /// A position in the list of names.
    Name(usize),
    Negated(Box<Node>),
    Binary(u8, Box<(Node, Node)>),
    Call(Function, Vec<Node>),
}

macro_rules! functions {
    ($($variant:ident $name:literal $arity:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq)]
        enum Function { $($variant,)* }

        impl Function {
            /// Returns the function of this name, with the number of its arguments.
            fn named(name: &str) -> Option<(Self, usize)> {
                match name { $($name => Some((Self::$variant, $arity)),)* _ => None }
            }
        }

        const FUNCTIONS: &str = concat!($($name, " ",)*);
    };
}

functions! {
    CeilDiv "ceil_div" 2, FloorDiv "floor_div" 2, Modulo "mod" 2, Minimum "min" 2, Maximum "max" 2, Power "pow" 2,
    Floor "floor" 1, Absolute "abs" 1, Root "sqrt" 1, Exponential "exp" 1, Logarithm "ln" 1, Sine "sin" 1,
    Cosine "cos" 1, Uniform "uniform" 2, Integer "integer" 2,
}

impl Expression {
    /// Reads a formula; what has a name stands in `names`.
    pub(super) fn parse(text: &str, names: &Names) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("a formula may have {MOST_BYTES} bytes, and this has {}", text.len()));
        }
        let mut parser = Parser { rest: text, names, depth: 0 };
        let root = parser.sum()?;
        match parser.rest.trim_start() {
            "" => Ok(Self { text: text.to_owned(), root }),
            rest => Err(format!("`{text}`: an operator is missing before `{rest}`")),
        }
    }

    /// Returns the formula of a number.
    pub(super) fn constant(number: f64) -> Self {
        Self { text: number.to_string(), root: Node::Number(number) }
    }

    /// Adds the whole numbers that it is computed with.
    pub(super) fn add_numbers(&self, numbers: &mut BTreeSet<u64>) {
        self.root.add_numbers(numbers);
    }

    /// Tells whether something of it is drawn at random.
    pub(super) fn is_drawn(&self) -> bool {
        self.root.is_drawn()
    }

    /// Returns the positions of the values that it names, some of them more than once.
    pub(super) fn positions(&self) -> Vec<usize> {
        let mut positions = Vec::new();
        self.root.add_positions(&mut positions);
        positions
    }

    /// Computes its value, where the names have these values and `random` draws.
    pub(super) fn value(&self, values: &[f64], random: &mut Random) -> f64 {
        self.root.value(values, random)
    }
}

impl Node {
    fn is_drawn(&self) -> bool {
        match self {
            Self::Number(_) | Self::Name(_) => false,
            Self::Negated(node) => node.is_drawn(),
            Self::Binary(_, sides) => sides.0.is_drawn() || sides.1.is_drawn(),
            Self::Call(Function::Uniform | Function::Integer, _) => true,
            Self::Call(_, arguments) => arguments.iter().any(Self::is_drawn),
        }
    }

    /// Calls `see` with each part that has no parts.
    fn leaves(&self, see: &mut impl FnMut(&Self)) {
        match self {
            Self::Number(_) | Self::Name(_) => see(self),
            Self::Negated(node) => node.leaves(see),
            Self::Binary(_, sides) => {
                sides.0.leaves(see);
                sides.1.leaves(see);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|argument| argument.leaves(see)),
        }
    }

    fn add_positions(&self, positions: &mut Vec<usize>) {
        self.leaves(&mut |leaf| {
            if let Self::Name(at) = leaf {
                positions.push(*at);
            }
        });
    }

    fn add_numbers(&self, numbers: &mut BTreeSet<u64>) {
        self.leaves(&mut |leaf| {
            if let Self::Number(number) = leaf
                && number.fract() == 0.0
            {
                numbers.insert(*number as u64);
            }
        });
    }

    fn value(&self, values: &[f64], random: &mut Random) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Name(at) => values[*at],
            Self::Negated(node) => -node.value(values, random),
            Self::Binary(operator, sides) => {
                let (left, right) = (sides.0.value(values, random), sides.1.value(values, random));
                match operator {
                    b'+' => left + right,
                    b'-' => left - right,
                    b'*' => left * right,
                    _ => left / right,
                }
            }
            Self::Call(function, arguments) => {
                let mut each = arguments.iter().map(|argument| argument.value(values, random));
                let first = each.next().unwrap_or(f64::NAN);
                let second = each.next().unwrap_or(f64::NAN);
                function.value(first, second, random)
            }
        }
    }
}

impl Function {
    fn value(self, first: f64, second: f64, random: &mut Random) -> f64 {
        match self {
            Self::CeilDiv => (first / second).ceil(),
            Self::FloorDiv => (first / second).floor(),
            Self::Modulo => first - second * (first / second).floor(),
            Self::Minimum => first.min(second),
            Self::Maximum => first.max(second),
            Self::Power => first.powf(second),
            Self::Floor => first.floor(),
            Self::Absolute => first.abs(),
            Self::Root => first.sqrt(),
            Self::Exponential => first.exp(),
            Self::Logarithm => first.ln(),
            Self::Sine => first.sin(),
            Self::Cosine => first.cos(),
            Self::Uniform => first + (second - first) * random.unit(),
            Self::Integer => first + (random.unit() * (second - first + 1.0)).floor(),
        }
    }
}

/// A parser by recursive descent.
struct Parser<'a> {
    rest: &'a str,
    names: &'a Names,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Node, String> {
        self.chain(b"+-", Self::product)
    }

    fn product(&mut self) -> Result<Node, String> {
        self.chain(b"*/", Self::factor)
    }

    /// Reads operands with these operators between them, from left to right.
    fn chain(
        &mut self,
        operators: &[u8],
        operand: fn(&mut Self) -> Result<Node, String>,
    ) -> Result<Node, String> {
        let mut left = operand(self)?;
        while let Some(operator) = self.next_is(operators) {
            let right = operand(self)?;
            left = Node::Binary(operator, Box::new((left, right)));
        }
        Ok(left)
    }

    fn factor(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("parentheses and signs may be {DEEPEST} deep"));
        }
        let factor = match self.next_is(b"-(") {
            Some(b'-') => Node::Negated(Box::new(self.factor()?)),
            Some(_) => {
                let inner = self.sum()?;
                self.expect(b')')?;
                inner
            }
            None => self.operand()?,
        };
        self.depth -= 1;
        Ok(factor)
    }

    fn operand(&mut self) -> Result<Node, String> {
        let word = self.word();
        if word.is_empty() {
            return Err(match self.rest.chars().next() {
                Some(letter) => format!("a number or a name is missing before `{letter}`"),
                None => "a number or a name is missing at the end".to_owned(),
            });
        }
        if let Ok(number) = word.parse::<f64>()
            && word.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        {
            return Ok(Node::Number(number));
        }
        if self.next_is(b"(").is_some() {
            return self.call(word);
        }
        match self.names.position(word) {
            Some(at) => Ok(Node::Name(at)),
            None => Err(format!("`{word}` is no size; there are {}", self.names.several())),
        }
    }

    fn call(&mut self, name: &str) -> Result<Node, String> {
        let Some((function, arity)) = Function::named(name) else {
            return Err(format!(
                "there is no function `{name}`, only {}",
                FUNCTIONS.trim_end().replace(' ', ", ")
            ));
        };
        let mut arguments = vec![self.sum()?];
        while self.next_is(b",").is_some() {
            arguments.push(self.sum()?);
        }
        self.expect(b')')?;
        match arguments.len() == arity {
            true => Ok(Node::Call(function, arguments)),
            false => Err(format!("`{name}` takes {arity} arguments, and has {}", arguments.len())),
        }
    }

    /// Takes a name or a number, exponents with their signs included.
    fn word(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let text = self.rest;
        let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '.');
        let mut before = ' ';
        let end = text.find(|letter: char| {
            let signs_exponent = is_number && "+-".contains(letter) && "eE".contains(before);
            before = letter;
            !(letter.is_ascii_alphanumeric() || "_.".contains(letter) || signs_exponent)
        });
        let (word, rest) = text.split_at(end.unwrap_or(text.len()));
        self.rest = rest;
        word
    }

    fn next_is(&mut self, wanted: &[u8]) -> Option<u8> {
        self.rest = self.rest.trim_start();
        let next = *self.rest.as_bytes().first()?;
        wanted.contains(&next).then(|| {
            self.rest = &self.rest[1..];
            next
        })
    }

    fn expect(&mut self, wanted: u8) -> Result<(), String> {
        let wanted_letter = char::from(wanted);
        self.next_is(&[wanted]).map(|_| ()).ok_or_else(|| match self.rest.chars().next() {
            Some(letter) => format!("`{wanted_letter}` is missing before `{letter}`"),
            None => format!("`{wanted_letter}` is missing at the end"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        ["n", "steps"].into_iter().collect()
    }

    fn value(text: &str) -> f64 {
        Expression::parse(text, &names()).unwrap().value(&[10.0, 3.0], &mut Random::new(1))
    }

    #[test]
    fn arithmetic_is_as_on_paper() {
        let known = [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * -3", -9.0),
            ("n - 2 - 3", 5.0),
            ("n / 4", 2.5),
            ("ceil_div(n, 4)", 3.0),
            ("mod(n + 3, 4)", 1.0),
            ("max(n, steps) * 1e-1", 1.0),
            ("2.5e+1", 25.0),
        ];
        known.iter().for_each(|(text, expected)| assert_eq!(value(text), *expected, "{text}"));
    }

    #[test]
    fn drawn_numbers_keep_to_their_range_and_reach_its_ends() {
        let drawn = Expression::parse("integer(2, 4)", &names()).unwrap();
        let mut random = Random::new(3);
        let seen: std::collections::BTreeSet<i64> =
            (0..100).map(|_| drawn.value(&[10.0, 3.0], &mut random) as i64).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [2, 3, 4]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let known = [
            ("n +", "a number or a name is missing at the end"),
            ("(n", "`)` is missing at the end"),
            ("m", "`m` is no size; there are n, steps"),
            ("n 2", "`n 2`: an operator is missing before `2`"),
            (
                "log(n)",
                "there is no function `log`, only ceil_div, floor_div, mod, min, max, pow, floor, abs, sqrt, exp, ln, sin, cos, uniform, integer",
            ),
            ("min(n)", "`min` takes 2 arguments, and has 1"),
            ("n * )", "a number or a name is missing before `)`"),
        ];
        for (text, expected) in known {
            assert_eq!(Expression::parse(text, &names()).unwrap_err(), expected);
        }
        assert!(
            Expression::parse(&"(".repeat(1000), &names()).is_err(),
            "deep ones are refused, not crashed on"
        );
        assert!(Expression::parse(&"-".repeat(1999), &names()).is_err());
    }
}
