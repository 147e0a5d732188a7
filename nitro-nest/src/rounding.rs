//! Bounds of how far results may be off that were computed in another order.

use crate::data::{Data, Indices, RunError, index_shapes, temporaries};
use crate::dependence::is_sum;
use crate::interpreter::{Elements, value};
use crate::nest::expression::{Access, Binary, Expression, Unary};
use crate::nest::{Assignment, Nest, display};
use crate::number::{Narrow, Number};

/// Units in the last place by which a function of a library is off at most: CUDA states 1 for `logf` and 2 for `expf`,
/// `tanhf`, `sinf` and `cosf` without fast math, and at most 2 for each in double precision (CUDA C++ Programming
/// Guide, Mathematical Functions); hosts do better.
const MOST_ULPS: f64 = 2.0;

impl Nest {
    /// Runs the nest as [`run`](Self::run) does, and bounds how far each element may be off.
    ///
    /// That is from what another program gives that adds the same terms in another order, or rounds a product and a
    /// sum at once, or takes functions such as `exp` from another library.
    ///
    /// For a sum of n + 1 terms x it is twice γ(n)·Σ|x|, with γ(n) = n·u / (1 − n·u) and u = 2⁻²⁴, 2⁻⁵³ in double
    /// precision, since neither of the two programs is exact. The errors of the terms themselves are added (Higham,
    /// *Accuracy and Stability of Numerical Algorithms*, chapter 4). Infinite where the two may differ by anything,
    /// such as a quotient whose divisor may be 0.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder, Data};
    ///
    /// let mut builder = Builder::new("sum");
    /// let n = builder.parameter("n");
    /// let x = builder.input("x", [n.into()]);
    /// let sum = builder.in_out("sum", []);
    /// let all = || sum.at::<i64>([]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| builder.assign(all(), all() + x.at([i])));
    /// let nest = builder.finish()?;
    ///
    /// let mut data = Data::new(&nest, &[3], &[])?;
    /// data.arrays[0] = vec![1.0, -2.0, 3.0];
    /// let bounds = nest.run_with_bounds(&mut data)?;
    /// assert_eq!(data.arrays[1], [2.0]);
    /// let unit = 0.5_f64.powi(24);
    /// let gamma = 3.0 * unit / (1.0 - 3.0 * unit); // three additions: the sum was 0 before
    /// assert!((bounds[1][0] - 2.0 * gamma * 6.0).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_bounds<T: Number>(&self, data: &mut Data<T>) -> Result<Vec<Vec<f64>>, RunError> {
        let shapes = data.shapes(self)?;
        data.arrays.extend(temporaries(self, &shapes));
        let sums = data.arrays.iter().map(|array| vec![Sum::default(); array.len()]).collect();
        let parameters = self.values(&data.parameters);
        let elements = Elements { nest: self, parameters: &parameters, shapes: &shapes };
        let index_shapes = index_shapes(self, &data.parameters)?;
        let mut run = Bounded { elements, index_shapes, data, sums };
        let done = self.walk(&parameters, &mut |_, assignment, iterators| run.assign(assignment, iterators));
        let mut bounds = Vec::new();
        for sums in &run.sums[..self.arguments()] {
            bounds.push(sums.iter().map(|sum| 2.0 * sum.bound::<T>()).collect());
        }
        data.arrays.truncate(self.arguments());
        done.map(|()| bounds)
    }
}

/// The terms that an element is the sum of.
#[derive(Clone, Copy, Default)]
struct Sum {
    additions: f64,
    /// Σ|x|
    magnitude: f64,
    /// The error of the terms, together.
    error: f64,
}

impl Sum {
    fn of(term: Term) -> Self {
        Self { additions: 0.0, magnitude: term.most(), error: term.error }
    }

    fn add(&mut self, term: Term) {
        self.additions += 1.0;
        self.magnitude += term.most();
        self.error += term.error;
    }

    fn bound<T: Number>(&self) -> f64 {
        let rounded = self.additions * T::UNIT;
        // Nothing was added: 0 times an infinite magnitude is no number.
        let of_sum = if self.additions > 0.0 { rounded / (1.0 - rounded) * self.magnitude } else { 0.0 };
        self.error + of_sum
    }
}

/// A value, computed in the order of the nest, and how far it may be from the exact one.
#[derive(Clone, Copy)]
struct Term {
    value: f64,
    error: f64,
}

impl Term {
    fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// Returns its largest magnitude.
    fn most(self) -> f64 {
        self.value.abs() + self.error
    }

    fn rounded<T: Number>(value: f64, error: f64) -> Self {
        let value = T::rounded(value).widened();
        Self { value, error: error + T::UNIT * (value.abs() + error) }
    }
}

struct Bounded<'a, T> {
    elements: Elements<'a>,
    index_shapes: Vec<Vec<i64>>,
    data: &'a mut Data<T>,
    /// The sums of the elements of all arrays.
    sums: Vec<Vec<Sum>>,
}

impl<T: Number> Bounded<'_, T> {
    fn assign(&mut self, assignment: &Assignment, iterators: &[i64]) -> Result<(), RunError> {
        let at = self.elements.offset(assignment, &assignment.target, iterators)?;
        let array = assignment.target.array;
        let (term, sum) = match added(assignment) {
            Some((operator, added)) => {
                let own = self.load(&assignment.target, assignment, iterators)?;
                let added = self.term(added, assignment, iterators)?;
                let mut sum = self.sums[array][at];
                sum.add(added);
                (binary::<T>(operator, own, added), sum)
            }
            None => {
                let term = self.term(&assignment.value, assignment, iterators)?;
                (term, Sum::of(term))
            }
        };
        self.sums[array][at] = sum;
        self.data.arrays[array][at] = T::rounded(term.value);
        Ok(())
    }

    fn term(
        &self,
        expression: &Expression,
        assignment: &Assignment,
        iterators: &[i64],
    ) -> Result<Term, RunError> {
        let of = |expression: &Expression| self.term(expression, assignment, iterators);
        Ok(match expression {
            Expression::Constant(bits) => Term::exact(T::constant(*bits).widened()),
            Expression::Scalar(index) => Term::exact(self.data.scalars[*index].widened()),
            Expression::Integer(affine) => {
                let value = affine.evaluate(&|one| value(self.elements.parameters, iterators, one));
                Term::rounded::<T>(T::integer(value).widened(), 0.0)
            }
            Expression::Quasi(quasi) => {
                let value = quasi.evaluate(&|one| value(self.elements.parameters, iterators, one));
                Term::rounded::<T>(T::integer(value).widened(), 0.0)
            }
            Expression::Load(access) => self.load(access, assignment, iterators)?,
            Expression::Gather(gather) => {
                let indices = Indices::new(self.elements.nest, &self.index_shapes, &self.data.indices);
                let statement = || display::assignment(self.elements.nest, assignment);
                let at = |variable| value(self.elements.parameters, iterators, variable);
                let element = gather.element(&at, |array, at| indices.get(array, at, statement))?;
                self.load(&element, assignment, iterators)?
            }
            Expression::Unary(operator, operand) => unary::<T>(*operator, of(operand)?),
            Expression::Binary(operator, left, right) => binary::<T>(*operator, of(left)?, of(right)?),
            Expression::Fused(parts) => {
                let [left, right, summand] = &**parts;
                let (left, right, summand) = (of(left)?, of(right)?, of(summand)?);
                let [one, factor, added] = [left, right, summand].map(|part| T::rounded(part.value));
                let error = of_product(left, right) + summand.error;
                Term::rounded::<T>(one.fused(factor, added).widened(), error)
            }
            Expression::Select(select) => {
                let (left, right) = (of(&select.left)?, of(&select.right)?);
                let holds = select.relation.holds(&left.value, &right.value);
                let (taken, other) =
                    if holds { (&select.then, &select.otherwise) } else { (&select.otherwise, &select.then) };
                let mut taken = of(taken)?;
                let unsure = left.error + right.error;
                let is_sure = unsure == 0.0 || (left.value - right.value).abs() > unsure;
                if !is_sure {
                    // The other program may decide otherwise; what is not computed here may be no element.
                    let apart = of(other)
                        .map_or(f64::INFINITY, |other| (other.value - taken.value).abs() + other.error);
                    taken.error = taken.error.max(apart);
                }
                taken
            }
        })
    }

    fn load(&self, access: &Access, assignment: &Assignment, iterators: &[i64]) -> Result<Term, RunError> {
        let at = self.elements.offset(assignment, access, iterators)?;
        let value = self.data.arrays[access.array][at].widened();
        Ok(Term { value, error: self.sums[access.array][at].bound::<T>() })
    }
}

/// Returns what a sum adds to its element, or subtracts from it.
fn added(assignment: &Assignment) -> Option<(Binary, &Expression)> {
    let Expression::Binary(operator, left, right) = &assignment.value else { return None };
    let is_target = matches!(&**left, Expression::Load(access) if *access == assignment.target);
    is_sum(assignment).then_some((*operator, if is_target { right } else { left }))
}

fn unary<T: Number>(operator: Unary, operand: Term) -> Term {
    let Term { value, error } = operand;
    match operator {
        Unary::Negate => Term { value: -value, error },
        Unary::Absolute => Term { value: value.abs(), error },
        Unary::SquareRoot => {
            // The difference of the roots of both ends, without subtracting numbers that are nearly alike.
            let (most, least) = ((value + error).sqrt(), (value - error).max(0.0).sqrt());
            let most = (value + error).min(2.0 * error) / (most + least);
            Term::rounded::<T>(value.sqrt(), if error == 0.0 { 0.0 } else { most })
        }
        Unary::RoundF16 | Unary::RoundBf16 => {
            let found = T::unary(operator, T::rounded(value)).widened();
            // A number that 16 bits have stays as it is, infinite ones too.
            let narrow = if operator == Unary::RoundF16 { Narrow::F16 } else { Narrow::BF16 };
            let is_exact = error == 0.0 && found == value;
            let rounded = if is_exact { 0.0 } else { narrow.most_error(value.abs() + error) };
            Term { value: found, error: error + rounded }
        }
        of_library => {
            let found = T::unary(of_library, T::rounded(value)).widened();
            let of_operand = if error == 0.0 { 0.0 } else { of_function(of_library, operand) };
            // Subnormal results are as far apart as the smallest of them.
            let last_places = MOST_ULPS * (2.0 * T::UNIT * (found.abs() + of_operand) + T::SMALLEST);
            Term { value: found, error: of_operand + last_places }
        }
    }
}

/// Bounds how far a function's result is off where its operand is.
fn of_function(operator: Unary, Term { value, error }: Term) -> f64 {
    match operator {
        Unary::Exponential => value.exp() * error.exp_m1(),
        Unary::Logarithm if error < value => -(-error / value).ln_1p(),
        Unary::HyperbolicTangent | Unary::Sine | Unary::Cosine => error.min(2.0),
        _ => f64::INFINITY,
    }
}

fn binary<T: Number>(operator: Binary, left: Term, right: Term) -> Term {
    let error = left.error + right.error;
    match operator {
        Binary::Add => Term::rounded::<T>(left.value + right.value, error),
        Binary::Subtract => Term::rounded::<T>(left.value - right.value, error),
        Binary::Multiply => Term::rounded::<T>(left.value * right.value, of_product(left, right)),
        Binary::Divide => Term::rounded::<T>(left.value / right.value, of_quotient(left, right)),
        Binary::Minimum => Term { value: left.value.min(right.value), error: left.error.max(right.error) },
        Binary::Maximum => Term { value: left.value.max(right.value), error: left.error.max(right.error) },
    }
}

fn of_product(left: Term, right: Term) -> f64 {
    if left.error + right.error == 0.0 {
        return 0.0;
    }
    left.most() * right.error + right.most() * left.error
}

fn of_quotient(left: Term, right: Term) -> f64 {
    match right.value.abs() - right.error {
        _ if left.error + right.error == 0.0 => 0.0,
        least if least > 0.0 => (left.error + (left.value / right.value).abs() * right.error) / least,
        _ => f64::INFINITY,
    }
}
