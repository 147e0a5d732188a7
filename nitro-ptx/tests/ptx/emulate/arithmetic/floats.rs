//! Floats of 32 and 64 bits, in all roundings, and comparisons.

use nitro_test_support::random::Random;

use super::{B32, B64, P32, P64, bits, check, directed, measured, run, single, zeroed};

#[test]
fn comparisons() {
    check("setp.lt.s32 D, A, B", P32, |a, b, _| u64::from((a as i32) < b as i32));
    check("setp.lo.u32 D, A, B", P32, |a, b, _| u64::from((a as u32) < b as u32));
    check("setp.ge.u64 D, A, B", P64, |a, b, _| u64::from(a >= b));
    check("setp.ne.and.b32 D, A, 0, C", P32, |a, _, c| u64::from(a as u32 != 0 && c != 0));
    check("setp.gt.or.s64 D, A, B, !C", P64, |a, b, c| u64::from(a as i64 > b as i64 || c == 0));
    check("setp.eq.xor.u16 %p|D, A, B, C", [1, 16, 16, 1], |a, b, c| {
        u64::from((a as u16 != b as u16) != (c != 0))
    });
    check("setp.lt.f32 D, A, B", P32, |a, b, _| u64::from(single(a) < single(b)));
    check("setp.ltu.f32 D, A, B", P32, |a, b, _| {
        u64::from(single(a).partial_cmp(&single(b)).is_none_or(std::cmp::Ordering::is_lt))
    });
    check("setp.neu.f64 D, A, B", P64, |a, b, _| u64::from(f64::from_bits(a) != f64::from_bits(b)));
    check("setp.ne.f64 D, A, B", P64, |a, b, _| {
        u64::from(f64::from_bits(a) < f64::from_bits(b) || f64::from_bits(a) > f64::from_bits(b))
    });
    check("setp.num.f32 D, A, B", P32, |a, b, _| u64::from(!single(a).is_nan() && !single(b).is_nan()));
    check("setp.nan.f64 D, A, B", P64, |a, b, _| {
        u64::from(f64::from_bits(a).is_nan() || f64::from_bits(b).is_nan())
    });
    check("setp.eq.ftz.f32 D, A, 0f00000000", P32, |a, _, _| {
        u64::from(single(a) == 0.0 || single(a).is_subnormal())
    });
    check("set.gt.u32.s32 D, A, B", B32, |a, b, _| if a as i32 > b as i32 { u64::MAX } else { 0 });
    check("set.le.f32.f32 D, A, B", B32, |a, b, _| if single(a) <= single(b) { 0x3f80_0000 } else { 0 });
    check("selp.b32 D, A, B, C", [32, 32, 32, 1], |a, b, c| if c != 0 { a } else { b });
    check("slct.u32.s32 D, A, B, C", B32, |a, b, c| if (c as i32) < 0 { b } else { a });
    check("testp.subnormal.f32 D, A", P32, |a, _, _| u64::from(single(a).is_subnormal()));
    check("testp.normal.f64 D, A", P64, |a, _, _| {
        u64::from(f64::from_bits(a).is_normal() || f64::from_bits(a) == 0.0)
    });
    check("not.pred D, A", [1; 4], |a, _, _| u64::from(a == 0));
    check("xor.pred D, A, B", [1; 4], |a, b, _| u64::from((a == 0) != (b == 0)));
}

#[test]
fn floats() {
    check("add.f32 D, A, B", B32, |a, b, _| bits(single(a) + single(b)));
    check("sub.rn.f32 D, A, B", B32, |a, b, _| bits(single(a) - single(b)));
    check("mul.ftz.f32 D, A, B", B32, |a, b, _| bits(zeroed(zeroed(single(a)) * zeroed(single(b)))));
    check("fma.rn.f32 D, A, B, C", B32, |a, b, c| bits(single(a).mul_add(single(b), single(c))));
    check("add.sat.f32 D, A, B", B32, |a, b, _| {
        let sum = single(a) + single(b);
        bits(if sum > 0.0 { if sum < 1.0 { sum } else { 1.0 } } else { 0.0 })
    });
    check("div.rn.f32 D, A, B", B32, |a, b, _| bits(single(a) / single(b)));
    check("sqrt.rn.f32 D, A", B32, |a, _, _| bits(single(a).sqrt()));
    check("rcp.rn.f32 D, A", B32, |a, _, _| bits(1.0 / single(a)));
    check("neg.f32 D, A", B32, |a, _, _| bits(-single(a)));
    check("abs.f32 D, A", B32, |a, _, _| bits(single(a).abs()));
    check("min.f32 D, A, B", B32, |a, b, _| match (single(a), single(b)) {
        (x, y) if x == 0.0 && y == 0.0 => bits(if x.is_sign_negative() { x } else { y }),
        (x, y) => bits(x.min(y)),
    });
    check("max.NaN.f32 D, A, B", B32, |a, b, _| match (single(a), single(b)) {
        (x, y) if x.is_nan() || y.is_nan() => bits(f32::NAN),
        (x, y) if x == 0.0 && y == 0.0 => bits(if x.is_sign_positive() { x } else { y }),
        (x, y) => bits(x.max(y)),
    });
    check("copysign.f32 D, A, B", B32, |a, b, _| single(b).copysign(single(a)).to_bits().into());
    check("ex2.approx.f32 D, A", B32, |a, _, _| bits(f64::from(single(a)).exp2() as f32));
    check("mul.f64 D, A, B", B64, |a, b, _| (f64::from_bits(a) * f64::from_bits(b)).to_bits());
    check("fma.rn.f64 D, A, B, C", B64, |a, b, c| {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    });
    check("neg.f64 D, A", B64, |a, _, _| (-f64::from_bits(a)).to_bits());
}

#[test]
fn roundings_of_sums_and_products() {
    // Integers of 24 bits with factors: sums and products of these are exact in 64 bits.
    let mut random = Random::new(5);
    let mut one = || {
        u64::from(
            ((random.below(1 << 24) as f32 - 8e6) * [1.0, 1024.0, 0.125][random.below(3) as usize]).to_bits(),
        )
    };
    let values: Vec<u64> = (0..3 * 1500).map(|_| one()).collect();
    type Exact = fn(f64, f64, f64) -> f64;
    let cases: [(&str, Exact); 4] = [
        ("add.XX.f32 D, A, B", |a, b, _| a + b),
        ("sub.XX.f32 D, A, B", |a, b, _| a - b),
        ("mul.XX.f32 D, A, B", |a, b, _| a * b),
        ("fma.XX.f32 D, A, B, C", |a, b, c| a * b + c * 1.0),
    ];
    for (text, exact) in cases {
        for mode in ["rz", "rm", "rp"] {
            let results = run(&text.replace("XX", mode), B32, &values);
            for (operands, result) in values.chunks(3).zip(results) {
                let [a, b, c] = [0, 1, 2].map(|at| f64::from(single(operands[at])));
                let value = exact(a, b, c);
                let up = mode == "rp" || mode == "rz" && value < 0.0;
                let expected = directed(|x| x < value, |x| x == value, value as f32, up);
                assert!(
                    single(result) == expected,
                    "{text} {mode} of {a} {b} {c}: {} and not {expected}",
                    single(result)
                );
            }
        }
    }
}

#[test]
fn roundings_of_quotients_and_roots() {
    let mut random = Random::new(6);
    let values: Vec<u64> =
        (0..3 * 800).map(|_| u64::from((random.below(1 << 24) as f32 + 1.0).to_bits())).collect();
    for (mode, up) in [("rz", false), ("rm", false), ("rp", true)] {
        let quotients = run(&format!("div.{mode}.f32 D, A, B"), B32, &values);
        let roots = run(&format!("sqrt.{mode}.f32 D, A"), B32, &values);
        for ((operands, quotient), root) in values.chunks(3).zip(quotients).zip(roots) {
            let (a, b) = (f64::from(single(operands[0])), f64::from(single(operands[1])));
            // Products of 24 bits are exact.
            let expected = directed(|x| x * b < a, |x| x * b == a, (a / b) as f32, up);
            assert_eq!(single(quotient), expected, "div.{mode} of {a} and {b}");
            let expected = directed(|x| x * x < a, |x| x * x == a, a.sqrt() as f32, up);
            assert_eq!(single(root), expected, "sqrt.{mode} of {a}");
        }
    }
}

/// The manual leaves open which NaN it is, but for that of these approximations.
#[test]
fn what_is_no_number_on_a_device_is_none_here() {
    let canonical = 0x7fff_ffff_0000_0000;
    measured("rcp.approx.ftz.f64 D, A", B64, [0xfff7_ffff_ffff_ffff, 0, 0], canonical);
    measured("rsqrt.approx.ftz.f64 D, A", B64, [0xc001_5453_b265_af5c, 0, 0], canonical);
    let (signalling, one, other) = (0xfff7_ffff_ffff_ffff, 0xfff8_0000_0000_0001, 0x7ff8_0000_0000_0001);
    let instructions = [
        ("abs.f64 D, A", signalling),
        ("neg.f64 D, A", signalling),
        ("cvt.rni.f64.f64 D, A", signalling),
        ("add.rz.f64 D, A, B", one),
        ("sub.f64 D, A, B", one),
        ("sub.rm.f64 D, A, B", one),
        ("min.f64 D, A, B", one),
        ("max.f64 D, A, B", one),
    ];
    for (text, a) in instructions {
        let result = f64::from_bits(run(text, B64, &[a, other, 0])[0]);
        assert!(result.is_nan(), "{text}: {result}");
    }
}
