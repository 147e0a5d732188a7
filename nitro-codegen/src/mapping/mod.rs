//! From a nest and its dependences to kernels.

mod components;
mod groups;
mod lower;
mod promote;

use groups::Plan;

use crate::dependence::Dependences;
use crate::kernel::Program;
use crate::nest::Nest;

/// How a nest becomes kernels: a preset with its block sizes.
///
/// ```
/// use nitro_codegen::Mapping;
///
/// let small = Mapping::naive().with_blocks([[64, 1, 1], [16, 4, 1], [8, 4, 2]]);
/// assert_ne!(small, Mapping::naive());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    blocks: [[u32; 3]; 3],
    promotes: bool,
}

impl Mapping {
    /// The preset `naive`: a thread for each point of up to three parallel loops, nothing staged, every sum in the order in which it is written, so that results are
    /// those of the nest, bit for bit.
    ///
    /// Loops that no dependence crosses are brought outwards and become the grid; where statements of a loop have more of them each by itself, the loop is distributed over
    /// them. Loops that carry dependences run in the thread, or on the host where there are parallel ones inside. What has no parallel loop is run by one thread.
    #[must_use]
    pub fn naive() -> Self {
        Self { blocks: [[256, 1, 1], [32, 8, 1], [32, 4, 2]], promotes: false }
    }

    /// With these blocks of threads (along x, y and z) for grids with one, two and three dimensions.
    ///
    /// # Panics
    /// When a block has no thread or more than 1024.
    #[must_use]
    pub fn with_blocks(self, blocks: [[u32; 3]; 3]) -> Self {
        for block in blocks {
            let threads = block.iter().try_fold(1_u32, |all, extent| all.checked_mul(*extent));
            assert!(
                threads.is_some_and(|threads| (1..=1024).contains(&threads)),
                "a block of {block:?} threads"
            );
        }
        Self { blocks, ..self }
    }

    /// With *register promotion*: an element that a loop of a thread writes again and again is in a register while the loop runs.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_codegen::{Array2, Mapping, nest};
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
    /// # Ok::<(), nitro_codegen::DependenceError>(())
    /// ```
    #[must_use]
    pub fn with_register_promotion(self) -> Self {
        Self { promotes: true, ..self }
    }
}

impl Nest {
    /// Maps the nest to kernels. `dependences` have to be those of this nest: they say what may run at the same time.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_codegen::{Array2, Mapping, nest};
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
    /// # Ok::<(), nitro_codegen::DependenceError>(())
    /// ```
    #[must_use]
    pub fn map(&self, dependences: &Dependences, mapping: &Mapping) -> Program {
        let plans = Plan::of(self, dependences);
        let mut program = lower::program(self, &plans, mapping);
        if mapping.promotes {
            promote::program(&mut program);
        }
        program
    }
}
