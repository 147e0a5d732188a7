//! Linear systems A·x = b on a device: two Krylov methods with three preconditioners.
//!
//! Conjugate gradients (CG) need a symmetric positive definite matrix; stabilised biconjugate gradients (BiCGStab)
//! take any. *Jacobi* divides by the diagonal, *block Jacobi* by dense blocks of 8 x 8 on it, and the *factorised
//! approximate inverse* multiplies by two triangular factors with the matrix's own sparsity.

mod factor;
pub mod inputs;
mod record;
mod reference;
mod solve;
mod system;

pub use record::record;
pub use reference::relative_residual;
pub use solve::{SolveError, Solved, Workspace};
pub use system::{Numbers, System};

use nitro_cuda::{Buffer, Program};
use solve::{Preconditioner, solve};

/// The norm of the residual, relative to that of b, at which a solve ends.
pub const TOLERANCE: f64 = 1e-8;
/// Iterations within which a solve has to converge.
pub const ITERATION_LIMIT: u32 = 1000;

/// The kernels.
pub static PROGRAM: Program = Program::new(
    "solver/kernels.cu",
    concat!(
        "#line 1 \"solver/grid.cuh\"\n",
        include_str!("grid.cuh"),
        "#line 1 \"solver/set_up.cu\"\n",
        include_str!("set_up.cu"),
        "#line 1 \"solver/kernels.cu\"\n",
        include_str!("kernels.cu")
    ),
);

/// Threads of a block; as in `grid.cuh`.
const THREADS: u32 = 256;

/// The six variants differ in their kernels alone.
macro_rules! variants {
    ($($(#[doc = $doc:literal])* $name:ident: $preconditioner:ident;)*) => {$(
        $(#[doc = $doc])*
        ///
        /// # Errors
        /// As [`SolveError`] says.
        pub fn $name(
            system: &System,
            b: &Buffer<f64>,
            x: &mut Buffer<f64>,
            workspace: &mut Workspace,
        ) -> Result<Solved, SolveError> {
            solve(stringify!($name), Preconditioner::$preconditioner, system, b, x, workspace)
        }
    )*};
}

variants! {
    /// Conjugate gradients, preconditioned by the diagonal.
    cg_jacobi: Jacobi;
    /// Conjugate gradients, preconditioned by diagonal blocks.
    cg_block_jacobi: BlockJacobi;
    /// Conjugate gradients, preconditioned by a factorised approximate inverse.
    cg_approximate_inverse: ApproximateInverse;
    /// Stabilised biconjugate gradients, preconditioned by the diagonal.
    bicgstab_jacobi: Jacobi;
    /// Stabilised biconjugate gradients, preconditioned by diagonal blocks.
    bicgstab_block_jacobi: BlockJacobi;
    /// Stabilised biconjugate gradients, preconditioned by a factorised approximate inverse.
    bicgstab_approximate_inverse: ApproximateInverse;
}
