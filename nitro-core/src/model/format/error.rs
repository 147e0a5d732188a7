//! Errors of model files.

use std::error::Error;
use std::path::PathBuf;

use crate::Artifact;
use crate::error_text::error_text;

/// Model files are kilobytes; anything above this is not one, and is not read into memory.
pub(super) const MAX_FILE_BYTES: u64 = 64 << 20;
/// The version of model files that this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 3;

/// A reason why bytes or a file gave no model, or a model no file.
///
/// Of a file the error is its path; what is wrong is the `source`.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A file held no usable model, or was to hold none.
    File {
        /// The file.
        path: PathBuf,
        /// The error in its bytes.
        source: Box<ModelError>,
    },
    /// The bytes do not begin like a model.
    Magic,
    /// The model has a format this crate does not read.
    Version {
        /// The version in the header.
        found: u32,
    },
    /// Fewer or more bytes than the header announces.
    Length {
        /// Bytes that are there.
        found: u64,
        /// Bytes that should be there.
        announced: u64,
    },
    /// The checksum of the body does not match.
    Checksum,
    /// The body is no model although its checksum is right.
    Body {
        /// The name of the first section that is not what it should be.
        section: &'static str,
    },
    /// The model has a part that this crate does not know and cannot do without.
    Section {
        /// Its name.
        name: String,
    },
    /// The parts of the model contradict one another.
    Inconsistent {
        /// The part that does not fit.
        what: &'static str,
    },
    /// A choice is generated code whose text nobody has kept.
    Artifact {
        /// The artifact.
        artifact: Artifact,
    },
    /// More bytes than a file is read with.
    TooLarge {
        /// The bytes that it takes.
        bytes: usize,
    },
}

error_text! {
    ModelError:
    Self::Io { path, .. } => "{}" path.display(),
    Self::File { path, .. } => "{}" path.display(),
    Self::Magic => "not a Nitro model: it does not begin with NITROMDL",
    Self::Version { found } =>
        "model format {found}, this program reads format {FORMAT_VERSION}: fit the model again with the \
         trainer of this version",
    Self::Length { found, announced } =>
        "{found} bytes where the header announces {announced}: the file was cut off or added to, copy it \
         again",
    Self::Checksum => "the checksum does not match: the file is damaged, copy it again",
    Self::Body { section } =>
        "the body is not a model of format {FORMAT_VERSION}: its section `{section}` cannot be read",
    Self::Section { name } =>
        "the model has a section `{name}` that this program does not know: use the version of the trainer",
    Self::Inconsistent { what } => "inconsistent model: {what}",
    Self::Artifact { artifact } =>
        "the text of the artifact {artifact} is not known here: keep it before the model is written",
    Self::TooLarge { bytes } =>
        "the model takes {bytes} bytes where {MAX_FILE_BYTES} are read: fit it from fewer inputs or \
         devices",
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}
