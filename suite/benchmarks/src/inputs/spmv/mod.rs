//! Sparse matrices.

mod generators;
mod matrix_market;
mod packed;
mod problem;
mod suite_sparse;

pub use problem::MatrixMarketProblem;

use super::InputError;
use super::name::Source;
use crate::variants::spmv::Matrix;

/// The files that [`load`] reads, as a pattern of [`nitro_train::Session::inputs`].
pub const FILES: &str = "*.{mtx,mtx.xz,tar,tar.xz,tgz,txz}";

/// The names of the built-in matrices: generated ones for training, generated and real ones for testing.
pub fn names() -> Vec<String> {
    generators::names().into_iter().chain(suite_sparse::names()).collect()
}

/// Makes a built-in matrix, reads a shipped one, or reads a file in Matrix Market form: plain, compressed by gzip or
/// xz, or in an archive as the SuiteSparse collection has them. Of several matrices in an archive it is the one that
/// is called as the archive, or else the largest.
///
/// # Errors
/// A name that is neither a built-in one nor a file's, or a file that is no usable matrix; the error says which line to
/// change.
pub fn load(name: &str) -> Result<Matrix, InputError> {
    if let Some(shipped) = name.strip_prefix(suite_sparse::PREFIX) {
        return suite_sparse::load(name, shipped);
    }
    match Source::of(name, "spmv")? {
        Source::BuiltIn(name) => generators::generate(name),
        Source::File(path) => packed::read(path),
    }
}
