//! Video instructions: parts of words, one, two or four at a time.

use super::{B32, check};

fn byte(value: u64, at: u32) -> i64 {
    i64::from((value >> (8 * at)) as u8)
}

fn signed_byte(value: u64, at: u32) -> i64 {
    i64::from((value >> (8 * at)) as i8)
}

fn half(value: u64, at: u32) -> i64 {
    i64::from((value >> (16 * at)) as u16)
}

fn signed_half(value: u64, at: u32) -> i64 {
    i64::from((value >> (16 * at)) as i16)
}

fn whole(value: u64) -> i64 {
    i64::from(value as u32)
}

fn signed(value: u64) -> i64 {
    i64::from(value as i32)
}

#[test]
fn parts_are_added_compared_and_merged() {
    check("vadd.s32.u32.s32 D, A.b1, B.h1", B32, |a, b, _| (byte(a, 1) + signed_half(b, 1)) as u64);
    check("vadd.u32.u32.u32.sat D, A, B", B32, |a, b, _| (whole(a) + whole(b)).min(0xffff_ffff) as u64);
    check("vsub.s32.u32.u32.sat D, A, B", B32, |a, b, _| {
        (whole(a) - whole(b)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    });
    check("vsub.u32.s32.s32.sat D, A.h0, B.b3", B32, |a, b, _| {
        (signed_half(a, 0) - signed_byte(b, 3)).max(0) as u64
    });
    check("vabsdiff.u32.s32.s32.add D, A, B, C", B32, |a, b, c| {
        ((signed(a) - signed(b)).abs() + whole(c)) as u64
    });
    check("vmin.s32.s32.u32 D.h1, A, B, C", B32, |a, b, c| {
        (signed(a).min(whole(b)) as u64 & 0xffff) << 16 | c & 0xffff
    });
    check("vmax.u32.u32.u32.sat D.b2, A, B, C", B32, |a, b, c| {
        (whole(a).max(whole(b)).min(255) as u64) << 16 | c & 0xff00_ffff
    });
    check("vadd.s32.s32.s32.min D, A.h0, B.h0, C", B32, |a, b, c| {
        (signed_half(a, 0) + signed_half(b, 0)).min(signed(c)) as u64
    });
    check("vmax.u32.u32.u32.max D, A.b0, B.b1, C", B32, |a, b, c| {
        byte(a, 0).max(byte(b, 1)).max(whole(c)) as u64
    });
    check("vset.s32.u32.lt D, A, B", B32, |a, b, _| u64::from(signed(a) < whole(b)));
    check("vset.u32.u32.ge.add D, A.b3, B.b0, C", B32, |a, b, c| {
        c.wrapping_add(u64::from(byte(a, 3) >= byte(b, 0)))
    });
    check("vset.s32.s32.ne D.b1, A.h1, B, C", B32, |a, b, c| {
        u64::from(signed_half(a, 1) != signed(b)) << 8 | c & 0xffff_00ff
    });
}

#[test]
fn shifts_and_products() {
    check("vshl.u32.u32.u32.clamp D, A, B", B32, |a, b, _| {
        if b as u32 >= 32 { 0 } else { (a as u32 as u64) << (b as u32) }
    });
    check("vshl.s32.s32.u32.sat.wrap D, A.h0, B", B32, |a, b, _| {
        (signed_half(a, 0) << (b & 31)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    });
    check("vshr.s32.s32.u32.clamp.add D, A, B.b0, C", B32, |a, b, c| {
        ((signed(a) >> byte(b, 0).min(32)) as u64).wrapping_add(c)
    });
    check("vshr.u32.u32.u32.wrap D.h0, A, B, C", B32, |a, b, c| {
        (a as u32 >> (b & 31)) as u64 & 0xffff | c & 0xffff_0000
    });
    check("vmad.s32.s32.u32 D, A.b0, B, C", B32, |a, b, c| {
        (signed_byte(a, 0).wrapping_mul(whole(b))).wrapping_add(signed(c)) as u64
    });
    check("vmad.u32.u32.u32.sat.shr15 D, A.h1, B.h0, C", B32, |a, b, c| {
        ((half(a, 1) * half(b, 0) + whole(c)) >> 15).min(0xffff_ffff) as u64
    });
    check("vmad.s32.u32.u32.sat D, -A.h1, B.h0, C", B32, |a, b, c| {
        (signed(c) - half(a, 1) * half(b, 0)).clamp(i32::MIN.into(), i32::MAX.into()) as u64
    });
    check("vmad.s32.u32.u32.shr7 D, A.b0, B.h0, -C", B32, |a, b, c| {
        ((byte(a, 0) * half(b, 0) - signed(c)) >> 7) as u64
    });
    check("vmad.u32.u32.u32.po D, A.h0, B.h0, C", B32, |a, b, c| {
        (half(a, 0) * half(b, 0) + whole(c) + 1) as u64
    });
}

#[test]
fn halves_side_by_side() {
    check("vadd2.u32.u32.u32 D, A, B, C", B32, |a, b, _| {
        (0..2).map(|at| ((half(a, at) + half(b, at)) as u64 & 0xffff) << (16 * at)).sum()
    });
    check("vsub2.s32.s32.s32.sat D, A, B, C", B32, |a, b, _| {
        let one = |at| (signed_half(a, at) - signed_half(b, at)).clamp(-32768, 32767) as u16;
        u64::from(one(0)) | u64::from(one(1)) << 16
    });
    check("vavrg2.s32.s32.u32 D.h0, A, B, C", B32, |a, b, c| {
        let sum = signed_half(a, 0) + half(b, 0);
        u64::from(((sum + i64::from(sum >= 0)) >> 1) as u16) | c & 0xffff_0000
    });
    check("vabsdiff2.u32.u32.u32.add D.h10, A.h12, B.h03, C", B32, |a, b, c| {
        // Of a and b together the halves are 0, 1 and 2, 3; the last digit is the lower half.
        let low = (half(b, 0) - half(b, 1)).abs();
        let high = (half(a, 1) - half(a, 0)).abs();
        (low + high + whole(c)) as u64
    });
    check("vset2.u32.s32.gt D, A, B, C", B32, |a, b, _| {
        (0..2).map(|at| u64::from(half(a, at) > signed_half(b, at)) << (16 * at)).sum()
    });
}

#[test]
fn bytes_side_by_side() {
    check("vadd4.u32.u32.u32.sat D, A, B, C", B32, |a, b, _| {
        (0..4).map(|at| ((byte(a, at) + byte(b, at)).min(255) as u64) << (8 * at)).sum()
    });
    check("vabsdiff4.u32.u32.u32.add D, A, B, C", B32, |a, b, c| {
        ((0..4).map(|at| (byte(a, at) - byte(b, at)).abs()).sum::<i64>() + whole(c)) as u64
    });
    check("vmin4.s32.s32.s32 D.b20, A.b3210, B.b7654, C", B32, |a, b, c| {
        let one = |at| u64::from(signed_byte(a, at).min(signed_byte(b, at)) as u8) << (8 * at);
        one(0) | one(2) | c & 0xff00_ff00
    });
    check("vmax4.u32.u32.s32 D, A.b0000, B.b4567, C", B32, |a, b, _| {
        (0..4).map(|at| u64::from(byte(a, 0).max(signed_byte(b, 3 - at)) as u8) << (8 * at)).sum()
    });
    check("vset4.u32.u32.eq.add D.b3, A, B, C", B32, |a, b, c| {
        c.wrapping_add(u64::from(byte(a, 3) == byte(b, 3)))
    });
}

#[test]
fn bytes_are_permuted() {
    fn of(a: u64, b: u64, chosen: [u64; 4]) -> u64 {
        let both = (a & 0xffff_ffff) | b << 32;
        (0..4).map(|at| (both >> (8 * chosen[at as usize]) & 0xff) << (8 * at)).sum()
    }
    check("prmt.b32 D, A, B, C", B32, |a, b, c| {
        let both = (a & 0xffff_ffff) | b << 32;
        let one = |at: u32| {
            let byte = (both >> (8 * (c >> (4 * at) & 7))) as u8;
            let sign = if byte >> 7 != 0 { 0xff } else { 0 };
            u64::from(if c >> (4 * at) & 8 != 0 { sign } else { byte }) << (8 * at)
        };
        (0..4).map(one).sum()
    });
    check("prmt.b32.f4e D, A, B, C", B32, |a, b, c| {
        of(a, b, [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]][c as usize & 3])
    });
    check("prmt.b32.b4e D, A, B, C", B32, |a, b, c| {
        of(a, b, [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]][c as usize & 3])
    });
    check("prmt.b32.rc8 D, A, B, C", B32, |a, b, c| of(a, b, [c & 3; 4]));
    check("prmt.b32.ecl D, A, B, C", B32, |a, b, c| {
        of(a, b, [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]][c as usize & 3])
    });
    check("prmt.b32.ecr D, A, B, C", B32, |a, b, c| {
        of(a, b, [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]][c as usize & 3])
    });
    check("prmt.b32.rc16 D, A, B, C", B32, |a, b, c| of(a, b, [[0, 1, 0, 1], [2, 3, 2, 3]][c as usize & 1]));
}
