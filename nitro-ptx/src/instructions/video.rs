//! Video instructions on halves or bytes of words, two or four side by side ("SIMD Video Instructions").
//!
//! Those of one part alone are left out: what devices give is not what the manual says.

use std::sync::Arc;

use super::effect;
use super::entry::Entry;
use super::reading::{Reading, UNTYPED};
use crate::machine::clock::WARP;
use crate::machine::error::Fault;
use crate::machine::source::Source;
use crate::machine::state::{Action, After, Execute, Here, Machine};
use crate::machine::warp::lanes;
use crate::text::module::Token;
use crate::text::types::Type;

pub(super) const FAMILY: &[Entry] = &[
    Entry::pure("vadd2/vadd4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| video(op, |a, b| a + b)),
    Entry::pure("vsub2/vsub4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| video(op, |a, b| a - b)),
    Entry::pure("vavrg2/vavrg4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| {
        // Halves are rounded away from zero.
        video(op, |a, b| (a + b + i64::from(a + b >= 0)) >> 1)
    }),
    Entry::pure("vabsdiff2/vabsdiff4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| {
        video(op, |a, b| (a - b).abs())
    }),
    Entry::pure("vmin2/vmin4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| video(op, i64::min)),
    Entry::pure("vmax2/vmax4.V.V.V{.sat/.add}  d.mask, a.sel, b.sel, c", |op| video(op, i64::max)),
    Entry::pure("vset2/vset4.V.V.ORDER{.add}  d.mask, a.sel, b.sel, c", |op| {
        video(
            op,
            match op.parts.get(2) {
                Some(&"eq") => |a, b| i64::from(a == b),
                Some(&"ne") => |a, b| i64::from(a != b),
                Some(&"lt") => |a, b| i64::from(a < b),
                Some(&"le") => |a, b| i64::from(a <= b),
                Some(&"gt") => |a, b| i64::from(a > b),
                Some(&"ge") => |a, b| i64::from(a >= b),
                _ => return Err("its operation is not known".to_owned()),
            },
        )
    }),
    Entry::not_emulated("vadd/vsub/vabsdiff/vmin/vmax/vshl/vshr/vmad/vset", effect::pure),
];

/// A function of two parts.
type Operation = fn(i64, i64) -> i64;

#[derive(Clone, Debug)]
struct Video {
    operation: Operation,
    lanes: u32,
    /// The signs of the result and of the first two sources.
    is_signed: [bool; 3],
    saturates: bool,
    /// The results are added to the third source, instead of standing side by side.
    accumulates: bool,
    /// A bit for each part of the result that is written.
    mask: u32,
    /// The parts of both sources together that each part of the result is made of, the lowest first.
    parts: [Vec<u32>; 2],
    from: [Source; 3],
    to: u32,
}

impl Execute for Video {
    fn execute(&self, machine: &mut Machine, here: &mut Here) -> Result<After, Fault> {
        let [a, b, c] = self.from.map(|source| here.values(machine, source));
        let mut results = [0; WARP];
        lanes(here.active).for_each(|lane| results[lane] = self.result(a[lane], b[lane], c[lane]));
        here.write(self.to, &results);
        Ok(After::Next)
    }
}

impl Video {
    fn result(&self, a: u64, b: u64, c: u64) -> u64 {
        let bits = 32 / self.lanes;
        // A selector may choose parts of either source for each lane.
        let both = (a & 0xffff_ffff) | b << 32;
        let (mut sum, mut merged) = (i64::from(c as u32), 0);
        for lane in 0..self.lanes {
            let [a, b] = [0, 1].map(|source| {
                let from = self.parts[source][lane as usize] * bits;
                field(both, from, bits, self.is_signed[1 + source])
            });
            let value = self.saturated((self.operation)(a, b), bits);
            let ones = ((1_u64 << bits) - 1) << (lane * bits);
            // Parts that are not written are those of the third source.
            if self.mask >> lane & 1 != 0 {
                sum += value;
                merged |= (value as u64) << (lane * bits) & ones;
            } else {
                merged |= c & ones;
            }
        }
        if self.accumulates { u64::from(sum as u32) } else { merged }
    }

    fn saturated(&self, value: i64, bits: u32) -> i64 {
        match (self.saturates, self.is_signed[0]) {
            (false, _) => value,
            (true, true) => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (true, false) => value.clamp(0, (1 << bits) - 1),
        }
    }
}

/// Returns so many bits of a word from one on, as a number.
fn field(word: u64, from: u32, bits: u32, is_signed: bool) -> i64 {
    let value = (word >> from & ((1 << bits) - 1)) as i64;
    if is_signed && value >> (bits - 1) & 1 != 0 { value - (1 << bits) } else { value }
}

fn video(op: &Reading, operation: Operation) -> Result<Action, String> {
    let lanes: u32 = if op.name.ends_with('2') { 2 } else { 4 };
    let [(to, of_to), (a, of_a), (b, of_b)] = [part(op, 0)?, part(op, 1)?, part(op, 2)?];
    let (mask, parts) = (mask(of_to, lanes), [chosen(of_a, lanes, 0), chosen(of_b, lanes, lanes)]);
    let (Some(mask), [Some(of_a), Some(of_b)]) = (mask, parts) else {
        return Err("its operands have parts that are not known".to_owned());
    };
    // What is set has no type, and counts as unsigned.
    let kinds: Vec<bool> = op.parts.iter().map_while(|part| Some(Type::parse(part)?.is_signed())).collect();
    let is_signed = match kinds[..] {
        [a, b] => [false, a, b],
        [to, a, b] => [to, a, b],
        _ => return Err(UNTYPED.to_owned()),
    };
    let word = Type::Unsigned(4);
    Ok(Arc::new(Video {
        operation,
        lanes,
        is_signed,
        saturates: op.has("sat"),
        accumulates: op.has("add"),
        mask,
        parts: [of_a, of_b],
        from: [op.value(&a, word)?, op.value(&b, word)?, op.source(3, word)?],
        to: op.register(&to)?,
    }))
}

/// Returns an operand without the selector of its parts, and the selector, which is empty for all of it.
fn part<'o>(op: &'o Reading, at: usize) -> Result<(Vec<Token>, &'o str), String> {
    Ok(match op.operand(at)? {
        [Token::Register(register, selector)] => (vec![Token::Register(*register, String::new())], selector),
        tokens => (tokens.to_vec(), ""),
    })
}

/// Returns the digits of a selector such as `.h10` or `.b20`.
fn digits(selector: &str, lanes: u32) -> Option<Vec<u32>> {
    let digits = selector.strip_prefix(if lanes == 2 { ".h" } else { ".b" })?;
    digits.chars().map(|digit| digit.to_digit(10)).collect()
}

/// Returns the parts of the result that are written.
fn mask(selector: &str, lanes: u32) -> Option<u32> {
    if selector.is_empty() {
        return Some((1 << lanes) - 1);
    }
    let digits = digits(selector, lanes)?;
    let is_known = digits.iter().all(|digit| *digit < lanes);
    is_known.then(|| digits.iter().fold(0, |mask, digit| mask | 1 << digit))
}

/// Returns the part of both sources that goes to each lane, as in `.b7610`, of which the last is the lowest.
fn chosen(selector: &str, lanes: u32, first: u32) -> Option<Vec<u32>> {
    if selector.is_empty() {
        return Some((first..first + lanes).collect());
    }
    let digits = digits(selector, lanes)?;
    let is_known = digits.len() == lanes as usize && digits.iter().all(|digit| *digit < 2 * lanes);
    is_known.then(|| digits.into_iter().rev().collect())
}
