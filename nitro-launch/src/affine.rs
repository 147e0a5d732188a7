//! Integers that are linear in parameters and iterators: bounds, subscripts, conditions.

use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A variable of an affine expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Variable {
    /// A size, the same all through the nest: its index in the nest's list.
    Parameter(usize),
    /// The iterator of a loop: its index in the nest's list. No two loops share one.
    Iterator(usize),
    /// In a kernel only: the index of the thread's block along x, y or z (0, 1, 2).
    Block(usize),
    /// In a kernel only: the index of the thread in its block along x, y or z (0, 1, 2).
    Thread(usize),
}

/// A sum of multiples of variables and a constant.
///
/// ```
/// use nitro_launch::{Affine, Variable};
///
/// let (n, i) = (Variable::Parameter(0), Variable::Iterator(0));
/// let last = n * 2 - i - 1;
/// assert_eq!(last.coefficient(n), 2);
/// assert_eq!(last.evaluate(&|variable| if variable == n { 10 } else { 3 }), 16);
/// assert_eq!(last.clone() - last, Affine::from(0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Affine {
    /// Sorted by variable, no coefficient is 0: equal sums are equal values.
    terms: Vec<(Variable, i64)>,
    constant: i64,
}

impl Affine {
    /// The variables with their coefficients, none of which is 0.
    #[must_use]
    pub fn terms(&self) -> &[(Variable, i64)] {
        &self.terms
    }

    /// The number that is added to the multiples of variables.
    #[must_use]
    pub fn constant(&self) -> i64 {
        self.constant
    }

    /// The coefficient of a variable, 0 where it does not occur.
    #[must_use]
    pub fn coefficient(&self, variable: Variable) -> i64 {
        self.terms.iter().find(|(of, _)| *of == variable).map_or(0, |(_, coefficient)| *coefficient)
    }

    /// Returns true where a variable occurs.
    #[must_use]
    pub fn mentions(&self, variable: Variable) -> bool {
        self.coefficient(variable) != 0
    }

    /// Returns true where it is of sizes alone: the same all through a nest.
    #[must_use]
    pub fn is_of_sizes(&self) -> bool {
        self.terms.iter().all(|(variable, _)| matches!(variable, Variable::Parameter(_)))
    }

    /// The value for these values of the variables; at the ends of `i64` it saturates.
    #[must_use]
    pub fn evaluate(&self, value: &dyn Fn(Variable) -> i64) -> i64 {
        let mut sum = self.constant;
        for (variable, coefficient) in &self.terms {
            sum = sum.saturating_add(value(*variable).saturating_mul(*coefficient));
        }
        sum
    }

    /// The expression with another one in place of a variable.
    #[must_use]
    pub fn substitute(&self, variable: Variable, by: &Affine) -> Affine {
        let coefficient = self.coefficient(variable);
        self.clone() - Affine::from(variable) * coefficient + by.clone() * coefficient
    }

    /// Returns true where terms are as arithmetic leaves them; in what was read they need not be.
    pub(crate) fn is_canonical(&self) -> bool {
        self.terms.iter().all(|(_, coefficient)| *coefficient != 0)
            && self.terms.windows(2).all(|pair| pair[0].0 < pair[1].0)
    }

    fn add_term(&mut self, variable: Variable, coefficient: i64) {
        match self.terms.binary_search_by_key(&variable, |(of, _)| *of) {
            Ok(at) => self.terms[at].1 += coefficient,
            Err(at) => self.terms.insert(at, (variable, coefficient)),
        }
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
    }
}

impl From<Variable> for Affine {
    fn from(variable: Variable) -> Self {
        Self { terms: vec![(variable, 1)], constant: 0 }
    }
}

impl From<i64> for Affine {
    fn from(constant: i64) -> Self {
        Self { terms: Vec::new(), constant }
    }
}

impl From<&Affine> for Affine {
    fn from(affine: &Affine) -> Self {
        affine.clone()
    }
}

impl<T: Into<Affine>> Add<T> for Affine {
    type Output = Affine;

    fn add(mut self, other: T) -> Affine {
        let other = other.into();
        other.terms.iter().for_each(|&(variable, coefficient)| self.add_term(variable, coefficient));
        self.constant += other.constant;
        self
    }
}

impl<T: Into<Affine>> Sub<T> for Affine {
    type Output = Affine;

    fn sub(self, other: T) -> Affine {
        self + -other.into()
    }
}

impl Mul<i64> for Affine {
    type Output = Affine;

    fn mul(mut self, factor: i64) -> Affine {
        self.terms.iter_mut().for_each(|(_, coefficient)| *coefficient *= factor);
        self.terms.retain(|(_, coefficient)| *coefficient != 0);
        self.constant *= factor;
        self
    }
}

impl Neg for Affine {
    type Output = Affine;

    fn neg(self) -> Affine {
        self * -1
    }
}

impl<T: Into<Affine>> Add<T> for Variable {
    type Output = Affine;

    fn add(self, other: T) -> Affine {
        Affine::from(self) + other
    }
}

impl<T: Into<Affine>> Sub<T> for Variable {
    type Output = Affine;

    fn sub(self, other: T) -> Affine {
        Affine::from(self) - other
    }
}

impl Mul<i64> for Variable {
    type Output = Affine;

    fn mul(self, factor: i64) -> Affine {
        Affine::from(self) * factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nitro_test_support::random::Random;

    fn random(random: &mut Random) -> Affine {
        let mut coefficient = || random.below(7) as i64 - 3;
        (0..4).fold(Affine::from(coefficient()), |sum, index| {
            let variable =
                if index % 2 == 0 { Variable::Parameter(index) } else { Variable::Iterator(index) };
            sum + variable * coefficient()
        })
    }

    fn value(variable: Variable) -> i64 {
        match variable {
            Variable::Parameter(index) => 5 + index as i64,
            Variable::Iterator(index) => 100 - 3 * index as i64,
            Variable::Block(_) | Variable::Thread(_) => 0,
        }
    }

    #[test]
    fn arithmetic_is_that_of_the_values() {
        let mut seed = Random::new(1);
        for _ in 0..500 {
            let (a, b) = (random(&mut seed), random(&mut seed));
            let of = |affine: &Affine| affine.evaluate(&value);
            assert_eq!(of(&(a.clone() + &b)), of(&a) + of(&b));
            assert_eq!(of(&(a.clone() - &b)), of(&a) - of(&b));
            assert_eq!(of(&(a.clone() * -3)), of(&a) * -3);
            assert_eq!(a.clone() - &b + &b, a, "equal sums are equal values");
            let by = a.substitute(Variable::Iterator(1), &b);
            let replaced =
                |variable| if variable == Variable::Iterator(1) { of(&b) } else { value(variable) };
            assert_eq!(of(&by), a.evaluate(&replaced));
        }
    }
}
