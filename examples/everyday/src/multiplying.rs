//! Products of matrices.

use nitro::code_variant;

/// A dense matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

impl Matrix {
    /// The matrix of these values, row by row.
    ///
    /// ```
    /// let matrix = nitro_everyday::Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    /// assert_eq!((matrix.rows(), matrix.columns(), matrix.values()[3]), (2, 3, 4.0));
    /// ```
    ///
    /// # Panics
    /// When there are not rows times columns values.
    #[must_use]
    pub fn new(rows: usize, columns: usize, values: Vec<f32>) -> Self {
        assert_eq!(values.len(), rows * columns, "a matrix of {rows} rows and {columns} columns");
        Self { rows, columns, values }
    }

    /// A matrix of zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self::new(rows, columns, vec![0.0; rows * columns])
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The values, row by row.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// C ← A·B. Variants round differently.
///
/// ```
/// use nitro_everyday::{Matrix, matmul};
///
/// let (a, b) = (Matrix::new(1, 2, vec![1.0, 2.0]), Matrix::new(2, 1, vec![3.0, 4.0]));
/// let mut c = Matrix::zeros(1, 1);
/// matmul(&a, &b, &mut c);
/// assert_eq!(c.values(), [11.0]);
/// ```
///
/// # Panics
/// When the shapes do not fit.
#[code_variant(
    name = "everyday::matmul",
    features(
        rows = a.rows,
        inner = a.columns,
        columns = b.columns,
        multiplications = (a.rows * a.columns) as f64 * b.columns as f64,
    ),
    variants(packed, small, loops),
    default = packed,
    model = nitro::embedded_model!("models/everyday.matmul.model"),
)]
pub fn matmul(a: &Matrix, b: &Matrix, c: &mut Matrix);

fn check(a: &Matrix, b: &Matrix, c: &Matrix) {
    let fits = (a.rows, a.columns, b.columns) == (c.rows, b.rows, c.columns);
    assert!(fits, "{}x{} times {}x{} into {}x{}", a.rows, a.columns, b.rows, b.columns, c.rows, c.columns);
}

/// Packs both matrices into the order in which its kernel reads them (`matrixmultiply`).
fn packed(a: &Matrix, b: &Matrix, c: &mut Matrix) {
    check(a, b, c);
    let ([a_stride, b_stride, c_stride], into) =
        ([a, b, c].map(|matrix| matrix.columns as isize), c.values.as_mut_ptr());
    // SAFETY: the shapes fit, each matrix has all of its values, and C, which is borrowed mutably, is none of the
    // others.
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.columns,
            b.columns,
            1.0,
            a.values.as_ptr(),
            a_stride,
            1,
            b.values.as_ptr(),
            b_stride,
            1,
            0.0,
            into,
            c_stride,
            1,
        );
    }
}

/// Reads them where they are, by a kernel for this shape (`nano-gemm`). It takes columns: the product of the
/// transposed matrices is that of the matrices, transposed.
fn small(a: &Matrix, b: &Matrix, c: &mut Matrix) {
    check(a, b, c);
    let plan = nano_gemm::Plan::new_colmajor_lhs_and_dst_f32(b.columns, a.rows, a.columns);
    let [a_stride, b_stride, c_stride] = [a, b, c].map(|matrix| matrix.columns as isize);
    // SAFETY: as above; the plan is for the shape of Cᵀ = Bᵀ·Aᵀ, whose columns are the rows of C and B.
    unsafe {
        plan.execute_unchecked(
            b.columns,
            a.rows,
            a.columns,
            c.values.as_mut_ptr(),
            1,
            c_stride,
            b.values.as_ptr(),
            1,
            b_stride,
            a.values.as_ptr(),
            1,
            a_stride,
            0.0,
            1.0,
            false,
            false,
        );
    }
}

/// Three loops, the innermost along the rows of B and C.
fn loops(a: &Matrix, b: &Matrix, c: &mut Matrix) {
    check(a, b, c);
    c.values.fill(0.0);
    let width = b.columns.max(1);
    for (from, into) in a.values.chunks_exact(a.columns.max(1)).zip(c.values.chunks_exact_mut(width)) {
        for (factor, row) in from.iter().zip(b.values.chunks_exact(width)) {
            into.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
        }
    }
}
