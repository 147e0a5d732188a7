//! Which kernels the host launches, with how many blocks.

use super::{Host, Kernel, Program};
use crate::interpreter::value;

/// One launch of a kernel.
///
/// It has the number of blocks and, as the kernel takes them, the sizes and then the values of the iterators of the host's loops around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Index of the kernel in the program's list.
    pub kernel: usize,
    /// Blocks along x, y and z; where one of them is 0 there is nothing to do.
    pub grid: [i64; 3],
    /// The sizes, then the iterators of the host.
    pub integers: Vec<i64>,
}

impl Program {
    /// Calls `launch` with each launch, in order. An error of `launch` ends it.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_codegen::{Mapping, nest};
    ///
    /// #[nest]
    /// fn fill(n: usize, #[shape(n)] x: &mut [f32]) {
    ///     for i in 0..n {
    ///         x[i] = 1.0;
    ///     }
    /// }
    ///
    /// let nest = fill::nest();
    /// let program = nest.map(&nest.dependences()?, &Mapping::naive());
    /// let mut grids = Vec::new();
    /// program.launches(&[1000], |launch| { grids.push(launch.grid); Ok::<(), ()>(()) }).unwrap();
    /// assert_eq!(grids, [[4, 1, 1]]); // blocks of 256 threads
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of `launch`.
    pub fn launches<E>(
        &self,
        parameters: &[i64],
        mut launch: impl FnMut(&Launch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut iterators = vec![0; self.nest.iterators.len()];
        self.walk(&self.host, parameters, &mut iterators, &mut launch)
    }

    fn walk<E>(
        &self,
        all: &[Host],
        parameters: &[i64],
        iterators: &mut Vec<i64>,
        launch: &mut dyn FnMut(&Launch) -> Result<(), E>,
    ) -> Result<(), E> {
        for one in all {
            match one {
                Host::Launch(index) => launch(&self.launch(*index, parameters, iterators))?,
                Host::Loop(range, body) => {
                    let around = iterators.clone();
                    for step in range.values(&|variable| value(parameters, &around, variable)) {
                        iterators[range.iterator] = step;
                        self.walk(body, parameters, iterators, launch)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn launch(&self, index: usize, parameters: &[i64], iterators: &[i64]) -> Launch {
        let kernel = &self.kernels[index];
        let host = kernel.host_iterators.iter().map(|iterator| iterators[*iterator]);
        let integers = parameters.iter().copied().chain(host).collect();
        Launch { kernel: index, grid: kernel.blocks(parameters, iterators), integers }
    }
}

impl Kernel {
    /// As many blocks as it takes to cover each value of the grid.
    fn blocks(&self, parameters: &[i64], iterators: &[i64]) -> [i64; 3] {
        let mut blocks = [1; 3];
        for (axis, extent) in self.grid.iter().enumerate() {
            let of =
                |affine: &crate::Affine| affine.evaluate(&|variable| value(parameters, iterators, variable));
            let lower = extent.lower.iter().map(of).max().expect("an extent has a lower bound");
            let upper = extent.upper.iter().map(of).min().expect("an extent has an upper bound");
            let values = (upper - lower).max(0) as u64;
            let of_block = u64::from(self.block[axis]) * u64::from(self.points[axis]);
            blocks[axis] = values.div_ceil(extent.step as u64).div_ceil(of_block) as i64;
        }
        blocks
    }
}
