//! From a nest and its dependences to kernels.

mod bounds;
#[cfg(all(feature = "search", feature = "show"))]
mod check;
mod components;
mod form;
mod groups;
mod lower;
#[cfg(feature = "show")]
pub mod roles;
mod threads;
mod tiling;

use groups::Plan;
use serde::{Deserialize, Serialize};

pub use threads::Sums;
use threads::Work;

pub use form::Form;
pub use groups::Schedule;
pub use tiling::Tiling;

use crate::dependence::Dependences;
use crate::kernel::Program;
use crate::nest::Nest;

/// How a nest becomes kernels: a preset, or decisions about each kernel.
///
/// ```
/// use nitro_nest::Mapping;
///
/// let small = Mapping::naive().with_blocks([[64, 1, 1], [16, 4, 1], [8, 4, 2]]);
/// assert_ne!(small, Mapping::naive());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mapping {
    #[serde(default, skip_serializing_if = "Form::is_as_written")]
    form: Form,
    schedule: Schedule,
    /// For grids with one, two and three dimensions.
    usual: [Tiling; 3],
    /// For sums that several threads add up: along x, and along other axes alone.
    sums: [Tiling; 2],
    /// For products: grids of two dimensions and more whose threads go through a long loop and need the same
    /// operands. None: as is usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    products: Option<Tiling>,
    /// Of kernels, by their statements.
    own: Vec<(Vec<usize>, Tiling)>,
}

impl Mapping {
    /// The presets by name, `naive` with results in registers: what every search begins with.
    #[must_use]
    pub fn presets() -> [(&'static str, Self); 5] {
        [
            ("naive", Self::naive().with_register_promotion()),
            ("ppcg_default", Self::ppcg_default()),
            ("sane", Self::sane()),
            ("split", Self::split()),
            ("sliced", Self::sliced()),
        ]
    }

    /// The preset `naive`: a thread for each point of up to three parallel loops, nothing staged, every sum in the
    /// order in which it is written, so that results are those of the nest, bit for bit.
    ///
    /// Loops that no dependence crosses are brought outwards and become the grid; where statements of a loop have
    /// more of them each by itself, the loop is distributed over them. Loops that carry dependences run in the
    /// thread, or on the host where there are parallel ones inside. What has no parallel loop is run by one thread.
    #[must_use]
    pub fn naive() -> Self {
        let schedule = Schedule::default();
        Self::of(schedule, [[256, 1, 1], [32, 8, 1], [32, 4, 2]], Tiling::default())
    }

    /// The preset `sane`, what one would write without measuring: blocks of 256 threads, neighbouring threads at
    /// neighbouring elements, operands of inner loops staged in shared memory and results in registers, sums of few
    /// rows or columns added up by several threads where the nest permits it. Products get tiles of 128 × 128, 8 ×
    /// 8 elements of them each thread, whose operands come ahead.
    #[must_use]
    pub fn sane() -> Self {
        let schedule = Schedule { fuses: true, sums_in_parallel: true, coalesces: true, splits_sums: false };
        let tiling = Tiling { points: [4, 4, 1], inner: 16, promotes: true, ..Tiling::default() };
        let mut mapping = Self::of(schedule, [[256, 1, 1], [32, 8, 1], [32, 8, 1]], tiling.clone());
        mapping.usual[0].points = [1; 3];
        mapping.usual[1].points = [4, 8, 1];
        mapping.usual[2].points = [4, 8, 1];
        mapping.products = Some(Tiling {
            block: [16, 16, 1],
            points: [8, 8, 1],
            neighbours: 4,
            buffers: 2,
            transposes: true,
            resident_blocks: 2,
            ..tiling.clone()
        });
        let [of_rows, of_columns] = [[512, 1, 1], [4, 64, 1]];
        mapping.form = Form { joins_sums: true, joins_rows: true };
        mapping.sums = [of_rows, of_columns].map(|points| Tiling {
            block: [32, 8, 1],
            points,
            inner: 0,
            unroll: 8,
            ..tiling.clone()
        });
        mapping
    }

    /// The preset `split`: as `sane`, with the sums of products [split over blocks](Schedule::splits_sums), as long
    /// sums of few elements want it.
    #[must_use]
    pub fn split() -> Self {
        let sane = Self::sane();
        Self { schedule: Schedule { splits_sums: true, ..sane.schedule }, ..sane }
    }

    /// The preset `sliced`: as `sane`, with products in tiles of 64 × 64 whose sums four [slices](Tiling::slices)
    /// of a block share out, as products of few tiles want it. Unlike where sums are split over blocks, what is set
    /// or scaled before a sum stays in its kernel, and the same sums come out every time.
    #[must_use]
    pub fn sliced() -> Self {
        let sane = Self::sane();
        let products =
            sane.products.clone().map(|tiling| Tiling { block: [8, 8, 1], inner: 8, slices: 4, ..tiling });
        Self { products, ..sane }
    }

    /// The preset `ppcg_default`: what PPCG does unless it is told otherwise. Tiles of 32 along each loop, blocks
    /// of 512, 32 × 16 or 32 × 4 × 4 threads clipped to the tile, shared memory and registers, no sum in parallel.
    #[must_use]
    pub fn ppcg_default() -> Self {
        let schedule = Schedule { fuses: true, ..Schedule::default() };
        let tiling = Tiling { inner: 32, promotes: true, ..Tiling::default() };
        let mut mapping = Self::of(schedule, [[32, 1, 1], [32, 16, 1], [32, 4, 4]], tiling);
        mapping.usual[1].points = [1, 2, 1];
        mapping.usual[2].points = [1, 8, 8];
        mapping
    }

    fn of(schedule: Schedule, blocks: [[u32; 3]; 3], tiling: Tiling) -> Self {
        let sums = [blocks[1]; 2].map(|block| Tiling { block, ..tiling.clone() });
        let usual = blocks.map(|block| Tiling { block, ..tiling.clone() });
        Self { form: Form::default(), schedule, usual, sums, products: None, own: Vec::new() }
    }

    /// Of this form of a nest.
    ///
    /// ```
    /// use nitro_nest::{Form, Mapping};
    ///
    /// let apart = Mapping::sane().with_form(Form::default()); // what sets elements has a kernel of its own, where it has loops of its own
    /// assert!(Mapping::sane().form().joins_sums && apart != Mapping::sane());
    /// ```
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The form of a nest that is mapped.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// With this schedule.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// With these blocks of threads (along x, y and z) for grids with one, two and three dimensions.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024.
    #[must_use]
    pub fn with_blocks(mut self, blocks: [[u32; 3]; 3]) -> Self {
        for (tiling, block) in self.usual.iter_mut().zip(blocks) {
            tiling.block = block;
            tiling.check();
        }
        self.products = None;
        self
    }

    /// With this tiling for all kernels that have none of their own.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024, or a thread covers no value.
    #[must_use]
    pub fn with_usual_tilings(self, usual: [Tiling; 3]) -> Self {
        usual.iter().for_each(Tiling::check);
        let sums = [usual[1].clone(), usual[1].clone()];
        Self { usual, sums, products: None, ..self }
    }

    /// With this tiling for the kernel of these statements ([`Kernel::statements`](crate::Kernel::statements)).
    ///
    /// # Panics
    /// When a block has no thread or more than 1024, or a thread covers no value.
    #[must_use]
    pub fn with_tiling(mut self, statements: &[usize], tiling: Tiling) -> Self {
        tiling.check();
        self.own.retain(|(others, _)| others != statements);
        self.own.push((statements.to_vec(), tiling));
        self
    }

    /// With *register promotion*: an element that a loop of a thread writes again and again is in a register while
    /// the loop runs.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Array2, Mapping, nest};
    ///
    /// #[nest]
    /// fn row_sums(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(n)] sums: &mut [f32]) {
    ///     for i in 0..n {
    ///         for j in 0..m {
    ///             sums[i] += a[[i, j]];
    ///         }
    ///     }
    /// }
    ///
    /// let nest = row_sums::nest();
    /// let program = nest.map(&nest.dependences()?, &Mapping::naive().with_register_promotion());
    /// assert!(program.to_string().contains("own_0 = own_0 + a[i, j];"), "{program}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn with_register_promotion(mut self) -> Self {
        self.usual.iter_mut().for_each(|tiling| tiling.promotes = true);
        self
    }

    /// The tiling of a kernel.
    fn tiling(&self, work: &Work<'_>) -> Tiling {
        let dimensions = work.plan.grid.len();
        let own = self.own.iter().find(|(statements, _)| *statements == work.plan.statements);
        let is_product = || self.products.is_some() && work.operands() > 0;
        let usual = || self.usual_tiling(dimensions, work.sums(), is_product);
        let mut tiling = own.map_or_else(usual, |(_, tiling)| tiling).clone();
        for axis in dimensions..3 {
            tiling.block[axis] = 1;
            tiling.points[axis] = 1;
        }
        tiling
    }

    /// The tiling of kernels that have none of their own.
    fn usual_tiling(
        &self,
        dimensions: usize,
        sums: Option<Sums>,
        is_product: impl FnOnce() -> bool,
    ) -> &Tiling {
        match (sums, &self.products) {
            (Some(Sums::AlongX), _) => &self.sums[0],
            (Some(Sums::Across), _) => &self.sums[1],
            (None, Some(tiling)) if is_product() => tiling,
            (None, _) => &self.usual[dimensions.max(1) - 1],
        }
    }

    /// The schedule.
    #[cfg(feature = "search")]
    pub(crate) fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// The tiling that kernels of this shape have unless they have one of their own.
    #[cfg(feature = "search")]
    pub(crate) fn tiling_of(&self, shape: &Shape) -> &Tiling {
        self.usual_tiling(shape.dimensions, shape.sums, || shape.operands > 0)
    }
}

/// What a search has to know of a kernel to decide about it.
#[cfg(feature = "search")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub statements: Vec<usize>,
    /// Dimensions of the grid; 0 is a single thread.
    pub dimensions: usize,
    pub sums: Option<Sums>,
    /// Whether a thread has loops besides those that sums make.
    pub has_loop: bool,
    /// Whether its sums are split over blocks.
    pub is_split: bool,
    /// Of a product: how many operands it has in shared memory. 0: it is none.
    pub operands: usize,
    /// Whether several slices of a block may share out its sums.
    pub has_slices: bool,
}

/// The kernels that a schedule gives, in order.
#[cfg(feature = "search")]
pub fn shapes(nest: &Nest, dependences: &Dependences, schedule: Schedule) -> Vec<Shape> {
    fn gather(
        nest: &Nest,
        plans: &[Plan],
        reassociates: bool,
        host: &mut Vec<usize>,
        found: &mut Vec<Shape>,
    ) {
        for plan in plans {
            match plan {
                Plan::Host(iterator, plans) => {
                    host.push(*iterator);
                    gather(nest, plans, reassociates, host, found);
                    host.pop();
                }
                Plan::Kernel(plan) => {
                    let work = Work { nest, plan, host, reassociates: false };
                    let (dimensions, statements) = (plan.grid.len(), plan.statements.clone());
                    let (sums, has_loop, is_split) = (work.sums(), work.has_loop(), plan.split.is_some());
                    let operands = if sums.is_none() { work.operands() } else { 0 };
                    let has_slices = operands > 0 && reassociates && work.has_slices();
                    found.push(Shape {
                        statements,
                        dimensions,
                        sums,
                        has_loop,
                        is_split,
                        operands,
                        has_slices,
                    });
                }
            }
        }
    }
    let mut found = Vec::new();
    let reassociates = schedule.reassociates(nest);
    gather(nest, &Plan::of(nest, dependences, schedule), reassociates, &mut Vec::new(), &mut found);
    found
}

impl Nest {
    /// Maps the nest to kernels. `dependences` have to be those of this nest: they say what may run at the same time.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Array2, Mapping, nest};
    ///
    /// #[nest]
    /// fn column_sums(n: usize, m: usize, #[shape(n, m)] a: &Array2<f32>, #[shape(m)] sums: &mut [f32]) {
    ///     for i in 0..n {
    ///         for j in 0..m {
    ///             sums[j] += a[[i, j]];
    ///         }
    ///     }
    /// }
    ///
    /// let nest = column_sums::nest();
    /// let program = nest.map(&nest.dependences()?, &Mapping::naive());
    /// // The loop over `j` is parallel: a thread for each column, which goes through the rows.
    /// assert!(program.to_string().contains("kernel column_sums_0 over 0..m in blocks of 256 × 1 × 1"), "{program}");
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn map(&self, dependences: &Dependences, mapping: &Mapping) -> Program {
        let plans = Plan::of(self, dependences, mapping.schedule);
        lower::program(self, &plans, mapping)
    }
}
