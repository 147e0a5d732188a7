//! An instruction that is being decoded: its modifiers, and what its operands mean.

use std::ops::Range;
use std::sync::Arc;

use super::arithmetic::round::mode;
use super::context::{Context, Local, Symbol};
use super::operand::{shown, words};
use crate::machine::compute::{Compute, Function};
use crate::machine::source::{Address, Area, SINK, Source, Special, ZERO};
use crate::machine::state::Action;
use crate::text::constant::{constant, integer, number};
use crate::text::module::{Instruction, Token};
use crate::text::types::{Space, Type};

/// The reason for which an instruction is refused that has no function for its type.
pub(super) const UNTYPED: &str = "it is not known with this type";

/// An instruction that is being decoded, in parts.
pub(crate) struct Reading<'d, 'a> {
    pub(super) context: &'d Context<'a>,
    pub(super) instruction: &'d Instruction,
    pub(super) scope: usize,
    /// The first part of the opcode.
    pub(super) name: &'d str,
    /// The others, in the order of its form.
    pub(super) parts: Vec<&'static str>,
    /// The last type of the opcode, which most of the operands have.
    pub(super) kind: Type,
}

impl Reading<'_, '_> {
    pub(super) fn has(&self, part: &str) -> bool {
        self.parts.contains(&part)
    }

    /// Returns the type before the last, as of what a conversion gives.
    pub(super) fn first_kind(&self) -> Type {
        let mut kinds = self.parts.iter().rev().filter_map(|part| Type::parse(part));
        kinds.nth(1).unwrap_or(self.kind)
    }

    /// Returns the number of values of a vector.
    pub(super) fn lanes(&self) -> usize {
        let vectors = [("v2", 2), ("v4", 4), ("v8", 8)];
        vectors.into_iter().find(|(part, _)| self.has(part)).map_or(1, |(_, lanes)| lanes)
    }

    /// Returns the number of values in the braces of an operand.
    pub(super) fn values(&self, at: usize) -> Result<usize, String> {
        let tokens = self.operand(at)?;
        Ok(tokens.iter().filter(|token| **token == Token::Mark(',')).count() + 1)
    }

    /// Returns the state space that the opcode names.
    pub(super) fn space(&self) -> Space {
        Space::of_parts(&self.parts)
    }

    /// Decodes an instruction that writes its first operand as a function of the others, which have its type. What
    /// its modifiers say is the last value of the function.
    pub(super) fn compute(&self, function: Option<Function>, cost: u8) -> Result<Action, String> {
        self.compute_with(function.ok_or(UNTYPED)?, mode::of(&self.parts, self.kind), cost)
    }

    /// Decodes such an instruction with another last value.
    pub(super) fn compute_with(&self, function: Function, mode: u64, cost: u8) -> Result<Action, String> {
        let sources = self.instruction.operands.len() - 1;
        let mut from = self.sources(1, sources, self.kind)?;
        if sources < 4 {
            from[3] = Source::Constant(mode);
        }
        self.computed(function, from, cost)
    }

    /// Decodes an instruction that writes its first operand as a function of these sources.
    pub(super) fn computed(&self, function: Function, from: [Source; 4], cost: u8) -> Result<Action, String> {
        Ok(Arc::new(Compute { function, to: self.target(0)?, from, cost }))
    }

    pub(super) fn operand(&self, at: usize) -> Result<&[Token], String> {
        self.instruction
            .operands
            .get(at)
            .map(Vec::as_slice)
            .ok_or_else(|| format!("it has no operand {}", at + 1))
    }

    pub(super) fn source(&self, at: usize, kind: Type) -> Result<Source, String> {
        self.value(self.operand(at)?, kind)
    }

    /// So many sources from one on; the others are zero.
    pub(super) fn sources<const N: usize>(
        &self,
        first: usize,
        count: usize,
        kind: Type,
    ) -> Result<[Source; N], String> {
        let mut found = [ZERO; N];
        for (at, place) in found.iter_mut().enumerate().take(count) {
            *place = self.source(first + at, kind)?;
        }
        Ok(found)
    }

    pub(super) fn target(&self, at: usize) -> Result<u32, String> {
        self.register(self.operand(at)?)
    }

    pub(super) fn register(&self, tokens: &[Token]) -> Result<u32, String> {
        match tokens {
            // `_` stands for a result that nobody wants.
            [Token::Word(word)] if word == "_" => Ok(SINK),
            _ => match self.value(tokens, Type::Bits(8))? {
                Source::Register(register) => Ok(register),
                _ => Err("what is written is no register".to_owned()),
            },
        }
    }

    /// `p|q`, of which one may be missing.
    pub(super) fn targets(&self, at: usize) -> Result<[u32; 2], String> {
        let tokens = self.operand(at)?;
        let mut parts = tokens.split(|token| *token == Token::Mark('|'));
        let first = self.register(parts.next().unwrap_or_default())?;
        Ok([first, parts.next().map_or(Ok(SINK), |second| self.register(second))?])
    }

    /// A predicate, which may be negated.
    pub(super) fn predicate(&self, at: usize) -> Result<(Source, bool), String> {
        let (tokens, is_negated) = match self.operand(at)? {
            [Token::Mark('!'), rest @ ..] => (rest, true),
            tokens => (tokens, false),
        };
        match self.value(tokens, Type::Predicate)? {
            // Any number but zero is true.
            Source::Constant(value) => Ok((Source::Constant((value != 0).into()), is_negated)),
            source => Ok((source, is_negated)),
        }
    }

    /// The values of `{a, b}`, of a register that is a vector, or of one register.
    pub(super) fn list(&self, at: usize, kind: Type, lanes: usize) -> Result<Vec<Source>, String> {
        let tokens = self.operand(at)?;
        let found: Vec<Source> = match tokens {
            [Token::Mark('{'), inner @ .., Token::Mark('}')] => {
                let each = inner.split(|token| *token == Token::Mark(','));
                each.map(|tokens| self.value(tokens, kind)).collect::<Result<_, _>>()?
            }
            _ => match self.vector(tokens) {
                Some(places) => places.map(Source::Register).collect(),
                None => vec![self.value(tokens, kind)?],
            },
        };
        match found.len() == lanes && lanes <= 8 {
            true => Ok(found),
            false => Err(format!("an operand has {} values instead of {lanes}", found.len())),
        }
    }

    pub(super) fn registers(&self, at: usize, lanes: usize) -> Result<Box<[u32]>, String> {
        let each = self.list(at, Type::Bits(8), lanes)?.into_iter();
        let registers = each.map(|source| match source {
            Source::Register(register) => Ok(register),
            _ => Err("what is written is no register".to_owned()),
        });
        registers.collect()
    }

    /// The places of a whole vector of registers.
    pub(super) fn vector(&self, tokens: &[Token]) -> Option<Range<u32>> {
        let places = match tokens {
            [Token::Register(register, component)] if component.is_empty() => self.context.lanes(*register),
            [Token::Word(name)] => match self.context.local(self.scope, name)? {
                Local::Register { first, lanes } => first..first + lanes,
                _ => return None,
            },
            _ => return None,
        };
        (places.len() > 1).then_some(places)
    }

    pub(super) fn value(&self, tokens: &[Token], kind: Type) -> Result<Source, String> {
        let unknown = || format!("`{}` is no operand that is known", shown(tokens));
        match tokens {
            [Token::Register(register, part)] => {
                component(self.context.lanes(*register), part).map(Source::Register).ok_or_else(unknown)
            }
            [Token::Word(word)] => self.word(word, kind).ok_or_else(unknown),
            [Token::Word(name), Token::Mark('+'), offset @ ..] if number(name).is_none() => {
                // An address of a variable, and so many bytes beyond it ("Addresses as Operands").
                let of_name = self.word(name, Type::Unsigned(8));
                match (of_name, integer(&words(offset))) {
                    (Some(Source::Constant(address)), Some(offset)) => {
                        Ok(Source::Constant(address.wrapping_add(offset)))
                    }
                    (Some(Source::Frame(at)), Some(offset)) => {
                        Ok(Source::Frame(at.wrapping_add(offset as u32)))
                    }
                    _ => constant(&words(tokens), kind).map(Source::Constant).ok_or_else(unknown),
                }
            }
            _ => constant(&words(tokens), kind).map(Source::Constant).ok_or_else(unknown),
        }
    }

    fn word(&self, word: &str, kind: Type) -> Option<Source> {
        if word == "_" {
            return Some(Source::Register(SINK));
        }
        if let Some(value) = constant(&[word], kind) {
            return Some(Source::Constant(value));
        }
        if word.starts_with('%')
            && let Some(special) = special(word)
        {
            return Some(special);
        }
        Some(match self.context.local(self.scope, word) {
            Some(Local::Frame { offset, .. }) => Source::Frame(offset),
            Some(Local::Shared(offset)) => Source::Constant(offset.into()),
            Some(Local::Parameter(offset)) => Source::Constant(offset.into()),
            Some(Local::Register { first, lanes }) => Source::Register(component(first..first + lanes, "")?),
            None => match self.context.symbols.get(word) {
                Some(&Symbol::Address(address)) => Source::Constant(address),
                Some(&Symbol::Shared(offset)) => Source::Constant(offset.into()),
                None => self.part_of_parameter(word)?,
            },
        })
    }

    /// The value of `i.x`, where `i` is a parameter that is a vector of registers.
    fn part_of_parameter(&self, word: &str) -> Option<Source> {
        let (name, part) = word.split_at(word.rfind('.')?);
        match self.context.local(self.scope, name)? {
            Local::Register { first, lanes } => component(first..first + lanes, part).map(Source::Register),
            _ => None,
        }
    }

    /// Returns the address that `[...]` means in this space.
    pub(super) fn address(&self, at: usize, space: Space) -> Result<Address, String> {
        let tokens = self.operand(at)?;
        let unknown = || format!("`{}` is no address that is known", shown(tokens));
        let [Token::Mark('['), inner @ .., Token::Mark(']')] = tokens else {
            return Err(format!("`{}` is no address", shown(tokens)));
        };
        // `[register+offset]`, `[name+offset]`, or an address that is a number ("Addresses as Operands").
        let is_base = match inner.first() {
            Some(Token::Register(..)) => true,
            Some(Token::Word(word)) => number(word).is_none() && word != "WARP_SZ",
            _ => false,
        };
        let (base, offset) = inner.split_at(usize::from(is_base));
        // Signs before an offset are those of a constant expression.
        let offset = match offset {
            [] => 0,
            [Token::Mark('+' | '-'), ..] => integer(&words(offset)).ok_or_else(unknown)?,
            _ if !is_base => integer(&words(offset)).ok_or_else(unknown)?,
            _ => return Err(unknown()),
        };
        let area = self.area(base, space);
        let base = if is_base { self.value(base, Type::Unsigned(8))? } else { ZERO };
        Ok(Address { area, base, offset })
    }

    fn area(&self, base: &[Token], space: Space) -> Area {
        // Parameters of functions that are called are in their frames.
        let local = match base {
            [Token::Word(name)] => self.context.local(self.scope, name),
            _ => None,
        };
        match (space, local) {
            (_, Some(Local::Frame { .. })) => Area::Local,
            (_, Some(Local::Parameter(_))) => Area::Parameter,
            (_, Some(Local::Shared(_))) | (Space::Shared, _) => Area::Shared,
            (Space::Local, _) => Area::Local,
            (Space::Parameter, _) => Area::Parameter,
            (Space::Global | Space::Constant, _) => Area::Global,
            (Space::Generic, _) => Area::Generic,
        }
    }
}

/// The place of a part of a vector, or of a register that has none.
fn component(places: Range<u32>, part: &str) -> Option<u32> {
    let lane = match (part, places.len()) {
        ("", 1) | (".x" | ".r", 2..) => 0,
        (".y" | ".g", 2..) => 1,
        (".z" | ".b", 3..) => 2,
        (".w" | ".a", 3..) => 3,
        _ => return None,
    };
    Some(places.start + lane)
}

fn special(word: &str) -> Option<Source> {
    if let Some((name, axis)) = word.rsplit_once('.') {
        let axis = ["x", "y", "z"].iter().position(|one| *one == axis)? as u8;
        return Some(Source::Special(match name {
            "%tid" => Special::Thread(axis),
            "%ntid" => Special::Threads(axis),
            "%ctaid" => Special::Block(axis),
            "%nctaid" => Special::Blocks(axis),
            _ => return None,
        }));
    }
    Some(Source::Special(match word {
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%nwarpid" => Special::Warps,
        "%lanemask_eq" => Special::Mask(0),
        "%lanemask_lt" => Special::Mask(1),
        "%lanemask_le" => Special::Mask(2),
        "%lanemask_gt" => Special::Mask(3),
        "%lanemask_ge" => Special::Mask(4),
        "%clock" | "%clock64" | "%globaltimer" | "%globaltimer_lo" => Special::Clock,
        // All multiprocessors are one here, and no clock gets as far as its upper half ("Special Registers").
        "%clock_hi" | "%globaltimer_hi" | "%smid" | "%gridid" => Special::Device(0),
        "%nsmid" => Special::Device(1),
        "%dynamic_smem_size" => Special::DynamicShared,
        "%total_smem_size" => Special::TotalShared,
        _ => return None,
    }))
}
