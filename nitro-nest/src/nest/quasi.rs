//! Integers with quotients: places such as `i / 2` and `i % 4`.

use nitro_launch::{Affine, Variable};
use serde::{Deserialize, Serialize};

/// A sum of an affine integer and of multiples of quotients by numbers, rounded down.
///
/// It is a subscript of what nothing writes, or a value: dependences and bounds are affine without it. `i % d` is
/// `i - d * (i / d)`.
///
/// ```
/// use nitro_nest::{QuasiAffine, Variable};
///
/// let i = Variable::Iterator(0);
/// let remainder = QuasiAffine::from(i).plus_quotient(-4, i, 4);
/// assert_eq!(remainder.evaluate(&|_| 11), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct QuasiAffine {
    /// The part without quotients.
    pub(crate) affine: Affine,
    pub(crate) quotients: Vec<Quotient>,
}

/// So many times a quotient.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Quotient {
    pub(crate) factor: i64,
    pub(crate) dividend: QuasiAffine,
    pub(crate) divisor: i64,
}

impl QuasiAffine {
    /// Adds so many times a quotient, whose dividend is nowhere negative.
    ///
    /// # Panics
    /// When the divisor is not positive.
    #[must_use]
    pub fn plus_quotient(mut self, factor: i64, dividend: impl Into<Self>, divisor: i64) -> Self {
        assert!(divisor > 0, "a divisor is positive, and {divisor} is not");
        self.quotients.push(Quotient { factor, dividend: dividend.into(), divisor });
        self
    }

    /// Returns its value for these values of the variables.
    #[must_use]
    pub fn evaluate(&self, value: &dyn Fn(Variable) -> i64) -> i64 {
        self.quotients.iter().fold(
            self.affine.evaluate(value),
            |sum, Quotient { factor, dividend, divisor }| {
                let quotient = dividend.evaluate(value).div_euclid(*divisor);
                sum.saturating_add(quotient.saturating_mul(*factor))
            },
        )
    }

    /// Returns all affine integers in it.
    pub(crate) fn integers(&self) -> Vec<&Affine> {
        let dividends = self.quotients.iter().flat_map(|quotient| quotient.dividend.integers());
        [&self.affine].into_iter().chain(dividends).collect()
    }

    /// Returns all affine integers in it, to be changed.
    pub(crate) fn integers_mut(&mut self) -> Vec<&mut Affine> {
        let dividends = self.quotients.iter_mut().flat_map(|quotient| quotient.dividend.integers_mut());
        [&mut self.affine].into_iter().chain(dividends).collect()
    }
}

impl<T: Into<Affine>> From<T> for QuasiAffine {
    fn from(affine: T) -> Self {
        Self { affine: affine.into(), quotients: Vec::new() }
    }
}
