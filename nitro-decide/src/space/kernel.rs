//! A kernel as the builder of its problem needs it, and the choices that it leads to.

use std::collections::BTreeSet;

use super::{KINDS, ORDERS, kinds, loading, orders, passing, resources};
use crate::candidate::{ChoiceId, Factor, Problem, ProblemError, Rule, Values, Within};

/// Statements with the loops around them. A loop belongs to the statements that name it from the start; others
/// share it only where loops are merged.
///
/// Where a value goes from one statement to another ([`Dependence::passing`]), rules say by which threads it is
/// made and where it is kept on the way. Whoever writes code for a kernel adds what else that takes
/// ([`Problem::rule`]).
///
/// ```
/// use std::sync::Arc;
/// use nitro_decide::{Access, Dimension, Kernel, Limits, Operation, Partial, Statement};
///
/// let along = Access { array: "y".into(), strides: vec![1], element_bytes: 4 };
/// let kernel = Kernel {
///     dimensions: vec![Dimension { name: "i".into(), size: 1 << 20, tiles: vec![vec![1, 4, 256]], parallel: true, ..Dimension::default() }],
///     statements: vec![Statement { name: "store y".into(), operation: Operation::Store, dimensions: vec![0], accesses: vec![along], ..Statement::default() }],
///     ..Kernel::default()
/// };
/// let nesting = kernel.nesting(&Limits::default())?;
/// let (outer, tile) = (&nesting.loops[0], &nesting.loops[1]);
/// let mut partial = Partial::new(Arc::new(nesting.problem.clone()))?;
/// let vector = nesting.problem.named(tile.kind, &["vector"])?;
/// partial.restrict(vector.choice, vector.values)?;
/// assert_eq!(partial.values(tile.size).only(), Some(1)); // one instruction has four elements
/// assert_eq!(nesting.problem.number(outer.size, partial.values(outer.size).only().unwrap()), Some(1 << 18));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Kernel {
    /// The ranges that are iterated over.
    pub dimensions: Vec<Dimension>,
    /// The statements, each done once for each iteration of its dimensions.
    pub statements: Vec<Statement>,
    /// The order in which statements have to be done.
    pub dependences: Vec<Dependence>,
    /// The arrays that may be staged in shared memory.
    pub arrays: Vec<Array>,
}

/// An iteration over `0..size`, as a loop around as many loops as it has levels of tiles.
#[derive(Clone, Debug, Default)]
pub struct Dimension {
    /// Its name for people.
    pub name: String,
    /// The number of iterations.
    pub size: u64,
    /// The sizes that the tiles of each level may have, from the outside in; 1 is no tile.
    pub tiles: Vec<Vec<u64>>,
    /// True where its iterations may be done in any order or at once: a sum that has to keep its order is not parallel.
    pub parallel: bool,
    /// True where its loops may be nested in any order, as where a thread takes every n-th element. Else tiles lie
    /// within what they tile.
    pub interchanges: bool,
    /// The dimension whose outermost loops are its own, too: its tiles are those further in.
    pub outer: Option<Outer>,
}

/// The outermost loops of a dimension, which others share from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outer {
    /// The dimension, of the same size, that comes before the one that shares its loops.
    pub dimension: usize,
    /// The number of its loops that are shared.
    pub levels: usize,
}

/// A statement of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    /// Its name for people.
    pub name: String,
    /// The operation of one instance.
    pub operation: Operation,
    /// The dimensions around it, by position.
    pub dimensions: Vec<usize>,
    /// Loops around it on which it does not depend: each of their iterations does all of it again, for itself.
    pub around: Vec<Outer>,
    /// The elements that it reads and writes: of a load or a store the one array, of arithmetic its operands that
    /// come from arrays.
    pub accesses: Vec<Access>,
}

/// The operation of one instance of a statement, as far as its cost is concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// Nothing is said about it.
    #[default]
    Unknown,
    /// Reads one element of its array from global memory, before the kernel stores to that element if it ever does;
    /// where that array is staged ([`Nesting::memory`] is `shared`) it writes it to shared memory, too.
    Load,
    /// Writes one element of its array to global memory.
    Store,
    /// Sets a register: no access, no arithmetic.
    Init,
    /// One multiplication and addition. Its operands are in registers or, if their array is staged, are read from
    /// shared memory.
    Fma,
    /// One addition.
    Add,
    /// One multiplication.
    Multiply,
}

/// The elements that a statement reads or writes.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// The name of the array.
    pub array: String,
    /// The distance from one iteration to the next, in elements, for each dimension of the statement.
    pub strides: Vec<u64>,
    /// Bytes of an element.
    pub element_bytes: u64,
}

/// One statement needs what another has done.
#[derive(Clone, Debug, Default)]
pub struct Dependence {
    /// Position of what has to be done first.
    pub from: usize,
    /// Position of what needs it.
    pub to: usize,
    /// Pairs of a dimension of each in which iteration `i` needs iteration `i` alone, so that both may share a
    /// loop. They have to be tiled alike for that.
    pub along: Vec<(usize, usize)>,
    /// The way of the value.
    pub passing: Passing,
}

/// The way of a value from one statement to another.
///
/// In all of these but the first, the statements share the loops that are theirs from the start, and each has nests
/// of its own within: none of these is merged with another's, and threads are outermost in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Passing {
    /// In a way that no rule cares about.
    #[default]
    Elsewhere,
    /// In registers of a thread: loops along which it goes are threads in both, of one size, or neither is and both
    /// are unrolled or vectors.
    Registers,
    /// As the memory of this array (its position in the kernel) says: where that is `global`, in registers; where
    /// it is `shared`, the threads of the block load the tile together, each what suits it, and all read it.
    Array(usize),
}

/// An array that may be staged in shared memory: the part that tiles walk over.
#[derive(Clone, Debug, Default)]
pub struct Array {
    /// Its name for people.
    pub name: String,
    /// Bytes of an element.
    pub element_bytes: u64,
    /// The dimensions whose tiles (all levels but the outermost loop) are staged.
    pub dimensions: Vec<usize>,
}

/// The limits of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most threads of a block.
    pub threads: u64,
    /// Most iterations that are unrolled around a statement.
    pub unrolled: u64,
    /// Most elements of a vector.
    pub vector: u64,
    /// Most dimensions of a grid, and of a block.
    pub axes: usize,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u64,
    /// Most registers of a thread.
    pub registers: u64,
    /// Registers of a multiprocessor, which a block has to itself at most.
    pub block_registers: u64,
}

impl Default for Limits {
    fn default() -> Self {
        let (shared_bytes, block_registers) = (48 << 10, 64 << 10);
        Self {
            threads: 1024,
            unrolled: 512,
            vector: 4,
            axes: 3,
            shared_bytes,
            registers: 255,
            block_registers,
        }
    }
}

/// The choices of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Nesting {
    /// Choices and rules.
    pub problem: Problem,
    /// The loops: of each dimension from the outside in.
    pub loops: Vec<NestLoop>,
    /// The memory of each array of the kernel, `global` or `shared`.
    pub memory: Vec<ChoiceId>,
    /// For each array that is passed on ([`Passing::Array`]), the threads that load it: the `same` as those that
    /// need it, or its `own`.
    pub threads: Vec<Option<ChoiceId>>,
    /// For each array that is passed on, how its tile lies in shared memory: one of [`LAYOUTS`](super::LAYOUTS).
    pub layouts: Vec<Option<ChoiceId>>,
    /// When tiles are loaded; none where no plain loop has one after the other.
    pub loading: Option<Loading>,
    /// For each dimension whose outermost loops are its own, too.
    pub(super) outer: Vec<Option<Outer>>,
    /// The order of two objects, the first position less than the second: loops come first, then statements.
    pub(super) orders: Vec<Vec<ChoiceId>>,
}

/// When the tiles of a [`Nesting`] are loaded, all of those that are staged alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loading {
    /// One of [`LOADINGS`](super::LOADINGS).
    pub choice: ChoiceId,
    /// Position of the loop of which each iteration has tiles of its own.
    pub along: usize,
}

/// A loop of a [`Nesting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NestLoop {
    /// Position of its dimension.
    pub dimension: usize,
    /// 0 is the outermost of its dimension, or of the one whose outermost loops are its own, too.
    pub level: usize,
    /// Its number of iterations.
    pub size: ChoiceId,
    /// `plain`, `unrolled`, `vector`, `block` or `thread`.
    pub kind: ChoiceId,
}

impl Kernel {
    /// The problem of how to nest the kernel's loops and what becomes of them.
    ///
    /// # Errors
    /// When a dimension has more than 64 sizes, or one twice.
    ///
    /// # Panics
    /// If a statement, a dependence or an array names a position that is not there.
    pub fn nesting(&self, limits: &Limits) -> Result<Nesting, ProblemError> {
        let mut nesting = Nesting::default();
        for (position, dimension) in self.dimensions.iter().enumerate() {
            nesting.add_loops(position, dimension)?;
        }
        for array in &self.arrays {
            let name = format!("memory of {}", array.name);
            nesting.memory.push(nesting.problem.labels(name, ["global", "shared"])?);
        }
        nesting.add_orders(self)?;
        orders::add(self, &mut nesting)?;
        kinds::add(self, limits, &mut nesting)?;
        passing::add(self, &mut nesting)?;
        loading::add(self, &mut nesting)?;
        resources::add(self, limits, &mut nesting)?;
        Ok(nesting)
    }
}

impl Nesting {
    /// "The first object lies so to the second": loops are counted first, then statements.
    ///
    /// # Errors
    /// When there is no such order.
    ///
    /// # Panics
    /// If both are the same, or one is not there.
    pub fn order(&self, one: usize, other: usize, orders: &[&str]) -> Result<Within, ProblemError> {
        let flipped = |order: &&str| match *order {
            "before" => "after",
            "after" => "before",
            "inner" => "outer",
            "outer" => "inner",
            _ => "merged",
        };
        if one < other {
            return self.problem.named(self.orders[one][other - one - 1], orders);
        }
        let orders: Vec<&str> = orders.iter().map(flipped).collect();
        self.problem.named(self.orders[other][one - other - 1], &orders)
    }

    /// The position of a statement among the objects.
    #[must_use]
    pub fn object(&self, statement: usize) -> usize {
        self.loops.len() + statement
    }

    /// The positions of the loops around a statement from the start, those that it shares too.
    #[must_use]
    pub fn own(&self, statement: &Statement) -> Vec<usize> {
        let own = |at: &usize| statement.dimensions.iter().any(|&of| self.level(of, *at).is_some());
        (0..self.loops.len()).filter(|at| own(at) || self.is_repeated(statement, *at)).collect()
    }

    /// Returns true if a loop is around a statement that does not depend on it.
    #[must_use]
    pub fn is_repeated(&self, statement: &Statement, at: usize) -> bool {
        let own = self.loops[at];
        statement.around.iter().any(|outer| outer.dimension == own.dimension && own.level < outer.levels)
    }

    /// The positions of the loops of a dimension, from the outside in.
    #[must_use]
    pub fn loops_of(&self, dimension: usize) -> Vec<usize> {
        (0..self.loops.len()).filter(|&at| self.level(dimension, at).is_some()).collect()
    }

    /// The level of a loop in a dimension, whose own it is or that shares it.
    #[must_use]
    pub fn level(&self, dimension: usize, at: usize) -> Option<usize> {
        let own = self.loops[at];
        let shared = self.outer[dimension]
            .is_some_and(|outer| outer.dimension == own.dimension && own.level < outer.levels);
        (own.dimension == dimension || shared).then_some(own.level)
    }

    pub(super) fn kind(&self, at: usize, kinds: &[&str]) -> Result<Within, ProblemError> {
        self.problem.named(self.loops[at].kind, kinds)
    }

    /// Returns true if a loop is one of the outermost that others share from the start.
    #[must_use]
    pub fn is_shared(&self, kernel: &Kernel, at: usize) -> bool {
        let own = self.loops[at];
        let shares = |outer: &Outer| outer.dimension == own.dimension && own.level < outer.levels;
        let around = kernel.statements.iter().flat_map(|statement| &statement.around);
        kernel.dimensions.iter().filter_map(|dimension| dimension.outer.as_ref()).chain(around).any(shares)
    }

    /// A size for each level; what tiles leave of the dimension is the size of the outermost loop.
    fn add_loops(&mut self, position: usize, dimension: &Dimension) -> Result<(), ProblemError> {
        let (name, size) = (&dimension.name, dimension.size);
        self.outer.push(dimension.outer);
        let shared = self.loops_of(position); // what is its own is not there yet
        let mut factors: Vec<Factor> = shared.iter().map(|&at| Factor::choice(self.loops[at].size)).collect();
        let products = dimension.tiles.iter().fold(BTreeSet::from([1_u64]), |products, tiles| {
            let with = |&product: &u64| tiles.iter().map(move |&tile| product.saturating_mul(tile));
            products
                .iter()
                .flat_map(with)
                .filter(|&product| product > 0 && size.is_multiple_of(product))
                .collect()
        });
        let rests: BTreeSet<u64> = products.iter().map(|product| size / product).collect();
        let outermost = shared.is_empty().then(|| rests.into_iter().collect());
        let levels = outermost.into_iter().chain(dimension.tiles.clone());
        for (level, sizes) in (shared.len()..).zip(levels) {
            let size = self.problem.numbers(format!("size of {name}{level}"), sizes)?;
            let kind = self.problem.labels(format!("kind of {name}{level}"), KINDS)?;
            self.loops.push(NestLoop { dimension: position, level, size, kind });
            factors.push(Factor::choice(size));
        }
        let tiles = Rule::Divides { product: factors[1..].to_vec(), size };
        self.problem.rule(format!("tiles divide {name}"), tiles)?;
        let all = Rule::Product { of: factors, at_least: size.into(), at_most: size.into() };
        self.problem.rule(format!("loops make up {name}"), all)?;
        Ok(())
    }

    fn add_orders(&mut self, kernel: &Kernel) -> Result<(), ProblemError> {
        let loops =
            self.loops.iter().map(|own| format!("{}{}", kernel.dimensions[own.dimension].name, own.level));
        let names: Vec<String> = loops.chain(kernel.statements.iter().map(|own| own.name.clone())).collect();
        for (at, one) in names.iter().enumerate() {
            let pairs = names[at + 1..].iter().map(|other| format!("order of {one} and {other}"));
            let row = pairs.map(|name| self.problem.labels(name, ORDERS)).collect::<Result<_, _>>()?;
            self.orders.push(row);
        }
        Ok(())
    }

    pub(super) fn is(&mut self, name: &str, then: Within) -> Result<(), ProblemError> {
        self.follows(name, vec![], then)
    }

    pub(super) fn follows(
        &mut self,
        name: &str,
        when: Vec<Within>,
        then: Within,
    ) -> Result<(), ProblemError> {
        self.problem.rule(name, Rule::Clause { when, then }).map(|_| ())
    }

    /// All values but these.
    pub(super) fn not(&self, within: Within) -> Within {
        Within { values: self.problem.all(within.choice).without(within.values), ..within }
    }

    pub(super) fn values(&self, choice: ChoiceId, keep: impl Fn(u64) -> bool) -> Values {
        let kept = |&value: &usize| self.problem.number(choice, value).is_some_and(&keep);
        Values::of(self.problem.all(choice).iter().filter(kept))
    }
}
