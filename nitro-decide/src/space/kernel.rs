//! A kernel as the builder of its problem needs it.

/// Statements with the loops around them. A loop belongs to the statements that name it from the start; others
/// share it only where loops are merged.
///
/// Where a value goes from one statement to another ([`Dependence::passing`]), rules say by which threads it is
/// made and where it is kept on the way. Whoever writes code for a kernel adds what else that takes
/// ([`Problem::rule`](crate::Problem::rule)).
///
/// ```
/// use std::sync::Arc;
/// use nitro_decide::{Access, Dimension, Kernel, Limits, Operation, Candidate, Statement};
///
/// let along = Access { array: "y".into(), strides: vec![1], element_bytes: 4 };
/// let kernel = Kernel {
///     dimensions: vec![Dimension {
///         name: "i".into(),
///         size: 1 << 20,
///         tiles: vec![vec![1, 4, 256]],
///         parallel: true,
///         ..Dimension::default()
///     }],
///     statements: vec![Statement {
///         name: "store y".into(),
///         operation: Operation::Store,
///         dimensions: vec![0],
///         accesses: vec![along],
///         ..Statement::default()
///     }],
///     ..Kernel::default()
/// };
/// let nesting = kernel.nesting(&Limits::default())?;
/// let (outer, tile) = (&nesting.loops[0], &nesting.loops[1]);
/// let mut candidate = Candidate::new(Arc::new(nesting.problem.clone()))?;
/// let vector = nesting.problem.named(tile.kind, &["vector"])?;
/// candidate.restrict(vector.choice, vector.values)?;
/// assert_eq!(candidate.values(tile.size).only(), Some(1)); // one instruction has four elements
/// assert_eq!(nesting.problem.number(outer.size, candidate.values(outer.size).only().unwrap()), Some(1 << 18));
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
    /// where that array is staged ([`Nesting::memory`](crate::Nesting::memory) is `shared`) it writes it to shared
    /// memory, too.
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
