//! The mappings of a nest as decisions: what a search chooses among.
//!
//! After "Coding Ants" (Papenhausen and Mueller), section 5: first which statements share a kernel, then for each kernel its blocks, the points of a thread, what
//! is staged and what is unrolled. The nodes of a kernel are those of its set of statements, whatever was decided about others.

use nitro_launch::LaunchPlan;
use nitro_search::{BoxError, Crossing, Decision, Decisions, Generator, NodeKey, Part, Step};
#[cfg(feature = "show")]
use nitro_search::{Description, Target};

use crate::dependence::{DependenceError, Dependences};
use crate::kernel::{self, Program};
use crate::mapping::{self, Mapping, Schedule, Shape, Sums, Tiling};
use crate::nest::Nest;
use crate::origin::Origin;

/// As many elements as a thread may have in registers.
const MOST_POINTS: u32 = 64;
/// As many instances of a statement as are written out one after the other: compilers take longest for them.
const MOST_UNROLLED: u32 = 1024;
const MOST_THREADS: u32 = 1024;
/// A warp: fewer threads leave lanes idle.
const LEAST_THREADS: u32 = 32;
/// As few and as many threads of a block as tiles of products are shared out among.
const PRODUCT_THREADS: [u32; 2] = [64, 512];
/// As few and as many elements of a product as a thread has: fewer take more operands for each, more spill.
const PRODUCT_POINTS: [u32; 2] = [32, 128];
/// As many elements as are in the shared memory that every device grants.
const MOST_STAGED: u32 = (48 << 10) / 4;
/// Registers of a multiprocessor, and how many a thread takes for operands and addresses: where there are no more, few are spilled.
const REGISTERS: u32 = 1 << 16;
const OTHER_REGISTERS: u32 = 64;

/// All mappings of a nest.
///
/// ```
/// use nitro_codegen::{MappingSpace, nest};
/// use nitro_search::{Ants, Ask, PathPlan, PathSearch, PathStrategy, Report};
///
/// #[nest]
/// fn scale(n: usize, factor: f32, #[shape(n)] x: &mut [f32]) {
///     for i in 0..n {
///         x[i] *= factor;
///     }
/// }
///
/// let space = MappingSpace::new(&scale::nest())?;
/// let mut search = PathSearch::new(&space, PathPlan::new(PathStrategy::Ants(Ants::default())));
/// let Ask::Evaluate(proposals) = search.ask(10)? else { panic!("a search begins with something") };
/// let program = space.program(&proposals[0].path);
/// assert_eq!(program.kernels.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// As a [`Generator`] it writes [launch plans](Program::plan), which a trainer searches, records and ships: `Tunable::generated("found", space)`.
#[derive(Clone, Debug)]
pub struct MappingSpace {
    /// As it is written.
    #[cfg(feature = "show")]
    pub(crate) written: Nest,
    /// The nest as it is written, and with fused loops where that is another one; with temporaries and wavefronts.
    pub(crate) nests: Vec<(Nest, Dependences)>,
    /// Of which nest, and for each schedule the kernels that it gives.
    schedules: Vec<(usize, Schedule, Vec<Shape>)>,
}

/// What may be without effect on a kernel, taken away.
const SIMPLER: [fn(&mut Tiling); 6] = [
    |tiling| (tiling.inner, tiling.buffers) = (0, 1),
    // Where a loop is taken apart, and nothing is staged.
    |tiling| (tiling.inner, tiling.buffers) = (tiling.inner.min(1), 1),
    |tiling| tiling.buffers = 1,
    |tiling| tiling.neighbours = 1,
    |tiling| tiling.transposes = false,
    |tiling| tiling.unroll = 0,
];

/// A question about a kernel.
#[derive(Clone, Copy)]
struct Question {
    phase: &'static str,
    values: &'static [u32],
}

impl MappingSpace {
    /// The mappings of a nest, with temporaries and wavefronts where these help.
    ///
    /// # Errors
    /// When isl is not granted as many operations as the nest takes.
    pub fn new(nest: &Nest) -> Result<Self, DependenceError> {
        let (changed, dependences) = nest.prepared()?;
        let fused = changed.fused(&dependences)?;
        let nests: Vec<_> = std::iter::once((changed, dependences)).chain(fused).collect();
        let mut schedules: Vec<(usize, Schedule, Vec<Shape>)> = Vec::new();
        for (index, (nest, dependences)) in nests.iter().enumerate() {
            for [fuses, sums_in_parallel] in [[true, true], [true, false], [false, true], [false, false]] {
                let schedule = Schedule { fuses, sums_in_parallel, coalesces: true };
                let shapes = mapping::shapes(nest, dependences, schedule);
                if !schedules.iter().any(|(other, _, others)| (*other, others) == (index, &shapes)) {
                    schedules.push((index, schedule, shapes));
                }
            }
        }
        Ok(Self {
            #[cfg(feature = "show")]
            written: nest.clone(),
            nests,
            schedules,
        })
    }

    /// The nest as it is written, with temporaries and wavefronts.
    #[must_use]
    pub fn nest(&self) -> &Nest {
        &self.nests[0].0
    }

    /// The program of a mapping of the nest as it is written.
    #[must_use]
    pub fn map(&self, mapping: &Mapping) -> Program {
        let (nest, dependences) = &self.nests[0];
        nest.map(dependences, mapping)
    }

    /// The program of a mapping of the nest with fused loops; where none are fused, of the nest as it is written.
    #[must_use]
    pub fn map_with_fused_loops(&self, mapping: &Mapping) -> Program {
        let (nest, dependences) = self.nests.last().expect("there is the nest as it is written");
        nest.map(dependences, mapping)
    }

    /// The program that these choices give.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn program(&self, path: &[Crossing]) -> Program {
        let (nest, dependences) = &self.nests[self.schedule(path).0];
        nest.map(dependences, &self.mapping(path))
    }

    /// The mapping that these choices give, of the nest as it is written or with fused loops.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn mapping(&self, path: &[Crossing]) -> Mapping {
        let schedule = self.schedule(path).1;
        let mapping = Mapping::sane().with_schedule(schedule);
        let tilings = self.tilings(path).into_iter();
        tilings.fold(mapping, |mapping, (shape, tiling)| mapping.with_tiling(&shape.statements, tiling))
    }

    /// The kernels that these choices give, each with its tiling.
    fn tilings(&self, path: &[Crossing]) -> Vec<(&Shape, Tiling)> {
        let (_, _, shapes, mut rest) = self.schedule(path);
        let tiling = |shape| {
            let questions = questions(shape);
            let (own, others) = rest.split_at(questions.len());
            rest = others;
            let values: Vec<u32> =
                questions.iter().zip(own).map(|(question, one)| question.values[one.option]).collect();
            (shape, tiling(shape, &questions, &values))
        };
        shapes.iter().map(tiling).collect()
    }

    /// How the plan of these choices is made: without what changes nothing in a kernel, as staging where there is nothing to stage. So paths that give the same kernels give one
    /// text.
    fn origin(&self, path: &[Crossing]) -> Origin {
        let (nest, dependences) = &self.nests[self.schedule(path).0];
        let mut mapping = self.mapping(path);
        let program = nest.map(dependences, &mapping).plan();
        for (shape, mut tiling) in self.tilings(path) {
            for takes_away in SIMPLER {
                let mut simpler = tiling.clone();
                takes_away(&mut simpler);
                let other = mapping.clone().with_tiling(&shape.statements, simpler.clone());
                if simpler != tiling && nest.map(dependences, &other).plan() == program {
                    (mapping, tiling) = (other, simpler);
                }
            }
        }
        Origin { mapping, has_fused_loops: self.has_fused_loops(path) }
    }

    /// Whether these choices begin with fused loops.
    ///
    /// # Panics
    /// When the path is not complete, or is none of this space.
    #[must_use]
    pub fn has_fused_loops(&self, path: &[Crossing]) -> bool {
        self.schedule(path).0 > 0
    }

    /// The plan of a mapping, which says so.
    fn plan(&self, origin: Origin) -> LaunchPlan {
        let (nest, dependences) = &self.nests[usize::from(origin.has_fused_loops)];
        LaunchPlan { origin: origin.to_json(), ..nest.map(dependences, &origin.mapping).plan() }
    }

    /// The name of the part that a kernel is, by its statements.
    fn part(statements: &[usize]) -> Part {
        Part::new(kernel::part(statements))
    }

    /// The nest and schedule that a path begins with, its kernels, and the choices about them.
    fn schedule<'a, 'p>(&'a self, path: &'p [Crossing]) -> (usize, Schedule, &'a [Shape], &'p [Crossing]) {
        let (option, rest) = match (self.schedules.len(), path) {
            (1, path) => (0, path),
            (_, [first, rest @ ..]) => (first.option, rest),
            (_, []) => panic!("a path begins with a schedule"),
        };
        let (nest, schedule, shapes) = &self.schedules[option];
        (*nest, *schedule, shapes, rest)
    }
}

/// A path's text is its [launch plan](Program::plan), which says how it was made ([`LaunchPlan::origin`]).
impl Generator for MappingSpace {
    fn decisions(&self) -> &dyn Decisions {
        self
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        Ok(self.plan(self.origin(path)).to_json())
    }

    fn presets(&self) -> Vec<(String, String)> {
        let plan = |mapping| self.plan(Origin { mapping, has_fused_loops: false });
        Mapping::presets().map(|(name, mapping)| (name.to_owned(), plan(mapping).to_json())).into()
    }

    #[cfg(feature = "show")]
    fn describe(&self, artifact: &str, target: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        Some(crate::show::describe(self, artifact, target))
    }
}

impl Decisions for MappingSpace {
    fn next(&self, path: &[Crossing]) -> Step {
        if self.schedules.len() > 1 && path.is_empty() {
            return Step::Choose(Decision::new(NodeKey::new("schedule"), self.schedules.len()));
        }
        let (_, _, shapes, mut rest) = self.schedule(path);
        for shape in shapes {
            let questions = questions(shape);
            if rest.len() < questions.len() {
                return Step::Choose(decision(shape, &questions, rest));
            }
            rest = &rest[questions.len()..];
        }
        Step::Complete
    }
}

/// The next question about a kernel.
fn decision(shape: &Shape, questions: &[Question], answered: &[Crossing]) -> Decision {
    let question = &questions[answered.len()];
    let mut values: Vec<u32> =
        questions.iter().zip(answered).map(|(question, one)| question.values[one.option]).collect();
    let sums = match shape.sums {
        None => 0,
        Some(Sums::AlongX) => 1,
        Some(Sums::Across) => 2,
    };
    let key = NodeKey::new(question.phase)
        .statements(shape.statements.iter().map(|statement| *statement as u32))
        .shape([shape.dimensions as i64, sums]);
    let mut is_allowed = |option: usize| {
        values.push(question.values[option]);
        let tiling = tiling(shape, questions, &values);
        values.pop();
        let left = |of: &str| -> u32 {
            let later = questions[answered.len() + 1..].iter().filter(|other| other.phase.starts_with(of));
            later.filter_map(|other| other.values.last()).product()
        };
        // The last answer decides: before, a smaller factor may follow.
        let is_short = question.phase != "unroll" || instances(shape, &tiling) <= MOST_UNROLLED;
        is_short
            && has_sound_block(shape, &tiling, left("block"))
            && has_sound_points(shape, &tiling, left("points"))
            && is_used(shape, &tiling)
    };
    let allowed: Vec<bool> = (0..question.values.len()).map(&mut is_allowed).collect();
    Decision::new(key, question.values.len())
        .only(|option| allowed[option])
        .part(MappingSpace::part(&shape.statements))
}

/// Instances of a statement that are written out one after the other.
fn instances(shape: &Shape, tiling: &Tiling) -> u32 {
    points(shape, tiling) * if tiling.unroll == 0 { tiling.inner } else { tiling.unroll }
}

/// Elements that a thread has at hand.
fn points(shape: &Shape, tiling: &Tiling) -> u32 {
    (0..3).filter(|axis| !is_serial(shape, *axis)).map(|axis| tiling.points[axis]).product()
}

/// Whether so many threads are sound, where later answers may multiply them by so much.
fn has_sound_block(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let threads: u32 = tiling.block.iter().product();
    let [least, most] = if shape.operands > 0 { PRODUCT_THREADS } else { [LEAST_THREADS, MOST_THREADS] };
    threads <= most && threads * left >= least
}

/// Whether so many points are sound, where later answers may multiply them by so much.
fn has_sound_points(shape: &Shape, tiling: &Tiling, left: u32) -> bool {
    let (points, threads) = (points(shape, tiling), tiling.block.iter().product::<u32>());
    if shape.operands == 0 {
        return points <= MOST_POINTS;
    }
    let [least, most] = PRODUCT_POINTS;
    (points <= most && points * left >= least) && (points + OTHER_REGISTERS) * threads <= REGISTERS
}

/// Whether nothing is asked for that cannot be: what is not staged has no buffers, a thread has no more neighbours than points, operands have room in shared memory.
fn is_used(shape: &Shape, tiling: &Tiling) -> bool {
    let [x, y, _] = tiling.tile();
    // Half of the operands of a product are those of rows, half those of columns; and there are columns more so that rows begin in different banks.
    let elements = shape.operands as u32 * (x + y) / 2 * (tiling.inner + 4) * tiling.buffers;
    let has_room = elements <= MOST_STAGED || tiling.inner * tiling.buffers <= 8;
    (tiling.inner > 0 || tiling.buffers < 2) && tiling.neighbours <= tiling.points[0] && has_room
}

/// Whether a thread goes through its points of an axis in a loop, since sums run along it.
fn is_serial(shape: &Shape, axis: usize) -> bool {
    match shape.sums {
        None => false,
        Some(Sums::AlongX) => axis == 0,
        Some(Sums::Across) => axis == 1,
    }
}

/// What is to be decided about a kernel, in order.
fn questions(shape: &Shape) -> Vec<Question> {
    if shape.operands > 0 {
        return PRODUCT.to_vec();
    }
    const BLOCKS: [&str; 3] = ["block x", "block y", "block z"];
    const POINTS: [&str; 3] = ["points x", "points y", "points z"];
    let blocks: [&[u32]; 3] = match shape.dimensions {
        0 => return Vec::new(),
        1 => [&[32, 64, 128, 256, 512, 1024], &[1], &[1]],
        _ => [&[8, 16, 32, 64, 128, 256, 512], &[1, 2, 4, 8, 16, 32], &[1, 2, 4, 8]],
    };
    let points: [&[u32]; 3] = [&[1, 2, 4, 8], &[1, 2, 4, 8, 16], &[1, 2, 4]];
    let mut questions = Vec::new();
    for axis in 0..shape.dimensions {
        questions.push(Question { phase: BLOCKS[axis], values: blocks[axis] });
    }
    for axis in 0..shape.dimensions {
        let values = if is_serial(shape, axis) { &[4, 16, 64, 256, 1024] } else { points[axis] };
        questions.push(Question { phase: POINTS[axis], values });
    }
    if shape.has_loop && shape.sums.is_none() {
        questions.push(Question { phase: "inner tile", values: &[0, 4, 8, 16, 32] });
        questions.push(Question { phase: "buffers", values: &[1, 2] });
    }
    if shape.has_loop || shape.sums.is_some() {
        questions.push(Question { phase: "unroll", values: &[0, 1, 2, 4, 8, 16] });
    }
    questions
}

/// A product of matrices is worth its while with large tiles alone, along two axes.
const PRODUCT: &[Question] = &[
    Question { phase: "block x", values: &[8, 16, 32] },
    Question { phase: "block y", values: &[4, 8, 16] },
    Question { phase: "points x", values: &[4, 8] },
    Question { phase: "points y", values: &[4, 8, 16] },
    Question { phase: "neighbours", values: &[1, 4] },
    Question { phase: "inner tile", values: &[8, 16, 32] },
    Question { phase: "buffers", values: &[1, 2, 3] },
    Question { phase: "transposed", values: &[0, 1] },
    Question { phase: "unroll", values: &[0, 4, 8] },
];

/// The tiling of the values that are decided, and what is usual for the rest.
fn tiling(shape: &Shape, questions: &[Question], values: &[u32]) -> Tiling {
    let mut tiling = Tiling { block: [1; 3], promotes: true, ..Tiling::default() };
    for (question, value) in questions.iter().zip(values) {
        match question.phase {
            "block x" => tiling.block[0] = *value,
            "block y" => tiling.block[1] = *value,
            "block z" => tiling.block[2] = *value,
            "points x" => tiling.points[0] = *value,
            "points y" => tiling.points[1] = *value,
            "points z" => tiling.points[2] = *value,
            "neighbours" => tiling.neighbours = *value,
            "inner tile" => tiling.inner = *value,
            "buffers" => tiling.buffers = *value,
            "transposed" => tiling.transposes = *value == 1,
            _ => tiling.unroll = *value,
        }
    }
    if shape.operands > 0 {
        let threads: u32 = tiling.block.iter().product();
        tiling.resident_blocks = REGISTERS / (points(shape, &tiling) + OTHER_REGISTERS) / threads;
    }
    tiling
}
