//! What inputs are filled with, on the device, and whether two results there are the same.

use nitro_cuda::{Buffer, CudaError, Grid, Program};

/// The kernels.
pub static VALUES: Program = Program::new("g_adapt/values.cu", include_str!("values.cu"));

const THREADS: u32 = 256;
/// Blocks that fill every device of today.
const BLOCKS: u32 = 2048;

/// So many whole numbers from -2 to 2, drawn by [`crate::inputs::value_at`]. Other seeds give others.
///
/// # Errors
/// When no memory is left or the device fails.
pub fn filled(length: usize, seed: u32) -> Result<Buffer<f32>, CudaError> {
    let mut values = Buffer::uninit(length)?;
    let arguments = [(&mut values).into(), (length as u64).into(), seed.into()];
    // SAFETY: the arguments are those of the kernel, which writes `length` elements.
    unsafe { VALUES.kernel("fill")?.launch(Grid::linear(BLOCKS, THREADS), &arguments)? };
    Ok(values)
}

/// How many elements differ; a number that is none differs from every other.
///
/// # Errors
/// [`CudaError::Length`] for buffers of different lengths, and when the device fails.
pub fn differences(left: &Buffer<f32>, right: &Buffer<f32>) -> Result<u32, CudaError> {
    super::check_length(right, left.len())?;
    let mut count = Buffer::<u32>::zeroed(1)?;
    let arguments = [left.into(), right.into(), (left.len() as u64).into(), (&mut count).into()];
    // SAFETY: the arguments are those of the kernel; both buffers have so many elements.
    unsafe { VALUES.kernel("count_differences")?.launch(Grid::linear(BLOCKS, THREADS), &arguments)? };
    count.get(0)
}
