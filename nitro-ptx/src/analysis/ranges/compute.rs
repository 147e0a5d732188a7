//! The range of what an instruction computes.

use std::collections::HashMap;

use super::range::Range;
use crate::text::constant;
use crate::text::module::{Class, Function, Instruction, Token};
use crate::text::types::Type;

/// What is known of the launches of a kernel, of which none has more than 2^31 threads along an axis.
///
/// [`Module::in_launches`](crate::Module::in_launches) takes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownLaunches {
    /// The threads of a block along each axis, where all launches have the same.
    pub block: Option<[u32; 3]>,
    /// The least integer of each parameter; none for pointers and others. No integer is beyond 2^31 - 1.
    pub least: Vec<Option<u32>>,
}

/// The most threads of a block along an axis, and the most blocks of a grid, or threads of all.
const MOST_THREADS: i128 = 1024;
const MOST_BLOCKS: i128 = 1 << 31;

/// The ranges of registers.
pub(super) type State = Vec<Range>;

/// The registers that are another one with a number added.
pub(super) type Offsets = HashMap<usize, (usize, i128)>;

/// A number, or a register with a number added.
#[derive(Clone, Copy)]
enum Sum {
    Number(i128),
    Of(usize, i128),
}

/// Returns the bits of a register's number.
pub(super) fn bits(class: Class) -> u16 {
    match class {
        Class::Predicate => 1,
        Class::Bits(bits) | Class::Integer(bits) | Class::Float(bits) => bits,
        Class::Other => 64,
    }
}

/// A function whose instructions are looked at, with the numbers of its parameters by name.
pub(super) struct Reader<'a> {
    pub(super) function: &'a Function,
    pub(super) known: &'a KnownLaunches,
    pub(super) parameters: Vec<(String, Range)>,
}

impl Reader<'_> {
    /// Returns whether a guard holds, where that is known.
    pub(super) fn guard(&self, instruction: &Instruction, state: &State) -> Option<bool> {
        let Some(guard) = instruction.guard else { return Some(true) };
        Some((state[guard.register].number()? != 0) != guard.negated)
    }

    /// Does to the ranges of registers what an instruction does to the registers. What is known of their differences
    /// holds within a block.
    pub(super) fn execute(&self, instruction: &Instruction, state: &mut State, offsets: &mut Offsets) {
        let guard = self.guard(instruction, state);
        let places = instruction.definitions();
        if guard == Some(false) || places.is_empty() {
            return;
        }
        let (computed, sum) = match &places[..] {
            [_] => (self.computed(instruction, state), self.sum(instruction, state, offsets)),
            _ => (None, None),
        };
        let computed = match sum {
            Some(Sum::Number(number)) => Some(Range::one(number)),
            _ => computed,
        };
        offsets.retain(|own, (of, _)| !places.contains(own) && !places.contains(of));
        if let (Some(Sum::Of(of, offset)), Some(true)) = (sum, guard) {
            offsets.extend(places.iter().filter(|place| **place != of).map(|&place| (place, (of, offset))));
        }
        for place in places {
            let bits = bits(self.function.registers[place].class);
            let new = computed.map_or_else(|| Range::all(bits), |range| range.held(bits));
            state[place] = if guard == Some(true) { new } else { new.joined(state[place]) };
        }
    }

    /// Returns what an instruction computes as a number, or as a register with a number added, without a carry.
    fn sum(&self, instruction: &Instruction, state: &State, offsets: &Offsets) -> Option<Sum> {
        let mut parts = instruction.opcode.split('.');
        let (name, kind) = (parts.next()?, Type::parse(parts.next()?)?);
        if parts.next().is_some() || instruction.is_unusual() || kind.is_float() || !kind.is_signed() {
            return None;
        }
        let register = |at: usize| match instruction.operands.get(at)?[..] {
            [Token::Register(register, _)] => Some(offsets.get(&register).copied().unwrap_or((register, 0))),
            _ => None,
        };
        let range = |at: usize| self.operand(instruction.operands.get(at)?, kind, state);
        let (of, offset) = register(1)?;
        let (one, other) = (range(1)?, range(2)?);
        let added = match (name, register(2), other.number()) {
            ("sub", Some((same, by)), _) if same == of => return Some(Sum::Number(offset - by)),
            ("add", _, Some(number)) => number,
            ("sub", _, Some(number)) => -number,
            ("max", ..) if one.low >= other.high => 0,
            ("min", ..) if one.high <= other.low => 0,
            _ => return None,
        };
        let sum = Range { low: one.low + added, high: one.high + added };
        (sum.held(8 * u16::from(kind.bytes())) == sum).then_some(Sum::Of(of, offset + added))
    }

    /// Returns the range of what an instruction computes, if something is known of it.
    fn computed(&self, instruction: &Instruction, state: &State) -> Option<Range> {
        let mut parts = instruction.opcode.split('.');
        let name = parts.next()?;
        let parts: Vec<&str> = parts.collect();
        if instruction.is_unusual() || parts.iter().any(|part| matches!(*part, "sat" | "cc" | "hi")) {
            return None;
        }
        if instruction.effect().loads_parameter() {
            let [Token::Mark('['), Token::Word(word), Token::Mark(']')] =
                instruction.operands.get(1)?.as_slice()
            else {
                return None;
            };
            let is_whole = parts
                .last()
                .and_then(|part| Type::parse(part))
                .is_some_and(|kind| matches!(kind, Type::Bits(4) | Type::Unsigned(4) | Type::Signed(4)));
            let mut parameters = self.parameters.iter().filter(|_| is_whole);
            return parameters.find(|(name, _)| name == word).map(|(_, range)| *range);
        }
        let kinds: Vec<Type> = parts.iter().filter_map(|part| Type::parse(part)).collect();
        let kind = *kinds.last()?;
        let operands: Vec<Option<Range>> =
            instruction.operands.iter().skip(1).map(|operand| self.operand(operand, kind, state)).collect();
        let operands: Option<Vec<Range>> = operands.into_iter().collect();
        match (name, &kinds[..], &operands?[..]) {
            ("setp", _, &[one, other]) => compared(parts.first()?, kind, one, other),
            ("cvt", &[to, from], &[value]) => converted(to, from, value),
            (_, _, operands) => arithmetic(name, &parts, kind, operands),
        }
    }

    /// Returns what the registers that a comparison reads may hold where it is true, or false; none for a number that
    /// cannot be.
    pub(super) fn narrowed(
        &self,
        compares: &Instruction,
        truth: bool,
        state: &State,
    ) -> Option<Vec<(usize, Option<Range>)>> {
        let parts: Vec<&str> = compares.opcode.split('.').collect();
        let [_, one, other] = &compares.operands[..] else { return None };
        let ["setp", order, kind] = parts[..] else { return None };
        let kind = Type::parse(kind).filter(|kind| !kind.is_float() && *kind != Type::Predicate)?;
        let ranges = [self.operand(one, kind, state)?, self.operand(other, kind, state)?];
        if !kind.is_signed() && !ranges.iter().all(|range| range.is_natural()) {
            return None;
        }
        let order = if truth { order } else { opposite(order) };
        let new = narrowed(order, ranges[0], ranges[1])?;
        let registers = [one, other].into_iter().zip(new);
        Some(
            registers
                .filter_map(|(operand, range)| match operand[..] {
                    [Token::Register(register, _)] => Some((register, range)),
                    _ => None,
                })
                .collect(),
        )
    }

    /// Returns the range of an operand; none where it is no integer.
    fn operand(&self, operand: &[Token], kind: Type, state: &State) -> Option<Range> {
        match operand {
            [Token::Register(register, _)] => Some(state[*register]),
            [Token::Mark('!'), Token::Register(register, _)] if kind == Type::Predicate => {
                Some(state[*register].negated())
            }
            [Token::Word(word)] if word.starts_with('%') => self.special(word),
            [Token::Word(word)] => number(word, false, kind),
            [Token::Mark('-'), Token::Word(word)] => number(word, true, kind),
            _ => None,
        }
    }

    /// Returns the range of a special register.
    fn special(&self, word: &str) -> Option<Range> {
        let (name, axis) = word.split_once('.')?;
        let axis = ["x", "y", "z"].iter().position(|known| *known == axis)?;
        let threads = self.known.block.map(|block| i128::from(block[axis].max(1)));
        let most_blocks = threads.map_or(MOST_BLOCKS, |threads| MOST_BLOCKS / threads);
        Some(match name {
            "%tid" => Range { low: 0, high: threads.unwrap_or(MOST_THREADS) - 1 },
            "%ntid" => threads.map_or(Range { low: 1, high: MOST_THREADS }, Range::one),
            "%ctaid" => Range { low: 0, high: most_blocks - 1 },
            "%nctaid" => Range { low: 1, high: most_blocks },
            _ => return None,
        })
    }
}

/// Returns a number as registers of this type hold it.
fn number(word: &str, is_negative: bool, kind: Type) -> Option<Range> {
    let bits = 8 * u32::from(kind.bytes()).min(8);
    let number = constant::number(word).filter(|_| !kind.is_float())?;
    let number = if is_negative { number.wrapping_neg() } else { number };
    Some(Range::one(i128::from((number << (64 - bits)) as i64 >> (64 - bits))))
}

/// Returns the range of a comparison's result: 0, 1 or both.
fn compared(order: &str, kind: Type, one: Range, other: Range) -> Option<Range> {
    let is_read = kind.is_signed() || one.is_natural() && other.is_natural();
    if kind.is_float() || !is_read {
        return None;
    }
    let is_below = |one: Range, other: Range| match (one.high < other.low, one.low >= other.high) {
        (true, _) => Range::one(1),
        (_, true) => Range::one(0),
        _ => Range::all(1),
    };
    let is_equal = match (one.common(other), one.number(), other.number()) {
        (None, ..) => Range::one(0),
        (_, Some(_), Some(_)) => Range::one(1),
        _ => Range::all(1),
    };
    Some(match order {
        "lt" | "lo" => is_below(one, other),
        "ge" | "hs" => is_below(one, other).negated(),
        "gt" | "hi" => is_below(other, one),
        "le" | "ls" => is_below(other, one).negated(),
        "eq" => is_equal,
        "ne" => is_equal.negated(),
        _ => return None,
    })
}

/// Narrows two ranges to what they may be where a comparison is true; none where it cannot be.
fn narrowed(order: &str, one: Range, other: Range) -> Option<[Option<Range>; 2]> {
    let below = |range: Range, high: i128| range.common(Range { low: i128::MIN, high });
    let from = |range: Range, low: i128| range.common(Range { low, high: i128::MAX });
    Some(match order {
        "lt" | "lo" => [below(one, other.high - 1), from(other, one.low + 1)],
        "le" | "ls" => [below(one, other.high), from(other, one.low)],
        "gt" | "hi" => [from(one, other.low + 1), below(other, one.high - 1)],
        "ge" | "hs" => [from(one, other.low), below(other, one.high)],
        "eq" => [one.common(other); 2],
        _ => return None,
    })
}

/// Returns the order that holds where another one does not.
fn opposite(order: &str) -> &'static str {
    match order {
        "lt" | "lo" => "ge",
        "le" | "ls" => "gt",
        "gt" | "hi" => "le",
        "ge" | "hs" => "lt",
        "ne" => "eq",
        _ => "ne",
    }
}

/// Returns the range of an integer as another type has it.
fn converted(to: Type, from: Type, value: Range) -> Option<Range> {
    let is_integer = |kind: Type| matches!(kind, Type::Unsigned(2..=8) | Type::Signed(2..=8));
    let is_read = from.is_signed() || value.is_natural();
    let fits =
        value.held(8 * u16::from(from.bytes())) == value && value.held(8 * u16::from(to.bytes())) == value;
    (is_integer(to) && is_integer(from) && is_read && fits).then_some(value)
}

/// Returns the range of what is computed of integers, or predicates.
fn arithmetic(name: &str, parts: &[&str], kind: Type, operands: &[Range]) -> Option<Range> {
    let are_natural = operands.iter().all(|operand| operand.is_natural());
    let is_wide = parts.contains(&"wide");
    let is_integer = matches!(kind, Type::Bits(_) | Type::Unsigned(_) | Type::Signed(_) | Type::Predicate);
    let is_read = kind.is_signed() || are_natural;
    if !is_integer || is_wide && !is_read {
        return None;
    }
    let product = |one: Range, other: Range| one.corners(other, |one, other| one * other);
    let sum = |one: Range, other: Range| Range { low: one.low + other.low, high: one.high + other.high };
    // What goes beyond is no such number any more.
    let width = 8 * u16::from(kind.bytes()) * if is_wide { 2 } else { 1 };
    let result = match (name, operands) {
        ("mov", &[value]) => value,
        ("add", &[one, other]) => sum(one, other),
        ("sub", &[one, other]) => Range { low: one.low - other.high, high: one.high - other.low },
        ("mul", &[one, other]) => product(one, other),
        ("mad", &[one, other, more]) => sum(product(one, other).held(width), more),
        ("min", &[one, other]) if is_read => one.smaller(other),
        ("max", &[one, other]) if is_read => one.larger(other),
        ("selp", &[one, other, predicate]) => match predicate.number() {
            Some(0) => other,
            Some(_) => one,
            None => one.joined(other),
        },
        ("and", &[one, other]) if kind == Type::Predicate => one.smaller(other),
        ("or", &[one, other]) if kind == Type::Predicate => one.larger(other),
        ("and" | "or" | "xor", &[Range { low: one, high }, Range { low: other, high: other_high }])
            if one == high && other == other_high =>
        {
            Range::one(match name {
                "and" => one & other,
                "or" => one | other,
                _ => one ^ other,
            })
        }
        ("and", &[one, other]) if are_natural => Range { low: 0, high: one.high.min(other.high) },
        ("and", &[one, other]) if one.is_natural() || other.is_natural() => {
            Range { low: 0, high: if one.is_natural() { one.high } else { other.high } }
        }
        ("or" | "xor", &[one, other]) if are_natural => one.below_highest(other),
        ("not", &[one]) if kind == Type::Predicate => one.negated(),
        ("shl", &[one, by]) => {
            let by = by.number().filter(|by| (0..i128::from(width)).contains(by))?;
            Range { low: one.low << by, high: one.high << by }
        }
        ("shr", &[one, by]) if is_read => {
            let by = by.number().filter(|by| (0..64).contains(by))?;
            Range { low: one.low >> by, high: one.high >> by }
        }
        ("div", &[one, by]) if are_natural && by.low > 0 => {
            Range { low: one.low / by.high, high: one.high / by.low }
        }
        ("rem", &[one, by]) if are_natural && by.low > 0 => {
            Range { low: if one.high < by.low { one.low } else { 0 }, high: one.high.min(by.high - 1) }
        }
        _ => return None,
    };
    Some(result.held(width))
}
