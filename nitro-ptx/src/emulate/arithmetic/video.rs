//! Video instructions: of halves or bytes of words, two or four side by side.
//!
//! What an opcode and its operands say goes with the values as one number, [`Video::packed`].

/// What is done with two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::emulate) enum Operation {
    Add,
    Subtract,
    Difference,
    Minimum,
    Maximum,
    Average,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OPERATIONS: [Operation; 12] = {
    use Operation as O;
    [
        O::Add,
        O::Subtract,
        O::Difference,
        O::Minimum,
        O::Maximum,
        O::Average,
        O::Equal,
        O::Unequal,
        O::Less,
        O::LessOrEqual,
        O::Greater,
        O::GreaterOrEqual,
    ]
};

/// What an opcode says besides the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emulate) struct Video {
    pub(in crate::emulate) operation: Operation,
    /// Whether the result and the first two sources are signed.
    pub(in crate::emulate) signed: [bool; 3],
    pub(in crate::emulate) saturates: bool,
    /// The results are added to the third source, instead of standing side by side.
    pub(in crate::emulate) accumulates: bool,
    /// A mask of the parts that are written, and for each source 3 bits for each part of the result.
    pub(in crate::emulate) parts: [u16; 3],
}

impl Video {
    pub(in crate::emulate) fn packed(self) -> u64 {
        let flags = [self.signed[0], self.signed[1], self.signed[2], self.saturates, self.accumulates];
        let flags = (0..).zip(flags).map(|(at, flag)| u64::from(flag) << at).sum::<u64>();
        let [d, a, b] = self.parts.map(u64::from);
        flags | (self.operation as u64) << 8 | d << 18 | a << 30 | b << 42
    }

    fn of(packed: u64) -> Self {
        let flag = |at: u32| packed >> at & 1 != 0;
        let part = |at: u32| (packed >> at & 0xfff) as u16;
        Self {
            operation: OPERATIONS[(packed >> 8 & 15) as usize],
            signed: [flag(0), flag(1), flag(2)],
            saturates: flag(3),
            accumulates: flag(4),
            parts: [part(18), part(30), part(42)],
        }
    }

    fn result(&self, a: i128, b: i128) -> i128 {
        let is = i128::from;
        match self.operation {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Difference => (a - b).abs(),
            Operation::Minimum => a.min(b),
            Operation::Maximum => a.max(b),
            Operation::Average => (a + b + is(a + b >= 0)) >> 1,
            Operation::Equal => is(a == b),
            Operation::Unequal => is(a != b),
            Operation::Less => is(a < b),
            Operation::LessOrEqual => is(a <= b),
            Operation::Greater => is(a > b),
            Operation::GreaterOrEqual => is(a >= b),
        }
    }

    fn clamped(&self, value: i128, bits: u32) -> i128 {
        let (least, most) = match self.signed[0] {
            true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        if self.saturates { value.clamp(least, most) } else { value }
    }
}

/// So many bits of a word from one on, as a number.
fn field(word: u64, from: u32, bits: u32, is_signed: bool) -> i128 {
    let value = i128::from(word >> from & ((1 << bits) - 1));
    if is_signed && value >> (bits - 1) & 1 != 0 { value - (1 << bits) } else { value }
}

/// Halves or bytes side by side, each of them of either source.
fn side_by_side(lanes: u16, a: u64, b: u64, c: u64, packed: u64) -> u64 {
    let video = Video::of(packed);
    let bits = 32 / u32::from(lanes);
    let both = (a & 0xffff_ffff) | b << 32;
    let [mask, of_a, of_b] = video.parts;
    let (mut sum, mut merged) = (i128::from(c as u32), 0);
    for lane in 0..lanes {
        let source =
            |chosen: u16, is_signed| field(both, u32::from(chosen >> (3 * lane) & 7) * bits, bits, is_signed);
        let value = video.result(source(of_a, video.signed[1]), source(of_b, video.signed[2]));
        let value = video.clamped(value, bits);
        let ones = ((1_u64 << bits) - 1) << (u32::from(lane) * bits);
        if mask >> lane & 1 != 0 {
            sum += value;
            merged |= (value as u64) << (u32::from(lane) * bits) & ones;
        } else {
            merged |= c & ones;
        }
    }
    if video.accumulates { u64::from(sum as u32) } else { merged }
}

pub(in crate::emulate) fn two(a: u64, b: u64, c: u64, packed: u64) -> u64 {
    side_by_side(2, a, b, c, packed)
}

pub(in crate::emulate) fn four(a: u64, b: u64, c: u64, packed: u64) -> u64 {
    side_by_side(4, a, b, c, packed)
}
