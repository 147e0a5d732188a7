//! Sums of several words: what one instruction carries to the next.

use super::Twofold;
use super::integer::upper;
use crate::emulate::types::Type;

/// The function of an opcode that takes or gives a carry, which is the last source and the second result; how many
/// sources it has besides.
pub(in crate::emulate) fn carry(name: &str, parts: &[&str], kind: Type) -> Option<(Twofold, usize)> {
    let is_wide = match kind {
        Type::Unsigned(4) | Type::Signed(4) | Type::Bits(4) => false,
        Type::Unsigned(8) | Type::Signed(8) | Type::Bits(8) => true,
        _ => return None,
    };
    let is_high = parts.contains(&"hi");
    Some(match (name, is_wide) {
        ("add" | "addc", false) => (|a, b, _, carry| sum(a, b, carry, 32), 2),
        ("add" | "addc", true) => (|a, b, _, carry| sum(a, b, carry, 64), 2),
        ("sub" | "subc", false) => (|a, b, _, borrow| difference(a, b, borrow, 32), 2),
        ("sub" | "subc", true) => (|a, b, _, borrow| difference(a, b, borrow, 64), 2),
        ("mad" | "madc", _) => {
            let function: Twofold = match (kind, is_high) {
                (_, false) if !is_wide => {
                    |a, b, c, carry| sum(u64::from((a as u32).wrapping_mul(b as u32)), c, carry, 32)
                }
                (_, false) => |a, b, c, carry| sum(a.wrapping_mul(b), c, carry, 64),
                (Type::Signed(4), _) => |a, b, c, carry| sum(upper(Type::Signed(4), a, b), c, carry, 32),
                (Type::Signed(8), _) => |a, b, c, carry| sum(upper(Type::Signed(8), a, b), c, carry, 64),
                _ if !is_wide => |a, b, c, carry| sum(upper(Type::Unsigned(4), a, b), c, carry, 32),
                _ => |a, b, c, carry| sum(upper(Type::Unsigned(8), a, b), c, carry, 64),
            };
            (function, 3)
        }
        _ => return None,
    })
}

fn sum(a: u64, b: u64, carry: u64, width: u32) -> (u64, u64) {
    let all = u64::MAX >> (64 - width);
    let sum = u128::from(a & all) + u128::from(b & all) + u128::from(carry & 1);
    (sum as u64 & all, (sum >> width) as u64 & 1)
}

/// The carry is set where nothing was borrowed, and clear where something is to be: as of `a + !b + carry`.
fn difference(a: u64, b: u64, carry: u64, width: u32) -> (u64, u64) {
    sum(a, !b, carry, width)
}
