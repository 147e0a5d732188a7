//! Scalar products of pairs of vectors.

use nitro::code_variant;
use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::{area, check_length};

/// The kernels, whose definitions are `BLOCK` and, for parts of vectors, `SPLIT`.
pub static SCALAR_PROD: Program = Program::new(
    "g_adapt/scalar_prod.cu",
    concat!(include_str!("block_sum.cu"), include_str!("scalar_prod.cu")),
);

/// The scalar product of each of `vectors` pairs of vectors of `elements` elements, which stand one after the
/// other. Variants round differently.
///
/// # Errors
/// [`CudaError::Length`] when a buffer is not as long as the numbers say, and when the device fails.
#[code_variant(
    name = "g_adapt::scalar_prod",
    device = nitro_cuda::current(),
    features(count = vectors, length = elements),
    variants(
        per_vector { block: u32 in pow2(32..=1024) = 256, blocks: u32 in pow2(64..=4096) = 128 },
        per_part { block: u32 in pow2(64..=1024) = 256, split: u32 in pow2(2..=64) = 8 },
    ),
    default = per_vector,
)]
pub fn scalar_prod(
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    products: &mut Buffer<f32>,
    vectors: u32,
    elements: u32,
) -> Result<(), CudaError>;

/// A given number of blocks, which take vectors in turn.
fn per_vector(
    p: scalar_prod::PerVector,
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    products: &mut Buffer<f32>,
    vectors: u32,
    elements: u32,
) -> Result<(), CudaError> {
    check(left, right, products, vectors, elements)?;
    let module = SCALAR_PROD.module(&[("BLOCK", p.block.into())])?;
    let arguments = [left.into(), right.into(), products.into(), vectors.into(), elements.into()];
    // SAFETY: the arguments are those of the kernel, and the buffers have as many elements as they say.
    unsafe { module.kernel("per_vector")?.launch(Grid::linear(p.blocks, p.block), &arguments) }
}

/// A given number of blocks a vector, which add to its product: for few, long vectors.
fn per_part(
    p: scalar_prod::PerPart,
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    products: &mut Buffer<f32>,
    vectors: u32,
    elements: u32,
) -> Result<(), CudaError> {
    check(left, right, products, vectors, elements)?;
    if vectors == 0 {
        return Ok(());
    }
    products.fill_zero()?;
    let module = SCALAR_PROD.module(&[("BLOCK", p.block.into()), ("SPLIT", p.split.into())])?;
    let arguments = [left.into(), right.into(), products.into(), elements.into()];
    // SAFETY: the arguments are those of the kernel, and every vector of the buffers has its blocks.
    unsafe { module.kernel("per_part")?.launch(Grid::linear(vectors * p.split, p.block), &arguments) }
}

fn check(
    left: &Buffer<f32>,
    right: &Buffer<f32>,
    products: &Buffer<f32>,
    vectors: u32,
    elements: u32,
) -> Result<(), CudaError> {
    check_length(left, area(vectors, elements))?;
    check_length(right, area(vectors, elements))?;
    check_length(products, vectors as usize)
}
