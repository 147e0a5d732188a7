//! One instruction's text: guard, opcode, operands.

use std::borrow::Cow;

use super::module::Token;
use super::scan::{is_word, lexeme, string, word};

/// A guard's name, and whether it is negated.
pub(crate) type GuardName<'a> = (&'a str, bool);

/// The guard, the opcode, and the text of the operands.
pub(crate) fn parts(text: &str) -> Option<(Option<GuardName<'_>>, Cow<'_, str>, &str)> {
    let (guard, rest) = match text.strip_prefix('@') {
        None => (None, text),
        Some(rest) => {
            let rest = rest.trim_start();
            let plain = rest.strip_prefix('!').map(str::trim_start);
            let name = word(plain.unwrap_or(rest));
            (Some((name, plain.is_some())), plain.unwrap_or(rest)[name.len()..].trim_start())
        }
    };
    let (opcode, operands) = opcode(rest);
    let is_opcode = opcode.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    (is_opcode && guard.is_none_or(|(name, _)| !name.is_empty())).then(|| (guard, opcode, operands.trim()))
}

/// The opcode at the beginning, whose parts may stand apart (`ld .global .u32`), and what comes after it.
fn opcode(text: &str) -> (Cow<'_, str>, &str) {
    // Qualifiers such as `.L2::128B` have colons; `mov.u32%r1` ends before the register.
    let part = |text: &str| {
        text.bytes().take_while(|&byte| (is_word(byte) || byte == b':') && !b"%$".contains(&byte)).count()
    };
    let (first, mut rest) = text.split_at(part(text));
    let mut opcode = Cow::Borrowed(first);
    loop {
        let next = rest.trim_start();
        let is_part =
            next.strip_prefix('.').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
        if first.is_empty() || !is_part {
            return (opcode, rest);
        }
        let (part, after) = next.split_at(part(next));
        opcode.to_mut().push_str(part);
        rest = after;
    }
}

/// The operands, which commas outside of brackets separate.
pub(crate) fn operands(text: &str, mut token: impl FnMut(&str) -> Token) -> Vec<Vec<Token>> {
    let mut operands = Vec::new();
    let mut operand = Vec::new();
    let mut depth = 0_usize;
    let mut rest = text.trim();
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '"' => string(rest).map_or(rest.len(), str::len),
            _ if letter.is_ascii() && is_word(letter as u8) => lexeme(rest).len(),
            _ => letter.len_utf8(),
        };
        let (text, after) = rest.split_at(length);
        match letter {
            ',' if depth == 0 => operands.push(std::mem::take(&mut operand)),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == '"' {
            operand.push(Token::Word(text.to_owned()));
        } else if letter.is_ascii() && is_word(letter as u8) {
            operand.push(token(text));
        } else if !(letter == ',' && depth == 0) {
            operand.push(Token::Mark(letter));
        }
        rest = after.trim_start();
    }
    if !operand.is_empty() || !operands.is_empty() {
        operands.push(operand);
    }
    operands
}
