//! From [`Module`] to text.

use std::fmt::{self, Display, Formatter};

use super::module::{Class, Content, Function, Instruction, InstructionId, Module, Piece, Register, Token};

impl Display for Module {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => formatter.write_str(text),
            Piece::Function(function) => function.fmt(formatter),
        })
    }
}

impl Display for Function {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}\n{{", self.head)?;
        for register in &self.registers {
            if let Some(kind) = &register.declared_as {
                writeln!(formatter, "\t.reg {kind} \t{};", register.name)?;
            }
        }
        for item in &self.items {
            match &item.content {
                Content::Text(text) => writeln!(formatter, "\t{text}")?,
                Content::Targets { text, .. } => writeln!(formatter, "\t{text}")?,
                Content::Open => writeln!(formatter, "\t{{")?,
                Content::Close => writeln!(formatter, "\t}}")?,
                Content::Label(name) => writeln!(formatter, "{name}:")?,
                Content::Instruction(_, instruction) => {
                    writeln!(formatter, "\t{}", InstructionText(instruction, &self.registers))?;
                }
                Content::Tombstone(_) => {}
            }
        }
        formatter.write_str("}")
    }
}

/// An instruction with the names of its registers.
pub(crate) struct InstructionText<'a>(pub(crate) &'a Instruction, pub(crate) &'a [Register]);

impl Display for InstructionText<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(instruction, registers) = self;
        if let Some(guard) = instruction.guard {
            let not = if guard.negated { "!" } else { "" };
            write!(formatter, "@{not}{} ", registers[guard.register].name)?;
        }
        formatter.write_str(&instruction.opcode)?;
        for (at, operand) in instruction.operands.iter().enumerate() {
            formatter.write_str(if at == 0 { " \t" } else { ", " })?;
            self.operand(operand, formatter)?;
        }
        formatter.write_str(";")
    }
}

impl InstructionText<'_> {
    fn operand(&self, operand: &[Token], formatter: &mut Formatter<'_>) -> fmt::Result {
        let mut before: Option<&Token> = None;
        for token in operand {
            // Two words stay two, and two strokes begin no comment.
            let apart = match (before, token) {
                (Some(Token::Mark(before)), Token::Mark(_)) => *before == '/',
                (Some(before), token) => {
                    !matches!((before, token), (Token::Mark(_), _) | (_, Token::Mark(_)))
                }
                (None, _) => false,
            };
            if apart {
                formatter.write_str(" ")?;
            }
            match token {
                Token::Register(register, component) => {
                    write!(formatter, "{}{component}", self.1[*register].name)?;
                }
                Token::Word(word) => formatter.write_str(word)?,
                Token::Mark(mark) => write!(formatter, "{mark}")?,
            }
            before = Some(token);
        }
        Ok(())
    }
}

impl Display for InstructionId {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base(number) => write!(formatter, "b{number}"),
            Self::Created(hash) => write!(formatter, "c{hash:016x}"),
        }
    }
}

impl Display for Class {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Predicate => formatter.write_str(".pred"),
            Self::Bits(bits) => write!(formatter, ".b{bits}"),
            Self::Integer(bits) => write!(formatter, ".u{bits}"),
            Self::Float(bits) => write!(formatter, ".f{bits}"),
            Self::Other => formatter.write_str(".b32"), // no instruction with such a result is copied
        }
    }
}
