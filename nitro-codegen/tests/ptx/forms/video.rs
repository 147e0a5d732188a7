//! Video instructions, as the manual's pseudo-code has them.

use super::case::Case;
use super::reference::number;

/// Whether an opcode is one of these.
pub fn is_one(name: &str) -> bool {
    name.starts_with('v') && name != "vote"
}

fn is_signed(kind: &str) -> bool {
    kind == "s32"
}

/// The part of a word that a selector chooses.
fn part(word: u64, selector: &str, signed: bool) -> i128 {
    match selector.as_bytes() {
        [b'.', b'b', digit] => number(word >> (8 * u32::from(digit - b'0')), 8, signed),
        [b'.', b'h', digit] => number(word >> (16 * u32::from(digit - b'0')), 16, signed),
        _ => number(word, 32, signed),
    }
}

fn clamped(value: i128, width: u32, signed: bool) -> i128 {
    match signed {
        true => value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => value.clamp(0, (1 << width) - 1),
    }
}

pub fn result(case: &Case, values: &[u64]) -> u64 {
    let last = case.name.as_bytes()[case.name.len() - 1];
    let value = match last {
        b'2' => side_by_side(case, values, 2),
        b'4' => side_by_side(case, values, 4),
        _ if case.name == "vmad" => product(case, values),
        _ => scalar(case, values),
    };
    u64::from(value as u32)
}

/// What becomes of two parts.
fn operated(case: &Case, name: &str, a: i128, b: i128) -> i128 {
    let amount = if case.has("wrap") { b & 31 } else { b.min(32) };
    match name {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => (a - b).abs(),
        "vmin" => a.min(b),
        "vmax" => a.max(b),
        // Half of the sum, and halves away from zero.
        "vavrg" => (a + b + i128::from(a + b >= 0)) >> 1,
        "vshl" => a << amount,
        "vshr" => a >> amount,
        _ => i128::from(match case.parts[2].as_str() {
            "eq" => a == b,
            "ne" => a != b,
            "lt" => a < b,
            "le" => a <= b,
            "gt" => a > b,
            _ => a >= b,
        }),
    }
}

fn scalar(case: &Case, values: &[u64]) -> i128 {
    let types = case.types();
    // What is compared has a result without a type.
    let (result, a_type, b_type) =
        if types.len() == 2 { ("u32", types[0], types[1]) } else { (types[0], types[1], types[2]) };
    let a = part(values[0], &case.sources[0].part, is_signed(a_type));
    let b = part(values[1], &case.sources[1].part, is_signed(b_type));
    let mut value = operated(case, &case.name, a, b);
    let (at, width) = match case.part.as_bytes() {
        [b'.', b'b', digit] => (8 * u32::from(digit - b'0'), 8),
        [b'.', b'h', digit] => (16 * u32::from(digit - b'0'), 16),
        _ => (0, 32),
    };
    if case.has("sat") {
        value = clamped(value, width, is_signed(result));
    }
    let third = number(values.get(2).copied().unwrap_or(0), 32, is_signed(result));
    let own = number(value as u64, 32, is_signed(result));
    match case.parts.last().map(String::as_str) {
        Some("add") => own + third,
        Some("min") => own.min(third),
        Some("max") => own.max(third),
        _ if width < 32 => {
            let ones = ((1_i128 << width) - 1) << at;
            value << at & ones | i128::from(values[2]) & !ones
        }
        _ => value,
    }
}

fn product(case: &Case, values: &[u64]) -> i128 {
    let types = case.types();
    let a = part(values[0], &case.sources[0].part, is_signed(types[1]));
    let b = part(values[1], &case.sources[1].part, is_signed(types[2]));
    let negates_product = case.sources[0].is_negated != case.sources[1].is_negated;
    let negates_third = case.sources[2].is_negated;
    let signed = is_signed(types[1]) || is_signed(types[2]) || negates_product || negates_third;
    let mut third = number(values[2], 32, signed);
    let mut value = a * b;
    if negates_product {
        value = -value;
    }
    if negates_third {
        third = -third;
    }
    value += third + i128::from(case.has("po"));
    let value = value >> if case.has("shr7") { 7 } else { 15 * u32::from(case.has("shr15")) };
    if case.has("sat") { clamped(value, 32, signed) } else { value }
}

fn side_by_side(case: &Case, values: &[u64], lanes: u32) -> i128 {
    let width = 32 / lanes;
    let types = case.types();
    let (result, a_type, b_type) =
        if types.len() == 2 { ("u32", types[0], types[1]) } else { (types[0], types[1], types[2]) };
    let name = case.name.trim_end_matches(['2', '4']);
    let both = values[1] << 32 | values[0];
    let digits =
        |text: &str| -> Vec<u32> { text.bytes().skip(2).map(|digit| u32::from(digit - b'0')).collect() };
    // The last digit is of the lowest lane.
    let chosen = |source: usize, lane: u32, signed: bool| {
        let digits = digits(&case.sources[source].part);
        let from = match digits.is_empty() {
            true => source as u32 * lanes + lane,
            false => digits[(lanes - 1 - lane) as usize],
        };
        number(both >> (from * width), width, signed)
    };
    let mask = digits(&case.part);
    let mut sum = i128::from(values[2]);
    let mut merged = i128::from(values[2]);
    for lane in 0..lanes {
        if !mask.is_empty() && !mask.contains(&lane) {
            continue;
        }
        let mut value =
            operated(case, name, chosen(0, lane, is_signed(a_type)), chosen(1, lane, is_signed(b_type)));
        if case.has("sat") {
            value = clamped(value, width, is_signed(result));
        }
        sum += value;
        let ones = ((1_i128 << width) - 1) << (lane * width);
        merged = value << (lane * width) & ones | merged & !ones;
    }
    if case.has("add") { sum } else { merged }
}
