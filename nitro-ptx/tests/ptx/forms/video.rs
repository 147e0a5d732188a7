//! Video instructions of parts side by side, as the manual's pseudo-code has them.

use super::case::Case;
use super::reference::number;

/// Whether an opcode is one of these.
pub fn is_one(name: &str) -> bool {
    name.starts_with('v') && name != "vote"
}

fn is_signed(kind: &str) -> bool {
    kind == "s32"
}

fn clamped(value: i128, width: u32, signed: bool) -> i128 {
    match signed {
        true => value.clamp(-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => value.clamp(0, (1 << width) - 1),
    }
}

pub fn result(case: &Case, values: &[u64]) -> u64 {
    let lanes = if case.name.ends_with('2') { 2 } else { 4 };
    u64::from(side_by_side(case, values, lanes) as u32)
}

/// What becomes of two parts.
fn operated(case: &Case, name: &str, a: i128, b: i128) -> i128 {
    match name {
        "vadd" => a + b,
        "vsub" => a - b,
        "vabsdiff" => (a - b).abs(),
        "vmin" => a.min(b),
        "vmax" => a.max(b),
        // Half of the sum, and halves away from zero.
        "vavrg" => (a + b + i128::from(a + b >= 0)) >> 1,
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
