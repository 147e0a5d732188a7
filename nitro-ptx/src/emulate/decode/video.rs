//! Video instructions: which parts of which operands.

use super::operands::Reading;
use crate::emulate::arithmetic::video::{Operation, Video, four, two};
use crate::emulate::op::{Compute, Source, What};
use crate::emulate::types::Type;
use crate::module::Token;

/// An operand without the selector of its parts.
struct Part {
    tokens: Vec<Token>,
    /// Empty for all of it.
    selector: String,
}

impl Reading<'_, '_> {
    /// Returns the bare name of a video instruction, and how many parts it has side by side.
    pub(super) fn video_lanes(name: &str) -> Option<(&str, usize)> {
        let lanes = match name.as_bytes().last()? {
            b'2' => 2,
            b'4' => 4,
            _ => return None,
        };
        let bare = &name[..name.len() - 1];
        let is_known = matches!(bare, "vadd" | "vsub" | "vavrg" | "vabsdiff" | "vmin" | "vmax" | "vset");
        is_known.then_some((bare, lanes))
    }

    pub(super) fn video(&self, name: &str, lanes: usize) -> Result<What, String> {
        let [to, a, b] = [0, 1, 2].map(|at| self.part(at));
        let (to, a, b) = (to?, a?, b?);
        let parts =
            [mask(&to.selector, lanes), chosen(&a.selector, lanes, 0), chosen(&b.selector, lanes, lanes)];
        let [Some(of_to), Some(of_a), Some(of_b)] = parts else {
            return Err("its operands have parts that are not known".to_owned());
        };
        let video = Video {
            operation: self.video_operation(name).ok_or("its operation is not known")?,
            signed: self.signs(name)?,
            saturates: self.has("sat"),
            accumulates: self.has("add"),
            parts: [of_to, of_a, of_b],
        };
        let from = [
            self.value(&a.tokens, Type::Unsigned(4))?,
            self.value(&b.tokens, Type::Unsigned(4))?,
            self.source(3, Type::Unsigned(4))?,
            Source::Constant(video.packed()),
        ];
        let function = if lanes == 2 { two } else { four };
        Ok(What::Compute(Compute { function, to: self.register(&to.tokens)?, from, cost: 1 }))
    }

    fn part(&self, at: usize) -> Result<Part, String> {
        Ok(match self.operand(at)? {
            [Token::Register(register, selector)] => {
                let tokens = vec![Token::Register(*register, String::new())];
                Part { tokens, selector: selector.clone() }
            }
            tokens => Part { tokens: tokens.to_vec(), selector: String::new() },
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
