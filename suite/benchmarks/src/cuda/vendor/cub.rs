//! CUB's device-wide algorithms, through the shim in `cub.cu`.

use std::ffi::{c_int, c_void};

use nitro_cuda::{Buffer, CudaError, Pod};

use crate::cuda::histogram::Image;
use crate::cuda::sort::{Keys, Word, key_count};
use crate::variants::histogram::BINS;

/// An algorithm from one buffer to another. Without temporary memory it only says how much it needs.
type Algorithm = unsafe extern "C" fn(
    temporary: *mut c_void,
    temporary_bytes: *mut usize,
    from: *const c_void,
    to: *mut c_void,
    items: u64,
    stream: *mut c_void,
) -> c_int;

macro_rules! algorithms {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name(
                temporary: *mut c_void,
                temporary_bytes: *mut usize,
                from: *const c_void,
                to: *mut c_void,
                items: u64,
                stream: *mut c_void,
            ) -> c_int;)*
        }
    };
}
algorithms! {
    nitro_cub_histogram_u8
    nitro_cub_radix_sort_u32
    nitro_cub_radix_sort_u64
    nitro_cub_merge_sort_u32
    nitro_cub_merge_sort_u64
}

/// CUB's histogram of evenly spaced bins.
///
/// # Errors
/// [`CudaError::Length`] if there are not 256 bins, and when the device fails.
pub fn cub_histogram(image: &Image, bins: &mut Buffer<u32>) -> Result<(), CudaError> {
    if bins.len() != BINS {
        return Err(CudaError::Length { expected: BINS, found: bins.len() });
    }
    // SAFETY: there is a bin for each value of a pixel.
    unsafe { run("cub::DeviceHistogram", nitro_cub_histogram_u8, image.pixels(), bins) }
}

/// CUB's radix sort.
///
/// # Errors
/// [`CudaError::Length`] if the result has another length, and when the device fails.
pub fn cub_radix<W: Word>(from: &Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError> {
    let algorithm = if W::BITS == u32::BITS { nitro_cub_radix_sort_u32 } else { nitro_cub_radix_sort_u64 };
    sort("cub::DeviceRadixSort", algorithm, from, to)
}

/// CUB's merge sort.
///
/// # Errors
/// [`CudaError::Length`] if the result has another length, and when the device fails.
pub fn cub_merge<W: Word>(from: &Keys<W>, to: &mut Buffer<W>) -> Result<(), CudaError> {
    let algorithm = if W::BITS == u32::BITS { nitro_cub_merge_sort_u32 } else { nitro_cub_merge_sort_u64 };
    sort("cub::DeviceMergeSort", algorithm, from, to)
}

fn sort<W: Word>(
    name: &'static str,
    algorithm: Algorithm,
    from: &Keys<W>,
    to: &mut Buffer<W>,
) -> Result<(), CudaError> {
    if key_count(from, to)? == 0 {
        return Ok(());
    }
    // SAFETY: the algorithm is for keys of this size, and there are as many in both buffers.
    unsafe { run(name, algorithm, from.words(), to) }
}

/// Runs an algorithm on the stream of its result.
///
/// # Safety
/// The algorithm reads all of `from` as its elements and writes no more than `to` has.
unsafe fn run<A: Pod, B: Pod>(
    name: &'static str,
    algorithm: Algorithm,
    from: &Buffer<A>,
    to: &mut Buffer<B>,
) -> Result<(), CudaError> {
    let stream = to.stream();
    let (source, target) = (from.pointer() as *const c_void, to.pointer() as *mut c_void);
    let (items, handle) = (from.len() as u64, stream.as_raw());
    let call = |temporary: u64, mut bytes: usize| {
        stream.device().with_context(|| {
            // SAFETY: the caller vouches for the buffers; the temporary memory is none, or as large as was asked for.
            match unsafe { algorithm(temporary as *mut c_void, &mut bytes, source, target, items, handle) } {
                0 => Ok(bytes),
                code => Err(CudaError::Library { call: name, code }),
            }
        })?
    };
    // An empty buffer has no address, which would ask for the size again.
    let bytes = call(0, 0)?.max(1);
    let temporary = Buffer::<u8>::uninit_on(stream, bytes)?;
    call(temporary.pointer(), bytes).map(drop)
}
