//! Errors of tables and files.

use std::io;

use nitro_core::name::{self, NameError};
use nitro_core::{Artifact, MAX_ARTIFACT_BYTES, MAX_VARIANTS, Unit, UnknownUnit};

use crate::printable::excerpt;
use crate::recordings::MAX_FEATURES;

/// An error of an import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum ImportError {
    /// Nothing can be called so.
    #[error("function `{}` {problem}", excerpt(name))]
    Function { name: String, problem: NameError },

    /// The file cannot be read.
    #[error("{file}: cannot be read; check its name and permissions")]
    Read { file: String, source: io::Error },

    /// The compressed data is not whole.
    #[error("{file}: its {format} data is cut short or damaged; compress or copy it again")]
    Compressed { file: String, format: &'static str, source: io::Error },

    /// An archive of none or several files.
    #[error("{file}: has {found} files; keep the one that is to be read in it")]
    Archive { file: String, found: usize },

    /// The name promises a compression that the content does not have.
    #[error("{file}: is not {format} data; rename it or compress it")]
    NotCompressed { file: String, format: &'static str },

    /// More text than any table has.
    #[error("{file}: has more than {limit_mib} MiB of text; split it")]
    TooLong { file: String, limit_mib: u64 },

    /// A row that cannot be taken.
    #[error("{file}:{line}: {problem}")]
    Row { file: String, line: usize, problem: Problem },
}

/// A mistake in one line of a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum Problem {
    /// Nothing in the file.
    #[error("the file is empty; it needs a header line with {columns}")]
    Empty { columns: String },

    /// A header and nothing below.
    #[error("there is no row below the header; add at least one")]
    NoRows,

    /// Bytes that are no text.
    #[error("byte {byte} of the line is not UTF-8; save the file as UTF-8")]
    NotUtf8 { byte: usize },

    /// A quoted field without its second quote, or with text after it.
    #[error("a quoted field is not closed; end it with `\"` and double the quotes inside it")]
    Quote,

    /// A header without a column that has to be there.
    #[error("the header has no column `{column}`; it needs {expected}")]
    MissingColumn { column: String, expected: String },

    /// A header that does not begin with the key.
    #[error("the first column is `{found}`; it has to be `{expected}`, then one column a {others}")]
    FirstColumn { expected: &'static str, others: &'static str, found: String },

    /// A column without a meaning.
    #[error("column `{column}` means nothing here; remove it or use one of {known}")]
    UnknownColumn { column: String, known: String },

    /// A column without a name.
    #[error("column {position} has no name; name it or remove it")]
    UnnamedColumn { position: usize },

    /// Two columns of one name.
    #[error("column `{column}` appears twice; remove or rename one")]
    RepeatedColumn { column: String },

    /// More columns than there are features.
    #[error(
        "column {position}, `{column}`, is one too many: a table may have {MAX_FEATURES} features; remove those that \
         say little"
    )]
    TooManyColumns { position: usize, column: String },

    /// Nothing can be called so.
    #[error("{what} `{name}` {problem}")]
    Name { what: &'static str, name: String, problem: NameError },

    /// More variants than a selection tells apart.
    #[error("variant `{variant}` is one too many: a function may have {MAX_VARIANTS}; leave some out")]
    TooManyVariants { variant: String },

    /// A row with another number of fields than the header.
    #[error(
        "{found} fields where the header has {expected}; add or remove fields, or quote those with a comma"
    )]
    FieldCount { expected: usize, found: usize },

    /// A key without a name.
    #[error("the {column} has no name; fill it in")]
    MissingName { column: &'static str },

    /// An input or device without a row of its own.
    #[error("{column} `{name}` has no row in the table of {column}s; add it there or correct the name")]
    UnknownName { column: &'static str, name: String },

    /// A key that an earlier line has.
    #[error("{key} is there already; remove one of the two rows")]
    Repeated { key: String },

    /// A configuration with other parameters than those before it.
    #[error(
        "configuration `{configuration}` has other parameters than the first one of its variant, {expected}; fill in \
         those and no other"
    )]
    OtherParameters { configuration: String, expected: String },

    /// A configuration whose name says another value than its column.
    #[error("configuration `{configuration}` has {value} in column `{parameter}`; correct one of the two")]
    OtherValue { configuration: String, parameter: String, value: String },

    /// Configurations of a variant that nothing tells.
    #[error("of which variant these configurations are cannot be told ({variants}); add a column `variant`")]
    WhichVariant { variants: String },

    /// A field that is not a finite number.
    #[error("`{found}` in column `{column}` is not a finite number; correct it")]
    NotANumber { column: String, found: String },

    /// A field that is not a count.
    #[error("`{found}` in column `{column}` is not a whole number from 0 to 4294967295; correct it")]
    NotACount { column: &'static str, found: String },

    /// A time or spread that cannot be.
    #[error("`{found}` in column `{column}` is out of range; it has to be {expected}")]
    OutOfRange { column: &'static str, found: String, expected: &'static str },

    /// A word that is no unit.
    #[error("`{found}` in column `{column}` is {problem}; correct it or leave it empty")]
    UnknownUnit { column: String, found: String, problem: UnknownUnit },

    /// A rate of an input.
    #[error(
        "`{unit}` in column `{column}` is a rate, which only device features have; write Bytes, Operations, Count or \
         Parallelism, or leave it empty"
    )]
    RateOfInput { column: String, unit: Unit },

    /// A unit of nothing.
    #[error("feature `{feature}` is neither in the table of inputs nor in that of devices; correct the name")]
    UnknownFeature { feature: String },

    /// A unit that another table contradicts.
    #[error("feature `{feature}` is in {known} by its own table and in {unit} here; correct one of the two")]
    OtherUnit { feature: String, known: Unit, unit: Unit },

    /// An outcome without a meaning.
    #[error("outcome `{found}` means nothing; use time, failed, wrong or inadmissible")]
    UnknownOutcome { found: String },

    /// A line that is no artifact.
    #[error("the line is not an artifact (`{{\"artifact\": DIGEST, \"text\": CODE}}`): {why}")]
    NotAnArtifact { why: String },

    /// A text that belongs to another digest.
    #[error(
        "the text has the digest {found} and not `{}`; copy the line again from where it came",
        excerpt(artifact)
    )]
    OtherArtifact { artifact: String, found: Artifact },

    /// Generated code that nothing takes.
    #[error("the text has {bytes} bytes; an artifact may have {MAX_ARTIFACT_BYTES}")]
    LongArtifact { bytes: usize },

    /// A mistake in a file of Kernel Tuner.
    #[error("{what}")]
    KernelTuner { what: String },

    /// An outcome and a time that contradict each other.
    #[error("outcome `{outcome}` {problem}")]
    Contradiction { outcome: String, problem: &'static str },
}

/// Checks the name of a variant, feature, device or input.
pub(super) fn check_name(what: &'static str, name: &str) -> Result<(), Problem> {
    name::check(name).map_err(|problem| Problem::Name { what, name: excerpt(name), problem })
}

/// An error of an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what each field is")]
pub enum ExportError {
    /// The file cannot be written.
    #[error("{file}: cannot be written; check that its folder is there and may be written")]
    Write { file: String, source: io::Error },
}

/// Refuses a name that no function can have.
pub(super) fn check_function(name: &str) -> Result<(), ImportError> {
    nitro_core::name::check_function(name)
        .map_err(|problem| ImportError::Function { name: name.to_owned(), problem })
}
