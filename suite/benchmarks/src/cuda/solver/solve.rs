//! One solve: the preconditioner's values, then the iteration.

use nitro_cuda::{Argument, Buffer, CudaError, Grid};

use super::{ITERATION_LIMIT, PROGRAM, System, THREADS, TOLERANCE};

/// Vectors that the methods and preconditioners need; as in `kernels.cu`.
const VECTORS: usize = 7;
/// Rows of a block of the block-Jacobi preconditioner; as in `set_up.cu`.
const BLOCK_ROWS: usize = 8;
/// Warps of a block, and so rows at a time, that set up the approximate inverse; as in `set_up.cu`.
const FACTOR_WARPS: u32 = 4;
/// Sums that are formed at a time, twice; as in `kernels.cu`.
const PARTIAL_SUMS: usize = 6;
/// Blocks on a multiprocessor, as the kernels' launch bounds promise.
const BLOCKS_PER_MULTIPROCESSOR: usize = 4;

/// The memory of solves of one system, on its device.
#[derive(Debug)]
pub struct Workspace {
    vectors: Buffer<f64>,
    inverse: Buffer<f64>,
    lower_values: Buffer<f64>,
    upper_values: Buffer<f64>,
    partials: Buffer<f64>,
    outcome: Buffer<u32>,
    barrier: Buffer<u32>,
}

/// A solve that converged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solved {
    /// Iterations until the residual was small enough.
    pub iterations: u32,
}

/// Why a system was not solved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The residual did not become small enough in time.
    #[error("no convergence within {iterations} iterations")]
    NotConverged {
        /// Iterations made.
        iterations: u32,
    },
    /// The method had to divide by zero, or the numbers grew beyond bounds.
    #[error("the iteration broke down after {iterations} iterations")]
    BrokenDown {
        /// Iterations made.
        iterations: u32,
    },
    /// The device failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
}

/// The preconditioners.
#[derive(Debug, Clone, Copy)]
pub(super) enum Preconditioner {
    Jacobi,
    BlockJacobi,
    ApproximateInverse,
}

impl Workspace {
    /// Memory for solves of a system, on the device that this thread works on.
    ///
    /// # Errors
    /// When the device's memory is too small, or the device cannot be used.
    pub fn new(system: &System) -> Result<Workspace, CudaError> {
        let most_blocks = most_blocks(system);
        let factor_entries = system.factor.lower_columns.len();
        Ok(Workspace {
            vectors: Buffer::uninit(VECTORS * system.rows())?,
            inverse: Buffer::uninit(BLOCK_ROWS * system.rows())?,
            lower_values: Buffer::uninit(factor_entries)?,
            upper_values: Buffer::uninit(factor_entries)?,
            partials: Buffer::uninit(PARTIAL_SUMS * most_blocks)?,
            outcome: Buffer::uninit(2)?,
            barrier: Buffer::zeroed(2)?,
        })
    }

    /// Fails unless the workspace was made for a system of this size.
    fn check(&self, system: &System, b: &Buffer<f64>, x: &Buffer<f64>) -> Result<(), CudaError> {
        let lengths = [
            (system.rows(), b.len()),
            (system.rows(), x.len()),
            (VECTORS * system.rows(), self.vectors.len()),
            (system.factor.lower_columns.len(), self.lower_values.len()),
        ];
        match lengths.into_iter().find(|(expected, found)| expected != found) {
            Some((expected, found)) => Err(CudaError::Length { expected, found }),
            None => Ok(()),
        }
    }

    /// Computes the preconditioner's values.
    fn set_up(&mut self, system: &System, preconditioner: Preconditioner) -> Result<(), CudaError> {
        let rows = system.rows();
        let mut arguments: Vec<Argument<'_>> = vec![
            (rows as u32).into(),
            (&system.offsets).into(),
            (&system.column_of).into(),
            (&system.values).into(),
        ];
        let (kernel, grid) = match preconditioner {
            Preconditioner::Jacobi => ("set_up_jacobi", Grid::covering(rows, THREADS)),
            Preconditioner::BlockJacobi => ("set_up_block_jacobi", Grid::covering(rows, THREADS)),
            Preconditioner::ApproximateInverse => {
                let blocks = rows.div_ceil(FACTOR_WARPS as usize).clamp(1, 4 * most_blocks(system));
                ("set_up_approximate_inverse", Grid::linear(blocks as u32, 32 * FACTOR_WARPS))
            }
        };
        match preconditioner {
            Preconditioner::Jacobi | Preconditioner::BlockJacobi => {
                arguments.push((&mut self.inverse).into())
            }
            Preconditioner::ApproximateInverse => arguments.extend::<[Argument<'_>; 5]>([
                (&system.factor.lower_offsets).into(),
                (&system.factor.lower_columns).into(),
                (&system.factor.places).into(),
                (&mut self.lower_values).into(),
                (&mut self.upper_values).into(),
            ]),
        }
        // SAFETY: the arguments are the kernel's, and the workspace was made for a system of this size.
        unsafe { PROGRAM.kernel(kernel)?.launch(grid, &arguments) }
    }
}

/// Blocks that are resident at once, at most.
fn most_blocks(system: &System) -> usize {
    system.values.stream().device().multiprocessors() * BLOCKS_PER_MULTIPROCESSOR
}

/// Solves a system with the method of this kernel.
pub(super) fn solve(
    kernel: &str,
    preconditioner: Preconditioner,
    system: &System,
    b: &Buffer<f64>,
    x: &mut Buffer<f64>,
    workspace: &mut Workspace,
) -> Result<Solved, SolveError> {
    workspace.check(system, b, x)?;
    workspace.set_up(system, preconditioner)?;
    let kernel = PROGRAM.kernel(kernel)?;
    let resident = kernel.max_resident_blocks(THREADS, 0).min(most_blocks(system));
    let threads = system.rows() * system.lanes as usize;
    let blocks = threads.div_ceil(THREADS as usize).clamp(1, resident.max(1));
    let factor = &system.factor;
    let arguments = [
        (system.rows() as u32).into(),
        system.lanes.into(),
        (&system.offsets).into(),
        (&system.column_of).into(),
        (&system.values).into(),
        (&workspace.inverse).into(),
        factor.lanes.into(),
        (&factor.lower_offsets).into(),
        (&factor.lower_columns).into(),
        (&workspace.lower_values).into(),
        (&factor.upper_offsets).into(),
        (&factor.upper_columns).into(),
        (&workspace.upper_values).into(),
        b.into(),
        x.into(),
        (&workspace.vectors).into(),
        TOLERANCE.into(),
        ITERATION_LIMIT.into(),
        (&workspace.outcome).into(),
        (&workspace.partials).into(),
        (&workspace.barrier).into(),
    ];
    // SAFETY: the arguments are the kernel's, and all lengths have been checked.
    unsafe { kernel.launch_cooperative(Grid::linear(blocks as u32, THREADS), &arguments)? };
    match workspace.outcome.to_vec()?[..] {
        [0, iterations] => Ok(Solved { iterations }),
        [1, iterations] => Err(SolveError::NotConverged { iterations }),
        [_, iterations] => Err(SolveError::BrokenDown { iterations }),
        _ => unreachable!("the outcome has two numbers"),
    }
}
