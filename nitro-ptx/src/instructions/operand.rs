//! Kinds of operands, and whether those of an instruction are of them.

use crate::text::constant::{integer, number};
use crate::text::module::{Class, Token};

/// A kind of operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operand {
    /// A register that is written, or `_`.
    Written,
    /// A value that is read: a register, a constant, or a name.
    Read,
    /// A predicate that is written.
    PredicateWritten,
    /// Two predicates that are written, `p|q`.
    PredicatesWritten,
    /// A register and a predicate that are written, `d|p`.
    WrittenWithPredicate,
    /// A predicate that is read, and may be negated.
    Predicate,
    /// A constant.
    Constant,
    /// `[address]`.
    Address,
    /// A label.
    Label,
    /// The name of a list of labels.
    Targets,
    /// As many registers as `.v2` or `.v4` says.
    VectorWritten,
    /// As many values as `.v2` or `.v4` says.
    VectorRead,
    /// Registers in braces that one value is taken apart to.
    PartsWritten,
    /// Values in braces that are put together.
    PartsRead,
    /// A register of which some parts may be named that are written, as `%r1.h10`.
    MaskWritten,
    /// A value of which parts may be named, as `%r1.b3210`.
    PartRead,
    /// The operands of a call, which are looked at where it is decoded.
    Call,
}

/// The lists of operands that a text such as `d, a{, b}` stands for.
pub(super) fn variants(text: &str) -> Vec<Vec<Operand>> {
    let mut texts = vec![text.to_owned()];
    // Each part in braces is left out once, and taken once.
    while let Some((open, close)) = texts[0].find('{').zip(texts[0].find('}')) {
        let both = texts.iter().flat_map(|text| {
            let (before, inner, after) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
            [format!("{before}{after}"), format!("{before}{inner}{after}")]
        });
        texts = both.collect();
    }
    texts
        .iter()
        .map(|text| text.split(", ").filter(|one| !one.is_empty()).map(Operand::of).collect())
        .collect()
}

impl Operand {
    /// The kind by its letter in the table.
    fn of(text: &str) -> Self {
        match text {
            "d" => Self::Written,
            "a" | "b" | "c" | "e" => Self::Read,
            "p" => Self::PredicateWritten,
            "p|q" => Self::PredicatesWritten,
            "d|p" => Self::WrittenWithPredicate,
            "!P" => Self::Predicate,
            "n" => Self::Constant,
            "[a]" => Self::Address,
            "L" => Self::Label,
            "T" => Self::Targets,
            "D" => Self::VectorWritten,
            "A" => Self::VectorRead,
            "<d>" => Self::PartsWritten,
            "<a>" => Self::PartsRead,
            "d.mask" => Self::MaskWritten,
            "a.sel" | "b.sel" => Self::PartRead,
            "..." => Self::Call,
            _ => unreachable!("the table has no operand `{text}`"),
        }
    }
}

/// The operands of an instruction, and what its registers are.
pub(super) struct Arguments<'a> {
    pub(super) operands: &'a [Vec<Token>],
    pub(super) class: &'a dyn Fn(usize) -> Class,
}

impl Arguments<'_> {
    /// Checks that they are those of a form.
    pub(super) fn fit(&self, variants: &[Vec<Operand>]) -> Result<(), String> {
        let mut why = "it takes no operands in this form".to_owned();
        for kinds in variants {
            // Calls are checked where their function is known.
            if *kinds == [Operand::Call] {
                return Ok(());
            }
            if kinds.len() != self.operands.len() {
                let (takes, has) = (kinds.len(), self.operands.len());
                why = format!("it takes {takes} operands in this form and has {has}");
                continue;
            }
            let mut wrong = kinds
                .iter()
                .zip(self.operands)
                .enumerate()
                .filter(|(_, (kind, tokens))| !self.is(**kind, tokens));
            match wrong.next() {
                None => return Ok(()),
                Some((at, _)) => why = format!("its operand {} is of another kind in this form", at + 1),
            }
        }
        Err(why)
    }

    fn is(&self, kind: Operand, tokens: &[Token]) -> bool {
        match kind {
            Operand::Written => self.is_written(tokens),
            Operand::Read => self.is_read(tokens),
            Operand::PredicateWritten => self.is_predicate_written(tokens),
            Operand::PredicatesWritten => self.is_pair(tokens, Self::is_predicate_written),
            Operand::WrittenWithPredicate => self.is_pair(tokens, Self::is_written),
            Operand::Predicate => self.is_predicate(tokens),
            Operand::Constant => integer(&words(tokens)).is_some(),
            Operand::Address => matches!(tokens, [Token::Mark('['), _, .., Token::Mark(']')]),
            Operand::Label | Operand::Targets => matches!(tokens, [Token::Word(_)]),
            Operand::VectorWritten => self.is_vector(tokens, Self::is_written),
            Operand::VectorRead => self.is_vector(tokens, Self::is_read),
            Operand::PartsWritten => tokens.len() > 3 && self.is_braced(tokens, Self::is_written),
            Operand::PartsRead => tokens.len() > 3 && self.is_braced(tokens, Self::is_read),
            Operand::MaskWritten => matches!(tokens, [Token::Register(..)]) || self.is_written(tokens),
            Operand::PartRead => matches!(tokens, [Token::Register(..)]) || self.is_read(tokens),
            Operand::Call => true,
        }
    }

    fn is_written(&self, tokens: &[Token]) -> bool {
        match tokens {
            [Token::Register(register, _)] => (self.class)(*register) != Class::Predicate,
            // A parameter that is a register, or nothing.
            [Token::Word(word)] => number(word).is_none(),
            _ => false,
        }
    }

    fn is_read(&self, tokens: &[Token]) -> bool {
        match tokens {
            [Token::Register(register, _)] => (self.class)(*register) != Class::Predicate,
            [Token::Word(word)] => word != "_",
            [] | [Token::Mark('[' | '{' | '!'), ..] => false,
            // A constant expression, or a name and one.
            _ => tokens.iter().all(|token| !matches!(token, Token::Register(..))),
        }
    }

    fn is_predicate_written(&self, tokens: &[Token]) -> bool {
        match tokens {
            [Token::Register(register, part)] => {
                (self.class)(*register) == Class::Predicate && part.is_empty()
            }
            [Token::Word(word)] => number(word).is_none(),
            _ => false,
        }
    }

    fn is_predicate(&self, tokens: &[Token]) -> bool {
        match tokens {
            [Token::Mark('!'), Token::Register(register, part)] | [Token::Register(register, part)] => {
                (self.class)(*register) == Class::Predicate && part.is_empty()
            }
            [Token::Word(word)] => word != "_",
            _ => integer(&words(tokens)).is_some(),
        }
    }

    fn is_pair(&self, tokens: &[Token], is_first: impl Fn(&Self, &[Token]) -> bool) -> bool {
        match tokens {
            [first, Token::Mark('|'), second] => {
                is_first(self, std::slice::from_ref(first))
                    && self.is_predicate_written(std::slice::from_ref(second))
            }
            _ => false,
        }
    }

    /// One value, a vector, or values in braces; how many there have to be, the opcode says.
    fn is_vector(&self, tokens: &[Token], is_one: impl Fn(&Self, &[Token]) -> bool) -> bool {
        is_one(self, tokens) || self.is_braced(tokens, is_one)
    }

    fn is_braced(&self, tokens: &[Token], is_one: impl Fn(&Self, &[Token]) -> bool) -> bool {
        match tokens {
            [Token::Mark('{'), inner @ .., Token::Mark('}')] => {
                // `_` stands where a value is not wanted.
                inner.split(|token| *token == Token::Mark(',')).all(|one| is_one(self, one))
            }
            _ => false,
        }
    }
}

/// Returns tokens as the words that constant expressions are made of.
pub(super) fn words(tokens: &[Token]) -> Vec<&str> {
    const MARKS: &str = "+-*/%()<>=!~&|^?:";
    let each = tokens.iter().map(|token| match token {
        &Token::Mark(mark) => MARKS.find(mark).map_or("", |at| &MARKS[at..=at]),
        Token::Word(word) => word.as_str(),
        Token::Register(..) => "",
    });
    each.collect()
}

/// Shows tokens one after the other, for a message.
pub(super) fn shown(tokens: &[Token]) -> String {
    let each = tokens.iter().map(|token| match token {
        Token::Register(register, component) => format!("%{register}{component}"),
        Token::Word(word) => word.clone(),
        Token::Mark(mark) => mark.to_string(),
    });
    each.collect::<String>().chars().filter(|letter| !letter.is_control()).take(80).collect()
}
