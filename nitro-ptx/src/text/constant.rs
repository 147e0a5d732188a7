//! Constants: integers, floats, and expressions of them, as the PTX manual evaluates them ("Constant Expressions").

use super::types::Type;

/// The most levels of constant expressions.
const MAX_DEPTH: usize = 64;

/// An integer of any base.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, base) = if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        (digits, 16)
    } else if let Some(digits) = text.strip_prefix("0b").or(text.strip_prefix("0B")) {
        (digits, 2)
    } else if text.len() > 1 && text.starts_with('0') {
        (&text[1..], 8)
    } else {
        (text, 10)
    };
    // The library takes a sign too.
    u64::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+'))
}

/// The bits of `0f3F800000` or `0d3FF0000000000000`, whose letter and number of digits are given.
fn exact(text: &str, letter: char, digits: usize) -> Option<u64> {
    let rest = text.strip_prefix('0')?.strip_prefix([letter, letter.to_ascii_uppercase()])?;
    let is_hexadecimal = rest.len() == digits && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(rest, 16).ok().filter(|_| is_hexadecimal)
}

/// A float: `0f3F800000`, `0d3FF0000000000000`, `1.5`.
fn float(text: &str) -> Option<f64> {
    if let Some(bits) = exact(text, 'f', 8) {
        return Some(f64::from(f32::from_bits(bits as u32)));
    }
    if let Some(bits) = exact(text, 'd', 16) {
        return Some(f64::from_bits(bits));
    }
    let is_decimal = text.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte))
        && text.contains(['.', 'e', 'E']);
    text.parse().ok().filter(|_| is_decimal)
}

/// The value of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Signed(i64),
    Unsigned(u64),
    Float(f64),
}

/// The bits of a constant where a value of a type stands; none for what is no constant of that type.
pub(crate) fn constant(words: &[&str], kind: Type) -> Option<u64> {
    // Bits as they are: not every NaN survives a conversion.
    let literal = match *words {
        [text] => Some((text, 0)),
        ["-", text] => Some((text, 1)),
        _ => None,
    };
    if let Some((text, sign)) = literal {
        let is_single = matches!(kind, Type::F32 | Type::Bits(4));
        let is_double = matches!(kind, Type::F64 | Type::Bits(8));
        if let Some(bits) = exact(text, 'f', 8).filter(|_| is_single) {
            return Some(bits ^ sign << 31);
        }
        if let Some(bits) = exact(text, 'd', 16).filter(|_| is_double) {
            return Some(bits ^ sign << 63);
        }
    }
    match (Expression::evaluate(words)?, kind) {
        (Value::Float(value), Type::F32) => Some(u64::from((value as f32).to_bits())),
        (Value::Float(value), Type::F64 | Type::Bits(8)) => Some(value.to_bits()),
        (Value::Float(_), _) | (_, Type::F32 | Type::F64) => None,
        (Value::Signed(value), _) => Some(value as u64),
        (Value::Unsigned(value), _) => Some(value),
    }
}

/// The value of an expression of integers.
pub(crate) fn integer(words: &[&str]) -> Option<u64> {
    constant(words, Type::Unsigned(8))
}

/// An expression that is being evaluated.
struct Expression<'a> {
    words: &'a [&'a str],
    at: usize,
    depth: usize,
}

/// Binary operators, those that bind least first; those of two marks stand apart in a text of words.
const OPERATORS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Expression<'a> {
    fn evaluate(words: &'a [&'a str]) -> Option<Value> {
        let mut expression = Expression { words, at: 0, depth: 0 };
        let value = expression.choice()?;
        (expression.at == words.len()).then_some(value)
    }

    fn peek(&self, beyond: usize) -> &'a str {
        self.words.get(self.at + beyond).copied().unwrap_or_default()
    }

    fn take(&mut self, word: &str) -> Option<()> {
        (self.peek(0) == word).then(|| self.at += 1)
    }

    /// A condition and what it chooses among, or what binds more.
    fn choice(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut value = self.binary(0)?;
        if self.take("?").is_some() {
            let then = self.choice()?;
            self.take(":")?;
            let otherwise = self.choice()?;
            let [then, otherwise] = match (then, otherwise) {
                (Value::Signed(_), Value::Signed(_)) => [then, otherwise],
                _ => [Value::Unsigned(bits(then)?), Value::Unsigned(bits(otherwise)?)],
            };
            value = if bits(value)? != 0 { then } else { otherwise };
        }
        self.depth -= 1;
        Some(value)
    }

    /// The operator of this level that stands here, which may be two words.
    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let [first, second] = [self.peek(0), self.peek(1)];
        let found = OPERATORS[level].iter().find(|operator| {
            let (one, two) = operator.split_at(1);
            one == first && if two.is_empty() { !is_continued(first, second) } else { two == second }
        })?;
        self.at += found.len();
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Option<Value> {
        if level == OPERATORS.len() {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.binary(level + 1)?;
            left = applied(operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let word = self.peek(0);
        self.at += 1;
        let value = match word {
            "+" => self.unary()?,
            "-" => match self.unary()? {
                Value::Signed(value) => Value::Signed(value.wrapping_neg()),
                Value::Unsigned(value) => Value::Unsigned(value.wrapping_neg()),
                Value::Float(value) => Value::Float(-value),
            },
            "!" => Value::Signed((bits(self.unary()?)? == 0).into()),
            "~" => Value::Unsigned(!bits(self.unary()?)?),
            "(" if matches!(self.peek(0), ".s64" | ".u64") && self.peek(1) == ")" => {
                let is_signed = self.peek(0) == ".s64";
                self.at += 2;
                let value = bits(self.unary()?)?;
                if is_signed { Value::Signed(value as i64) } else { Value::Unsigned(value) }
            }
            "(" => {
                let value = self.choice()?;
                self.take(")")?;
                value
            }
            "WARP_SZ" => Value::Signed(32),
            _ => literal(word)?,
        };
        self.depth -= 1;
        Some(value)
    }
}

/// Returns true where two marks are one operator, as `<<` is not `<`.
fn is_continued(first: &str, second: &str) -> bool {
    matches!((first, second), ("|", "|") | ("&", "&") | ("<", "<" | "=") | (">", ">" | "="))
}

fn literal(word: &str) -> Option<Value> {
    if let Some(value) = number(word) {
        let is_signed = !word.ends_with('U') && i64::try_from(value).is_ok();
        return Some(if is_signed { Value::Signed(value as i64) } else { Value::Unsigned(value) });
    }
    float(word).map(Value::Float)
}

fn bits(value: Value) -> Option<u64> {
    match value {
        Value::Signed(value) => Some(value as u64),
        Value::Unsigned(value) => Some(value),
        Value::Float(_) => None,
    }
}

fn applied(operator: &str, left: Value, right: Value) -> Option<Value> {
    if let (Value::Float(a), Value::Float(b)) = (left, right) {
        return of_floats(operator, a, b);
    }
    let (a, b) = (bits(left)?, bits(right)?);
    let are_signed = matches!((left, right), (Value::Signed(_), Value::Signed(_)));
    let order = if are_signed { (a as i64).cmp(&(b as i64)) } else { a.cmp(&b) };
    let is_left_signed = matches!(left, Value::Signed(_));
    // "Summary of Constant Expression Evaluation Rules": the types of results.
    let (value, is_signed) = match operator {
        "+" => (a.wrapping_add(b), are_signed),
        "-" => (a.wrapping_sub(b), are_signed),
        "*" => (a.wrapping_mul(b), are_signed),
        "/" if b != 0 && are_signed => ((a as i64).wrapping_div(b as i64) as u64, true),
        "/" if b != 0 => (a / b, false),
        "%" if b != 0 => (a % b, true),
        "<<" if b < 64 => (a << b, is_left_signed),
        ">>" if b < 64 && is_left_signed => ((a as i64 >> b) as u64, true),
        ">>" if b < 64 => (a >> b, false),
        "&" => (a & b, false),
        "|" => (a | b, false),
        "^" => (a ^ b, false),
        "&&" => (u64::from(a != 0 && b != 0), true),
        "||" => (u64::from(a != 0 || b != 0), true),
        "<" => (order.is_lt().into(), true),
        "<=" => (order.is_le().into(), true),
        ">" => (order.is_gt().into(), true),
        ">=" => (order.is_ge().into(), true),
        "==" => ((a == b).into(), true),
        "!=" => ((a != b).into(), true),
        _ => return None,
    };
    Some(if is_signed { Value::Signed(value as i64) } else { Value::Unsigned(value) })
}

fn of_floats(operator: &str, a: f64, b: f64) -> Option<Value> {
    Some(match operator {
        "+" => Value::Float(a + b),
        "-" => Value::Float(a - b),
        "*" => Value::Float(a * b),
        "/" => Value::Float(a / b),
        "<" => Value::Signed((a < b).into()),
        "<=" => Value::Signed((a <= b).into()),
        ">" => Value::Signed((a > b).into()),
        ">=" => Value::Signed((a >= b).into()),
        "==" => Value::Signed((a == b).into()),
        "!=" => Value::Signed((a != b).into()),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::scan::lexemes;

    fn value(text: &str, kind: Type) -> Option<u64> {
        constant(&lexemes(text), kind)
    }

    #[test]
    fn numbers_are_read_in_all_their_forms() {
        let integers = [("31", 31), ("0x1F", 31), ("0X1fU", 31), ("037", 31), ("0b11111U", 31), ("0B1", 1)];
        for (text, expected) in integers {
            assert_eq!(value(text, Type::Unsigned(4)), Some(expected), "{text}");
            assert_eq!(value(text, Type::F32), None, "{text} is no float");
        }
        for text in [
            "10.0",
            "1.0E+1",
            "1.0e+1",
            "1e1",
            "100.0E-1",
            "10.",
            "0f41200000",
            "0F41200000",
            "0d4024000000000000",
        ] {
            assert_eq!(value(text, Type::F32), Some(0x4120_0000), "{text}");
            assert_eq!(value(text, Type::F64), Some(10_f64.to_bits()), "{text}");
            assert_eq!(value(text, Type::Unsigned(4)), None, "{text} is no integer");
        }
        assert_eq!(value(".5", Type::F32), Some(0x3f00_0000));
        assert_eq!(value("-0f7FC00001", Type::F32), Some(0xffc0_0001), "bits stay as they are");
        assert_eq!(value("0f3F800000", Type::Bits(4)), Some(0x3f80_0000));
        for text in ["0f3F80000", "0x", "08", "1u", "0b2", "inf", "nan", "1.0f", "", "0xFFFFFFFFFFFFFFFFF"] {
            assert_eq!(value(text, Type::Unsigned(8)).or(value(text, Type::F32)), None, "{text}");
        }
    }

    #[test]
    fn expressions_have_the_values_of_the_manual() {
        let cases: [(&str, i64); 31] = [
            ("(3+4)*2", 14),
            ("3+4*2", 11),
            ("--3", 3),
            ("-3-4", -7),
            ("~3", -4),
            ("!3", 0),
            ("!0", 1),
            ("1?2:3", 2),
            ("0?2:1?3:4", 3),
            ("1<<3|1", 9),
            ("6&3^1", 3),
            ("1<2&&3>2", 1),
            ("0||2>=3", 0),
            ("-1<1", 1),
            ("-1<1U", 0),
            ("-7/2", -3),
            ("(.u64)-8>>60", 15),
            ("(.s64)-8>>1", -4),
            ("17% 5", 2),
            ("17%(5)", 2),
            ("WARP_SZ*2", 64),
            ("5==5", 1),
            ("5!=5", 0),
            ("5<=4", 0),
            ("1.5<2.0", 1),
            ("0xFFFFFFFFFFFFFFFF/2", i64::MAX),
            ("1 << 2 << 3", 32),
            ("10-4-3", 3),
            ("+5", 5),
            ("2*-3", -6),
            ("(1?2:3)<<(1+1)", 8),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text, Type::Signed(8)), Some(expected as u64), "{text}");
        }
        assert_eq!(value("-(1.0*3.0)+0.5", Type::F32), Some((-2.5_f32).to_bits().into()));
        for text in ["1/0", "1%0", "1<<64", "1.0+2", "1.0?2:3", "(3", "3)", "3 4", "1?2", "&3", "~1.5", "x+1"]
        {
            assert_eq!(value(text, Type::Signed(8)), None, "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
        assert_eq!(value(&deep, Type::Signed(8)), None, "as deep as anything is nested");
        assert_eq!(value(&"-".repeat(10_000), Type::Signed(8)), None);
    }
}
