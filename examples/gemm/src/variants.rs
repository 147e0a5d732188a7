//! The function and its variants.

use nitro::{Artifact, code_variant};
use nitro_cuda::{Buffer, CudaError, Executable, Grid, Integers, LaunchError, Program, Stream};

use crate::cublas::{self, CublasError, is_cublas_there};
use crate::factors::Factors;
use crate::units::{self, BF16X6_ERROR, LEAST_INNER, MOST_INNER, TF32_ERROR};

/// Why there is no product.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GemmError {
    /// A buffer has another length than the numbers say, or the device fails.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A kernel that came with the model is none for this product.
    #[error(transparent)]
    Found(#[from] LaunchError),
    /// cuBLAS fails.
    #[error(transparent)]
    Cublas(#[from] CublasError),
}

/// C = α·A·B + β·C, on the device and stream of `c`.
///
/// Matrix units are used where the tolerance of the factors permits their error.
///
/// # Errors
/// When a buffer is not as long as the numbers say, and when the device or cuBLAS fails.
#[code_variant(
    name = "gemm",
    device = nitro_cuda::on(c.stream()),
    features(
        rows = factors.rows,
        columns = factors.columns,
        inner = factors.inner,
        elements = f64::from(factors.rows) * f64::from(factors.columns),
        flops = 2.0 * f64::from(factors.rows) * f64::from(factors.columns) * f64::from(factors.inner),
    ),
    variants(
        cublas if is_cublas_there(),
        tiled { tile: u32 in pow2(32..=128) = 64 },
        found { kernel in artifacts },
        tf32 if inner <= MOST_INNER && units::are_there(c.stream()),
        bf16x6 if (LEAST_INNER..=MOST_INNER).contains(&inner) && units::are_there(c.stream()),
        tf32_groups if inner <= MOST_INNER && units::has_groups(c.stream()),
        bf16x6_groups if (LEAST_INNER..=MOST_INNER).contains(&inner) && units::has_groups(c.stream()),
    ),
    default = tiled,
    approximate(
        tf32 = TF32_ERROR over "inner to 16384, relative to Σ|a·b|",
        bf16x6 = BF16X6_ERROR over "inner from 64 to 16384, relative to Σ|a·b|",
        tf32_groups = TF32_ERROR over "inner to 16384, relative to Σ|a·b|",
        bf16x6_groups = BF16X6_ERROR over "inner from 64 to 16384, relative to Σ|a·b|",
    ),
    tolerance = factors.tolerance,
    prepare = compile,
)]
pub fn gemm(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError>;

/// Compiles and loads what a choice launches on this thread's device.
fn compile(choice: gemm::Choice) -> Result<(), GemmError> {
    match choice {
        gemm::Choice::Cublas => Ok(()),
        gemm::Choice::Tiled(p) => Ok(TILED.module(&definitions(p)).map(drop)?),
        gemm::Choice::Found(p) => compile_plan(p.kernel),
        gemm::Choice::Tf32 => compile_plan(*units::TF32),
        gemm::Choice::Bf16x6 => compile_plan(*units::BF16X6),
        gemm::Choice::Tf32Groups => compile_plan(*units::TF32_GROUPS),
        gemm::Choice::Bf16x6Groups => compile_plan(*units::BF16X6_GROUPS),
    }
}

fn compile_plan(plan: Artifact) -> Result<(), GemmError> {
    let executable = Executable::of_artifact(plan, Stream::current()?.device())?;
    Ok(executable.kernel(Integers::Bits32, 0).map(drop)?)
}

fn definitions(p: gemm::Tiled) -> [(&'static str, i64); 1] {
    [("TILE", p.tile.into())]
}

/// By NVIDIA's library.
fn cublas(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    check(factors, c)?;
    Ok(cublas::gemm(factors, c)?)
}

/// The kernel written by hand, whose definition is `TILE`.
pub static TILED: Program = Program::new("gemm/tiled.cu", include_str!("tiled.cu"));

/// Threads of a block.
const THREADS: u32 = 256;

/// A square tile of C a block, which stages those of A and B.
fn tiled(p: gemm::Tiled, factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    check(factors, c)?;
    if c.is_empty() {
        return Ok(());
    }
    let &Factors { rows, columns, inner, alpha, beta, a, b, .. } = factors;
    // Rows along x, of which a grid has many: y has at most 65,535.
    let blocks = (rows.div_ceil(p.tile), columns.div_ceil(p.tile), 1);
    let grid = Grid { blocks, threads: (THREADS, 1, 1), shared_bytes: 0 };
    let arguments =
        [rows.into(), columns.into(), inner.into(), alpha.into(), beta.into(), a.into(), b.into(), c.into()];
    let module = TILED.module(&definitions(p))?;
    // SAFETY: the arguments are those of the kernel, and the buffers have as many elements as they say.
    Ok(unsafe { module.kernel("gemm")?.launch(grid, &arguments) }?)
}

/// Kernels that a search found for the nest `gemm` of `suite/polybench`; they come with the model.
fn found(p: gemm::Found, factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    run_plan(p.kernel, factors, c)
}

/// Operands rounded to TF32, on matrix units.
fn tf32(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    run_plan(*units::TF32, factors, c)
}

/// Six products of BF16 parts of the operands, on matrix units: as good as single precision.
fn bf16x6(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    run_plan(*units::BF16X6, factors, c)
}

/// Operands rounded to TF32, on matrix units of four warps.
fn tf32_groups(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    run_plan(*units::TF32_GROUPS, factors, c)
}

/// Six products of BF16 parts of the operands, on matrix units of four warps.
fn bf16x6_groups(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    run_plan(*units::BF16X6_GROUPS, factors, c)
}

/// Runs kernels of the nest.
fn run_plan(plan: Artifact, factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), GemmError> {
    check(factors, c)?;
    let &Factors { rows, columns, inner, alpha, beta, a, b, .. } = factors;
    let executable = Executable::of_artifact(plan, c.stream().device())?;
    let sizes = [rows, columns, inner].map(i64::from);
    // SAFETY: the plan or the model is one of ours, whose kernels stay within matrices of these shapes.
    Ok(unsafe { executable.run_on(c.stream(), &sizes, &[alpha, beta], &[&*c, a, b]) }?)
}

/// Refuses buffers that are shorter or longer than the shape says.
fn check(factors: &Factors<'_>, c: &Buffer<f32>) -> Result<(), CudaError> {
    let &Factors { rows, columns, inner, a, b, .. } = factors;
    let lengths = [(a.len(), rows, inner), (b.len(), inner, columns), (c.len(), rows, columns)];
    for (found, down, across) in lengths {
        let expected = down as usize * across as usize;
        if found != expected {
            return Err(CudaError::Length { expected, found });
        }
    }
    Ok(())
}
