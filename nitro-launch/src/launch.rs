//! The one rule for which kernels the host launches, with how many blocks.

use crate::{Extent, Host, Variable};

/// One launch of a kernel.
///
/// It has the number of blocks and, as the kernel takes them, the sizes and then the values of the iterators of the
/// host's loops around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Launch {
    /// Index of the kernel in the program's list.
    pub kernel: usize,
    /// Blocks along x, y and z; where one of them is 0 there is nothing to do.
    pub grid: [i64; 3],
    /// The sizes, then the iterators of the host.
    pub integers: Vec<i64>,
}

/// The part of a kernel that the host knows.
#[derive(Clone, Copy, Debug)]
pub struct Covering<'a> {
    /// The iterators of the host's loops around its launch.
    pub host_iterators: &'a [usize],
    /// The values that the grid covers along x, y and z, and further dimensions.
    ///
    /// Where there are more than three, blocks of all dimensions are numbered along x, those of the first dimension
    /// fastest.
    pub grid: &'a [Extent],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Values that each thread covers along x, y and z.
    pub points: [u32; 3],
}

impl Covering<'_> {
    /// Returns the values that a block covers along a dimension of the grid: one along those after the third.
    #[must_use]
    pub fn of_block(&self, dimension: usize) -> u64 {
        let [threads, points] = [self.block, self.points].map(|along| along.get(dimension).copied());
        u64::from(threads.unwrap_or(1)) * u64::from(points.unwrap_or(1))
    }

    /// Returns the blocks along each dimension of the grid, for these values of sizes and iterators of the host.
    #[must_use]
    pub fn blocks(&self, value: &dyn Fn(Variable) -> i64) -> Vec<i64> {
        let along = self.grid.iter().enumerate().map(|(dimension, extent)| {
            let blocks = extent.count(value).div_ceil(self.of_block(dimension).max(1));
            i64::try_from(blocks).unwrap_or(i64::MAX)
        });
        along.collect()
    }
}

/// Returns the grid that is launched for so many blocks along each dimension.
fn launched(blocks: &[i64]) -> [i64; 3] {
    match *blocks {
        [x] => [x, 1, 1],
        [x, y] => [x, y, 1],
        [x, y, z] => [x, y, z],
        // More than a device has are numbered along x.
        _ => [blocks.iter().fold(1, |all: i64, one| all.saturating_mul(*one)), 1, 1],
    }
}

/// The end of a walk through all launches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// All of them were visited.
    Ended,
    /// There are more launches and iterations than were allowed.
    Stopped,
}

/// Calls `launch` with each launch of `host`, in order, and stops after `most` launches and iterations of the host's
/// loops. `iterators` is the number of the nest's iterators; `kernel` gives what the host knows of the kernel of an
/// index.
///
/// ```
/// use nitro_launch::{Affine, Covering, Extent, Host, Variable, Walk, launches};
///
/// let extent = Extent { lower: vec![Affine::from(0)], upper: vec![Variable::Parameter(0).into()], step: 1 };
/// let kernel = Covering { host_iterators: &[], grid: &[extent], block: [256, 1, 1], points: [1; 3] };
/// let mut grids = Vec::new();
/// let walk = launches(&[Host::Launch(0)], 0, &|_| kernel, &[1000], 10, |launch| {
///     grids.push(launch.grid);
///     Ok::<(), ()>(())
/// });
/// assert_eq!((walk, grids), (Ok(Walk::Ended), vec![[4, 1, 1]])); // blocks of 256 threads
/// ```
///
/// # Errors
/// Those of `launch`, which end the walk.
///
/// # Panics
/// When the host's loops, or what a kernel covers, name a size or an iterator that there is not, or have no bound.
pub fn launches<'k, E>(
    host: &[Host],
    iterators: usize,
    kernel: &dyn Fn(usize) -> Covering<'k>,
    sizes: &[i64],
    most: u64,
    mut launch: impl FnMut(&Launch) -> Result<(), E>,
) -> Result<Walk, E> {
    let mut walker = Walker { kernel, sizes, iterators: vec![0; iterators], left: most };
    walker.walk(host, &mut launch)
}

struct Walker<'a, 'k> {
    kernel: &'a dyn Fn(usize) -> Covering<'k>,
    sizes: &'a [i64],
    iterators: Vec<i64>,
    /// Launches and iterations that may still come.
    left: u64,
}

impl Walker<'_, '_> {
    fn walk<E>(&mut self, all: &[Host], launch: &mut dyn FnMut(&Launch) -> Result<(), E>) -> Result<Walk, E> {
        for one in all {
            match one {
                Host::Launch(index) => {
                    if !self.goes_on() {
                        return Ok(Walk::Stopped);
                    }
                    launch(&self.launch(*index))?;
                }
                Host::Loop(range, body) => {
                    for step in range.values(&|variable| self.value(variable)) {
                        self.iterators[range.iterator] = step;
                        if !self.goes_on() || self.walk(body, launch)? == Walk::Stopped {
                            return Ok(Walk::Stopped);
                        }
                    }
                }
            }
        }
        Ok(Walk::Ended)
    }

    fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    fn launch(&self, index: usize) -> Launch {
        let kernel = (self.kernel)(index);
        let host = kernel.host_iterators.iter().map(|iterator| self.iterators[*iterator]);
        let integers = self.sizes.iter().copied().chain(host).collect();
        let blocks = kernel.blocks(&|variable| self.value(variable));
        Launch { kernel: index, grid: launched(&blocks), integers }
    }

    fn value(&self, variable: Variable) -> i64 {
        value(self.sizes, &self.iterators, variable)
    }
}

/// The value of a size or an iterator of the host.
pub(crate) fn value(sizes: &[i64], iterators: &[i64], variable: Variable) -> i64 {
    match variable {
        Variable::Parameter(index) => sizes[index],
        Variable::Iterator(index) => iterators[index],
        Variable::Block(_) | Variable::Thread(_) => 0, // the host knows none
    }
}
