//! Video instructions: of parts of words, one at a time or two or four side by side.
//!
//! What an opcode and its operands say goes with the values as one number, [`Video::packed`].

/// What is done with two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::ptx::emulate) enum Operation {
    Add,
    Subtract,
    Difference,
    Minimum,
    Maximum,
    Average,
    ShiftLeft,
    ShiftRight,
    Multiply,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

const OPERATIONS: [Operation; 15] = {
    use Operation as O;
    [
        O::Add,
        O::Subtract,
        O::Difference,
        O::Minimum,
        O::Maximum,
        O::Average,
        O::ShiftLeft,
        O::ShiftRight,
        O::Multiply,
        O::Equal,
        O::Unequal,
        O::Less,
        O::LessOrEqual,
        O::Greater,
        O::GreaterOrEqual,
    ]
};

/// What becomes of a result and the third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::ptx::emulate) enum Then {
    Nothing,
    Add,
    Minimum,
    Maximum,
}

const THENS: [Then; 4] = [Then::Nothing, Then::Add, Then::Minimum, Then::Maximum];

/// Which part of a word: bytes 0 to 3, halves as 4 and 5, all of it as 6.
pub(in crate::ptx::emulate) const WHOLE: u8 = 6;

/// What an opcode says besides the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ptx::emulate) struct Video {
    pub(in crate::ptx::emulate) operation: Operation,
    pub(in crate::ptx::emulate) then: Then,
    /// Whether the result and the first two sources are signed.
    pub(in crate::ptx::emulate) signed: [bool; 3],
    pub(in crate::ptx::emulate) saturates: bool,
    /// Shifts by the amount's lowest five bits, instead of by 32 at most.
    pub(in crate::ptx::emulate) wraps: bool,
    /// One more is added to a product and the third source.
    pub(in crate::ptx::emulate) plus_one: bool,
    /// By so many bits a product is shifted right.
    pub(in crate::ptx::emulate) scale: u8,
    /// The product, and the third source, are taken with the other sign.
    pub(in crate::ptx::emulate) negated: [bool; 2],
    /// Parts of the result and the first two sources; side by side, 3 bits for each part of the result, and a mask for the result.
    pub(in crate::ptx::emulate) parts: [u16; 3],
}

impl Video {
    pub(in crate::ptx::emulate) fn packed(self) -> u64 {
        let flags = [
            self.signed[0],
            self.signed[1],
            self.signed[2],
            self.saturates,
            self.wraps,
            self.plus_one,
            self.negated[0],
            self.negated[1],
        ];
        let flags = (0..).zip(flags).map(|(at, flag)| u64::from(flag) << at).sum::<u64>();
        let [d, a, b] = self.parts.map(u64::from);
        flags
            | (self.operation as u64) << 8
            | (self.then as u64) << 12
            | u64::from(self.scale) << 14
            | d << 18
            | a << 30
            | b << 42
    }

    fn of(packed: u64) -> Self {
        let flag = |at: u32| packed >> at & 1 != 0;
        let part = |at: u32| (packed >> at & 0xfff) as u16;
        Self {
            operation: OPERATIONS[(packed >> 8 & 15) as usize],
            then: THENS[(packed >> 12 & 3) as usize],
            signed: [flag(0), flag(1), flag(2)],
            saturates: flag(3),
            wraps: flag(4),
            plus_one: flag(5),
            scale: (packed >> 14 & 15) as u8,
            negated: [flag(6), flag(7)],
            parts: [part(18), part(30), part(42)],
        }
    }

    fn result(&self, a: i128, b: i128) -> i128 {
        let amount = if self.wraps { b & 31 } else { b.clamp(0, 32) };
        let is = i128::from;
        match self.operation {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Difference => (a - b).abs(),
            Operation::Minimum => a.min(b),
            Operation::Maximum => a.max(b),
            Operation::Average => (a + b + is(a + b >= 0)) >> 1,
            Operation::ShiftLeft => a << amount,
            Operation::ShiftRight => a >> amount,
            Operation::Multiply => a * b,
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

/// Where a part of a word begins, and how many bits it has.
fn place(part: u16) -> (u32, u32) {
    match part {
        0..=3 => (u32::from(part) * 8, 8),
        4 | 5 => (u32::from(part - 4) * 16, 16),
        _ => (0, 32),
    }
}

fn word(value: i128) -> u64 {
    u64::from(value as u32)
}

/// One part of each source.
pub(in crate::ptx::emulate) fn scalar(a: u64, b: u64, c: u64, packed: u64) -> u64 {
    let video = Video::of(packed);
    let [to, of_a, of_b] = video.parts.map(place);
    let a = field(a, of_a.0, of_a.1, video.signed[1]);
    let b = field(b, of_b.0, of_b.1, video.signed[2]);
    if video.operation == Operation::Multiply {
        return product(&video, a, b, c);
    }
    let value = video.clamped(video.result(a, b), to.1);
    let third = field(c, 0, 32, video.signed[0]);
    // What the second operation takes is a number of the result's type.
    let own = field(word(value), 0, 32, video.signed[0]);
    match video.then {
        Then::Add => word(value + third),
        Then::Minimum => word(own.min(third)),
        Then::Maximum => word(own.max(third)),
        Then::Nothing if to.1 == 32 => word(value),
        Then::Nothing => {
            let ones = ((1_u64 << to.1) - 1) << to.0;
            (word(value) << to.0 & ones) | (c & 0xffff_ffff & !ones)
        }
    }
}

fn product(video: &Video, a: i128, b: i128, c: u64) -> u64 {
    let [negates_product, negates_third] = video.negated;
    let is_signed = video.signed[1] || video.signed[2] || negates_product || negates_third;
    let (mut value, mut third, mut more) = (video.result(a, b), c, 0);
    if video.plus_one {
        more = 1;
    } else if negates_product {
        (value, more) = (!value, 1);
    } else if negates_third {
        (third, more) = (!c, 1);
    }
    let value = (value + field(third, 0, 32, is_signed) + more) >> video.scale;
    let signed = [is_signed; 3];
    word(Video { signed, ..*video }.clamped(value, 32))
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
    if video.then == Then::Add { word(sum) } else { merged }
}

pub(in crate::ptx::emulate) fn two(a: u64, b: u64, c: u64, packed: u64) -> u64 {
    side_by_side(2, a, b, c, packed)
}

pub(in crate::ptx::emulate) fn four(a: u64, b: u64, c: u64, packed: u64) -> u64 {
    side_by_side(4, a, b, c, packed)
}
