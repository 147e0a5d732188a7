//! Dependences: which instances of statements have to keep their order.

#[cfg(feature = "polyhedral")]
mod isl;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nest::expression::{Access, Binary, Expression};
use crate::nest::statement::Statement;
use crate::nest::{Assignment, Nest};

/// The accesses of two instances to an element, of which one comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DependenceKind {
    /// The value that an instance writes is the one that another instance reads.
    Flow,
    /// An instance reads what another one overwrites.
    Anti,
    /// An instance overwrites what another one wrote, with no write in between.
    Output,
}

/// The distance of two instances along a loop, in its order.
///
/// It has bounds over all pairs, none where the distance grows with the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Distance {
    /// The least distance.
    pub least: Option<i64>,
    /// The greatest distance.
    pub most: Option<i64>,
}

impl Distance {
    /// Returns `true` if both instances are in the same iteration of the loop, always.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self { least: Some(0), most: Some(0) }
    }

    /// Returns `true` if the sink is in the same iteration or a later one, always.
    #[must_use]
    pub fn is_not_negative(self) -> bool {
        self.least.is_some_and(|least| least >= 0)
    }

    /// Returns `true` if the sink is in a later iteration, always.
    #[must_use]
    pub fn is_positive(self) -> bool {
        self.least.is_some_and(|least| least >= 1)
    }
}

impl fmt::Display for Distance {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (Some(least), Some(most)) if least == most => write!(formatter, "{least}"),
            (None, None) => write!(formatter, "*"),
            (Some(least), None) => write!(formatter, "{least}.."),
            (None, Some(most)) => write!(formatter, "..{most}"),
            (Some(least), Some(most)) => write!(formatter, "{least}..{most}"),
        }
    }
}

/// All pairs of instances of two statements that one loop carries, or none does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Dependence {
    /// The accesses of the pairs.
    pub kind: DependenceKind,
    /// Index of the statement that comes first.
    pub source: usize,
    /// Index of the statement that depends on it.
    pub sink: usize,
    /// Index of the array that both touch.
    pub array: usize,
    /// The depth of the loop that carries the pairs, 0 for the outermost of the nest.
    ///
    /// It is the outermost in whose iterations they differ. None: both are in the same iteration of all loops around
    /// both.
    pub level: Option<usize>,
    /// The distances along the loops around both, outermost first.
    pub distances: Vec<Distance>,
}

/// The dependences of a nest.
///
#[cfg_attr(feature = "polyhedral", doc = "```")]
#[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
/// use nitro_nest::{DependenceKind, nest};
///
/// #[nest]
/// fn prefix(n: usize, #[shape(n)] x: &mut [f32]) {
///     for i in 1..n {
///         x[i] += x[i - 1];
///     }
/// }
///
/// let dependences = prefix::nest().dependences()?;
/// let [flow] = dependences.all() else { panic!("{dependences}") };
/// assert_eq!((flow.kind, flow.level, flow.distances[0].least), (DependenceKind::Flow, Some(0), Some(1)));
/// assert_eq!(dependences.to_string(), "flow of x from 0 to 0, carried by loop 0, distance [1]\n");
/// # Ok::<(), nitro_nest::DependenceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dependences {
    all: Vec<Dependence>,
    arrays: Vec<String>,
}

/// A nest whose dependences were not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the dependences of the nest `{nest}` were not found: {why}")]
pub struct DependenceError {
    /// The name of the nest.
    pub nest: String,
    /// The reason of isl: usually that the nest takes more operations than are granted.
    pub why: String,
}

impl Nest {
    /// Finds the dependences between its statements, exact for all sizes, by isl.
    ///
    /// [`Dependences`] has an example.
    ///
    /// # Errors
    /// When the nest takes more operations than are granted, as one with very many statements or very large
    /// coefficients does.
    #[cfg(feature = "polyhedral")]
    pub fn dependences(&self) -> Result<Dependences, DependenceError> {
        isl::dependences(self).map(|all| Dependences::new(self, all)).map_err(|why| self.unknown(why))
    }

    /// Returns `true` if what a statement reads there is what the array held in the beginning, always.
    #[cfg(feature = "polyhedral")]
    pub(crate) fn reads_inputs(&self, statement: usize, read: &Access) -> Result<bool, DependenceError> {
        isl::reads_inputs(self, statement, read).map_err(|why| self.unknown(why))
    }

    #[cfg(feature = "polyhedral")]
    fn unknown(&self, why: String) -> DependenceError {
        DependenceError { nest: self.name.clone(), why }
    }
}

impl Dependences {
    /// Takes these dependences of a nest, found otherwise.
    #[must_use]
    pub fn new(nest: &Nest, mut all: Vec<Dependence>) -> Self {
        all.sort_unstable();
        Self { all, arrays: nest.arrays.iter().map(|array| array.name.clone()).collect() }
    }

    /// Returns all of them, in the order of kind, source, sink, array and level.
    #[must_use]
    pub fn all(&self) -> &[Dependence] {
        &self.all
    }

    /// Returns those between statements of `among` that loops outside of `depth` do not carry.
    pub fn within<'a>(&'a self, among: &'a [usize], depth: usize) -> impl Iterator<Item = &'a Dependence> {
        self.all.iter().filter(move |dependence| {
            let is_open = dependence.level.is_none_or(|level| level >= depth);
            is_open && among.contains(&dependence.source) && among.contains(&dependence.sink)
        })
    }

    /// Leaves out those of sums on themselves, which several threads may add up.
    ///
    /// They are between instances that differ only in loops that the element does not depend on.
    pub(crate) fn without_sums(&self, nest: &Nest) -> Self {
        self.without_reductions(nest, is_sum)
    }

    /// Leaves out all of sums on themselves: of those too whose elements move on as the loops do.
    pub(crate) fn without_scattered_sums(&self, nest: &Nest) -> Self {
        let statements = nest.statements();
        let mut left = self.clone();
        left.all.retain(|dependence| {
            let assignment = statements[dependence.source].assignment;
            dependence.source != dependence.sink
                || dependence.array != assignment.target.array
                || !is_sum(assignment)
        });
        left
    }

    /// Leaves out those of some reductions on themselves, as [`without_sums`](Self::without_sums) does.
    pub(crate) fn without_reductions(&self, nest: &Nest, is_such: impl Fn(&Assignment) -> bool) -> Self {
        let statements = nest.statements();
        let mut left = self.clone();
        left.all.retain(|dependence| {
            let assignment = statements[dependence.source].assignment;
            let mut loops = statements[dependence.source].loops.iter().zip(&dependence.distances);
            dependence.source != dependence.sink
                || dependence.array != assignment.target.array
                || !is_such(assignment)
                || loops.any(|(range, distance)| {
                    !distance.is_zero() && assignment.target.depends_on(&[range.iterator])
                })
        });
        left
    }

    /// Returns `true` if the iterations of the loop at `depth` around all these statements may run at the same time.
    ///
    /// The loops around it run in order.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Array2, nest};
    ///
    /// #[nest]
    /// fn columns(n: usize, #[shape(n, n)] a: &mut Array2<f32>) {
    ///     for i in 1..n {
    ///         for j in 0..n {
    ///             a[[i, j]] += a[[i - 1, j]];
    ///         }
    ///     }
    /// }
    ///
    /// let nest = columns::nest();
    /// let (statements, dependences) = (nest.statements(), nest.dependences()?);
    /// assert!(!dependences.is_parallel(&[0], 0) && dependences.is_parallel(&[0], 1));
    /// assert!(dependences.permits(&statements[0], &[1, 0])); // `j` may be outside
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn is_parallel(&self, among: &[usize], depth: usize) -> bool {
        self.within(among, depth).all(|dependence| dependence.level != Some(depth))
    }

    /// Returns `true` if the loops around one statement may be interchanged to `order`.
    ///
    /// That is the depths of the present ones from the outermost inwards.
    ///
    /// # Panics
    /// When `order` is no permutation of the depths of the loops around the statement.
    #[must_use]
    pub fn permits(&self, statement: &Statement<'_>, order: &[usize]) -> bool {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..statement.loops.len()), "{order:?} is no order of the loops");
        self.within(&[statement.index], 0).all(|dependence| stays_forward(dependence, order))
    }
}

/// Returns `true` if all pairs are in order still: the first distance that is not zero is positive.
///
/// The bounds of the distances alone decide, so that what is forbidden may be legal.
fn stays_forward(dependence: &Dependence, order: &[usize]) -> bool {
    for at in order {
        let distance = dependence.distances[*at];
        if distance.is_positive() {
            return true;
        }
        if !distance.is_not_negative() {
            return false;
        }
    }
    true
}

impl Statement<'_> {
    /// Returns the operation, if the statement adds something up: `x = x OP e`.
    ///
    /// `e` does not read the array, and the order of operations does not matter but for rounding. A difference adds up
    /// too.
    ///
    /// ```
    /// use nitro_nest::{Binary, nest};
    ///
    /// #[nest]
    /// fn least(n: usize, #[shape(n)] x: &[f32], #[shape(1)] least: &mut [f32]) {
    ///     for i in 0..n {
    ///         least[0] = least[0].min(x[i]);
    ///     }
    /// }
    ///
    /// assert_eq!(least::nest().statements()[0].reduction(), Some(Binary::Minimum));
    /// ```
    #[must_use]
    pub fn reduction(&self) -> Option<Binary> {
        reduction(self.assignment)
    }
}

/// Returns `true` if the statement adds to its element.
pub fn is_sum(assignment: &Assignment) -> bool {
    reduction(assignment) == Some(Binary::Add)
}

/// Returns the operation by which an assignment adds something up: [`Statement::reduction`].
pub(crate) fn reduction(assignment: &Assignment) -> Option<Binary> {
    let Expression::Binary(operator, left, right) = &assignment.value else { return None };
    let target = &assignment.target;
    let commutes = *operator != Binary::Subtract;
    let adds_up = adds_to(target, left, right) || commutes && adds_to(target, right, left);
    match operator {
        Binary::Add | Binary::Subtract if adds_up => Some(Binary::Add),
        Binary::Multiply | Binary::Minimum | Binary::Maximum if adds_up => Some(*operator),
        _ => None,
    }
}

/// Returns `true` if the first value is the element, and the other one reads nothing of its array.
fn adds_to(element: &Access, own: &Expression, added: &Expression) -> bool {
    let is_own = matches!(own, Expression::Load(access) if access == element);
    is_own && !added.reads().iter().any(|access| access.array == element.array)
}

impl fmt::Display for Dependences {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Dependence { kind, source, sink, array, level, distances } in &self.all {
            let kind = match kind {
                DependenceKind::Flow => "flow",
                DependenceKind::Anti => "anti-dependence",
                DependenceKind::Output => "output",
            };
            write!(formatter, "{kind} of {} from {source} to {sink}, ", self.arrays[*array])?;
            match level {
                Some(level) => write!(formatter, "carried by loop {level}")?,
                None => write!(formatter, "within an iteration")?,
            }
            let distances: Vec<_> = distances.iter().map(Distance::to_string).collect();
            writeln!(formatter, ", distance [{}]", distances.join(", "))?;
        }
        Ok(())
    }
}
