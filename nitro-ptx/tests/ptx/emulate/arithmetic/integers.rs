//! Integers and bits.

use super::{A64, B16, B32, B64, WIDE, check, measured};

#[test]
fn sums_and_products() {
    check("add.s32 D, A, B", B32, |a, b, _| a.wrapping_add(b));
    check("add.u16 D, A, B", B16, |a, b, _| a.wrapping_add(b));
    check("sub.s64 D, A, B", B64, |a, b, _| a.wrapping_sub(b));
    check("add.sat.s32 D, A, B", B32, |a, b, _| {
        (i64::from(a as i32) + i64::from(b as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    });
    check("sub.sat.s32 D, A, B", B32, |a, b, _| {
        (i64::from(a as i32) - i64::from(b as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    });
    check("mul.lo.u32 D, A, B", B32, |a, b, _| a.wrapping_mul(b));
    check("mul.hi.s32 D, A, B", B32, |a, b, _| ((i128::from(a as i32) * i128::from(b as i32)) >> 32) as u64);
    check("mul.hi.u16 D, A, B", B16, |a, b, _| ((a & 0xffff) * (b & 0xffff)) >> 16);
    check("mul.hi.u64 D, A, B", B64, |a, b, _| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("mul.hi.s64 D, A, B", B64, |a, b, _| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64);
    check("mul.wide.s32 D, A, B", WIDE, |a, b, _| (i128::from(a as i32) * i128::from(b as i32)) as u64);
    check("mad.wide.u32 D, A, B, C", WIDE, |a, b, c| {
        (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c)
    });
    check("mul.wide.s16 D, A, B", [32, 16, 16, 16], |a, b, _| {
        (i64::from(a as i16) * i64::from(b as i16)) as u64
    });
    check("mad.lo.s64 D, A, B, C", B64, |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check("mad.hi.u32 D, A, B, C", B32, |a, b, c| {
        ((u128::from(a as u32) * u128::from(b as u32)) >> 32) as u64 + u64::from(c as u32)
    });
    check("mul24.lo.s32 D, A, B", B32, |a, b, _| {
        let of = |value: u64| i128::from((value as i32) << 8) >> 8;
        (of(a) * of(b)) as u64
    });
    check("mad24.hi.u32 D, A, B, C", B32, |a, b, c| {
        ((u128::from(a & 0xff_ffff) * u128::from(b & 0xff_ffff)) >> 16) as u64 + u64::from(c as u32)
    });
    check("sad.s32 D, A, B, C", B32, |a, b, c| {
        (i64::from(a as i32) - i64::from(b as i32)).unsigned_abs() + u64::from(c as u32)
    });
    check("dp4a.s32.u32 D, A, B, C", B32, |a, b, c| {
        let term = |at: u32| i64::from((a >> (8 * at)) as i8) * i64::from((b >> (8 * at)) as u8);
        ((0..4).map(term).sum::<i64>() + i64::from(c as u32)) as u64
    });
    check("dp2a.hi.u32.s32 D, A, B, C", B32, |a, b, c| {
        let term = |at: u32| i64::from((a >> (16 * at)) as u16) * i64::from((b >> (16 + 8 * at)) as i8);
        (term(0) + term(1) + i64::from(c as u32)) as u64
    });
}

#[test]
fn quotients_and_limits() {
    check("div.s32 D, A, B", B32, |a, b, _| {
        if b as i32 == 0 { u64::MAX } else { (i128::from(a as i32) / i128::from(b as i32)) as u64 }
    });
    check("rem.s64 D, A, B", B64, |a, b, _| {
        if b == 0 { a } else { (i128::from(a as i64) % i128::from(b as i64)) as u64 }
    });
    check("div.u64 D, A, B", B64, |a, b, _| a.checked_div(b).unwrap_or(u64::MAX));
    check("rem.u16 D, A, B", B16, |a, b, _| (a & 0xffff).checked_rem(b & 0xffff).unwrap_or(a));
    check("min.s32 D, A, B", B32, |a, b, _| (a as i32).min(b as i32) as u64);
    check("max.u64 D, A, B", B64, |a, b, _| a.max(b));
    check("max.s16 D, A, B", B16, |a, b, _| (a as i16).max(b as i16) as u64);
    check("abs.s32 D, A", B32, |a, _, _| i64::from(a as i32).unsigned_abs());
    check("abs.s64 D, A", B64, |a, _, _| (a as i64).unsigned_abs());
    check("neg.s16 D, A", B16, |a, _, _| a.wrapping_neg());
}

#[test]
fn logic_and_shifts() {
    check("xor.b64 D, A, B", B64, |a, b, _| a ^ b);
    check("not.b16 D, A", B16, |a, _, _| !a);
    check("cnot.b32 D, A", B32, |a, _, _| u64::from(a as u32 == 0));
    check("lop3.b32 D, A, B, C, 0x96", B32, |a, b, c| a ^ b ^ c);
    check("lop3.b32 D, A, B, C, 0xca", B32, |a, b, c| a & b | !a & c);
    check("lop3.b32 D, A, B, C, 0xf4", B32, |a, b, c| a | b & !c);
    check("shl.b32 D, A, B", B32, |a, b, _| if b as u32 > 31 { 0 } else { a << b as u32 });
    check("shl.b64 D, A, B", A64, |a, b, _| if b as u32 > 63 { 0 } else { a << b as u32 });
    check("shr.u32 D, A, B", B32, |a, b, _| if b as u32 > 31 { 0 } else { u64::from(a as u32 >> b as u32) });
    check("shr.s32 D, A, B", B32, |a, b, _| (i64::from(a as i32) >> (b as u32).min(40)) as u64);
    check("shr.s64 D, A, B", A64, |a, b, _| (i128::from(a as i64) >> (b as u32).min(70)) as u64);
    check("shr.u64 D, A, B", A64, |a, b, _| (u128::from(a) >> (b as u32).min(70)) as u64);
    check("shr.u16 D, A, B", [16, 16, 32, 32], |a, b, _| (u128::from(a as u16) >> (b as u32).min(70)) as u64);
    check("shl.b16 D, A, B", [16, 16, 32, 32], |a, b, _| (u128::from(a as u16) << (b as u32).min(40)) as u64);
    check("shf.l.wrap.b32 D, A, B, C", B32, |a, b, c| ((b << 32 | a & 0xffff_ffff) << (c & 31)) >> 32);
    check("shf.r.wrap.b32 D, A, B, C", B32, |a, b, c| (b << 32 | a & 0xffff_ffff) >> (c & 31));
    check("shf.r.clamp.b32 D, A, B, C", B32, |a, b, c| (b << 32 | a & 0xffff_ffff) >> (c as u32).min(32));
    check("shf.l.clamp.b32 D, A, B, C", B32, |a, b, c| {
        if c as u32 >= 32 { a } else { ((b << 32 | a & 0xffff_ffff) << c as u32) >> 32 }
    });
}

#[test]
fn fields_and_counts() {
    check("popc.b64 D, A", [32, 64, 64, 64], |a, _, _| a.count_ones().into());
    check("clz.b32 D, A", B32, |a, _, _| (a as u32).leading_zeros().into());
    check("clz.b64 D, A", [32, 64, 64, 64], |a, _, _| a.leading_zeros().into());
    check("brev.b32 D, A", B32, |a, _, _| (a as u32).reverse_bits().into());
    check("bfind.u32 D, A", B32, |a, _, _| (0..32).rev().find(|bit| a >> bit & 1 != 0).unwrap_or(u64::MAX));
    check("bfind.shiftamt.u32 D, A", B32, |a, _, _| {
        (0..32).find(|by| a >> (31 - by) & 1 != 0).unwrap_or(u64::MAX)
    });
    check("bfind.s64 D, A", [32, 64, 64, 64], |a, _, _| {
        (0..63).rev().find(|bit| a >> bit & 1 != a >> 63).unwrap_or(u64::MAX)
    });
    check("bfe.u32 D, A, B, C", B32, |a, b, c| extracted(a, b, c, 32, false));
    check("bfe.s32 D, A, B, C", B32, |a, b, c| extracted(a, b, c, 32, true));
    check("bfe.u64 D, A, B, C", A64, |a, b, c| extracted(a, b, c, 64, false));
    check("bfe.s64 D, A, B, C", A64, |a, b, c| extracted(a, b, c, 64, true));
    check("bfi.b32 D, A, B, C, 9", B32, |a, b, c| inserted(a, b, c, 9, 32));
    check("bfi.b64 D, A, B, C, 40", [64, 64, 64, 32], |a, b, c| inserted(a, b, c, 40, 64));
    check("bfi.b32 D, A, 0, 5, B", B32, |a, b, _| inserted(a, 0, 5, b, 32));
    check("prmt.b32 D, A, B, C", B32, |a, b, c| {
        let bytes: Vec<u8> = [(a as u32).to_le_bytes(), (b as u32).to_le_bytes()].concat();
        let byte = |at: u32| {
            let (selector, byte) = (c >> (4 * at) & 15, bytes[(c >> (4 * at) & 7) as usize]);
            u64::from(if selector < 8 { byte } else { (byte as i8 >> 7) as u8 })
        };
        (0..4).map(|at| byte(at) << (8 * at)).sum()
    });
    check("bmsk.clamp.b32 D, A, B", B32, |a, b, _| {
        let is_in = |bit: u64| bit >= u64::from(a as u32) && bit < u64::from(a as u32) + u64::from(b as u32);
        (0..32).filter(|bit| is_in(*bit)).map(|bit| 1 << bit).sum()
    });
    check("szext.clamp.s32 D, A, B", B32, |a, b, _| match b as u32 {
        0 => 0,
        bits @ 1..32 => (a as i32).wrapping_shl(32 - bits).wrapping_shr(32 - bits) as u64,
        _ => a,
    });
}

/// Bit by bit, as the manual says.
/// Where a field begins, or its length: the lowest byte for 32 bits, and the whole word for 64.
fn bound(value: u64, width: u64) -> u64 {
    if width == 32 { value & 0xff } else { value & 0xffff_ffff }
}

fn extracted(a: u64, b: u64, c: u64, width: u64, is_signed: bool) -> u64 {
    let (from, length) = (bound(b, width), bound(c, width));
    let sign = is_signed && length > 0 && a >> (from + length - 1).min(width - 1) & 1 != 0;
    let bit = |at: u64| if at < length && from + at < width { a >> (from + at) & 1 != 0 } else { sign };
    (0..width).filter(|at| bit(*at)).map(|at| 1 << at).sum()
}

fn inserted(a: u64, b: u64, c: u64, d: u64, width: u64) -> u64 {
    let (from, length) = (bound(c, width), bound(d, width));
    let bit =
        |at: u64| if at >= from && at < from + length { a >> (at - from) & 1 != 0 } else { b >> at & 1 != 0 };
    (0..width).filter(|at| bit(*at)).map(|at| 1 << at).sum()
}

/// The manual restricts where a field begins, and its length, to 255.
#[test]
fn fields_beyond_the_manual_are_those_of_a_device() {
    let a = 0xfbf2_51f2_2ce5_4924;
    measured("bfe.u64 D, A, B, C", A64, [a, 0x2ce5_4924, 0x21], 0);
    measured("bfe.s64 D, A, B, C", A64, [a, 0x2ce5_4924, 0x21], u64::MAX);
    let bfi = "bfi.b64 D, A, B, C, 0xffffffff";
    let b = 0x0c60_807f_af28_e042;
    measured(bfi, [64, 64, 64, 32], [0xffff_ffff, b, 0x00bd_4d35], b);
    // Lengths of all bits, and one that would be none by its lowest byte.
    for length in [64, 255, 256, 0xffff_ffff] {
        check_field(length);
    }
}

fn check_field(length: u64) {
    let widths = [64, 64, 64, 32];
    let (a, b) = (0x8123_4567_89ab_cdef, 0x0f0f_0f0f_0f0f_0f0f);
    let run = |text: &str, c: u64| super::run(text, widths, &[a, b, c])[0];
    assert_eq!(run(&format!("bfe.u64 D, A, C, {length}"), 8), a >> 8, "{length}");
    assert_eq!(run(&format!("bfe.s64 D, A, C, {length}"), 8), (a as i64 >> 8) as u64, "{length}");
    assert_eq!(run(&format!("bfi.b64 D, A, B, C, {length}"), 8), a << 8 | b & 0xff, "{length}");
    assert_eq!(run(&format!("bfi.b64 D, A, B, C, {length}"), 256), b, "{length}");
}

#[test]
fn sums_of_several_words() {
    check("add.cc.u32 D, A, B; addc.u32 D, C, 0", B32, |a, b, c| {
        (c as u32 as u64) + ((u64::from(a as u32) + u64::from(b as u32)) >> 32)
    });
    check("sub.cc.u32 D, A, B; subc.u32 D, C, 0", B32, |a, b, c| {
        c.wrapping_sub(u64::from((a as u32) < b as u32))
    });
    check("add.cc.u64 D, A, B; addc.cc.u64 D, C, B; addc.u64 D, 0, 0", B64, |a, b, c| {
        u64::from((u128::from(c) + u128::from(b) + ((u128::from(a) + u128::from(b)) >> 64)) >> 64 != 0)
    });
    check("mad.lo.cc.u32 D, A, B, C; madc.hi.u32 D, A, B, 0", B32, |a, b, c| {
        (u64::from(a as u32) * u64::from(b as u32) + u64::from(c as u32)) >> 32
    });
}
