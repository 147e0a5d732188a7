//! The arithmetic of matrix units: formats, splits of single precision, and what they may be off.

use std::fmt;

use nitro_launch::Storage;
use serde::{Deserialize, Serialize};

/// The arithmetic by which the matrix units of a warp multiply operands of single precision.
///
/// An operand is split into *parts* of a narrow format: the first is the operand rounded to it, the next one what is
/// missing, rounded, and so on. Products of parts are exact, and their sums are of single precision. With several
/// parts, those of [`depth`](Self::depth) terms are summed up in the matrix unit, the smallest products first, and
/// added to the sum by an ordinary addition, which rounds to nearest. With one part, the matrix unit adds to the sum.
///
/// All but [`Bf16x6`](Self::Bf16x6) and [`Bf16x9`](Self::Bf16x9) are less accurate than single precision, and each is
/// as far off as [`worst_error`](Self::worst_error) says. Compute capability 8.0 and later have them.
///
/// ```
/// use nitro_nest::MatrixArithmetic;
///
/// assert!(MatrixArithmetic::Tf32.worst_error(1024) > 9e-4);
/// assert!(MatrixArithmetic::Bf16x6.is_as_good_as_single(1024)); // of sums of so many terms
/// assert!(!MatrixArithmetic::Tf32.is_as_good_as_single(1024));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatrixArithmetic {
    /// One part of 11 bits, with the exponents of single precision: what is below them is cut off.
    Tf32,
    /// Two parts of 11 bits, without the product of the two small ones (Ootomo and Yokota, *Recovering single
    /// precision accuracy from Tensor Cores*, 2022).
    Tf32x3,
    /// One part of 8 bits, with the exponents of single precision.
    Bf16,
    /// Two parts of 8 bits, without the product of the two small ones.
    Bf16x3,
    /// Three parts of 8 bits, which are an operand to the last bit, without the three smallest products (Henry, Tang
    /// and Heinecke, *Leveraging the bfloat16 Artificial Intelligence Datatype*, 2019).
    Bf16x6,
    /// Three parts of 8 bits, and all of their products.
    Bf16x9,
    /// One part of 11 bits, with exponents from −14 to 15: what is too large becomes infinite.
    F16,
}

/// The format of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartFormat {
    Tf32,
    Bf16,
    F16,
}

impl PartFormat {
    /// Returns half the distance of neighbouring numbers, relative to them.
    fn unit(self) -> f64 {
        match self {
            Self::Tf32 | Self::F16 => 2.0_f64.powi(-11),
            Self::Bf16 => 2.0_f64.powi(-8),
        }
    }
}

/// Half a unit in the last place of single precision, relative.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

impl MatrixArithmetic {
    /// All of them, the fastest of a format first.
    pub const ALL: [Self; 7] =
        [Self::Tf32, Self::Tf32x3, Self::Bf16, Self::Bf16x3, Self::Bf16x6, Self::Bf16x9, Self::F16];

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tf32 => "tf32",
            Self::Tf32x3 => "tf32x3",
            Self::Bf16 => "bf16",
            Self::Bf16x3 => "bf16x3",
            Self::Bf16x6 => "bf16x6",
            Self::Bf16x9 => "bf16x9",
            Self::F16 => "f16",
        }
    }

    /// Returns the terms of a sum that the matrix unit takes at once.
    #[must_use]
    pub fn depth(self) -> u32 {
        if self.format() == PartFormat::Tf32 { 8 } else { 16 }
    }

    /// Returns the parts in 16 bytes.
    pub(crate) fn parts_in_16_bytes(self) -> i64 {
        i64::from(self.depth()) / 2
    }

    /// Returns the format of the parts.
    pub(crate) fn format(self) -> PartFormat {
        match self {
            Self::Tf32 | Self::Tf32x3 => PartFormat::Tf32,
            Self::Bf16 | Self::Bf16x3 | Self::Bf16x6 | Self::Bf16x9 => PartFormat::Bf16,
            Self::F16 => PartFormat::F16,
        }
    }

    /// Returns the form of stored numbers that are parts as they are: such operands are not rounded at all.
    pub(crate) fn storage(self) -> Option<Storage> {
        match self {
            Self::Bf16 => Some(Storage::Bf16),
            Self::F16 => Some(Storage::F16),
            _ => None,
        }
    }

    /// Returns the form in which parts of operands are stored.
    pub(crate) fn part_storage(self) -> Storage {
        match self.format() {
            PartFormat::Tf32 => Storage::Number,
            PartFormat::Bf16 => Storage::Bf16,
            PartFormat::F16 => Storage::F16,
        }
    }

    /// Returns the parts of an operand.
    pub(crate) fn parts(self) -> usize {
        match self {
            Self::Tf32 | Self::Bf16 | Self::F16 => 1,
            Self::Tf32x3 | Self::Bf16x3 => 2,
            Self::Bf16x6 | Self::Bf16x9 => 3,
        }
    }

    /// Returns the products of parts that are summed up, by the numbers of the parts: the smallest first.
    pub(crate) fn products(self) -> &'static [(usize, usize)] {
        const ALL: [(usize, usize); 9] =
            [(2, 2), (2, 1), (1, 2), (2, 0), (0, 2), (1, 1), (1, 0), (0, 1), (0, 0)];
        match self {
            Self::Tf32 | Self::Bf16 | Self::F16 => &ALL[8..],
            Self::Tf32x3 | Self::Bf16x3 => &ALL[6..],
            Self::Bf16x6 => &ALL[3..],
            Self::Bf16x9 => &ALL,
        }
    }

    /// Returns the largest error of a sum of so many products, relative to the sum Σ|a·b| of their magnitudes.
    ///
    /// What the sum was before counts as a product. It is without what underflows, some 2⁻¹⁴⁹ a term, and holds
    /// where no number of [`F16`](Self::F16) is below 2⁻¹⁴, and where nothing becomes infinite.
    ///
    /// With u = 2⁻²⁴ and γ(n) = n·u / (1 − n·u), it is the sum of three:
    ///
    /// - What the splits leave out. With h half the distance of neighbours in the format, a part is at most h of the
    ///   part before it.
    /// - What the matrix unit loses of `depth` terms. It aligns numbers to the largest and cuts off what is below 24
    ///   bits, four terms at a time or more (Fasi, Higham, Mikaitis and Pranesh, *Numerical behavior of NVIDIA tensor
    ///   cores*, 2021): at most (1.5·depth + 2)·2u for each product of parts, relative to what it adds up.
    /// - γ of the additions that follow. With one part, what the matrix unit loses comes again with each of them.
    #[must_use]
    pub fn worst_error(self, terms: u64) -> f64 {
        let depth = f64::from(self.depth());
        let steps = (terms as f64 / depth).ceil().max(1.0);
        let of_step = (1.5 * depth + 2.0) * 2.0 * UNIT;
        let split = self.split_error();
        let of_sums = if self.parts() == 1 {
            // Each step goes through the matrix unit with all that came before.
            (steps * of_step) / (1.0 - steps * of_step).max(f64::MIN_POSITIVE)
        } else {
            of_step * self.added_up() + gamma(steps)
        };
        split + of_sums * (1.0 + split)
    }

    /// Returns `true` if sums of so many products are at most as far off as those of single precision may be.
    ///
    /// That is if [`worst_error`](Self::worst_error) is at most γ(terms), which holds for sums in any order that
    /// round to nearest, and if the splits leave out no more than 24 units of single precision, since those of long
    /// sums are rarely as far off as they may be. It is a matter of the worst case, and of no sum shorter than some
    /// 50 terms: those of single precision have a smaller one.
    #[must_use]
    pub fn is_as_good_as_single(self, terms: u64) -> bool {
        self.split_error() <= 24.0 * UNIT && self.worst_error(terms) <= gamma(terms as f64)
    }

    /// Returns what the parts leave out of a product, relative to it.
    fn split_error(self) -> f64 {
        let (half, left) = (self.format().unit(), self.left_out());
        let missing: f64 = self.missing().map(|(one, other)| half.powi((one + other) as i32)).sum();
        2.0 * left + left * left + missing
    }

    /// Returns what the parts leave out of an operand, relative to it.
    pub(crate) fn left_out(self) -> f64 {
        let half = self.format().unit();
        match (self.format(), self.parts()) {
            // They have no fewer bits than the operand.
            (_, 3) => 0.0,
            // The last part is cut off.
            (PartFormat::Tf32, parts) => 2.0 * half.powi(parts as i32),
            (_, parts) => half.powi(parts as i32),
        }
    }

    /// Returns the products of parts that are left out.
    fn missing(self) -> impl Iterator<Item = (usize, usize)> {
        let all = (0..self.parts()).flat_map(move |one| (0..self.parts()).map(move |other| (one, other)));
        all.filter(move |product| !self.products().contains(product))
    }

    /// Returns the magnitudes of all sums that the matrix unit comes to in a step, relative to Σ|a·b|.
    fn added_up(self) -> f64 {
        let half = self.format().unit();
        let mut sum = 0.0;
        let mut all = 0.0;
        for (one, other) in self.products() {
            sum += (1.0 + half).powi(2) * half.powi((one + other) as i32);
            all += sum;
        }
        all
    }
}

impl fmt::Display for MatrixArithmetic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Returns γ(n) of single precision (Higham, *Accuracy and Stability of Numerical Algorithms*, section 3.1).
fn gamma(additions: f64) -> f64 {
    additions * UNIT / (1.0 - additions * UNIT).max(f64::MIN_POSITIVE)
}
