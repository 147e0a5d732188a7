//! Dependences: which instances of statements have to keep their order.

#[cfg(feature = "polyhedral")]
mod isl;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::nest::affine::Variable;
use crate::nest::expression::{Binary, Expression};
use crate::nest::statement::Statement;
use crate::nest::{Assignment, Nest};

/// What one instance does to an element before another one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DependenceKind {
    /// The value that an instance writes is the one that another instance reads.
    Flow,
    /// An instance reads what another one overwrites.
    Anti,
    /// An instance overwrites what another one wrote, with no write in between.
    Output,
}

/// How far apart two instances are along a loop, in its order: bounds over all pairs, none where the distance grows
/// with the sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Distance {
    /// The least distance.
    pub least: Option<i64>,
    /// The greatest distance.
    pub most: Option<i64>,
}

impl Distance {
    /// Whether both instances are in the same iteration of the loop, always.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self { least: Some(0), most: Some(0) }
    }

    /// Whether the sink is in the same iteration or a later one, always.
    #[must_use]
    pub fn is_not_negative(self) -> bool {
        self.least.is_some_and(|least| least >= 0)
    }

    /// Whether the sink is in a later iteration, always.
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
    /// What the pairs do.
    pub kind: DependenceKind,
    /// Index of the statement that comes first.
    pub source: usize,
    /// Index of the statement that depends on it.
    pub sink: usize,
    /// Index of the array that both touch.
    pub array: usize,
    /// The depth of the loop that carries the pairs: the outermost in whose iterations they differ, 0 for the
    /// outermost of the nest. None: both are in the same iteration of all loops around both.
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

/// Why dependences were not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the dependences of the nest `{nest}` were not found: {why}")]
pub struct DependenceError {
    /// The name of the nest.
    pub nest: String,
    /// What isl says: usually that the nest takes more operations than are granted.
    pub why: String,
}

impl Nest {
    /// The dependences between its statements, exact for all sizes, by isl. [`Dependences`] has an example.
    ///
    /// # Errors
    /// When the nest takes more operations than are granted, as one with very many statements or very large
    /// coefficients does.
    #[cfg(feature = "polyhedral")]
    pub fn dependences(&self) -> Result<Dependences, DependenceError> {
        let failed = |why| DependenceError { nest: self.name.clone(), why };
        isl::dependences(self).map(|all| Dependences::new(self, all)).map_err(failed)
    }
}

impl Dependences {
    /// These dependences of a nest, found otherwise.
    #[must_use]
    pub fn new(nest: &Nest, mut all: Vec<Dependence>) -> Self {
        all.sort_unstable();
        Self { all, arrays: nest.arrays.iter().map(|array| array.name.clone()).collect() }
    }

    /// All of them, in the order of kind, source, sink, array and level.
    #[must_use]
    pub fn all(&self) -> &[Dependence] {
        &self.all
    }

    /// Those between statements of `among` that loops outside of `depth` do not carry.
    pub fn within<'a>(&'a self, among: &'a [usize], depth: usize) -> impl Iterator<Item = &'a Dependence> {
        let is_among = |statement| among.contains(statement);
        self.all.iter().filter(move |dependence| {
            let is_open = dependence.level.is_none_or(|level| level >= depth);
            is_open && is_among(&dependence.source) && is_among(&dependence.sink)
        })
    }

    /// Without those of a reduction on itself: what remains has to keep its order where sums may be added up in any
    /// ([`Nest::reassociates`]).
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::nest;
    ///
    /// #[nest(reassoc)]
    /// fn total(n: usize, #[shape(n)] x: &[f32], #[shape(1)] total: &mut [f32]) {
    ///     for i in 0..n {
    ///         total[0] += x[i];
    ///     }
    /// }
    ///
    /// let nest = total::nest();
    /// let dependences = nest.dependences()?;
    /// assert!(!dependences.is_parallel(&[0], 0));
    /// assert!(nest.reassociates() && dependences.without_reductions(&nest).is_parallel(&[0], 0));
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn without_reductions(&self, nest: &Nest) -> Self {
        self.without(nest, |_, statement| reduction(statement.assignment).is_some())
    }

    /// Without those of sums on themselves, which several threads may add up: between instances that differ only in
    /// loops that the element does not depend on.
    pub(crate) fn without_sums(&self, nest: &Nest) -> Self {
        let depends = |statement: &Statement<'_>, variable| {
            statement.assignment.target.subscripts.iter().any(|one| one.mentions(variable))
        };
        self.without(nest, |dependence, statement| {
            let differs = |(variable, distance): (Variable, &Distance)| {
                depends(statement, variable) && !distance.is_zero()
            };
            is_sum(statement.assignment) && !statement.iterators().zip(&dependence.distances).any(differs)
        })
    }

    fn without(&self, nest: &Nest, is_reduction: impl Fn(&Dependence, &Statement<'_>) -> bool) -> Self {
        let statements = nest.statements();
        let is_of_reduction = |dependence: &&Dependence| {
            let statement = &statements[dependence.source];
            dependence.source == dependence.sink
                && dependence.array == statement.assignment.target.array
                && is_reduction(dependence, statement)
        };
        let all = self.all.iter().filter(|dependence| !is_of_reduction(dependence)).cloned().collect();
        Self { all, arrays: self.arrays.clone() }
    }

    /// Whether the iterations of the loop at `depth` around all these statements may run at the same time, where
    /// the loops around it run in order.
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
    /// assert_eq!(dependences.permutable_band(&statements, &[0], 0), 2); // and both loops may be tiled
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn is_parallel(&self, among: &[usize], depth: usize) -> bool {
        self.within(among, depth).all(|dependence| dependence.level != Some(depth))
    }

    /// How many loops from `depth` inwards, all of them around all these statements, form a permutable band: they
    /// may be interchanged and tiled in any way, as no distance along any of them is negative.
    #[must_use]
    pub fn permutable_band(&self, statements: &[Statement<'_>], among: &[usize], depth: usize) -> usize {
        let Some((first, others)) = among.split_first() else { return 0 };
        let common = |other: &usize| statements[*first].common_loops(&statements[*other]);
        let deepest = others.iter().map(common).min().unwrap_or(statements[*first].loops.len());
        let is_forward =
            |at: &usize| self.within(among, depth).all(|found| found.distances[*at].is_not_negative());
        (depth..deepest).take_while(is_forward).count()
    }

    /// Whether the loops around one statement may be interchanged to `order`, the depths of the present ones from
    /// the outermost inwards.
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

/// Whether all pairs are in order still: the first distance that is not zero is positive. The bounds of the
/// distances alone decide, so that what is forbidden may be legal.
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
    /// The operation, if the statement adds something up: `x = x OP e`, where `e` does not read the array and the
    /// order of operations does not matter but for rounding. A difference adds up too.
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

/// Whether the statement adds to its element.
pub fn is_sum(assignment: &Assignment) -> bool {
    reduction(assignment) == Some(Binary::Add)
}

fn reduction(assignment: &Assignment) -> Option<Binary> {
    let Expression::Binary(operator, left, right) = &assignment.value else { return None };
    let target = &assignment.target;
    let reads = |value: &Expression| value.reads().iter().any(|access| access.array == target.array);
    let is_target = |value: &Expression| matches!(value, Expression::Load(access) if access == target);
    let commutes = *operator != Binary::Subtract;
    let adds_up = (is_target(left) && !reads(right)) || (commutes && is_target(right) && !reads(left));
    match operator {
        Binary::Add | Binary::Subtract if adds_up => Some(Binary::Add),
        Binary::Multiply | Binary::Minimum | Binary::Maximum if adds_up => Some(*operator),
        _ => None,
    }
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
