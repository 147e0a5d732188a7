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
    /// `rows` × `inner` elements.
    pub a: &'a Buffer<f32>,
    /// `inner` × `columns` elements.
    pub b: &'a Buffer<f32>,
}
