//! What instructions compute. A function takes up to four values of 64 bits, of which it uses as many bits as its
//! type has; what else an opcode says may be the last of them.

pub(super) mod bits;
pub(super) mod carry;
pub(super) mod compare;
pub(super) mod convert;
pub(super) mod float;
pub(super) mod half;
pub(super) mod integer;
pub(super) mod round;
mod soft;
pub(super) mod video;

/// One result.
pub(super) type Function = fn(u64, u64, u64, u64) -> u64;
/// Two results, as of `setp` and of what gives a carry.
pub(super) type Twofold = fn(u64, u64, u64, u64) -> (u64, u64);

/// A function of integers for each of their types: values are of `$t`, and bits above the result's are zero.
macro_rules! integers {
    ($kind:expr, $t:ident, |$a:ident, $b:ident, $c:ident| $value:expr) => {{
        macro_rules! one {
            ($own:ty, $bits:ty) => {{
                #[allow(dead_code)]
                type $t = $own;
                Some(
                    (|a: u64, b: u64, c: u64, _| {
                        let ($a, $b, $c) = (a as $own, b as $own, c as $own);
                        let _ = ($a, $b, $c);
                        let value: $own = $value;
                        u64::from(value as $bits)
                    }) as crate::emulate::arithmetic::Function,
                )
            }};
        }
        use crate::emulate::types::Type;
        match $kind {
            Type::Unsigned(2) | Type::Bits(2) => one!(u16, u16),
            Type::Unsigned(4) | Type::Bits(4) => one!(u32, u32),
            Type::Unsigned(8) | Type::Bits(8) => one!(u64, u64),
            Type::Signed(2) => one!(i16, u16),
            Type::Signed(4) => one!(i32, u32),
            Type::Signed(8) => one!(i64, u64),
            _ => None,
        }
    }};
}
pub(super) use integers;
