//! The implementations behind the four functions, one module a function.
//!
//! Every variant runs on the *current* rayon pool, so that a device `host:THREADS`, which installs a
//! pool of its own, decides how many threads it gets.

pub mod histogram;
pub mod sort;
pub mod spmv;
pub mod transpose;
