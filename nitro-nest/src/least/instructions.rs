//! Instructions that a nest's operations take at least.

use std::collections::{BTreeSet, HashMap};

use super::Counter;
use super::domain::iterators_of;
use crate::nest::affine::Affine;
use crate::nest::expression::{Access, Binary, Expression, Unary};
use crate::nest::gather::Subscript;
use crate::nest::quasi::{QuasiAffine, Quotient};
use crate::nest::statement::Statement;

/// The operations of threads, by what an instruction does of them at once.
#[derive(Clone, Copy, Default)]
struct Operations {
    /// Products and quotients.
    products: f64,
    /// Sums and differences.
    sums: f64,
    /// Whatever else takes an instruction of its own.
    others: f64,
}

impl Operations {
    fn instructions(self) -> f64 {
        self.products.max(self.sums) + self.others
    }

    /// Returns those of an expression alone, without those of its parts.
    fn of(expression: &Expression) -> Self {
        let [none, product, sum, other] = [
            Self::default(),
            Self { products: 1.0, ..Self::default() },
            Self { sums: 1.0, ..Self::default() },
            Self { others: 1.0, ..Self::default() },
        ];
        match expression {
            // A factor that is the same all through a nest may go elsewhere, or into another one.
            Expression::Binary(Binary::Multiply | Binary::Divide, left, right) => {
                if is_constant(left) || is_constant(right) { none } else { product }
            }
            Expression::Binary(Binary::Add | Binary::Subtract, left, right) => {
                if is_constant(left) || is_constant(right) { none } else { sum }
            }
            Expression::Binary(Binary::Minimum | Binary::Maximum, ..) => other,
            Expression::Fused(_) => Self { products: 1.0, sums: 1.0, ..none },
            Expression::Unary(Unary::Negate | Unary::Absolute | Unary::RoundF16 | Unary::RoundBf16, _) => {
                none
            }
            Expression::Unary(..) => other,
            // It may be a predicate of something else
            Expression::Select(_) => none,
            Expression::Constant(_) | Expression::Scalar(_) => none,
            Expression::Integer(_) | Expression::Quasi(_) | Expression::Load(_) | Expression::Gather(_) => {
                none
            }
        }
    }
}

impl<'a> Counter<'a> {
    /// Counts instructions of threads. What is the same for all values of an iterator counts once, and what is
    /// written alike in several places counts where it has most values.
    pub(super) fn instructions(&self) -> f64 {
        let mut found = HashMap::new();
        for statement in self.statements {
            self.add(&statement.assignment.value, statement, &mut found);
        }
        let mut all = Operations::default();
        for (own, count) in found.into_values() {
            all.products += own.products * count;
            all.sums += own.sums * count;
            all.others += own.others * count;
        }
        all.instructions()
    }

    fn add(
        &self,
        value: &Expression,
        statement: &Statement<'a>,
        found: &mut HashMap<String, (Operations, f64)>,
    ) {
        let own = Operations::of(value);
        if own.instructions() > 0.0 && !is_constant(value) {
            let mut free = BTreeSet::new();
            self.dependences(value, statement, &mut free);
            let count = self.domain(statement).instances(&free);
            let known = found.entry(key(value)).or_insert((own, 0.0));
            known.1 = known.1.max(count);
        }
        match value {
            Expression::Select(select) => {
                [&select.left, &select.right].into_iter().for_each(|part| self.add(part, statement, found));
            }
            other => other.parts().into_iter().for_each(|part| self.add(part, statement, found)),
        }
    }

    /// Adds the iterators with which a value changes.
    fn dependences(&self, value: &Expression, statement: &Statement<'a>, free: &mut BTreeSet<usize>) {
        value.visit(&mut |part| match part {
            Expression::Integer(integer) => free.extend(iterators_of(integer)),
            Expression::Quasi(quasi) => free.extend(quasi.integers().into_iter().flat_map(iterators_of)),
            Expression::Load(access) => {
                free.extend(access.subscripts.iter().flat_map(iterators_of));
                free.extend(self.changing(access, statement));
            }
            Expression::Gather(gather) => free.extend(gather.integers().into_iter().flat_map(iterators_of)),
            _ => {}
        });
    }

    /// Returns the iterators of loops in which an array is written, around a statement that reads it.
    fn changing(&self, access: &Access, reader: &Statement<'a>) -> BTreeSet<usize> {
        let writers = self.statements.iter().filter(|own| own.assignment.target.array == access.array);
        let common = writers.flat_map(|own| &reader.loops[..reader.common_loops(own)]);
        common.map(|range| range.iterator).collect()
    }
}

/// Returns `true` if a value is the same all through a nest.
fn is_constant(value: &Expression) -> bool {
    match value {
        Expression::Constant(_) | Expression::Scalar(_) => true,
        Expression::Integer(integer) => integer.is_of_sizes(),
        Expression::Quasi(quasi) => quasi.integers().into_iter().all(Affine::is_of_sizes),
        Expression::Load(_) | Expression::Gather(_) => false,
        other => other.parts().into_iter().all(is_constant),
    }
}

/// Writes an expression without its iterators: what may be equal is written alike.
fn key(value: &Expression) -> String {
    match value {
        Expression::Load(access) => format!("{}{}", access.array, places(access.subscripts.iter())),
        Expression::Gather(gather) => {
            let of = |subscript: &Subscript| match subscript {
                Subscript::Affine(integer) => places([integer].into_iter()),
                Subscript::Quasi(quasi) => divided(quasi),
                Subscript::Index(index) => format!("{}{}", index.indices, places(index.subscripts.iter())),
            };
            format!("g{}({})", gather.array, gather.subscripts.iter().map(of).collect::<String>())
        }
        Expression::Integer(integer) => places([integer].into_iter()),
        Expression::Quasi(quasi) => divided(quasi),
        Expression::Binary(operator, left, right) => {
            let mut parts = [key(left), key(right)];
            if !matches!(operator, Binary::Subtract | Binary::Divide) {
                parts.sort_unstable();
            }
            format!("{operator:?}({},{})", parts[0], parts[1])
        }
        Expression::Unary(operator, operand) => format!("{operator:?}({})", key(operand)),
        Expression::Fused(parts) => format!("fused({})", parts.each_ref().map(key).join(",")),
        Expression::Select(select) => {
            let parts = [&select.left, &select.right, &select.then, &select.otherwise];
            format!("{:?}({})", select.relation, parts.map(key).join(","))
        }
        Expression::Constant(_) | Expression::Scalar(_) => format!("{value:?}"),
    }
}

/// Writes the constants of integers.
fn places<'e>(integers: impl Iterator<Item = &'e Affine>) -> String {
    let constants: Vec<String> = integers.map(|own| own.constant().to_string()).collect();
    format!("[{}]", constants.join(","))
}

/// Writes an integer with quotients: other divisors give other values.
fn divided(quasi: &QuasiAffine) -> String {
    let quotient = |own: &Quotient| format!("{}*{}/{}", own.factor, divided(&own.dividend), own.divisor);
    let quotients = quasi.quotients.iter().map(quotient).collect::<String>();
    format!("{}{quotients}", places([&quasi.affine].into_iter()))
}
