//! Mappings: decisions about the kernels of a nest.

mod arithmetic;
#[cfg(all(feature = "search", feature = "show"))]
mod check;
mod form;
mod kind;
mod schedule;
mod tiling;

use serde::{Deserialize, Serialize};

pub use arithmetic::MatrixArithmetic;
pub(crate) use arithmetic::PartFormat;
pub use form::Form;
pub(crate) use kind::{KernelKind, Sums, Tiles};
pub use schedule::Schedule;
pub use tiling::Tiling;

/// A way from a nest to kernels: a preset, or decisions about each kernel.
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
    /// Tilings for grids with one, two and three dimensions.
    usual: [Tiling; 3],
    /// Tilings for sums that several threads add up: along x, and along other axes alone.
    sums: [Tiling; 2],
    /// A tiling for products; none: as is usual.
    ///
    /// Those are grids of two dimensions and more whose threads go through a long loop and need the same operands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    products: Option<Tiling>,
    /// Tilings for products whose operands are reused along z too: where z goes with x, and where it goes with y.
    ///
    /// None: they are those of other products.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    boxes: Option<[Tiling; 2]>,
    /// Tilings of kernels, by their statements.
    own: Vec<(Vec<usize>, Tiling)>,
}

impl Mapping {
    /// Returns the presets by name, `naive` with results in registers: every search begins with them.
    #[must_use]
    pub fn presets() -> [(&'static str, Self); 7] {
        [
            ("naive", Self::naive().with_register_promotion()),
            ("ppcg_default", Self::ppcg_default()),
            ("sane", Self::sane()),
            ("split", Self::split()),
            ("sliced", Self::sliced()),
            ("small", Self::small()),
            ("temporal", Self::temporal()),
        ]
    }

    /// Returns the preset `naive`: a thread for each point of up to three parallel loops, nothing staged.
    ///
    /// Every sum is in the order in which it is written, so that results are those of the nest, bit for bit.
    /// Loops that no dependence crosses are brought outwards and become the grid; where statements of a loop have
    /// more of them each by itself, the loop is distributed over them. Loops that carry dependences run in the
    /// thread, or on the host where there are parallel ones inside. What has no parallel loop is run by one thread.
    #[must_use]
    pub fn naive() -> Self {
        let schedule = Schedule::default();
        Self::of(schedule, [[256, 1, 1], [32, 8, 1], [32, 4, 2]], Tiling::default())
    }

    /// Returns the preset `sane`, what one would write without measuring.
    ///
    /// It has blocks of 256 threads, neighbouring threads at neighbouring elements, operands of inner loops staged in
    /// shared memory and results in registers. Several threads add up sums of few rows or columns, where the nest
    /// permits it. Products get tiles of 128 × 128, 8 × 8 elements of them each thread, whose operands come ahead.
    /// Where z goes with x or y, as in a convolution, 32 × 4 take the place of 128 along these two.
    /// Normalisations are kernels of whole rows, which 256 threads share.
    #[must_use]
    pub fn sane() -> Self {
        let schedule = Schedule {
            fuses: true,
            sums_in_parallel: true,
            coalesces: true,
            rows: true,
            ..Schedule::default()
        };
        let tiling = Tiling { thread_tile: [4, 4, 1], tile_k: 16, promotes: true, ..Tiling::default() };
        let mut mapping = Self::of(schedule, [[256, 1, 1], [32, 8, 1], [32, 8, 1]], tiling.clone());
        mapping.usual[0].thread_tile = [1; 3];
        mapping.usual[1].thread_tile = [4, 8, 1];
        mapping.usual[2].thread_tile = [4, 8, 1];
        mapping.products = Some(Tiling {
            block: [16, 16, 1],
            thread_tile: [8, 8, 1],
            vector_width: 4,
            stages: 2,
            transposes: true,
            min_blocks: 2,
            ..tiling.clone()
        });
        mapping.boxes = mapping.products.as_ref().map(|tiling| boxes(tiling, 2));
        let [of_rows, of_columns] = [[512, 1, 1], [4, 64, 1]];
        mapping.form = Form { joins_sums: true, joins_rows: true, ..Form::default() };
        mapping.sums = [of_rows, of_columns].map(|thread_tile| Tiling {
            block: [32, 8, 1],
            thread_tile,
            tile_k: 0,
            unroll: 8,
            ..tiling.clone()
        });
        mapping
    }

    /// Returns the preset `split`: as `sane`, with the sums of products split over blocks (split-K).
    ///
    /// Long sums of few elements [want it](Schedule::splits_sums).
    #[must_use]
    pub fn split() -> Self {
        let sane = Self::sane();
        Self { schedule: Schedule { splits_sums: true, ..sane.schedule }, ..sane }
    }

    /// Returns the preset `sliced`: as `sane`, with products in tiles of 64 × 64, by sliced-K.
    ///
    /// Four [slices](Tiling::sliced_k) of a block share out their sums, as products of few tiles want it. Unlike
    /// where sums are split over blocks, what is set or scaled before a sum stays in its kernel, and the same sums
    /// come out every time.
    #[must_use]
    pub fn sliced() -> Self {
        let sane = Self::sane();
        let products =
            sane.products.clone().map(|tiling| Tiling { block: [8, 8, 1], tile_k: 8, sliced_k: 4, ..tiling });
        let boxes = products.as_ref().map(|tiling| boxes(tiling, 1));
        Self { products, boxes, ..sane }
    }

    /// Returns the preset `small`: as `sane`, with products in tiles that are small along each axis.
    ///
    /// They are 32 × 32, and 32 × 32 × 16 where operands are reused along z too, as in contractions of tensors.
    #[must_use]
    pub fn small() -> Self {
        let sane = Self::sane();
        let products = sane.products.clone().map(|tiling| Tiling {
            block: [8, 8, 1],
            thread_tile: [4, 4, 1],
            min_blocks: 0,
            ..tiling
        });
        let of_box =
            products.clone().map(|tiling| Tiling { block: [8, 4, 8], thread_tile: [4, 8, 2], ..tiling });
        Self { products, boxes: of_box.map(|tiling| [tiling.clone(), tiling]), ..sane }
    }

    /// Returns `sane` with [partial results](Form::parts_reductions) of what is reduced over several loops.
    #[cfg(feature = "search")]
    pub(crate) fn parted() -> Self {
        let sane = Self::sane();
        Self { form: Form { parts_reductions: true, ..sane.form }, ..sane }
    }

    /// Returns the preset `temporal`: as `sane`, with [tiles in time](Schedule::time_steps) where there is a stencil.
    ///
    /// One launch runs up to four iterations of a loop that repeats a stencil.
    #[must_use]
    pub fn temporal() -> Self {
        let sane = Self::sane();
        Self { schedule: Schedule { time_steps: 4, ..sane.schedule }, ..sane }
    }

    /// Returns the preset `ppcg_default`: what PPCG does unless it is told otherwise.
    ///
    /// It has tiles of 32 along each loop, blocks of 512, 32 × 16 or 32 × 4 × 4 threads clipped to the tile, shared
    /// memory and registers, and no sum in parallel.
    #[must_use]
    pub fn ppcg_default() -> Self {
        let schedule = Schedule { fuses: true, ..Schedule::default() };
        let tiling = Tiling { tile_k: 32, promotes: true, ..Tiling::default() };
        let mut mapping = Self::of(schedule, [[32, 1, 1], [32, 16, 1], [32, 4, 4]], tiling);
        mapping.usual[1].thread_tile = [1, 2, 1];
        mapping.usual[2].thread_tile = [1, 8, 8];
        mapping
    }

    /// Returns `sane` with products on the matrix units of a GPU, by this arithmetic: an *approximate* mapping.
    ///
    /// Its products may be off by more than another order of additions explains:
    /// [`worst_error`](MatrixArithmetic::worst_error) bounds it. No preset and no search has it. It takes compute
    /// capability 8.0 or later, a nest of single precision, and one that permits another order of additions; others
    /// are computed as `sane` does. Tiles are 128 × 128, or 128 × 256 with one part, and each warp has 64 × 64 of them.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Array2, Mapping, MatrixArithmetic, nest};
    ///
    /// #[nest(reassoc)]
    /// fn product(
    ///     n: usize,
    ///     #[shape(n, n)] a: &Array2<f32>,
    ///     #[shape(n, n)] b: &Array2<f32>,
    ///     #[shape(n, n)] c: &mut Array2<f32>,
    /// ) {
    ///     for i in 0..n {
    ///         for j in 0..n {
    ///             for k in 0..n {
    ///                 c[[i, j]] += a[[i, k]] * b[[k, j]];
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let nest = product::nest();
    /// let mapping = Mapping::on_matrix_units(MatrixArithmetic::Tf32);
    /// let program = nest.map(&nest.dependences()?, &mapping);
    /// assert!(program.to_string().contains("on matrix units, tf32"), "{program}");
    /// let mapping = Mapping::on_warp_groups(MatrixArithmetic::Tf32);
    /// let plan = nest.map(&nest.dependences()?, &mapping).plan();
    /// assert!(plan.runs_on(90).is_ok() && plan.runs_on(80).is_err());
    /// # Ok::<(), nitro_nest::DependenceError>(())
    /// ```
    #[must_use]
    pub fn on_matrix_units(arithmetic: MatrixArithmetic) -> Self {
        Self { products: Some(Tiling::on_matrix_units(arithmetic)), boxes: None, ..Self::sane() }
    }

    /// Returns [`on_matrix_units`](Self::on_matrix_units) with products by groups of four warps, where that is possible.
    ///
    /// Each group has 64 × 128 elements of a tile. Kernels with such products run on compute capability 9.0 alone.
    #[must_use]
    pub fn on_warp_groups(arithmetic: MatrixArithmetic) -> Self {
        let products = Some(Tiling::on_warp_groups(arithmetic));
        Self { products, ..Self::on_matrix_units(arithmetic) }
    }

    /// Returns the arithmetic of matrix units that a tiling asks for, if one does: then the mapping is approximate.
    ///
    /// ```
    /// use nitro_nest::{Mapping, MatrixArithmetic};
    ///
    /// assert_eq!(Mapping::sane().matrix_units(), None);
    /// let approximate = Mapping::on_matrix_units(MatrixArithmetic::Bf16x6);
    /// assert_eq!(approximate.matrix_units(), Some(MatrixArithmetic::Bf16x6));
    /// ```
    #[must_use]
    pub fn matrix_units(&self) -> Option<MatrixArithmetic> {
        let products = self.products.iter().chain(self.boxes.iter().flatten());
        let all = self.usual.iter().chain(&self.sums).chain(products);
        all.chain(self.own.iter().map(|(_, tiling)| tiling)).find_map(|tiling| tiling.matrix_units)
    }

    fn of(schedule: Schedule, blocks: [[u32; 3]; 3], tiling: Tiling) -> Self {
        let sums = [blocks[1]; 2].map(|block| Tiling { block, ..tiling.clone() });
        let usual = blocks.map(|block| Tiling { block, ..tiling.clone() });
        Self { form: Form::default(), schedule, usual, sums, products: None, boxes: None, own: Vec::new() }
    }

    /// Maps this form of a nest.
    ///
    /// ```
    /// use nitro_nest::{Form, Mapping};
    ///
    /// // What sets elements has a kernel of its own, where it has loops of its own.
    /// let apart = Mapping::sane().with_form(Form::default());
    /// assert!(Mapping::sane().form().joins_sums && apart != Mapping::sane());
    /// ```
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Returns the form of a nest that is mapped.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Takes this schedule.
    #[must_use]
    pub fn with_schedule(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// Takes these blocks of threads (along x, y and z) for grids with one, two and three dimensions.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024.
    #[must_use]
    pub fn with_blocks(mut self, blocks: [[u32; 3]; 3]) -> Self {
        for (tiling, block) in self.usual.iter_mut().zip(blocks) {
            tiling.block = block;
            tiling.assert_sound();
        }
        (self.products, self.boxes) = (None, None);
        self
    }

    /// Takes these tilings for all kernels that have none of their own.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024, or a thread covers no value.
    #[must_use]
    pub fn with_usual_tilings(self, usual: [Tiling; 3]) -> Self {
        usual.iter().for_each(Tiling::assert_sound);
        let sums = [usual[1].clone(), usual[1].clone()];
        Self { usual, sums, products: None, boxes: None, ..self }
    }

    /// Takes this tiling for the kernel of these statements ([`Kernel::statements`](crate::Kernel::statements)).
    ///
    /// # Panics
    /// When a block has no thread or more than 1024, or a thread covers no value.
    #[must_use]
    pub fn with_tiling(mut self, statements: &[usize], tiling: Tiling) -> Self {
        tiling.assert_sound();
        self.own.retain(|(others, _)| others != statements);
        self.own.push((statements.to_vec(), tiling));
        self
    }

    /// Turns on *register promotion* ([`Tiling::promotes`]).
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

    /// Returns the tiling that a kernel of these statements has for itself.
    pub(crate) fn own_tiling(&self, statements: &[usize]) -> Option<&Tiling> {
        self.own.iter().find(|(own, _)| own == statements).map(|(_, tiling)| tiling)
    }

    /// Returns the tiling of kernels of a kind that have none of their own, by the dimensions of their grids.
    pub(crate) fn usual_tiling(&self, dimensions: usize, kind: KernelKind) -> Tiling {
        let usual = &self.usual[dimensions.clamp(1, 3) - 1];
        match kind {
            KernelKind::Sums(Sums::AlongX) => self.sums[0].clone(),
            KernelKind::Sums(Sums::Across) => self.sums[1].clone(),
            KernelKind::Product(tiles) => self.product(tiles).unwrap_or(usual).clone(),
            KernelKind::Row => Tiling::of_rows(),
            KernelKind::Columns => Tiling::of_columns(),
            KernelKind::Other => usual.clone(),
        }
    }

    fn product(&self, tiles: Tiles) -> Option<&Tiling> {
        let of_box = match (tiles, &self.boxes) {
            (Tiles::WithX, Some([with_x, _])) => Some(with_x),
            (Tiles::WithY, Some([_, with_y])) => Some(with_y),
            _ => None,
        };
        of_box.or(self.products.as_ref())
    }

    /// Returns the schedule.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        self.schedule
    }
}

/// Returns tilings like one for products along x and y, where z goes with x and where it goes with y.
///
/// A thread has half as many points along one of the two, and `points` along z; two threads are along z.
fn boxes(product: &Tiling, points: u32) -> [Tiling; 2] {
    [0, 1].map(|axis| {
        let mut tiling = product.clone();
        tiling.sliced_k = 0;
        tiling.block[axis] = 8;
        tiling.block[2] = 2;
        tiling.thread_tile[axis] = 4;
        tiling.thread_tile[2] = points;
        tiling
    })
}
