//! The radial basis function in single precision, for many support vectors at a time.

use super::scaling::SCALING_ERROR;

/// Support vectors that are evaluated side by side: fewer leave a processor waiting for results.
pub(super) const LANES: usize = 32;

/// The rounding error of one operation in single precision, relative.
pub(super) const ROUNDING: f64 = 1.0 / (1 << 24) as f64;

/// A block of support vectors.
pub(super) struct Block<'a> {
    /// For each column the coordinates of all vectors.
    pub(super) columns: &'a [[f32; LANES]],
    pub(super) terms: &'a [Term],
}

/// What the vectors of a block weigh in the decision between one pair of classes.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) pair: usize,
    pub(super) coefficients: [f32; LANES],
}

/// The sum of one pair of classes, in parts that are added up at last.
pub(super) type Sum = [f64; 4];

/// Adds to the sum of each pair what a block's vectors weigh, times their kernels with the row.
pub(super) type Weigh = unsafe fn(block: Block<'_>, row: &[f32], sums: &mut [Sum]);

/// The fastest way to do it that this processor has. All give the same bits: they differ in how many lanes an instruction takes, and none
/// fuses a product with a sum.
pub(super) fn fastest() -> Weigh {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return weigh_avx2;
    }
    weigh_any
}

fn weigh_any(block: Block<'_>, row: &[f32], sums: &mut [Sum]) {
    let mut kernel = [0.0; LANES];
    kernel_any(block.columns, row, &mut kernel);
    weigh(block.terms, &kernel, sums);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn weigh_avx2(block: Block<'_>, row: &[f32], sums: &mut [Sum]) {
    let mut kernel = [0.0; LANES];
    kernel_avx2(block.columns, row, &mut kernel);
    weigh(block.terms, &kernel, sums);
}

#[inline(always)]
fn weigh(terms: &[Term], kernel: &[f32; LANES], sums: &mut [Sum]) {
    for term in terms {
        let mut eight = [0.0; 8];
        for (coefficients, kernel) in term.coefficients.chunks_exact(8).zip(kernel.chunks_exact(8)) {
            for (sum, (coefficient, kernel)) in eight.iter_mut().zip(coefficients.iter().zip(kernel)) {
                *sum += coefficient * kernel;
            }
        }
        for (lane, sum) in sums[term.pair].iter_mut().enumerate() {
            *sum += f64::from(eight[lane] + eight[lane + 4]);
        }
    }
}

/// Fills in the kernel between the row and each lane of a block. Not to be inlined: next to what is done with the kernel the compiler
/// computes few lanes at a time, or one.
#[inline(never)]
fn kernel_any(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    fill(columns, row, kernel);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline(never)]
fn kernel_avx2(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    fill(columns, row, kernel);
}

#[inline(always)]
fn fill(columns: &[[f32; LANES]], row: &[f32], kernel: &mut [f32; LANES]) {
    let mut distances = [0.0; LANES];
    for (column, &value) in columns.iter().zip(row) {
        for (distance, &lane) in distances.iter_mut().zip(column) {
            *distance += (value - lane) * (value - lane);
        }
    }
    for (kernel, distance) in kernel.iter_mut().zip(distances) {
        *kernel = exp2_of_negated(distance);
    }
}

/// 2^-x for x ≥ 0, with a relative error of at most 4 roundings up to x = 126 and 2^-126 beyond. NaN stays NaN. Nothing but arithmetic, so
/// that the compiler computes several at a time: the exponent's whole part by adding a number so large that the sum has no fraction
/// bits left, the rest, between -1/2 and 1/2, by a polynomial of degree 5 (fitted for the least relative error, 1.8 roundings).
#[expect(
    clippy::approx_constant,
    reason = "a fitted coefficient, not ln 2, which would add an error of one rounding"
)]
#[inline(always)]
fn exp2_of_negated(x: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0; // 1.5 · 2^23
    let x = if x > 126.0 { 126.0 } else { x };
    let shifted = SHIFT - x;
    let rest = x + (shifted - SHIFT); // with its sign turned, as every other coefficient
    let polynomial = 0.009_671_511 - 0.001_326_465_3 * rest;
    let polynomial = polynomial * rest - 0.055_507_34;
    let polynomial = polynomial * rest + 0.240_222_42;
    let polynomial = polynomial * rest - 0.693_147;
    let polynomial = polynomial * rest + 1.0;
    // The sum's lowest bits are the whole part; shifted into the exponent, with its bias, they are a power of two.
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    polynomial * power
}

/// What the kernel of one support vector may be off by. With ε for a rounding and B for the farthest coordinate of a support vector, a computed
/// difference is off by at most ε(2|d| + 2B) (both ends and the subtraction are rounded, and |u| ≤ |d| + |v|), their squared sum x over m
/// columns by ε((5 + m)x + 4B√(m·x)), and 2^-x is at most ln 2 · 2^-x times as much, where x · 2^-x ≤ 0.54 and √x · 2^-x ≤ 0.52; 4ε for
/// [`exp2_of_negated`]. The numbers that are scaled, of `magnitude`, are off by [`SCALING_ERROR`] of theirs, and so may be in place of ε·2B.
/// Terms of ε² are left to a factor of 1.5.
pub(super) fn kernel_error(columns: usize, farthest: f64, magnitude: f64) -> f64 {
    let columns = columns as f64;
    let farthest = farthest + SCALING_ERROR / ROUNDING * (farthest + magnitude);
    1.5 * ROUNDING * (0.37 * (5.0 + columns) + 1.44 * farthest * columns.sqrt() + 4.0)
}

/// What a weighted kernel may be off by besides: the coefficient, the product and the sums of a block are rounded.
pub(super) const SUM_ERROR: f64 = 1.5 * ROUNDING * (3.0 + (LANES / 8) as f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// The exponential is as near as its bound says, over all of its range.
    #[test]
    fn the_exponential_keeps_its_bound() {
        let mut worst = 0.0_f64;
        for step in 0..=1_260_000_u32 {
            let x = step as f32 * 1e-4;
            let exact = (-f64::from(x)).exp2();
            worst = worst.max((f64::from(exp2_of_negated(x)) / exact - 1.0).abs());
        }
        assert!(worst <= 4.0 * ROUNDING, "off by {} roundings", worst / ROUNDING);
        assert!(
            exp2_of_negated(1e30) <= f32::MIN_POSITIVE && exp2_of_negated(f32::INFINITY) <= f32::MIN_POSITIVE
        );
        assert!(exp2_of_negated(f32::NAN).is_nan());
    }

    /// A model decides the same on every processor.
    #[test]
    fn all_ways_to_weigh_give_the_same_bits() {
        let number = |n: usize| ((n * n) as f32 * 0.37).sin() * (n % 7) as f32;
        let columns: Vec<[f32; LANES]> =
            (0..6).map(|column| std::array::from_fn(|lane| number(31 * column + lane))).collect();
        let row: Vec<f32> = (0..6).map(|column| number(1000 + column)).collect();
        let term = |pair| Term { pair, coefficients: std::array::from_fn(|lane| number(77 * pair + lane)) };
        let terms: Vec<Term> = (0..3).map(term).collect();
        let (mut any, mut fastest_sums) = ([[0.1; 4]; 3], [[0.1; 4]; 3]);
        weigh_any(Block { columns: &columns, terms: &terms }, &row, &mut any);
        // SAFETY: `fastest` found that this processor has what the function is compiled for.
        unsafe { fastest()(Block { columns: &columns, terms: &terms }, &row, &mut fastest_sums) };
        assert_eq!(any.map(|sum| sum.map(f64::to_bits)), fastest_sums.map(|sum| sum.map(f64::to_bits)));
    }
}
