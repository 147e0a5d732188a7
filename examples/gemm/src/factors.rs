//! The factors of a product.

use nitro_cuda::Buffer;

/// The factors of a product, whose matrices are row by row in memory.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a> {
    /// Rows of A and C.
    pub rows: u32,
    /// Columns of B and C.
    pub columns: u32,
    /// Columns of A, rows of B.
    pub inner: u32,
    /// Before the product.
    pub alpha: f32,
    /// Before what C was.
    pub beta: f32,
    /// The largest error of an element that the caller accepts, relative to |α|·Σ|a·b| + |β·c|.
    ///
    /// With 0, no variant runs but those that compute in single precision;
    /// [`AS_SINGLE`](crate::AS_SINGLE) admits what is as good.
    pub tolerance: f64,
    /// `rows` × `inner` elements.
    pub a: &'a Buffer<f32>,
    /// `inner` × `columns` elements.
    pub b: &'a Buffer<f32>,
}
