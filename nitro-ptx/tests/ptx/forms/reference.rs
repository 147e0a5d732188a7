//! Results as the PTX manual describes them, of integers and of floats that software computes.

use std::cmp::Ordering;

use rustc_apfloat::Float as _;

use super::case::{Case, bits};
use super::float::{Format, Round};
use super::video;

/// What an instruction should give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// These bits, and those of a second result.
    Exactly(u64, u64),
    /// Any number that is not one, of a format.
    Nan(Format),
    /// About this value, in a format.
    About(f64, Format),
    /// What the manual leaves open.
    Open,
}

/// The result of an instruction for these values of its sources.
pub fn expected(case: &Case, x: [u64; 4]) -> Expected {
    let values: Vec<u64> =
        case.sources.iter().enumerate().map(|(at, source)| source.value(x[at.min(3)])).collect();
    let result = |value: u64| Expected::Exactly(cut(value, case.width), 0);
    if case.is_of_words() {
        return of_words(case, &values, x[3]);
    }
    if video::is_one(&case.name) {
        return result(video::result(case, &values));
    }
    match case.name.as_str() {
        "setp" | "set" | "testp" | "selp" | "slct" => chosen(case, &values),
        "cvt" => converted(case, &values),
        "mov" => result(values[0]),
        _ => match Format::of(case.kind()) {
            _ if case.name == "lop3" => logic(case, &values),
            Some(format) => of_floats(case, format, &values),
            None => of_integers(case, &values).map_or(Expected::Open, |value| result(value as u64)),
        },
    }
}

impl super::case::Source {
    fn value(&self, x: u64) -> u64 {
        match self.width {
            0 => self.constant,
            1 => u64::from((x & 1 != 0) != self.is_negated),
            width => cut(x, width),
        }
    }
}

/// The lowest bits.
pub fn cut(value: u64, width: u32) -> u64 {
    if width == 64 { value } else { value & ((1 << width) - 1) }
}

/// A value of so many bits as a number.
pub fn number(value: u64, width: u32, is_signed: bool) -> i128 {
    let value = i128::from(cut(value, width));
    if is_signed && value >> (width - 1) & 1 != 0 { value - (1 << width) } else { value }
}

fn logic(case: &Case, values: &[u64]) -> Expected {
    let table = values[3];
    let bit = |at: u32| {
        let row = (values[0] >> at & 1) << 2 | (values[1] >> at & 1) << 1 | values[2] >> at & 1;
        (table >> row & 1) << at
    };
    let word: u64 = (0..32).map(bit).sum();
    match values.get(4) {
        None => Expected::Exactly(word, 0),
        Some(with) if case.has("and") => Expected::Exactly(word, u64::from(word != 0) & with),
        Some(with) => Expected::Exactly(word, u64::from(word != 0) | with),
    }
}

fn of_integers(case: &Case, values: &[u64]) -> Option<i128> {
    let kind = case.kind();
    let (width, is_signed) = (bits(kind)?, kind.starts_with('s'));
    let at = |index: usize| number(values.get(index).copied().unwrap_or(0), width, is_signed);
    let (a, b, c) = (at(0), at(1), at(2));
    let raw = |index: usize| i128::from(values[index]);
    if kind.ends_with("x2") {
        return Some(of_pairs(case, values));
    }
    let saturated = |value: i128| value.clamp(i32::MIN.into(), i32::MAX.into());
    let product = match case.name.as_str() {
        "mul24" | "mad24" => {
            let short = |index: usize| number(values[index], 24, is_signed);
            short(0) * short(1)
        }
        // The product of two unsigned numbers of 64 bits has all 128.
        "mul" | "mad" => a.wrapping_mul(b),
        _ => 0,
    };
    let shifted = |product: i128, by: u32| match is_signed {
        true => product >> by,
        false => (product as u128 >> by) as i128,
    };
    let part = match (case.name.as_str(), case.has("hi")) {
        ("mul24" | "mad24", true) => number((product >> 16) as u64, 32, is_signed),
        (_, true) => shifted(product, width),
        (_, false) => product,
    };
    Some(match case.name.as_str() {
        "add" if case.has("sat") => saturated(a + b),
        "sub" if case.has("sat") => saturated(a - b),
        "add" => a + b,
        "sub" => a - b,
        "mul" | "mul24" => part,
        "mad" if case.has("wide") => part.wrapping_add(number(values[2], 2 * width, is_signed)),
        "mad" | "mad24" if case.has("sat") => saturated(part + c),
        "mad" | "mad24" => part.wrapping_add(c),
        "sad" => (a - b).abs() + c,
        // What a division by zero gives is not said, nor what does not fit.
        "div" | "rem" if b == 0 || is_signed && b == -1 && a == -(1 << (width - 1)) => return None,
        "div" => a / b,
        "rem" => a % b,
        "abs" => a.abs(),
        "neg" => -a,
        "min" | "max" => {
            let chosen = if case.name == "min" { a.min(b) } else { a.max(b) };
            if case.has("relu") { chosen.max(0) } else { chosen }
        }
        "and" => raw(0) & raw(1),
        "or" => raw(0) | raw(1),
        "xor" => raw(0) ^ raw(1),
        "not" => !raw(0),
        "cnot" => (raw(0) == 0).into(),
        "shl" => raw(0) << raw(1).min(64),
        "shr" => a >> raw(1).min(64),
        _ => return of_bits(case, values, width, is_signed),
    })
}

/// A sum of which a carry is part, and the flag after it, which was set if the fourth operand's sign was.
fn of_words(case: &Case, values: &[u64], fourth: u64) -> Expected {
    let (width, is_signed) = (bits(case.kind()).unwrap(), case.kind().starts_with('s'));
    let before = u128::from(fourth >> 31 & 1);
    let (first, second) = match case.name.as_str() {
        "mad" | "madc" => {
            let of = |index: usize| number(values[index], width, is_signed);
            let product = of(0).wrapping_mul(of(1)) as u128;
            (
                if case.has("hi") {
                    cut((product >> width) as u64, width)
                } else {
                    cut(product as u64, width)
                },
                values[2],
            )
        }
        // A difference is a sum with the other bits and one more.
        "sub" | "subc" => (values[0], cut(!values[1], width)),
        _ => (values[0], values[1]),
    };
    let more = match case.name.as_str() {
        "sub" => 1,
        "add" | "mad" => 0,
        _ => before,
    };
    let sum = u128::from(first) + u128::from(second) + more;
    let after = if case.has("cc") { sum >> width } else { before };
    Expected::Exactly(cut(sum as u64, width), after as u64)
}

fn of_pairs(case: &Case, values: &[u64]) -> i128 {
    let is_signed = case.kind().starts_with('s');
    let half = |at: u32| {
        let of = |index: usize| number(values[index] >> at, 16, is_signed);
        let value = match case.name.as_str() {
            "add" => of(0) + of(1),
            "min" => of(0).min(of(1)),
            _ => of(0).max(of(1)),
        };
        let value = if case.has("relu") { value.max(0) } else { value };
        i128::from(cut(value as u64, 16)) << at
    };
    half(0) | half(16)
}

fn of_bits(case: &Case, values: &[u64], width: u32, is_signed: bool) -> Option<i128> {
    let is_set = |value: u64, at: u32| value >> at & 1 != 0;
    let at = |index: usize| values[index];
    let of_set = |is_in: &dyn Fn(u32) -> bool, width: u32| -> i128 {
        (0..width).filter(|bit| is_in(*bit)).map(|bit| 1_i128 << bit).sum()
    };
    // The manual restricts fields to 255. Beyond that, a device takes the lowest byte of what is for 32 bits, and all
    // of what is for 64 bits (measured on an H100, driver 580, 2026-11-25, and seen in the machine code).
    let bound = |value: u64| if width == 32 { value as u32 & 0xff } else { value.min(255) as u32 };
    Some(match case.name.as_str() {
        "popc" => (0..width).filter(|bit| is_set(at(0), *bit)).count() as i128,
        "clz" => (0..width).take_while(|bit| !is_set(at(0), width - 1 - bit)).count() as i128,
        "brev" => of_set(&|bit| is_set(at(0), width - 1 - bit), width),
        "bfind" => {
            let sign = is_signed && is_set(at(0), width - 1);
            let found = (0..width).rev().find(|bit| is_set(at(0), *bit) != sign);
            found.map_or(-1, |bit| if case.has("shiftamt") { width - 1 - bit } else { bit }.into())
        }
        "bfe" => {
            let (from, length) = (bound(at(1)), bound(at(2)));
            let sign = is_signed && length > 0 && is_set(at(0), (from + length - 1).min(width - 1));
            of_set(
                &|bit| if bit < length && from + bit < width { is_set(at(0), from + bit) } else { sign },
                width,
            )
        }
        "bfi" => {
            let (from, length) = (bound(at(2)), bound(at(3)));
            let is_in = |bit: u32| bit >= from && bit < from + length;
            of_set(&|bit| if is_in(bit) { is_set(at(0), bit - from) } else { is_set(at(1), bit) }, width)
        }
        "szext" => {
            let length = if case.has("wrap") { at(1) & 31 } else { at(1).min(32) } as u32;
            if length == 0 { 0 } else { number(at(0), length, is_signed) }
        }
        "bmsk" => {
            let wraps = case.has("wrap");
            let (from, length) =
                if wraps { (at(0) & 31, at(1) & 31) } else { (at(0).min(32), at(1).min(32)) };
            of_set(&|bit| u64::from(bit) >= from && u64::from(bit) < from + length, 32)
        }
        "shf" => {
            let amount = if case.has("wrap") { at(2) & 31 } else { at(2).min(32) };
            let both = u128::from(at(1) << 32 | at(0));
            (if case.has("l") { both << amount >> 32 } else { both >> amount }) as i128
        }
        "prmt" => permuted(case, values),
        "dp4a" | "dp2a" => {
            let signs: Vec<bool> = case.types().iter().map(|kind| kind.starts_with('s')).collect();
            let (count, width) = if case.name == "dp4a" { (4, 8) } else { (2, 16) };
            let first = if case.has("hi") { 2 } else { 0 };
            let a = |lane: u32| number(at(0) >> (lane * width), width, signs[0]);
            let b = |lane: u32| number(at(1) >> ((first + lane) * 8), 8, signs[1]);
            (0..count).map(|lane| a(lane) * b(lane)).sum::<i128>() + i128::from(at(2))
        }
        _ => panic!("`{}` has no reference", case.text),
    })
}

/// Bytes by the tables of the manual, the lowest last.
fn permuted(case: &Case, values: &[u64]) -> i128 {
    let bytes = values[1] << 32 | values[0];
    let selectors: [u64; 4] = match case.parts.last().map(String::as_str) {
        Some("f4e") => [0x3210, 0x4321, 0x5432, 0x6543],
        Some("b4e") => [0x5670, 0x6701, 0x7012, 0x0123],
        Some("rc8") => [0x0000, 0x1111, 0x2222, 0x3333],
        Some("ecl") => [0x3210, 0x3211, 0x3222, 0x3333],
        Some("ecr") => [0x0000, 0x1110, 0x2210, 0x3210],
        Some("rc16") => [0x1010, 0x3232, 0x1010, 0x3232],
        _ => [values[2] & 0xffff; 4],
    };
    let selector = selectors[(values[2] & 3) as usize];
    let byte = |at: u32| {
        let chosen = selector >> (4 * at) & 15;
        let byte = bytes >> ((chosen & 7) * 8) & 0xff;
        let byte = if chosen & 8 == 0 { byte } else { (byte >> 7) * 0xff };
        i128::from(byte) << (8 * at)
    };
    (0..4).map(byte).sum()
}

/// The rounding that an opcode says; to the nearest if it says none.
fn round(case: &Case) -> Round {
    let say = |short: &str, long: &str| case.has(short) || case.has(long);
    if say("rz", "rzi") {
        Round::TowardZero
    } else if say("rm", "rmi") {
        Round::TowardNegative
    } else if say("rp", "rpi") {
        Round::TowardPositive
    } else {
        Round::NearestTiesToEven
    }
}

/// A float as it is written: not a number in one form, cut to a range, without subnormals, not negative.
fn finished(case: &Case, format: Format, value: u64) -> u64 {
    // A conversion that flushes does so for its 32 bits.
    let value = if case.has("ftz") && flushes(case, format) { format.flushed(value) } else { value };
    let is_negative = value & format.sign() != 0;
    if case.has("sat") {
        return match format.is_nan(value) || is_negative {
            true => 0,
            false if format.compare(value, format.one()) == Some(Ordering::Greater) => format.one(),
            false => value,
        };
    }
    if case.has("relu") && is_negative && !format.is_nan(value) {
        return 0;
    }
    let is_cut = case.has("satfinite") && format.is_infinite(value);
    if is_cut { format.largest() | value & format.sign() } else { value }
}

/// Whether `.ftz` is of this format.
fn flushes(case: &Case, format: Format) -> bool {
    format == Format::F32
        || format == Format::F16 && case.name != "cvt"
        || format == Format::F64 && case.name != "cvt"
}

fn of_floats(case: &Case, format: Format, values: &[u64]) -> Expected {
    if case.types().len() == 2 {
        return exactly(Format::F32, mixed(case, format, values));
    }
    let is_pair = case.kind().ends_with("x2");
    let lane = |at: u32| -> Result<u64, Expected> {
        let values: Vec<u64> = values.iter().map(|value| cut(value >> at, format.bits())).collect();
        of_one(case, format, &values, values.len())
    };
    if !is_pair {
        return match lane(0) {
            Ok(value) => exactly(format, value),
            Err(expected) => expected,
        };
    }
    match (lane(0), lane(16)) {
        (Ok(low), Ok(high)) => Expected::Exactly(low | high << 16, 0),
        // Approximate halves of a pair are looked at as single ones.
        _ => Expected::Open,
    }
}

/// A float, of which not a number may have any bits.
fn exactly(format: Format, value: u64) -> Expected {
    if format.is_nan(value) { Expected::Nan(format) } else { Expected::Exactly(value, 0) }
}

fn of_one(case: &Case, format: Format, values: &[u64], sources: usize) -> Result<u64, Expected> {
    let round = round(case);
    let read = |at: usize| {
        let value = values.get(at).copied().unwrap_or(0);
        if case.has("ftz") { format.flushed(value) } else { value }
    };
    let (a, b, c) = (read(0), read(1), read(2));
    let about = |value: f64| {
        let smallest = if format == Format::F64 { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE.into() };
        let is_flushed = case.has("ftz") && value.abs() < smallest;
        let value = if is_flushed { 0.0_f64.copysign(value) } else { value };
        Err(if value.is_nan() { Expected::Nan(format) } else { Expected::About(value, format) })
    };
    // Approximations of 64 bits read the upper half.
    let is_upper = format == Format::F64 && case.has("ftz");
    let of = |value: u64| format.to_f64(if is_upper { format.flushed(value & !0xffff_ffff) } else { value });
    let (of_a, of_b) = (of(a), of(b));
    if case.has("approx") || case.has("full") {
        const LARGE: f64 = 8.507_059_173_023_462e37; // 2^126
        return about(match case.name.as_str() {
            "rcp" => 1.0 / of_a,
            "sqrt" => of_a.sqrt(),
            "rsqrt" => 1.0 / of_a.sqrt(),
            // Of many turns the manual says nothing.
            "sin" | "cos" if of_a.abs() > 100.0 * std::f64::consts::PI => return Err(Expected::Open),
            "sin" => of_a.sin(),
            "cos" => of_a.cos(),
            "lg2" => of_a.log2(),
            "ex2" => of_a.exp2(),
            "tanh" => of_a.tanh(),
            "div" if case.has("approx") && of_b.is_finite() && of_b.abs() > LARGE => {
                of_a * 0.0_f64.copysign(of_b)
            }
            _ => of_a / of_b,
        });
    }
    let value = match case.name.as_str() {
        "add" => format.add(a, b, round),
        "sub" => format.add(a, b ^ format.sign(), round),
        "mul" => format.multiply(a, b, round),
        "fma" | "mad" => format.fuse(a, b, c, round),
        "div" => format.divide(a, b, round),
        "rcp" => format.divide(format.one(), a, round),
        "sqrt" => format.root(a, round),
        "neg" => a ^ format.sign(),
        "abs" => a & !format.sign(),
        "copysign" => return Ok(values[1] & !format.sign() | values[0] & format.sign()),
        "min" | "max" if sources == 3 => extreme(case, format, extreme(case, format, a, b), c),
        "min" | "max" => extreme(case, format, a, b),
        _ => panic!("`{}` has no reference", case.text),
    };
    let value = if format.is_nan(value) && !case.has("sat") { format.nan() } else { value };
    let value = if case.has("ftz") && is_tiny(case, format, [a, b, c], round) {
        value & format.sign()
    } else {
        value
    };
    Ok(finished(case, format, value))
}

/// Whether a result counts as subnormal, which is seen before it loses digits for that.
fn is_tiny(case: &Case, format: Format, values: [u64; 3], round: Round) -> bool {
    let [a, b, c] = values.map(|value| format.to_quad(value));
    let zero = Round::TowardZero;
    let exact = match case.name.as_str() {
        "mul" => a.mul_r(b, zero),
        "fma" | "mad" => a.mul_add_r(b, c, zero),
        "div" => a.div_r(b, zero),
        "rcp" => format.to_quad(format.one()).div_r(a, zero),
        _ => return false,
    };
    format.is_tiny(exact, round)
}

/// The smaller or larger of two; a zero is larger than its negative.
fn extreme(case: &Case, format: Format, a: u64, b: u64) -> u64 {
    let sign = if case.has("xorsign") { (a ^ b) & format.sign() } else { 0 };
    let of = |value: u64| if case.has("abs") { value & !format.sign() } else { value };
    let (a, b) = (of(a), of(b));
    let chosen = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => return format.nan(),
        (true, _) | (_, true) if case.has("NaN") => return format.nan(),
        (true, false) => b,
        (false, true) => a,
        _ => {
            let a_is_smaller = match format.compare(a, b) {
                Some(Ordering::Equal) => a & format.sign() != 0,
                order => order == Some(Ordering::Less),
            };
            if a_is_smaller == (case.name == "min") { a } else { b }
        }
    };
    chosen ^ sign
}

/// Halves that are made wider, and added to a float of 32 bits.
fn mixed(case: &Case, format: Format, values: &[u64]) -> u64 {
    let (round, wide) = (round(case), Format::F32);
    let of = |at: usize| format.convert(cut(values[at], 16), wide, round);
    let value = match case.name.as_str() {
        "add" => wide.add(of(0), values[1], round),
        "sub" => wide.add(of(0), values[1] ^ wide.sign(), round),
        _ => wide.fuse(of(0), of(1), values[2], round),
    };
    finished(case, wide, if wide.is_nan(value) && !case.has("sat") { wide.nan() } else { value })
}

fn chosen(case: &Case, values: &[u64]) -> Expected {
    let format = Format::of(case.kind());
    let read = |at: usize, shift: u32| {
        let value = values.get(at).copied().unwrap_or(0) >> shift;
        match format {
            Some(format) if case.has("ftz") => format.flushed(cut(value, format.bits())),
            Some(format) => cut(value, format.bits()),
            None => value,
        }
    };
    match case.name.as_str() {
        "selp" => return Expected::Exactly(if values[2] != 0 { values[0] } else { values[1] }, 0),
        "slct" => {
            let is_first = match format {
                Some(format) => {
                    matches!(format.compare(read(2, 0), 0), Some(Ordering::Equal | Ordering::Greater))
                }
                None => number(values[2], 32, true) >= 0,
            };
            return Expected::Exactly(if is_first { values[0] } else { values[1] }, 0);
        }
        "testp" => return Expected::Exactly(tested(case, format.unwrap(), values[0]).into(), 0),
        _ => {}
    }
    let holds = |shift: u32| {
        let order = match format {
            Some(format) => format.compare(read(0, shift), read(1, shift)),
            None => {
                let (width, is_signed) = (bits(case.kind()).unwrap(), case.kind().starts_with('s'));
                Some(number(values[0], width, is_signed).cmp(&number(values[1], width, is_signed)))
            }
        };
        compares(&case.parts[0], order)
    };
    let joined = |holds: bool| match case.parts.get(1).map(String::as_str) {
        Some("and") => holds & (values[2] != 0),
        Some("or") => holds | (values[2] != 0),
        Some("xor") => holds ^ (values[2] != 0),
        _ => holds,
    };
    let is_two = case.kind().ends_with("x2");
    if case.name == "setp" {
        let second = if is_two { joined(holds(16)) } else { joined(!holds(0)) };
        return Expected::Exactly(joined(holds(0)).into(), if case.is_pair { second.into() } else { 0 });
    }
    let result = case.types()[0];
    let one = |holds: bool| match Format::of(result) {
        _ if !holds => 0,
        Some(format) => format.one(),
        None => cut(u64::MAX, bits(result).unwrap()),
    };
    let high = if is_two { one(joined(holds(16))) << 16 } else { 0 };
    Expected::Exactly(one(joined(holds(0))) | high, 0)
}

fn tested(case: &Case, format: Format, value: u64) -> bool {
    let is_number = !format.is_nan(value);
    match case.parts[0].as_str() {
        "finite" => is_number && !format.is_infinite(value),
        "infinite" => format.is_infinite(value),
        "number" => is_number,
        "notanumber" => !is_number,
        "normal" => is_number && !format.is_infinite(value) && !format.is_subnormal(value),
        _ => format.is_subnormal(value),
    }
}

fn compares(name: &str, order: Option<Ordering>) -> bool {
    let Some(order) = order else { return name == "nan" || name.len() == 3 && name.ends_with('u') };
    match name {
        "eq" | "equ" => order.is_eq(),
        "ne" | "neu" => order.is_ne(),
        "lt" | "ltu" | "lo" => order.is_lt(),
        "le" | "leu" | "ls" => order.is_le(),
        "gt" | "gtu" | "hi" => order.is_gt(),
        "ge" | "geu" | "hs" => order.is_ge(),
        "num" => true,
        _ => false,
    }
}

fn converted(case: &Case, values: &[u64]) -> Expected {
    let types = case.types();
    let (to, from) = (types[0], types[1]);
    if to.ends_with("x2") {
        let of = |at: usize| converted_once(case, to, from, values[at]).unwrap_or(0);
        return Expected::Exactly(of(0) << 16 | of(1), 0);
    }
    match (converted_once(case, to, from, values[0]), Format::of(to)) {
        (Some(value), Some(format)) if format.is_nan(value) => Expected::Nan(format),
        // A byte has a register of 16 bits.
        (Some(value), _) => Expected::Exactly(cut(value, bits(to).unwrap().max(16).min(case.width)), 0),
        (None, _) => Expected::Open,
    }
}

fn converted_once(case: &Case, to: &str, from: &str, value: u64) -> Option<u64> {
    let round = round(case);
    let (width, from_width) = (bits(to.trim_end_matches("x2"))?, bits(from)?);
    let (is_signed, from_signed) = (to.starts_with('s'), from.starts_with('s'));
    match (Format::of(to), Format::of(from)) {
        (None, None) => {
            let value = number(value, from_width, from_signed);
            let value = if case.has("sat") { limited(value, width, is_signed) } else { value };
            // What is narrower than its register has its own sign there.
            Some(number(value as u64, width, is_signed) as u64)
        }
        (Some(to), None) => {
            Some(finished(case, to, to.of_integer(number(value, from_width, from_signed), round)))
        }
        (to, Some(from)) => {
            let value = cut(value, from.bits());
            // The manual has `.ftz` flush sources of 32 bits. Devices do not do so on the way to `.f16` (measured on an
            // H100, driver 580, 2026-11-25, and seen in the machine code), which only `.rm` and `.rp` tell.
            let is_flushed = case.has("ftz") && from == Format::F32 && to != Some(Format::F16);
            let value = if is_flushed { from.flushed(value) } else { value };
            match to {
                // The manual says no more than that not a number becomes zero, or what has only the sign.
                None if from.is_nan(value) => None,
                None => Some(from.to_integer(value, width, is_signed, round) as u64),
                Some(to) => {
                    let is_integral = case.parts.iter().any(|part| part.len() == 3 && part.starts_with('r'));
                    let value = if is_integral { from.integral(value, round) } else { value };
                    let value = from.convert(value, to, round);
                    let value = if to.is_nan(value) && !case.has("sat") { to.nan() } else { value };
                    Some(finished(case, to, value))
                }
            }
        }
    }
}

fn limited(value: i128, width: u32, is_signed: bool) -> i128 {
    match is_signed {
        true => value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => value.clamp(0, (1 << width) - 1),
    }
}
