//! Video instructions: parts of words, two or four at a time.

use nitro_ptx::Module;
use nitro_ptx::emulate::Emulator;

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

/// What devices give of one part alone is not what the manual says: a shift that saturates, a minimum with the third
/// operand, a product that is scaled (measured on an H100, driver 580, 2026-11-25).
#[test]
fn of_one_part_alone_they_are_refused() {
    let instructions = [
        "vadd.s32.u32.s32 %r0, %r1.b1, %r2.h1",
        "vsub.s32.s32.u32.sat %r0.b1, %r1, %r2, %r3",
        "vabsdiff.u32.u32.s32.max %r0, %r1, %r2, %r3",
        "vmin.s32.s32.u32.sat %r0.b0, %r1, %r2, %r3",
        "vmax.s32.s32.u32 %r0.h1, %r1.b2, %r2.h1, %r3",
        "vshl.u32.u32.u32.sat.clamp %r0, %r1, %r2",
        "vshr.s32.u32.u32.wrap.min %r0, %r1, %r2, %r3",
        "vmad.u32.u32.u32.po.shr7 %r0, %r1, %r2, %r3",
        "vmad.s32.u32.u32.sat %r0, -%r1.h1, %r2.h0, %r3",
        "vset.u32.s32.ge %r0.h1, %r1.b0, %r2.b1, %r3",
        // Side by side there is no minus, no minimum with the third operand, and no part of it.
        "vadd2.u32.u32.u32 %r0, -%r1, %r2, %r3",
        "vadd4.u32.u32.u32.min %r0, %r1, %r2, %r3",
        "vmax2.u32.u32.u32 %r0, %r1, %r2, %r3.h0",
        "vmin4.u32.u32.u32 %r0.h10, %r1, %r2, %r3",
        "vset4.u32.u32.eq %r0, %r1.b3, %r2, %r3",
        "vadd2.u32.u32.u32 %r0, %r1, %r2",
    ];
    for instruction in instructions {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n\
             {{\n.reg .b32 %r<4>;\n{instruction};\nret;\n}}\n"
        );
        let refused = Emulator::unsupported(&Module::parse(&text).unwrap());
        assert_eq!(refused.len(), 1, "{instruction}");
    }
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
