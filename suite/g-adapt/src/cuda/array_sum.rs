//! The sum of an array.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{check_length, resident_blocks};

/// The kernel, whose definitions are `BLOCK`, `WIDE` and `UNROLL`.
pub static REDUCTION: Program =
    Program::new("g_adapt/reduction.cu", concat!(include_str!("block_sum.cu"), include_str!("reduction.cu")));

/// The sum of all values, as the one element of `sum`. Variants round differently.
///
/// # Errors
/// [`CudaError::Length`] unless `sum` has one element, and when the device fails.
#[code_variant(
    name = "g_adapt::reduction",
    device = nitro_cuda::current(),
    features(length = values.len()),
    variants(blocks {
        block: u32 in pow2(32..=1024) = 128,
        unroll: u32 in pow2(1..=4) = 1,
        wide: u32 in [1, 4] = 1,
        atomic: bool = false,
    }),
    default = blocks,
)]
pub fn reduction(values: &Buffer<f32>, sum: &mut Buffer<f32>) -> Result<(), CudaError>;

/// Adds up blocks, and then their sums, by a second launch or atomically.
fn blocks(p: reduction::Blocks, values: &Buffer<f32>, sum: &mut Buffer<f32>) -> Result<(), CudaError> {
    check_length(sum, 1)?;
    let definitions = [("BLOCK", p.block.into()), ("WIDE", p.wide.into()), ("UNROLL", p.unroll.into())];
    let module = REDUCTION.module(&definitions)?;
    let kernel = module.kernel("reduce")?;
    let pieces = values.len().div_ceil((p.block * p.wide * p.unroll) as usize);
    let blocks = resident_blocks(kernel, p.block, pieces);
    let launch = |blocks: u32, from: &Buffer<f32>, to: &mut Buffer<f32>, atomic: bool| {
        let arguments = [from.into(), (from.len() as u64).into(), to.into(), u32::from(atomic).into()];
        // SAFETY: the arguments are those of the kernel, which reads `from` and writes one sum, or one of each block.
        unsafe { kernel.launch(Grid::linear(blocks, p.block), &arguments) }
    };
    if p.atomic {
        sum.fill_zero()?;
        return launch(blocks, values, sum, true);
    }
    if blocks == 1 {
        return launch(1, values, sum, false);
    }
    let mut sums = Buffer::uninit(blocks as usize)?;
    launch(blocks, values, &mut sums, false)?;
    launch(1, &sums, sum, false)
}
