//! The launches of a program for sizes, and all of that as a plan that is shipped.

use nitro_launch::{
    Affine, Covering, Element, Launch, LaunchPlan, PlannedArray, PlannedIndices, PlannedKernel, Reach,
    Target, launches,
};

use super::{Instruction, Integers, Kernel, Program};
use crate::data::{Data, RunError, index_shapes};
use crate::nest::gather::{IndexDeclaration, Subscript};
use crate::nest::{ArrayDeclaration, Nest};

/// The devices whose warps multiply in groups.
const WARP_GROUPS: Target = Target { architecture: 90, reach: Reach::Alone };

/// The type of integers in the text of a plan.
const INTEGER: &str = "nitro_int";

impl Program {
    /// Returns all that a host needs to launch the kernels, without this crate.
    ///
    /// `nitro_cuda::Executable` runs it, and [`LaunchPlan::to_json`] is its text.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{LaunchPlan, Mapping, nest};
    ///
    /// #[nest]
    /// fn fill(n: usize, value: f32, #[shape(n)] x: &mut [f32]) {
    ///     for i in 0..n {
    ///         x[i] = value;
    ///     }
    /// }
    ///
    /// let nest = fill::nest();
    /// let plan = nest.map(&nest.dependences()?, &Mapping::naive()).plan();
    /// let shipped = plan.to_json();
    /// assert_eq!(LaunchPlan::from_json(&shipped)?, plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn plan(&self) -> LaunchPlan {
        let nest = &self.nest;
        let (arrays, temporaries) = nest.arrays.split_at(nest.arguments());
        LaunchPlan {
            name: nest.name.clone(),
            sizes: nest.parameters().to_vec(),
            products: nest.products.clone(),
            scalars: nest.scalars.clone(),
            arrays: arrays.iter().map(planned).collect(),
            temporaries: temporaries.iter().map(planned).collect(),
            element: nest.element,
            indices: (0..nest.indices.len()).map(|array| planned_indices(nest, array)).collect(),
            iterators: nest.iterators.clone(),
            kernels: self.kernels.iter().map(|kernel| kernel.planned(nest.element)).collect(),
            host: self.host.clone(),
            contracts: true,
            target: self.has(|one| matches!(one, Instruction::BeginProduct(_))).then_some(WARP_GROUPS),
            cuda: self.cuda_in(INTEGER),
            ptx: None,
            origin: String::new(),
        }
    }

    /// Returns the integers that suffice for these sizes.
    ///
    /// # Errors
    /// When the sizes are not those of the nest.
    pub fn integers(&self, parameters: &[i64]) -> Result<Integers, RunError> {
        let shapes =
            [Data::shapes_of(&self.nest, parameters)?, index_shapes(&self.nest, parameters)?].concat();
        Ok(Integers::sufficient(&self.nest.values(parameters), &shapes))
    }

    /// Calls `launch` with each launch, in order. An error of `launch` ends it.
    ///
    #[cfg_attr(feature = "polyhedral", doc = "```")]
    #[cfg_attr(not(feature = "polyhedral"), doc = "```ignore")]
    /// use nitro_nest::{Mapping, nest};
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
        launch: impl FnMut(&Launch) -> Result<(), E>,
    ) -> Result<(), E> {
        let (iterators, sizes) = (self.nest.iterators.len(), self.nest.values(parameters));
        launches(&self.host, iterators, &|index| self.kernels[index].covering(), &sizes, u64::MAX, launch)?;
        Ok(())
    }
}

fn planned(array: &ArrayDeclaration) -> PlannedArray {
    let ArrayDeclaration { name, shape, is_written, storage } = array.clone();
    PlannedArray { name, shape, is_written, storage }
}

/// Returns an array of subscripts, with the extents of what is read there.
fn planned_indices(nest: &Nest, array: usize) -> PlannedIndices {
    let mut below: Vec<Affine> = Vec::new();
    for statement in nest.statements() {
        for gather in statement.assignment.value.gathers() {
            for (subscript, extent) in gather.subscripts.iter().zip(&nest.arrays[gather.array].shape) {
                if matches!(subscript, Subscript::Index(index) if index.indices == array)
                    && !below.contains(extent)
                {
                    below.push(extent.clone());
                }
            }
        }
    }
    let IndexDeclaration { name, shape } = nest.indices[array].clone();
    PlannedIndices { name, shape, below }
}

impl Kernel {
    pub(super) fn covering(&self) -> Covering<'_> {
        let Self { host_iterators, grid, block, points, .. } = self;
        Covering { host_iterators, grid, block: *block, points: *points }
    }

    fn planned(&self, element: Element) -> PlannedKernel {
        PlannedKernel {
            name: self.name.clone(),
            part: part(&self.statements),
            host_iterators: self.host_iterators.clone(),
            grid: self.grid.clone(),
            block: self.block,
            points: self.points,
            shared_bytes: self.dynamic_shared_bytes(element),
        }
    }
}

/// Returns the name that a search has for the part of a nest that these statements are.
pub(crate) fn part(statements: &[usize]) -> String {
    let names: Vec<String> = statements.iter().map(usize::to_string).collect();
    names.join("+")
}
