//! Spaces of decided kernels.

use nitro_nest::{Assignment, Nest, NestError};

use crate::{Candidate, ChoiceId, Conflict, Kernel, Nesting, Problem, ProblemError, Values};

/// Everything that a kernel may become: its loops' sizes, kinds and order, the threads and memory of what it loads.
///
/// Each statement (such as `load a`) has dimensions of its own, whose outermost loops it shares with the others:
/// the blocks of the grid and, where something is summed up, the tiles of the sum. Within these every statement has
/// a nest of its own. A value goes from one to the next in registers of the same threads, or through shared memory,
/// to which all threads of a block bring a tile together before they wait for each other.
///
/// What a decided point runs, at least, for whoever bounds its time (compilers may leave out and join what is not
/// here, but nothing that is):
///
/// - A [`Load`](crate::Operation::Load) reads each of its elements from global memory, once for each iteration of
///   the loops around it, or fewer times where several threads of a warp or iterations ask for the same one, which
///   a warp's request or the registers of a thread may serve together; a `vector` loop is one request for 16 bytes.
/// - Where the memory of its array is `shared`, it writes each element of the tile to shared memory, once for each
///   block and tile; where the `threads` that load are `own`, these are all of the block, or the first of it. A
///   vector is one write where the tile lies as in global memory, else as many as it has elements. There are two
///   barriers for each tile of the sum, or one where there are two tiles of each array.
/// - Where tiles are loaded `ahead` ([`Nesting::loading`]), the first ones come to registers before the loop over
///   the sum. Each iteration writes its own to shared memory, waits for all threads, begins to load those of the
///   next one to the same registers, and does its multiplications and additions. What is not staged is loaded as it
///   is needed all the same.
/// - An [`Fma`](crate::Operation::Fma) is one fused multiplication and addition for each of its iterations. An
///   operand whose array is `shared` is read from there: every distinct element that a thread needs between two
///   barriers at least once, up to four neighbours of one iteration of a plain loop at a time.
/// - A [`Store`](crate::Operation::Store) writes each of its elements to global memory once. Where a warp adds it
///   up, one thread sets it to 0 before, and adds what shuffles give.
/// - Caches are those that the choice `caches of` the statement names; nothing is read twice because of it, or left
///   out.
/// - `Init` costs nothing that a compiler could not do without. Sums keep their order, those of each thread where a
///   warp adds them up: the multiplications and additions of one wait for each other.
///
/// ```
/// use nitro_decide::{DecidedSpace, Limits, TileSizes, Values};
///
/// let space = DecidedSpace::sgemm([256; 3], &TileSizes::reduced(), &Limits::default())?;
/// let mut candidate = space.root().clone();
/// while let Some(choice) = candidate.first_open() {
///     let last = candidate.values(choice).iter().last();
///     candidate.restrict(choice, Values::of(last))?; // a search knows better
/// }
/// let program = space.program(&candidate.solution().unwrap());
/// assert_eq!(program.kernels.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DecidedSpace {
    pub(super) kernel: Kernel,
    pub(super) nesting: Nesting,
    pub(super) root: Candidate,
    pub(super) nest: Nest,
    /// The assignment of each statement: subscripts are of the dimensions of the kernel.
    pub(super) meanings: Vec<Assignment>,
    /// For each statement the choice of caches, if it loads or stores.
    pub(super) caches: Vec<Option<ChoiceId>>,
    /// The values that go from statement to statement; their indices come after those of the nest's arrays.
    pub(super) values: Vec<Value>,
    /// The sum over threads of a warp, if a statement makes one.
    pub(super) adds_up: Option<AddsUp>,
}

/// The statement that adds parts up, and its dimension whose iterations are the threads of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddsUp {
    pub(super) statement: usize,
    pub(super) lane: usize,
}

/// Something that goes from statement to statement.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) name: String,
    /// The array of the kernel that it is an element of.
    pub(super) array: Option<usize>,
}

/// The reason for which there is no such space.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecidedError {
    /// Sizes that a choice cannot have.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The sizes are none of a nest.
    #[error(transparent)]
    Nest(#[from] NestError),
    /// Tiles divide what they tile, and none do.
    #[error(
        "no tiles divide the size {size} of {dimension}; {}",
        nearest_text(*below, *above)
    )]
    Size {
        /// Its name.
        dimension: String,
        /// Its number of iterations.
        size: u64,
        /// The nearest smaller size that tiles divide, if there is one.
        below: Option<u64>,
        /// The nearest larger one, unless there are no tiles at all.
        above: Option<u64>,
    },
    /// No tiles fit.
    #[error("no point is left: {0}")]
    Nothing(#[from] Conflict),
}

fn nearest_text(below: Option<u64>, above: Option<u64>) -> String {
    match (below, above) {
        (Some(below), Some(above)) => format!("the nearest sizes that some divide are {below} and {above}"),
        (None, Some(above)) => format!("the smallest size that some divide is {above}"),
        (_, None) => {
            "none divide any size: one of the lists of tiles has nothing that the others go with".to_owned()
        }
    }
}

impl DecidedSpace {
    /// Returns the kernel: what its statements do, to which arrays.
    #[must_use]
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Returns the choices and rules.
    #[must_use]
    pub fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    /// Returns the plain loops that every point of the space agrees with: the reference.
    #[must_use]
    pub fn nest(&self) -> &Nest {
        &self.nest
    }

    /// Returns everything that the rules leave open.
    #[must_use]
    pub fn root(&self) -> &Candidate {
        &self.root
    }

    /// Returns the values of a text as [`show`](Self::show) writes it, wherever it says nothing the first that is open.
    ///
    /// # Errors
    /// When a choice or a value is unknown, or contradicts what was said before.
    pub fn parse(&self, text: &str) -> Result<Vec<usize>, String> {
        let problem = &self.nesting.problem;
        let mut candidate = self.root.clone();
        let lines =
            text.lines().flat_map(|line| line.split(';')).map(str::trim).filter(|one| !one.is_empty());
        for said in lines {
            let (name, value) =
                said.split_once('=').ok_or_else(|| format!("`{said}` is not `choice = value`"))?;
            let (name, value) = (name.trim(), value.trim());
            let choice = choice_named(problem, name).ok_or_else(|| format!("there is no choice `{name}`"))?;
            let said = problem.named(choice, &[value]).map_err(|_| format!("{name} is never `{value}`"))?;
            candidate.restrict(choice, said.values).map_err(|error| error.to_string())?;
        }
        completed(candidate)
    }

    /// Returns the point here that is decided as a point of another space of the same kernel, say of one with fewer
    /// tiles or other sizes: all but how often the outermost loops run. None where this space has no such point.
    ///
    /// ```
    /// use nitro_decide::{DecidedSpace, Limits, TileSizes};
    ///
    /// let of = |size, tiles| DecidedSpace::sgemm([size; 3], &tiles, &Limits::default());
    /// let (small, large) = (of(1024, TileSizes::reduced())?, of(2048, TileSizes::full())?);
    /// let point = small.root().points().next().and_then(|point| point.solution()).unwrap();
    /// let same = large.as_in(&small, &point).unwrap();
    /// assert_eq!(large.program(&same).kernels[0].block, small.program(&point).kernels[0].block);
    /// # Ok::<(), nitro_decide::DecidedError>(())
    /// ```
    #[must_use]
    pub fn as_in(&self, other: &Self, values: &[usize]) -> Option<Vec<usize>> {
        let (own, others) = (&self.nesting.problem, &other.nesting.problem);
        let mut candidate = self.root.clone();
        for choice in own.choices() {
            if self.nesting.loops.iter().any(|own| own.level == 0 && own.size == choice) {
                continue; // of an outermost loop
            }
            let Some(same) = choice_named(others, own.name(choice)) else { continue };
            let value = others.value_name(same, *values.get(same.position())?);
            candidate.restrict(choice, own.named(choice, &[&value]).ok()?.values).ok()?;
        }
        completed(candidate).ok()
    }

    pub(super) fn loop_name(&self, at: usize) -> String {
        let own = self.nesting.loops[at];
        format!("{}{}", self.kernel.dimensions[own.dimension].name, own.level)
    }

    /// Writes what was decided, as people read it: a line for each choice that rules alone leave open.
    #[must_use]
    pub fn show(&self, values: &[usize]) -> String {
        let problem = &self.nesting.problem;
        let mut text = String::new();
        for choice in problem.choices().filter(|&choice| self.root.values(choice).len() > 1) {
            let value = problem.value_name(choice, values[choice.position()]);
            text += &format!("{} = {value}\n", problem.name(choice));
        }
        text
    }
}

fn choice_named(problem: &Problem, name: &str) -> Option<ChoiceId> {
    problem.choices().find(|&choice| problem.name(choice) == name)
}

/// Returns the values where of whatever is open the first is taken that leaves something.
fn completed(mut candidate: Candidate) -> Result<Vec<usize>, String> {
    while let Some(choice) = candidate.first_open() {
        let first = candidate.values(choice).iter().next();
        let rest = candidate.values(choice);
        let mut tried = candidate.clone();
        if tried.restrict(choice, Values::of(first)).is_ok() {
            candidate = tried;
        } else {
            candidate.restrict(choice, rest.without(Values::of(first))).map_err(|error| error.to_string())?;
        }
    }
    candidate.solution().ok_or_else(|| "nothing is left".to_owned())
}
