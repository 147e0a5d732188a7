//! The radial basis function in single precision, for many support vectors at a time.

/// Support vectors that are evaluated side by side: fewer leave a processor waiting for results.
pub(super) const LANES: usize = 32;

/// Logarithms that are computed side by side.
pub(super) const LOGARITHMS: usize = 8;

/// The rounding error of one operation in single precision, relative.
pub(super) const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// The error of the fast way to scale, relative to the numbers that go into it (tested). It comes from the logarithm
/// below, and from another order of operations than [`Scale::apply`]. It is far below a rounding in single
/// precision.
pub(super) const SCALING_ERROR: f64 = 1e-12;

/// A block of support vectors.
pub(super) struct Block<'a> {
    /// The coordinates of all vectors, column by column.
    pub(super) columns: &'a [[f32; LANES]],
    pub(super) terms: &'a [Term],
}

/// The weights of a block's vectors in the decision between one pair of classes.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) pair: usize,
    pub(super) coefficients: [f32; LANES],
}

/// The sum of one pair of classes, in parts that are added up at last.
pub(super) type Sum = [f64; 4];

/// The instructions of a processor, as far as the arithmetic here is compiled for them. The ways differ in how many
/// lanes an instruction takes and in whether a product is rounded before it is added to. The error bound holds for
/// all of them. (AVX-512 was measured: it takes 5 % less time with 2,000 support vectors, and 8 % more with 20.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Instructions(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Any,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Instructions {
    /// The instructions of every processor of the target.
    #[cfg(test)]
    pub(super) const ANY: Self = Self(Set::Any);

    /// The most instructions that this processor has.
    pub(super) fn of_this_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Self(Set::Avx2);
        }
        Self(Set::Any)
    }

    /// Adds to the sum of each pair the weights of a block's vectors, times their kernels with the row.
    #[inline]
    pub(super) fn weigh(self, block: &Block<'_>, row: &[f32], sums: &mut [Sum]) {
        let mut kernel = [0.0; LANES];
        match self.0 {
            Set::Any => {
                fill_any(block.columns, row, &mut kernel);
                weigh::<false>(block.terms, &kernel, sums);
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `of_this_processor` found that the processor has what these are compiled for.
            Set::Avx2 => unsafe {
                fill_avx2(block.columns, row, &mut kernel);
                weigh_avx2(block.terms, &kernel, sums);
            },
        }
    }

    /// sign(x)·ln(1 + |x|) of each; NaN where x is not finite.
    #[inline]
    pub(super) fn ln_1p(self, values: &mut [f64; LOGARITHMS]) {
        match self.0 {
            Set::Any => values.iter_mut().for_each(|value| *value = ln_1p::<false>(*value)),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `of_this_processor` found that the processor has what this is compiled for.
            Set::Avx2 => unsafe { ln_1p_avx2(values) },
        }
    }
}

// Not to be inlined: next to what is done with the kernel the compiler computes few lanes at a time, or one.
#[inline(never)]
fn fill_any(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    fill::<false>(columns, row, kernel);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[inline(never)]
fn fill_avx2(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    fill::<true>(columns, row, kernel);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn weigh_avx2(terms: &[Term], kernel: &[f32; LANES], sums: &mut [Sum]) {
    weigh::<true>(terms, kernel, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn ln_1p_avx2(values: &mut [f64; LOGARITHMS]) {
    values.iter_mut().for_each(|value| *value = ln_1p::<true>(*value));
}

/// a·b + c, in one rounding where the processor does that.
#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn weigh<const FUSED: bool>(terms: &[Term], kernel: &[f32; LANES], sums: &mut [Sum]) {
    for term in terms {
        let mut eight = [0.0; 8];
        for (coefficients, kernel) in term.coefficients.chunks_exact(8).zip(kernel.chunks_exact(8)) {
            for (sum, (coefficient, kernel)) in eight.iter_mut().zip(coefficients.iter().zip(kernel)) {
                *sum = multiply_add::<FUSED>(*coefficient, *kernel, *sum);
            }
        }
        for (lane, sum) in sums[term.pair].iter_mut().enumerate() {
            *sum += f64::from(eight[lane] + eight[lane + 4]);
        }
    }
}

#[inline(always)]
fn fill<const FUSED: bool>(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    let mut distances = [0.0; LANES];
    for (column, &value) in columns.iter().zip(row) {
        for (distance, &lane) in distances.iter_mut().zip(column) {
            let difference = value - lane;
            *distance = multiply_add::<FUSED>(difference, difference, *distance);
        }
    }
    for (kernel, distance) in kernel.iter_mut().zip(distances) {
        *kernel = exp2_of_negated::<FUSED>(distance);
    }
}

/// 2^-x for x ≥ 0, with a relative error of at most 4 roundings up to x = 126 and 2^-126 beyond. NaN stays NaN.
/// Nothing but arithmetic, so that the compiler computes several at a time: the exponent's whole part by adding a
/// number so large that the sum has no fraction bits left, the rest, between -1/2 and 1/2, by a polynomial of
/// degree 5 (fitted for the least relative error, 1.8 roundings).
#[expect(
    clippy::approx_constant,
    reason = "a fitted coefficient, not ln 2, which would add an error of one rounding"
)]
#[inline(always)]
fn exp2_of_negated<const FUSED: bool>(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 · 2^23
    const COEFFICIENTS: [f32; 4] = [-0.055_507_34, 0.240_222_42, -0.693_147, 1.0];
    let x = if x > 126.0 { 126.0 } else { x };
    let shifted = SHIFT - x;
    let rest = x + (shifted - SHIFT); // with its sign turned, as every other coefficient
    let polynomial = multiply_add::<FUSED>(-0.001_326_465_3, rest, 0.009_671_511);
    let polynomial =
        COEFFICIENTS.iter().fold(polynomial, |sum, &next| multiply_add::<FUSED>(sum, rest, next));
    // The sum's lowest bits are the whole part; shifted into the exponent, with its bias, they are a power of two.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    polynomial * power
}

/// sign(x)·ln(1 + |x|), as [`Transform::Log`](super::Transform::Log); NaN where x is not finite. Nothing but
/// arithmetic, so that the compiler computes several at a time: 1 + |x| is 2^k·m with m between √½ and √2, and ln m =
/// 2·artanh(s) with s = (m - 1)/(m + 1), |s| < 0.172, by its series. Off by at most [`SCALING_ERROR`].
#[inline(always)]
fn ln_1p<const FUSED: bool>(x: f64) -> f64 {
    const SQRT_HALF: u64 = 0x3FE6_A09E_667F_3BCD;
    const TWO_52: f64 = (1_u64 << 52) as f64;
    let bits = (1.0 + x.abs()).to_bits();
    let k = bits.wrapping_sub(SQRT_HALF) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(k << 52));
    let k = f64::from_bits(k | TWO_52.to_bits()) - TWO_52;
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    // In pairs, and pairs of pairs: few steps that wait for one another.
    // In pairs, and pairs of pairs: few steps that wait for one another.
    let low = fused::<FUSED>(z * z, pair::<FUSED>(z, 5.0, 7.0), pair::<FUSED>(z, 1.0, 3.0));
    let high = fused::<FUSED>(z * z, pair::<FUSED>(z, 13.0, 15.0), pair::<FUSED>(z, 9.0, 11.0));
    let series = fused::<FUSED>(z * z * (z * z), high, low);
    fused::<FUSED>(k, std::f64::consts::LN_2, 2.0 * s * series).copysign(x) + 0.0 * x
}

/// a·b + c in double precision, as [`multiply_add`].
#[inline(always)]
fn fused<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Two neighbouring terms of the series of artanh, 1/`from` + z/`to`.
#[inline(always)]
fn pair<const FUSED: bool>(z: f64, from: f64, to: f64) -> f64 {
    fused::<FUSED>(z, 1.0 / to, 1.0 / from)
}

/// The bound on the error of one support vector's kernel.
///
/// With ε for a rounding and B for the farthest coordinate of
/// a support vector, a computed difference is off by at most ε(2|d| + 2B) (both ends and the subtraction are
/// rounded, and |u| ≤ |d| + |v|), their squared sum x over m columns by ε((5 + m)x + 4B√(m·x)), and 2^-x is at most
/// ln 2 · 2^-x times as much, where x · 2^-x ≤ 0.54 and √x · 2^-x ≤ 0.52; 4ε for [`exp2_of_negated`]. The numbers
/// that are scaled, of `magnitude`, are off by [`SCALING_ERROR`] of theirs, and so may be in place of ε·2B. Terms
/// of ε² are left to a factor of 1.5.
pub(super) fn kernel_error(columns: usize, farthest: f64, magnitude: f64) -> f64 {
    let columns = columns as f64;
    let farthest = farthest + SCALING_ERROR / ROUNDING * (farthest + magnitude);
    1.5 * ROUNDING * (0.37 * (5.0 + columns) + 1.44 * farthest * columns.sqrt() + 4.0)
}

/// The further error of a weighted kernel: the coefficient, the product and the sums of a block are rounded.
pub(super) const SUM_ERROR: f64 = 1.5 * ROUNDING * (3.0 + (LANES / 8) as f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transform;

    /// Miri takes a thousand times as long.
    const STRIDE: usize = if cfg!(miri) { 997 } else { 1 };

    /// The exponential is as near as its bound says, over all of its range, fused or not.
    #[test]
    fn the_exponential_keeps_its_bound() {
        fn check(exp2_of_negated: impl Fn(f32) -> f32) {
            let mut worst = 0.0_f64;
            for step in (0..=1_260_000_u32).step_by(STRIDE) {
                let x = step as f32 * 1e-4;
                let exact = (-f64::from(x)).exp2();
                worst = worst.max((f64::from(exp2_of_negated(x)) / exact - 1.0).abs());
            }
            assert!(worst <= 4.0 * ROUNDING, "off by {} roundings", worst / ROUNDING);
            let beyond = [1e30, f32::INFINITY].map(&exp2_of_negated);
            assert!(beyond.iter().all(|&power| power <= f32::MIN_POSITIVE));
            assert!(exp2_of_negated(f32::NAN).is_nan());
        }
        check(exp2_of_negated::<false>);
        check(exp2_of_negated::<true>);
    }

    #[test]
    fn the_logarithm_is_as_near_as_it_says() {
        for instructions in [Instructions::ANY, Instructions::of_this_processor()] {
            let fast = |x: f64| {
                let mut values = [1.0, x, -x, 0.0, x, 2.0, 3.0, -1.0];
                instructions.ln_1p(&mut values);
                [values[1], values[2]]
            };
            for step in (-3000..=3070).step_by(STRIDE) {
                for mantissa in [1.0, 1.3, 2.7, 4.1421, 7.0, 9.99] {
                    let x = mantissa * 10_f64.powf(f64::from(step) / 10.0);
                    for (fast, x) in fast(x).into_iter().zip([x, -x]) {
                        let exact = Transform::Log.apply(x);
                        let error = (fast - exact).abs();
                        assert!(
                            error <= SCALING_ERROR * (exact.abs() + 1e-3),
                            "{x:e}: {fast} is not {exact}"
                        );
                    }
                }
            }
            assert_eq!(fast(0.0), [0.0; 2]);
            assert!([f64::INFINITY, f64::NAN].into_iter().flat_map(fast).all(f64::is_nan));
        }
    }

    /// Whatever the processor, a sum is within what its kernels and weights may be off by.
    #[test]
    fn all_ways_to_weigh_keep_the_bound() {
        let number = |n: usize| ((n * n) as f32 * 0.37).sin() * (n % 7) as f32;
        let columns: Vec<[f32; LANES]> =
            (0..6).map(|column| std::array::from_fn(|lane| number(31 * column + lane) * 0.2)).collect();
        let row: Vec<f32> = (0..6).map(|column| number(1000 + column) * 0.2).collect();
        let term = |pair| Term { pair, coefficients: std::array::from_fn(|lane| number(77 * pair + lane)) };
        let terms: Vec<Term> = (0..3).map(term).collect();
        let exact = |term: &Term| -> f64 {
            let distance = |lane: usize| -> f64 {
                let difference =
                    |(column, value): (&[f32; LANES], &f32)| f64::from(*value) - f64::from(column[lane]);
                columns.iter().zip(&row).map(difference).map(|difference| difference * difference).sum()
            };
            (0..LANES).map(|lane| f64::from(term.coefficients[lane]) * (-distance(lane)).exp2()).sum()
        };
        let farthest = columns.iter().flatten().fold(0.0_f32, |farthest, value| farthest.max(value.abs()));
        let error = kernel_error(columns.len(), farthest.into(), 0.0) + SUM_ERROR;
        for instructions in [Instructions::ANY, Instructions::of_this_processor()] {
            let mut sums = [[0.0; 4]; 3];
            instructions.weigh(&Block { columns: &columns, terms: &terms }, &row, &mut sums);
            for (term, sum) in terms.iter().zip(sums) {
                let bound: f64 = term.coefficients.iter().map(|weight| error * f64::from(weight.abs())).sum();
                let off = (sum.iter().sum::<f64>() - exact(term)).abs();
                assert!(off <= bound && off > 0.0, "{instructions:?}: off by {off:e} of {bound:e}");
            }
        }
    }
}
