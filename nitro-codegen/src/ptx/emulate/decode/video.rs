//! Video instructions: which parts of which operands.

use super::operands::Reading;
use crate::ptx::emulate::arithmetic::video::{Operation, Then, Video, WHOLE, four, scalar, two};
use crate::ptx::emulate::op::{Compute, Source, What};
use crate::ptx::emulate::types::Type;
use crate::ptx::module::Token;

/// An operand without what says which part of it is meant.
struct Part {
    tokens: Vec<Token>,
    /// Empty for all of it.
    component: String,
    is_negated: bool,
}

impl Reading<'_, '_> {
    /// Whether an opcode is one of these, and how many parts it has side by side.
    pub(super) fn video_lanes(name: &str) -> Option<(&str, usize)> {
        let (bare, lanes) = match name.as_bytes().last()? {
            b'2' => (&name[..name.len() - 1], 2),
            b'4' => (&name[..name.len() - 1], 4),
            _ => (name, 1),
        };
        let is_known = match bare {
            "vadd" | "vsub" | "vabsdiff" | "vmin" | "vmax" | "vset" => true,
            "vavrg" => lanes > 1,
            "vshl" | "vshr" | "vmad" => lanes == 1,
            _ => false,
        };
        is_known.then_some((bare, lanes))
    }

    pub(super) fn video(&self, name: &str, lanes: usize) -> Result<What, String> {
        let [to, a, b] = [0, 1, 2].map(|at| self.part(at));
        let (to, a, b) = (to?, a?, b?);
        let third = self.instruction.operands.get(3).map(|_| self.part(3)).transpose()?;
        if third.as_ref().is_some_and(|third| !third.component.is_empty()) {
            return Err("its last operand is taken whole".to_owned());
        }
        let strange = || "its operands have parts that are not known".to_owned();
        let parts = match lanes {
            1 => [&to, &a, &b].map(|part| one_part(&part.component)),
            _ => [
                mask(&to.component, lanes),
                chosen(&a.component, lanes, 0),
                chosen(&b.component, lanes, lanes),
            ],
        };
        let [Some(of_to), Some(of_a), Some(of_b)] = parts else { return Err(strange()) };
        let negates_product = a.is_negated != b.is_negated;
        let negates_third = third.as_ref().is_some_and(|third| third.is_negated);
        let video = Video {
            operation: self.video_operation(name).ok_or("its operation is not known")?,
            then: self.then(name),
            signed: self.signs(name)?,
            saturates: self.has("sat"),
            wraps: self.has("wrap"),
            plus_one: self.has("po"),
            scale: if self.has("shr7") { 7 } else { 15 * u8::from(self.has("shr15")) },
            negated: [negates_product, negates_third],
            parts: [of_to, of_a, of_b],
        };
        let third =
            third.map_or(Ok(Source::Constant(0)), |third| self.value(&third.tokens, Type::Unsigned(4)))?;
        let from = [
            self.value(&a.tokens, Type::Unsigned(4))?,
            self.value(&b.tokens, Type::Unsigned(4))?,
            third,
            Source::Constant(video.packed()),
        ];
        let function = [scalar, two, four][lanes / 2];
        Ok(What::Compute(Compute { function, to: self.register(&to.tokens)?, from, cost: 1 }))
    }

    fn part(&self, at: usize) -> Result<Part, String> {
        let tokens = self.operand(at)?;
        let (is_negated, tokens) = match tokens {
            [Token::Mark('-'), rest @ ..] => (true, rest),
            tokens => (false, tokens),
        };
        Ok(match tokens {
            [Token::Register(register, component)] => Part {
                tokens: vec![Token::Register(*register, String::new())],
                component: component.clone(),
                is_negated,
            },
            tokens => Part { tokens: tokens.to_vec(), component: String::new(), is_negated },
        })
    }

    fn video_operation(&self, name: &str) -> Option<Operation> {
        Some(match name {
            "vadd" => Operation::Add,
            "vsub" => Operation::Subtract,
            "vabsdiff" => Operation::Difference,
            "vmin" => Operation::Minimum,
            "vmax" => Operation::Maximum,
            "vavrg" => Operation::Average,
            "vshl" => Operation::ShiftLeft,
            "vshr" => Operation::ShiftRight,
            "vmad" => Operation::Multiply,
            _ => match *self.parts.get(2)? {
                "eq" => Operation::Equal,
                "ne" => Operation::Unequal,
                "lt" => Operation::Less,
                "le" => Operation::LessOrEqual,
                "gt" => Operation::Greater,
                "ge" => Operation::GreaterOrEqual,
                _ => return None,
            },
        })
    }

    fn then(&self, name: &str) -> Then {
        match self.parts.last() {
            _ if name == "vmad" => Then::Nothing,
            Some(&"add") => Then::Add,
            Some(&"min") => Then::Minimum,
            Some(&"max") => Then::Maximum,
            _ => Then::Nothing,
        }
    }

    /// Of the result and the first two sources. What is set has no type, and counts as unsigned.
    fn signs(&self, name: &str) -> Result<[bool; 3], String> {
        let kinds: Vec<bool> = self
            .parts
            .iter()
            .take_while(|part| matches!(**part, "u32" | "s32"))
            .map(|part| *part == "s32")
            .collect();
        match (name, &kinds[..]) {
            ("vset", &[a, b]) => Ok([false, a, b]),
            ("vset", _) => Err("it is not known with this type".to_owned()),
            (_, &[to, a, b]) => Ok([to, a, b]),
            _ => Err("it is not known with this type".to_owned()),
        }
    }
}

/// `.b0` to `.b3`, `.h0`, `.h1`.
fn one_part(component: &str) -> Option<u16> {
    Some(match component {
        "" => u16::from(WHOLE),
        ".b0" => 0,
        ".b1" => 1,
        ".b2" => 2,
        ".b3" => 3,
        ".h0" => 4,
        ".h1" => 5,
        _ => return None,
    })
}

fn digits(component: &str, lanes: usize) -> Option<Vec<u16>> {
    let digits = component.strip_prefix(if lanes == 2 { ".h" } else { ".b" })?;
    digits.chars().map(|digit| digit.to_digit(10).map(|digit| digit as u16)).collect()
}

/// Which parts of the result are written, as in `.h10` and `.b20`.
fn mask(component: &str, lanes: usize) -> Option<u16> {
    if component.is_empty() {
        return Some((1 << lanes) - 1);
    }
    let digits = digits(component, lanes)?;
    digits
        .iter()
        .all(|digit| usize::from(*digit) < lanes)
        .then(|| digits.iter().fold(0, |mask, digit| mask | 1 << digit))
}

/// Of both sources together which part goes to each lane, as in `.b7610`, of which the last is the lowest.
fn chosen(component: &str, lanes: usize, first: usize) -> Option<u16> {
    let digits = match component {
        "" => (first..first + lanes).rev().map(|part| part as u16).collect(),
        _ => digits(component, lanes)?,
    };
    let is_known = digits.len() == lanes && digits.iter().all(|digit| usize::from(*digit) < 2 * lanes);
    is_known.then(|| digits.iter().fold(0, |packed, digit| packed << 3 | digit))
}
