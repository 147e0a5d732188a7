//! Gathers: elements at places that are not affine, as arrays of integers say them, read where nothing writes.

use serde::{Deserialize, Serialize};

use super::affine::{Affine, Variable};
use super::expression::Access;
use super::quasi::QuasiAffine;

/// An array of integers of a nest: an argument that is only read, as subscripts. Row-major.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IndexDeclaration {
    /// Its name.
    pub name: String,
    /// The extent of each dimension, the slowest first: affine in the parameters.
    pub shape: Vec<Affine>,
}

/// An element of an array of integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IndexAccess {
    /// Index of the array in the nest's list of those of integers.
    pub indices: usize,
    /// One for each dimension, the slowest first.
    pub subscripts: Vec<Affine>,
}

/// A subscript of a [`Gather`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Subscript {
    /// A sum of sizes and iterators.
    Affine(Affine),
    /// A sum with quotients.
    Quasi(QuasiAffine),
    /// An integer that an array says.
    Index(IndexAccess),
}

/// An element of an array that no statement of the nest writes, at a place that is not affine: arrays of integers say
/// it, or it has quotients.
///
/// Dependences and passes need not know of it, as the array is the same all through the nest.
///
/// ```
/// use nitro_nest::{Bounds, Builder};
///
/// let mut builder = Builder::new("lookup");
/// let (n, rows) = (builder.parameter("n"), builder.parameter("rows"));
/// let ids = builder.indices("ids", [n.into()]);
/// let table = builder.input("table", [rows.into()]);
/// let out = builder.in_out("out", [n.into()]);
/// builder.repeat("i", Bounds::new(0, n), |builder, i| {
///     builder.assign(out.at([i]), table.gather([ids.at([i])]));
/// });
/// assert!(builder.finish()?.to_string().contains("out[i] = table[ids[i]];"));
/// # Ok::<(), nitro_nest::NestError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Gather {
    /// Index of the array in the nest's list.
    pub array: usize,
    /// One for each dimension, the slowest first.
    pub subscripts: Vec<Subscript>,
}

impl Gather {
    /// Returns the element that it is: `value` says what variables are, `index` what arrays of integers hold.
    pub(crate) fn element<E>(
        &self,
        value: &dyn Fn(Variable) -> i64,
        mut index: impl FnMut(usize, &[i64]) -> Result<u32, E>,
    ) -> Result<Access, E> {
        let mut subscripts = Vec::new();
        for subscript in &self.subscripts {
            subscripts.push(Affine::from(match subscript {
                Subscript::Affine(affine) => affine.evaluate(value),
                Subscript::Quasi(quasi) => quasi.evaluate(value),
                Subscript::Index(access) => {
                    let at: Vec<i64> = access.subscripts.iter().map(|one| one.evaluate(value)).collect();
                    i64::from(index(access.indices, &at)?)
                }
            }));
        }
        Ok(Access { array: self.array, subscripts })
    }

    /// Returns all integers in it.
    pub(crate) fn integers(&self) -> Vec<&Affine> {
        let mut all = Vec::new();
        for subscript in &self.subscripts {
            match subscript {
                Subscript::Affine(affine) => all.push(affine),
                Subscript::Quasi(quasi) => all.extend(quasi.integers()),
                Subscript::Index(index) => all.extend(&index.subscripts),
            }
        }
        all
    }

    /// Returns all integers in it, to be changed.
    pub(crate) fn integers_mut(&mut self) -> Vec<&mut Affine> {
        let mut all = Vec::new();
        for subscript in &mut self.subscripts {
            match subscript {
                Subscript::Affine(affine) => all.push(affine),
                Subscript::Quasi(quasi) => all.extend(quasi.integers_mut()),
                Subscript::Index(index) => all.extend(&mut index.subscripts),
            }
        }
        all
    }
}

impl<T: Into<Affine>> From<T> for Subscript {
    fn from(affine: T) -> Self {
        Self::Affine(affine.into())
    }
}

impl From<QuasiAffine> for Subscript {
    fn from(quasi: QuasiAffine) -> Self {
        Self::Quasi(quasi)
    }
}
