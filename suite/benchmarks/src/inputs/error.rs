//! What can be wrong with an input.

use std::path::PathBuf;

use super::spmv::MatrixMarketProblem;

/// Why an input could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The name is neither that of a built-in input nor that of a file.
    #[error("input `{name}` of {function}: {problem}")]
    Name {
        /// The name as given.
        name: String,
        /// The function that the input is for.
        function: &'static str,
        /// What is wrong.
        problem: NameProblem,
    },
    /// A file could not be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// An archive has no matrix.
    #[error("{} has no file that ends in .mtx: name an archive with a matrix, or unpack it", path.display())]
    NoMatrix {
        /// The archive.
        path: PathBuf,
    },
    /// A file is no image that can be used.
    #[error("{} is not a usable PNG or JPEG image", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: image::ImageError,
    },
    /// A file is no matrix in Matrix Market form that can be used.
    #[error("{}:{line}: {problem}", path.display())]
    MatrixMarket {
        /// The file, or the name of the shipped matrix.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: MatrixMarketProblem,
    },
}

/// What is wrong with the name of an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// It does not begin with `train/` or `test/`, and there is no file of this name.
    #[error("there is no such file, and a built-in input begins with `train/` or `test/`")]
    NeitherFileNorBuiltIn,
    /// The function reads no files.
    #[error("this function reads no files, and a built-in input begins with `train/` or `test/`")]
    NoFiles,
    /// The family is unknown.
    #[error("there is no family `{found}`; there are {known}")]
    Family {
        /// The family in the name.
        found: String,
        /// The families of the function.
        known: String,
    },
    /// A parameter is no letter followed by a number.
    #[error("`{part}` is no parameter; write a letter and a number such as `n4096`")]
    Parameter {
        /// The part of the name.
        part: String,
    },
    /// A parameter that the family needs is missing.
    #[error("the parameter `{key}` is missing; write it as `-{key}` and a number")]
    Missing {
        /// The parameter's letter.
        key: char,
    },
    /// A parameter that the family does not have, or given twice.
    #[error("the parameter `{key}` is given twice or means nothing here; leave it out")]
    Surplus {
        /// The parameter's letter.
        key: char,
    },
    /// A parameter's value is too small or too large.
    #[error("the parameter `{key}` is {value}; it must be between {min} and {max}")]
    Range {
        /// The parameter's letter.
        key: char,
        /// The value in the name.
        value: u64,
        /// Smallest value allowed.
        min: u64,
        /// Largest value allowed.
        max: u64,
    },
    /// A key size that does not exist.
    #[error("the parameter `b` is {bits}; keys have 32 or 64 bits")]
    KeyBits {
        /// The value in the name.
        bits: u64,
    },
    /// There is no shipped matrix of this name.
    #[error("no such matrix is shipped; there are {known}")]
    Shipped {
        /// The shipped matrices.
        known: String,
    },
}
