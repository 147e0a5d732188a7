//! Counting the pixels of an 8-bit image on the device by value.
//!
//! Three ways to count, each with two ways to hand out the image: to every block an even share beforehand, or tiles
//! from a queue as blocks ask for them. Counts are of 32 bits, so an image has fewer than 2^32 pixels.

pub mod inputs;
mod record;

use nitro_cuda::{Buffer, CudaError, Grid, Program};

use super::launch::resident_blocks;
use crate::variants::histogram::{BINS, sample_distinct_log2, sample_sd, sample_step_log2};

pub use record::record;

static KERNELS: Program = Program::new("histogram/kernels.cu", include_str!("kernels.cu"));

/// The CUDA sources of this function.
pub fn programs() -> [&'static Program; 1] {
    [&KERNELS]
}

/// An image on the device, with what is known of a sub-sample of its pixels.
#[derive(Debug)]
pub struct Image {
    pixels: Buffer<u8>,
    /// Standard deviation of the values in a sub-sample.
    pub sample_sd: f64,
    /// Different values in a sub-sample, as log2 of their number.
    pub sample_distinct_log2: f64,
    /// How much neighbours differ in a sub-sample, as log2(1 + mean difference).
    pub sample_step_log2: f64,
}

impl Image {
    /// Looks at a sub-sample, and copies the pixels to the current device.
    ///
    /// # Errors
    /// When there is no device, or not enough memory on it.
    pub fn new(pixels: &[u8]) -> Result<Self, CudaError> {
        Ok(Self {
            pixels: Buffer::from_slice(pixels)?,
            sample_sd: sample_sd(pixels),
            sample_distinct_log2: sample_distinct_log2(pixels),
            sample_step_log2: sample_step_log2(pixels),
        })
    }

    /// The pixels.
    #[cfg(feature = "vendor")]
    pub(in crate::cuda) fn pixels(&self) -> &Buffer<u8> {
        &self.pixels
    }

    /// Number of pixels.
    pub fn len(&self) -> usize {
        self.pixels.len()
    }

    /// Whether there is no pixel.
    pub fn is_empty(&self) -> bool {
        self.pixels.is_empty()
    }
}

/// Counts on the CPU, one pixel after the other.
pub fn reference(pixels: &[u8]) -> [u32; BINS] {
    let mut bins = [0; BINS];
    pixels.iter().for_each(|&pixel| bins[usize::from(pixel)] += 1);
    bins
}

/// How many threads a block has, and how many pixels a tile; the kernels say the same.
struct Shape {
    threads: u32,
    tile_pixels: usize,
}

const GLOBAL_ATOMIC: Shape = Shape { threads: 256, tile_pixels: 256 * 16 };
const SHARED_ATOMIC: Shape = Shape { threads: 512, tile_pixels: 512 * 16 * 2 };
const SORT: Shape = Shape { threads: 256, tile_pixels: 256 * 16 };

/// Whether tiles are handed out beforehand or from a queue.
#[derive(Clone, Copy, PartialEq)]
enum Mapping {
    EvenShare,
    Dynamic,
}

macro_rules! variant {
    ($(#[$doc:meta])* $name:ident, $shape:ident, $mapping:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// [`CudaError::Length`] if there are not 256 bins, and when the device fails.
        pub fn $name(image: &Image, bins: &mut Buffer<u32>) -> Result<(), CudaError> {
            count(stringify!($name), &$shape, Mapping::$mapping, image, bins)
        }
    };
}

variant! {
    /// Sorts tiles in shared memory and measures the runs; every block counts an even share of the image.
    sort_even_share, SORT, EvenShare
}
variant! {
    /// Sorts tiles in shared memory and measures the runs; blocks take tiles from a queue.
    sort_dynamic, SORT, Dynamic
}
variant! {
    /// Counts by atomics in the result itself, equal neighbours as one; every block an even share of the image.
    global_atomic_even_share, GLOBAL_ATOMIC, EvenShare
}
variant! {
    /// Counts by atomics in the result itself, equal neighbours as one; blocks take tiles from a queue.
    global_atomic_dynamic, GLOBAL_ATOMIC, Dynamic
}
variant! {
    /// Counts by atomics in tables in shared memory, one a lane; every block an even share of the image.
    shared_atomic_even_share, SHARED_ATOMIC, EvenShare
}
variant! {
    /// Counts by atomics in tables in shared memory, one a lane; blocks take tiles from a queue.
    shared_atomic_dynamic, SHARED_ATOMIC, Dynamic
}

fn count(
    kernel: &str,
    shape: &Shape,
    mapping: Mapping,
    image: &Image,
    bins: &mut Buffer<u32>,
) -> Result<(), CudaError> {
    if bins.len() != BINS {
        return Err(CudaError::Length { expected: BINS, found: bins.len() });
    }
    let queue = (mapping == Mapping::Dynamic).then(|| Buffer::<u32>::uninit(1)).transpose()?;
    let head = queue.as_ref().map_or(0, Buffer::pointer);
    let kernel = KERNELS.kernel(kernel)?;
    let blocks = resident_blocks(kernel, shape.threads, 0, image.len().div_ceil(shape.tile_pixels));
    let clear = KERNELS.kernel("clear")?;
    // SAFETY: the arguments are those of the kernels; there are as many pixels and bins as they say, and a queue or
    // none.
    unsafe {
        clear.launch(Grid::linear(1, BINS as u32), &[(&*bins).into(), head.into()])?;
        kernel.launch(
            Grid::linear(blocks, shape.threads),
            &[(&image.pixels).into(), (image.len() as u64).into(), bins.into(), head.into()],
        )
    }
}
