//! What every code of a nest does at least: bytes that it moves and instructions that it runs.

mod domain;
mod instructions;
mod live;

use crate::data::{Data, RunError};
use crate::lower::factored;
use crate::nest::expression::{Access, Expression};
use crate::nest::gather::{IndexAccess, Subscript};
use crate::nest::statement::Statement;
use crate::nest::{ArrayDeclaration, Nest};

use self::domain::Domain;

/// The least that any code of a nest moves and computes, at given sizes; [`Nest::least_work`] counts it.
///
/// Each figure is a lower limit, so that a time that follows from it is one too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LeastWork {
    /// Bytes of elements whose values from before the nest are read, each once.
    pub read_bytes: f64,
    /// Bytes of elements that are written, each once.
    pub written_bytes: f64,
    /// Instructions of threads, where one multiplies and adds at once.
    pub instructions: f64,
}

impl Nest {
    /// Counts the least that any code of the nest moves and computes, at these sizes.
    ///
    /// It holds for code that computes each value that is written: that shares equal values, takes what does not
    /// change out of loops, adds up sums in any order and takes factors out of them, but leaves no statement out. An
    /// array counts with the elements of the access that alone touches most of them: its parts, not their union. A
    /// statement under a condition on iterators counts for nothing, nor does what a choice between two values leaves
    /// out, nor an element that arrays of integers choose. What each step of a loop through time reads again
    /// counts once, since tiles in time keep it.
    ///
    /// ```
    /// use nitro_nest::{Bounds, Builder};
    ///
    /// let mut builder = Builder::new("scale");
    /// let (n, m) = (builder.parameter("n"), builder.parameter("m"));
    /// let x = builder.input("x", [n.into()]);
    /// let a = builder.in_out("a", [n.into(), m.into()]);
    /// builder.repeat("i", Bounds::new(0, n), |builder, i| {
    ///     builder.repeat("j", Bounds::new(0, m), |builder, j| {
    ///         builder.assign(a.at([i, j]), a.at([i, j]) * x.at([i]));
    ///     });
    /// });
    /// let least = builder.finish()?.least_work(&[10, 100])?;
    /// assert_eq!((least.read_bytes, least.written_bytes), (4.0 * 1010.0, 4.0 * 1000.0));
    /// assert_eq!(least.instructions, 1000.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the sizes are none of the nest.
    pub fn least_work(&self, sizes: &[i64]) -> Result<LeastWork, RunError> {
        Data::<f32>::shapes_of(self, sizes)?;
        let parameters = self.values(sizes);
        let statements: Vec<Statement<'_>> = self.statements();
        let counter = Counter { nest: self, parameters: &parameters, statements: &statements };
        let arguments = self.arrays().iter().enumerate().take(self.arguments());
        let (mut read_bytes, mut written_bytes) = (counter.index_bytes(), 0.0);
        for (array, declaration) in arguments {
            let bytes = self.stored_bytes(declaration);
            read_bytes += bytes * counter.live_in(array);
            written_bytes += bytes * counter.written(array);
        }
        let with_factors = counter.instructions();
        let instructions =
            factored(self).map_or(with_factors, |other| with_factors.min(other.instructions(&parameters)));
        Ok(LeastWork { read_bytes, written_bytes, instructions })
    }

    /// Counts the instructions of the nest as it is, with these values of all parameters.
    fn instructions(&self, parameters: &[i64]) -> f64 {
        let statements = self.statements();
        Counter { nest: self, parameters, statements: &statements }.instructions()
    }

    /// Returns the bytes of an element as it lies in memory.
    fn stored_bytes(&self, array: &ArrayDeclaration) -> f64 {
        if array.storage.is_number() { self.element().bytes() as f64 } else { 2.0 }
    }
}

/// A count of the elements and instructions of a nest with known sizes.
struct Counter<'a> {
    nest: &'a Nest,
    /// The values of all parameters.
    parameters: &'a [i64],
    statements: &'a [Statement<'a>],
}

impl<'a> Counter<'a> {
    fn domain<'s>(&'s self, statement: &'s Statement<'a>) -> Domain<'s, 'a> {
        Domain::new(statement, self.parameters)
    }

    /// Counts the elements of an array that are written, by the statement that writes most.
    fn written(&self, array: usize) -> f64 {
        let own = self.statements.iter().filter(|own| own.assignment.target.array == array);
        let counts = own.map(|own| self.domain(own).elements(&own.assignment.target.subscripts));
        counts.fold(0.0, f64::max)
    }

    /// Counts the bytes of integers that say where elements lie, which are never written.
    fn index_bytes(&self) -> f64 {
        let mut elements = vec![0.0_f64; self.nest.indices().len()];
        for statement in self.statements {
            for index in index_reads(&statement.assignment.value) {
                let own = self.domain(statement).elements(&index.subscripts);
                elements[index.indices] = elements[index.indices].max(own);
            }
        }
        4.0 * elements.iter().sum::<f64>()
    }
}

/// Returns the elements that a value needs, whatever is chosen in it.
fn needed(value: &Expression) -> Vec<&Expression> {
    match value {
        Expression::Load(_) | Expression::Gather(_) => vec![value],
        Expression::Select(select) => [&select.left, &select.right].into_iter().flat_map(needed).collect(),
        other => other.parts().into_iter().flat_map(needed).collect(),
    }
}

/// Returns the elements of arrays of numbers that a value needs, but for gathers.
fn loads(value: &Expression) -> impl Iterator<Item = &Access> {
    needed(value).into_iter().filter_map(|own| match own {
        Expression::Load(access) => Some(access),
        _ => None,
    })
}

/// Returns the integers that a value needs as places.
fn index_reads(value: &Expression) -> Vec<&IndexAccess> {
    let mut found = Vec::new();
    for own in needed(value) {
        if let Expression::Gather(gather) = own {
            found.extend(gather.subscripts.iter().filter_map(|subscript| match subscript {
                Subscript::Index(index) => Some(index),
                Subscript::Affine(_) | Subscript::Quasi(_) => None,
            }));
        }
    }
    found
}
