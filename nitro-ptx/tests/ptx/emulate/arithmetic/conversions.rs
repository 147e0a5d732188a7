//! From one type to another.

use super::{B32, B64, bits, check, directed, measured, single};

#[test]
fn conversions_of_integers() {
    check("cvt.s64.s32 D, A", [64, 32, 32, 32], |a, _, _| a as i32 as u64);
    check("cvt.u64.u32 D, A", [64, 32, 32, 32], |a, _, _| u64::from(a as u32));
    check("cvt.s32.s8 D, A", B32, |a, _, _| a as i8 as u64);
    check("cvt.u16.u32 D, A", [16, 32, 32, 32], |a, _, _| a);
    check("cvt.sat.u8.s32 D, A", B32, |a, _, _| (a as i32).clamp(0, 255) as u64);
    check("cvt.sat.s16.u32 D, A", [16, 32, 32, 32], |a, _, _| u64::from((a as u32).min(0x7fff)));
    check("cvt.rn.f32.s32 D, A", B32, |a, _, _| bits(a as i32 as f32));
    check("cvt.rn.f32.u64 D, A", [32, 64, 64, 64], |a, _, _| bits(a as f32));
    check("cvt.rn.f64.s64 D, A", B64, |a, _, _| (a as i64 as f64).to_bits());
    check("cvt.rz.f32.u32 D, A", B32, |a, _, _| {
        let value = f64::from(a as u32);
        bits(directed(|x| x < value, |x| x == value, value as f32, false))
    });
    check("cvt.rp.f32.s32 D, A", B32, |a, _, _| {
        let value = f64::from(a as i32);
        bits(directed(|x| x < value, |x| x == value, value as f32, true))
    });
}

#[test]
fn conversions_of_floats() {
    check("cvt.rzi.s32.f32 D, A", B32, |a, _, _| single(a) as i32 as u64);
    check("cvt.rzi.u32.f32 D, A", B32, |a, _, _| u64::from(single(a) as u32));
    check("cvt.rni.s32.f32 D, A", B32, |a, _, _| single(a).round_ties_even() as i32 as u64);
    check("cvt.rmi.s64.f64 D, A", B64, |a, _, _| match f64::from_bits(a) {
        value if value.is_nan() => 1 << 63,
        value => value.floor() as i64 as u64,
    });
    check("cvt.rpi.u16.f32 D, A", [16, 32, 32, 32], |a, _, _| u64::from(single(a).ceil() as u16));
    check("cvt.rni.f32.f32 D, A", B32, |a, _, _| bits(single(a).round_ties_even()));
    check("cvt.f64.f32 D, A", [64, 32, 32, 32], |a, _, _| f64::from(single(a)).to_bits());
    check("cvt.rn.f32.f64 D, A", [32, 64, 64, 64], |a, _, _| bits(f64::from_bits(a) as f32));
    check("cvt.rm.f32.f64 D, A", [32, 64, 64, 64], |a, _, _| match f64::from_bits(a) {
        value if !value.is_finite() => bits(value as f32),
        value if value > f32::MAX.into() => bits(f32::MAX),
        value if value < f32::MIN.into() => bits(f32::NEG_INFINITY),
        // Zeros keep their sign.
        value if value == 0.0 => bits(value as f32),
        value => {
            let nearest = value as f32;
            bits(if f64::from(nearest) > value { nearest.next_down() } else { nearest })
        }
    });
    check("cvt.sat.f32.f32 D, A", B32, |a, _, _| {
        bits(if single(a) > 0.0 { single(a).min(1.0) } else { 0.0 })
    });
}

/// `.ftz` does not flush what becomes `.f16`, as it does what becomes `.bf16`.
#[test]
fn subnormals_on_the_way_to_halves_are_those_of_a_device() {
    let widths = [16, 32, 32, 32];
    measured("cvt.rp.ftz.f16.f32 D, A", widths, [0x0059_500a, 0, 0], 1);
    measured("cvt.rm.ftz.f16.f32 D, A", widths, [0x8000_0002, 0, 0], 0x8001);
    measured("cvt.rp.ftz.sat.f16.f32 D, A", widths, [0x0059_500a, 0, 0], 1);
    measured("cvt.rp.ftz.bf16.f32 D, A", widths, [0x0059_500a, 0, 0], 0);
    measured("cvt.rp.bf16.f32 D, A", widths, [0x0059_500a, 0, 0], 0x5a);
}
