//! Programs run without a GPU: all threads of a launch in any order, every access and every race checked.

use std::collections::BTreeMap;

use super::Launch;
use super::matrix::WARPS_OF_GROUP;
use super::memory::Memory;
use super::race::Actor;
use super::thread::{Scope, Step, Thread};
use super::units::Begun;
use super::{Kernel, Program};
use crate::data::{Data, Indices, RunError, index_shapes, temporaries};
use crate::limits::LANES;
use crate::nest::affine::Variable;
use crate::number::Number;

impl Program {
    /// Runs the program on data, launch after launch.
    ///
    /// Within a launch threads go on one assignment at a time: `pick` is given how many can, and says which of them
    /// does, usually at random.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Data, Mapping, nest};
    ///
    /// #[nest]
    /// fn prefix(n: usize, #[shape(n)] x: &mut [f32]) {
    ///     for i in 1..n {
    ///         x[i] += x[i - 1];
    ///     }
    /// }
    ///
    /// let nest = prefix::nest();
    /// let program = nest.map(&nest.dependences()?, &Mapping::naive());
    /// let mut data = Data::new(&nest, &[4], &[])?;
    /// data.arrays[0].fill(1.0);
    /// program.run(&mut data, |threads| threads / 2)?; // a random number below `threads` tells more
    /// assert_eq!(data.arrays[0], [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the data are not of the nest, a thread touches what is no element, two threads race, or not all threads
    /// of a block come to a barrier; the data are then half done.
    ///
    /// # Panics
    /// When `pick` says a number that is not below the one it was given.
    pub fn run<T: Number>(
        &self,
        data: &mut Data<T>,
        pick: impl FnMut(usize) -> usize,
    ) -> Result<(), RunError> {
        self.run_within(data, u64::MAX, pick)
    }

    /// Runs the program as [`run`](Self::run) does, for so many instructions of all threads together.
    ///
    /// Tiles that are made for a GPU can take minutes here.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`RunError::TooLong`].
    ///
    /// # Panics
    /// As [`run`](Self::run).
    pub fn run_within<T: Number>(
        &self,
        data: &mut Data<T>,
        mut instructions: u64,
        mut pick: impl FnMut(usize) -> usize,
    ) -> Result<(), RunError> {
        let shapes = data.shapes(&self.nest)?;
        data.arrays.extend(temporaries(&self.nest, &shapes));
        let done = self.run_on(data, &shapes, &mut instructions, &mut pick);
        data.arrays.truncate(self.nest.arguments());
        done
    }

    fn run_on<T: Number>(
        &self,
        data: &mut Data<T>,
        shapes: &[Vec<i64>],
        instructions: &mut u64,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> Result<(), RunError> {
        let index_shapes = index_shapes(&self.nest, &data.parameters)?;
        let Data { parameters, scalars, arrays, indices } = data;
        let indices = Indices::new(&self.nest, &index_shapes, indices);
        let (values, scalars): (&[i64], &[T]) = (&self.nest.values(parameters), scalars);
        self.launches(parameters, |launch| {
            let kernel = &self.kernels[launch.kernel];
            let blocks = launch.grid.iter().product::<i64>() as usize;
            let memory = Memory::new(self, kernel, shapes, arrays, indices, blocks, instructions);
            let threads = self.threads(kernel, launch, values);
            Running { kernel, memory, threads, scalars, begun: Vec::new() }.finish(pick)
        })
    }

    fn threads<'a, T: Number>(
        &self,
        kernel: &'a Kernel,
        launch: &Launch,
        parameters: &'a [i64],
    ) -> Vec<Thread<'a, T>> {
        let mut iterators = vec![0; self.nest.iterators.len() + kernel.iterators.len()];
        for (iterator, value) in kernel.host_iterators.iter().zip(&launch.integers[parameters.len()..]) {
            iterators[*iterator] = *value;
        }
        let in_block = kernel.block.map(i64::from);
        let mut threads = Vec::new();
        let blocks = kernel.covering().blocks(&|variable| match variable {
            Variable::Parameter(index) => parameters[index],
            Variable::Iterator(index) => iterators[index],
            Variable::Block(_) | Variable::Thread(_) => unreachable!("a grid is of what the host knows"),
        });
        for block in 0..launch.grid.iter().product::<i64>() as usize {
            let block_index = digits(block as i64, &blocks);
            for (thread, thread_index) in indices(in_block).enumerate() {
                let actor = Actor { block, thread, phase: 0 };
                let at = [block_index.clone(), thread_index.to_vec()];
                threads.push(Thread::new(kernel, parameters, iterators.clone(), at, actor));
            }
        }
        threads
    }
}

/// Returns the index along each dimension of the block with this number, x the fastest.
fn digits(block: i64, blocks: &[i64]) -> Vec<i64> {
    let mut rest = block;
    let digits = blocks.iter().map(|along| {
        let digit = rest % along;
        rest /= along;
        digit
    });
    digits.collect()
}

/// Returns all indices below these extents, x the fastest.
fn indices([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
}

/// Threads of a warp.
pub(super) const WARP: usize = LANES as usize;

/// Threads that wait for each other: their block, what they are of it, and which of its warps or groups of warps.
type Group = (usize, Scope, usize);

/// A launch that is under way.
pub(super) struct Running<'a, T> {
    kernel: &'a Kernel,
    pub memory: Memory<'a, T>,
    pub threads: Vec<Thread<'a, T>>,
    scalars: &'a [T],
    /// The products that groups of warps have begun and not awaited.
    pub begun: Vec<Begun<'a>>,
}

impl<T: Number> Running<'_, T> {
    fn finish(mut self, pick: &mut dyn FnMut(usize) -> usize) -> Result<(), RunError> {
        let mut ready: Vec<usize> = (0..self.threads.len()).collect();
        let mut waiting: BTreeMap<Group, Vec<(usize, usize)>> = BTreeMap::new();
        while !ready.is_empty() {
            let drawn = pick(ready.len());
            let index = ready[drawn];
            let step = self.threads[index].step(self.scalars, &mut self.memory)?;
            if step == Step::Ready {
                continue;
            }
            ready.swap_remove(drawn);
            if let Step::Waits(barrier, scope) = step {
                let group = self.group(index, scope);
                let waiting_here = waiting.entry(group).or_default();
                waiting_here.push((index, barrier));
                if waiting_here.len() == self.size(scope) {
                    let all = waiting.remove(&group).unwrap_or_default();
                    ready.extend(self.past_barrier(all, scope)?);
                }
            }
        }
        match waiting.iter().next() {
            None => Ok(()),
            Some(((_, scope, _), group)) => Err(self.divergence(&format!(
                "{} of {} threads wait at a barrier that the others do not come to",
                group.len(),
                self.size(*scope)
            ))),
        }
    }

    /// Returns the threads that a thread waits with.
    fn group(&self, thread: usize, scope: Scope) -> Group {
        let actor = self.threads[thread].actor;
        let number = match scope {
            Scope::Block => 0,
            Scope::Warp | Scope::Group => actor.thread / self.size(scope),
        };
        (actor.block, scope, number)
    }

    /// Counts the threads that wait for each other.
    fn size(&self, scope: Scope) -> usize {
        match scope {
            Scope::Block => self.kernel.threads() as usize,
            Scope::Warp => WARP,
            Scope::Group => WARP * WARPS_OF_GROUP,
        }
    }

    /// Lets all threads of a group go on.
    fn past_barrier(&mut self, waiting: Vec<(usize, usize)>, scope: Scope) -> Result<Vec<usize>, RunError> {
        if waiting.iter().any(|(_, barrier)| *barrier != waiting[0].1) {
            return Err(self.divergence("threads that wait for each other are at different barriers"));
        }
        let threads: Vec<usize> = waiting.into_iter().map(|(thread, _)| thread).collect();
        match scope {
            Scope::Block => threads.iter().for_each(|thread| self.threads[*thread].actor.phase += 1),
            Scope::Warp | Scope::Group => self.together(&threads)?,
        }
        Ok(threads)
    }

    pub(super) fn divergence(&self, what: &str) -> RunError {
        RunError::Divergence { kernel: self.kernel.name.clone(), what: what.to_owned() }
    }
}
