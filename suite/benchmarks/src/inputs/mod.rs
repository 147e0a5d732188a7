//! The inputs that the functions are measured on: built-in ones that a name describes completely, and files.
//!
//! A built-in name says how its input is made: `train/gaussian-n50000-d12-s3` is an image of 50000 pixels whose
//! values scatter by 12 around the middle, from the seed 3. Names that begin with `train/` are for learning, those
//! that begin with `test/` for judging what was learned; both differ in sizes as well as in seeds.

mod error;
pub mod histogram;
mod jpeg;
pub(crate) mod name;
pub(crate) mod random;
pub mod sort;
pub mod spmv;
pub mod transpose;

pub use error::{InputError, NameProblem};
