//! The product of a sparse matrix and a vector on a device, y ← A·x, in double precision.

pub(crate) mod generators;
pub mod inputs;
mod matrix;
mod pattern;
mod record;
mod reference;

pub use matrix::{DIA_FILL_CUTOFF, ELL_FILL_CUTOFF, Matrix, Structure};
pub use pattern::{Csr, Lengths, Pattern};
pub use record::record;
pub use reference::Reference;

use nitro_cuda::{Argument, Buffer, CudaError, Grid, Program};

/// The kernels.
pub static PROGRAM: Program = Program::new("spmv/kernels.cu", include_str!("kernels.cu"));

/// Threads of a block; as in `kernels.cu`.
const THREADS: u32 = 256;

/// Compressed rows, one thread a row.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
pub fn csr_scalar(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    launch_csr("csr_scalar", Grid::covering(a.rows(), THREADS), a, x, y)
}

/// Compressed rows, several threads a row: as many as the mean row has entries, up to a warp.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
pub fn csr_vector(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    let (kernel, lanes) = match a.row_lengths().mean {
        ..=2.0 => ("csr_vector_2", 2),
        ..=4.0 => ("csr_vector_4", 4),
        ..=8.0 => ("csr_vector_8", 8),
        ..=16.0 => ("csr_vector_16", 16),
        _ => ("csr_vector_32", 32),
    };
    launch_csr(kernel, Grid::covering(a.rows() * lanes, THREADS), a, x, y)
}

/// Launches a kernel that reads compressed rows.
fn launch_csr(
    kernel: &str,
    grid: Grid,
    a: &Matrix,
    x: &Buffer<f64>,
    y: &mut Buffer<f64>,
) -> Result<(), CudaError> {
    check_lengths(a, x, y)?;
    let arguments = [
        (a.rows() as u32).into(),
        (&a.offsets).into(),
        (&a.column_of).into(),
        (&a.values).into(),
        x.into(),
        y.into(),
    ];
    // SAFETY: the arguments are the kernel's, and the vectors are as long as the matrix is wide and high.
    unsafe { PROGRAM.kernel(kernel)?.launch(grid, &arguments) }
}

/// Compressed rows, the same number of entries and row ends for every thread (merge path, Merrill and Garland 2016).
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
pub fn csr_merge(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    check_lengths(a, x, y)?;
    let merge = &a.merge;
    let (rows, carry_rows, carries): (Argument<'_>, _, _) =
        ((a.rows() as u32).into(), (&merge.carry_rows).into(), (&merge.carries).into());
    let y: Argument<'_> = y.into();
    let arguments = [
        rows,
        (a.nonzeros() as u32).into(),
        (&a.offsets).into(),
        (&a.column_of).into(),
        (&a.values).into(),
        x.into(),
        y,
        carry_rows,
        carries,
    ];
    // SAFETY: as in `launch_csr`; each block has a place for what it carries out.
    unsafe { PROGRAM.kernel("csr_merge")?.launch(Grid::linear(merge.blocks, THREADS), &arguments)? };
    if merge.blocks == 1 {
        return Ok(()); // there is no next block to carry to
    }
    let grid = Grid::covering(merge.blocks as usize, THREADS);
    let arguments = [rows, merge.blocks.into(), carry_rows, carries, y];
    // SAFETY: the kernel before has written the place of every block.
    unsafe { PROGRAM.kernel("csr_merge_carries")?.launch(grid, &arguments) }
}

/// Rows padded to the length of the longest, one thread a row.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
///
/// # Panics
/// When the matrix is above [`ELL_FILL_CUTOFF`].
pub fn ell(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    check_lengths(a, x, y)?;
    let form = a.ell.as_ref().expect("the constraint admits only matrices below the cut-off");
    let arguments = [
        (a.rows() as u32).into(),
        form.width.into(),
        form.pitch.into(),
        (&form.columns).into(),
        (&form.values).into(),
        x.into(),
        y.into(),
    ];
    // SAFETY: as in `launch_csr`; the form has pitch x width places.
    unsafe { PROGRAM.kernel("ell")?.launch(Grid::covering(a.rows(), THREADS), &arguments) }
}

/// Whole diagonals, one thread a row.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
///
/// # Panics
/// When the matrix is above [`DIA_FILL_CUTOFF`].
pub fn dia(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    check_lengths(a, x, y)?;
    let form = a.dia.as_ref().expect("the constraint admits only matrices below the cut-off");
    let arguments = [
        (a.rows() as u32).into(),
        (a.columns() as u32).into(),
        (form.starts.len() as u32).into(),
        form.pitch.into(),
        (&form.starts).into(),
        (&form.values).into(),
        x.into(),
        y.into(),
    ];
    // SAFETY: as in `launch_csr`; the form has pitch places for each diagonal.
    unsafe { PROGRAM.kernel("dia")?.launch(Grid::covering(a.rows(), THREADS), &arguments) }
}

/// Fails unless the vectors have the lengths that the matrix asks for.
pub(super) fn check_lengths(a: &Matrix, x: &Buffer<f64>, y: &Buffer<f64>) -> Result<(), CudaError> {
    for (expected, found) in [(a.columns(), x.len()), (a.rows(), y.len())] {
        if expected != found {
            return Err(CudaError::Length { expected, found });
        }
    }
    Ok(())
}
