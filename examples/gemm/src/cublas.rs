//! cuBLAS, loaded at run time.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use cudarc::cublas::sys::{self, cublasHandle_t, cublasMath_t, cublasOperation_t, cublasStatus_t};
use nitro_cuda::{Buffer, Stream};

use crate::factors::Factors;

/// cuBLAS refuses.
#[derive(Debug, thiserror::Error)]
#[error("{function} of cuBLAS failed: {status}")]
pub struct CublasError {
    function: &'static str,
    status: String,
}

/// Whether the library can be loaded.
#[must_use]
pub fn is_cublas_there() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading a library runs its constructors; cuBLAS's are made for being loaded so.
    *IS_THERE.get_or_init(|| unsafe { sys::is_culib_present() })
}

thread_local! {
    /// Handles are made once a stream and thread, since making one takes milliseconds. They live as long as the
    /// process.
    static HANDLES: RefCell<HashMap<*mut std::ffi::c_void, cublasHandle_t>> = RefCell::default();
}

/// As [`crate::gemm()`], whose buffers were checked.
pub(crate) fn gemm(factors: &Factors<'_>, c: &mut Buffer<f32>) -> Result<(), CublasError> {
    let Factors { rows, columns, inner, alpha, beta, a, b, .. } = factors;
    if c.is_empty() {
        return Ok(());
    }
    with_handle(c.stream(), |handle| {
        let (none, [rows, columns]) =
            (cublasOperation_t::CUBLAS_OP_N, [*rows, *columns].map(|size| size as i32));
        let inner = *inner as i32;
        let [a, b, c] = [a.pointer(), b.pointer(), c.pointer()];
        // SAFETY: the buffers have as many elements as their shapes say. To cuBLAS, which goes column by column,
        // they are the transposed matrices.
        let status = unsafe {
            sys::cublasSgemm_v2(
                handle,
                none,
                none,
                columns,
                rows,
                inner,
                alpha,
                b as *const f32,
                columns.max(1),
                a as *const f32,
                inner.max(1),
                beta,
                c as *mut f32,
                columns.max(1),
            )
        };
        check("cublasSgemm", status)
    })
}

/// Calls cuBLAS with a stream's handle, in the context of its device.
fn with_handle(
    stream: Stream,
    call: impl FnOnce(cublasHandle_t) -> Result<(), CublasError>,
) -> Result<(), CublasError> {
    let unusable = |error| CublasError { function: "cublasCreate", status: format!("{error}") };
    stream.device().with_context(|| call(handle(stream)?)).map_err(unusable)?
}

/// Operands of cuBLAS on matrix units.
#[derive(Clone, Copy, Debug)]
pub enum Operands<'a> {
    /// Single precision, rounded to TF32.
    Tf32(&'a Buffer<f32>, &'a Buffer<f32>),
    /// Single precision, rounded to BF16.
    Bf16(&'a Buffer<f32>, &'a Buffer<f32>),
    /// Stored in BF16.
    StoredBf16(&'a Buffer<u16>, &'a Buffer<u16>),
}

/// Computes C = A·B by cuBLAS on matrix units, whose sums are of single precision: to be compared with.
///
/// `shape` is the rows of A, the columns of B and the inner size; matrices are row by row in memory.
///
/// # Errors
/// When the device or cuBLAS fails.
///
/// # Panics
/// When a buffer is not as long as the shape says.
pub fn cublas_on_matrix_units(
    shape: [u32; 3],
    operands: Operands<'_>,
    c: &mut Buffer<f32>,
) -> Result<(), CublasError> {
    use sys::cublasComputeType_t as Compute;
    use sys::cudaDataType_t::{CUDA_R_16BF, CUDA_R_32F};
    let [rows, columns, inner] = shape.map(|size| size as usize);
    let (lengths, pointers, stored, compute) = match operands {
        Operands::Tf32(a, b) => (
            [a.len(), b.len()],
            [a.pointer(), b.pointer()],
            CUDA_R_32F,
            Compute::CUBLAS_COMPUTE_32F_FAST_TF32,
        ),
        Operands::Bf16(a, b) => (
            [a.len(), b.len()],
            [a.pointer(), b.pointer()],
            CUDA_R_32F,
            Compute::CUBLAS_COMPUTE_32F_FAST_16BF,
        ),
        Operands::StoredBf16(a, b) => {
            ([a.len(), b.len()], [a.pointer(), b.pointer()], CUDA_R_16BF, Compute::CUBLAS_COMPUTE_32F)
        }
    };
    assert_eq!((lengths, c.len()), ([rows * inner, inner * columns], rows * columns), "buffers of {shape:?}");
    with_handle(c.stream(), |handle| {
        let none = cublasOperation_t::CUBLAS_OP_N;
        let [rows, columns, inner] = shape.map(|size| size as i32);
        let ([a, b], (alpha, beta)) = (pointers, (1.0_f32, 0.0_f32));
        // SAFETY: the buffers have as many elements as the shape says; see `gemm`.
        unsafe {
            check("cublasSetMathMode", sys::cublasSetMathMode(handle, cublasMath_t::CUBLAS_DEFAULT_MATH))?;
            let status = sys::cublasGemmEx(
                handle,
                none,
                none,
                columns,
                rows,
                inner,
                (&raw const alpha).cast(),
                b as *const std::ffi::c_void,
                stored,
                columns.max(1),
                a as *const std::ffi::c_void,
                stored,
                inner.max(1),
                (&raw const beta).cast(),
                c.pointer() as *mut std::ffi::c_void,
                CUDA_R_32F,
                columns.max(1),
                compute,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            );
            check("cublasSetMathMode", sys::cublasSetMathMode(handle, cublasMath_t::CUBLAS_PEDANTIC_MATH))?;
            check("cublasGemmEx", status)
        }
    })
}

/// The thread's handle for a stream.
fn handle(stream: Stream) -> Result<cublasHandle_t, CublasError> {
    HANDLES.with_borrow_mut(|handles| {
        if let Some(handle) = handles.get(&stream.as_raw()) {
            return Ok(*handle);
        }
        let mut handle = std::ptr::null_mut();
        // SAFETY: the stream's context is the current one, and lives as long as the process.
        unsafe {
            check("cublasCreate", sys::cublasCreate_v2(&mut handle))?;
            check("cublasSetStream", sys::cublasSetStream_v2(handle, stream.as_raw().cast()))?;
            check("cublasSetMathMode", sys::cublasSetMathMode(handle, cublasMath_t::CUBLAS_PEDANTIC_MATH))?;
        }
        handles.insert(stream.as_raw(), handle);
        Ok(handle)
    })
}

fn check(function: &'static str, status: cublasStatus_t) -> Result<(), CublasError> {
    match status {
        cublasStatus_t::CUBLAS_STATUS_SUCCESS => Ok(()),
        other => Err(CublasError { function, status: format!("{other:?}") }),
    }
}
