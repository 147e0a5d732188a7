//! cuSPARSE's product of a sparse matrix in compressed rows and a vector.

use std::ffi::c_void;
use std::ptr;
use std::sync::OnceLock;

use cudarc::cusparse::sys::{self, cusparseStatus_t};
use nitro_cuda::{Buffer, CudaError, Stream};

use crate::cuda::spmv::{Matrix, check_lengths};

const VALUES: sys::cudaDataType = sys::cudaDataType::CUDA_R_64F;
const INDICES: sys::cusparseIndexType_t = sys::cusparseIndexType_t::CUSPARSE_INDEX_32I;
const ALGORITHM: sys::cusparseSpMVAlg_t = sys::cusparseSpMVAlg_t::CUSPARSE_SPMV_ALG_DEFAULT;
const AS_IT_IS: sys::cusparseOperation_t = sys::cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE;

/// Calls a function of cuSPARSE; a failure becomes an error that names it.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        match sys::$function($($argument),*) {
            cusparseStatus_t::CUSPARSE_STATUS_SUCCESS => Ok(()),
            status => Err(CudaError::Library { call: stringify!($function), code: status as i32 }),
        }
    };
}

/// Calls a function about y ← 1·A·x + 0·y. The scalars are of the computation's type and live for ever, and the
/// descriptors are cuSPARSE's; what the last argument points to is the caller's to vouch for.
macro_rules! product {
    ($function:ident($form:expr, $x:expr, $y:expr, $last:expr)) => {{
        static SCALARS: [f64; 2] = [1.0, 0.0];
        let [one, zero] = SCALARS.each_ref().map(|scalar| ptr::from_ref(scalar).cast());
        let (matrix, x, y) = ($form.matrix, $x.0.cast_const(), $y.0);
        call!($function($form.handle, AS_IT_IS, one, matrix, x, zero, y, VALUES, ALGORITHM, $last))
    }};
}

/// y ← A·x by cuSPARSE.
///
/// # Errors
/// When the vectors have not the matrix's lengths, or the device fails.
///
/// # Panics
/// When cuSPARSE has no form of the matrix ([`Matrix::cusparse`]).
pub fn cusparse(a: &Matrix, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<(), CudaError> {
    check_lengths(a, x, y)?;
    let form = a.cusparse().expect("the constraint admits only matrices that cuSPARSE has");
    y.stream().device().with_context(|| {
        let (x, y) = (Vector::new(x)?, Vector::new(y)?);
        // SAFETY: see the macro; the workspace is as large as cuSPARSE asked for.
        unsafe { product!(cusparseSpMV(form, x, y, form.workspace.pointer() as *mut c_void)) }
    })?
}

/// A matrix as cuSPARSE knows it, after its analysis. It reads the buffers it was made from, which have to outlive it.
#[derive(Debug)]
pub struct Cusparse {
    stream: Stream,
    handle: sys::cusparseHandle_t,
    matrix: sys::cusparseConstSpMatDescr_t,
    workspace: Buffer<u8>,
}

impl Cusparse {
    /// Describes compressed rows to cuSPARSE and lets it analyse them; none without the library.
    pub(in crate::cuda) fn new(
        columns: usize,
        offsets: &Buffer<u32>,
        column_of: &Buffer<u32>,
        values: &Buffer<f64>,
    ) -> Result<Option<Self>, CudaError> {
        if !is_present() {
            return Ok(None);
        }
        let (stream, rows) = (values.stream(), offsets.len() - 1);
        let workspace = Buffer::uninit_on(stream, 0)?;
        let mut form = Self { stream, handle: ptr::null_mut(), matrix: ptr::null_mut(), workspace };
        let [offsets, column_of, entries] = [offsets.pointer(), column_of.pointer(), values.pointer()]
            .map(|pointer| pointer as *const c_void);
        stream.device().with_context(|| {
            let base = sys::cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO;
            let [rows, columns, nonzeros] = [rows, columns, values.len()].map(|size| size as i64);
            // SAFETY: the places live through the calls, and the buffers are as long as the sizes say.
            unsafe {
                call!(cusparseCreate(&mut form.handle))?;
                call!(cusparseSetStream(form.handle, stream.as_raw().cast()))?;
                call!(cusparseCreateConstCsr(
                    &mut form.matrix,
                    rows,
                    columns,
                    nonzeros,
                    offsets,
                    column_of,
                    entries,
                    INDICES,
                    INDICES,
                    base,
                    VALUES
                ))
            }
        })??;
        form.analyse(rows, columns)?;
        Ok(Some(form))
    }

    /// Allocates what products need, and does beforehand what does not depend on the vector.
    fn analyse(&mut self, rows: usize, columns: usize) -> Result<(), CudaError> {
        let (x, y) = (Buffer::<f64>::zeroed(columns)?, Buffer::<f64>::zeroed(rows)?);
        let device = self.stream.device();
        let mut bytes = 0;
        device.with_context(|| {
            let (x, y) = (Vector::new(&x)?, Vector::new(&y)?);
            // SAFETY: see the macro; the place for the size lives through the call.
            unsafe { product!(cusparseSpMV_bufferSize(self, x, y, &mut bytes)) }
        })??;
        // An empty buffer has no address.
        self.workspace = Buffer::uninit_on(self.stream, bytes.max(1))?;
        device.with_context(|| {
            let (x, y) = (Vector::new(&x)?, Vector::new(&y)?);
            // SAFETY: see the macro; the workspace is as large as was asked for.
            unsafe { product!(cusparseSpMV_preprocess(self, x, y, self.workspace.pointer() as *mut c_void)) }
        })??;
        self.stream.synchronize()
    }
}

impl Drop for Cusparse {
    fn drop(&mut self) {
        let destroyed = self.stream.device().with_context(|| {
            // SAFETY: both are cuSPARSE's, or null because making them failed; nothing uses them any more.
            unsafe {
                if !self.matrix.is_null() {
                    call!(cusparseDestroySpMat(self.matrix))?;
                }
                if !self.handle.is_null() {
                    call!(cusparseDestroy(self.handle))?;
                }
            }
            Ok(())
        });
        if let Err(error) = destroyed.and_then(|destroyed| destroyed) {
            tracing::debug!(%error, "a matrix of cuSPARSE stays allocated");
        }
    }
}

/// A dense vector as cuSPARSE knows it.
struct Vector(sys::cusparseDnVecDescr_t);

impl Vector {
    fn new(values: &Buffer<f64>) -> Result<Self, CudaError> {
        let mut vector = Self(ptr::null_mut());
        let (length, address) = (values.len() as i64, values.pointer() as *mut c_void);
        // SAFETY: the place lives through the call, and the buffer is as long as is said.
        unsafe { call!(cusparseCreateDnVec(&mut vector.0, length, address, VALUES)) }?;
        Ok(vector)
    }
}

impl Drop for Vector {
    fn drop(&mut self) {
        // SAFETY: the descriptor is cuSPARSE's, or null because making it failed, which is refused.
        let _refused = unsafe { sys::cusparseDestroyDnVec(self.0) };
    }
}

/// Whether the library is there; looked for once.
fn is_present() -> bool {
    static PRESENT: OnceLock<bool> = OnceLock::new();
    // SAFETY: loading a library runs its constructors; cuSPARSE is made for being loaded so.
    *PRESENT.get_or_init(|| unsafe { sys::is_culib_present() })
}
