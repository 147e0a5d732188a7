//! The model file: `NITROMDL`, format version (u32), checksum of the body (u32, CRC-32), length of the body (u64), all
//! little-endian, then the body in postcard, then, if the model has one, its coverage in postcard.
//!
//! The structs here are not those that the program works with, so that either side can change alone. The exceptions are `Svm`,
//! whose arrays are LIBSVM's layout, which is as stable as a format can be, `Forest`, whose arrays are the trees in preorder, and
//! `Coverage`, which is tables of numbers alone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Coverage, Forest, Model, Provenance, Selector, Svm, limited};
use crate::{MAX_CHOICES, MAX_FEATURES, files, name};

const MAGIC: &[u8; 8] = b"NITROMDL";
const HEADER_BYTES: usize = 24;
/// Model files are kilobytes; anything above this is not one, and is not read into memory.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The version of model files that this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 2;

/// Why bytes or a file gave no model, or a model no file. Of a file the error is its path; what is wrong is the `source`.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The file cannot be read or written.
    #[error("{}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file held no usable model, or was to hold none.
    #[error("{}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with its bytes.
        source: Box<ModelError>,
    },
    /// The bytes do not begin like a model.
    #[error("not a Nitro model: it does not begin with NITROMDL")]
    Magic,
    /// The model has a format this crate does not read.
    #[error(
        "model format {found}, this program reads format {FORMAT_VERSION}: fit the model again with the trainer of this version"
    )]
    Version {
        /// The version in the header.
        found: u32,
    },
    /// Fewer or more bytes than the header announces.
    #[error(
        "{found} bytes where the header announces {announced}: the file was cut off or added to, copy it again"
    )]
    Length {
        /// Bytes that are there.
        found: u64,
        /// Bytes that should be there.
        announced: u64,
    },
    /// The checksum of the body does not match.
    #[error("the checksum does not match: the file is damaged, copy it again")]
    Checksum,
    /// The body is no model although its checksum is right.
    #[error("the body is not a model of format {FORMAT_VERSION}")]
    Body(#[source] postcard::Error),
    /// The parts of the model contradict one another.
    #[error("inconsistent model: {what}")]
    Inconsistent {
        /// The part that does not fit.
        what: &'static str,
    },
    /// More bytes than a file is read with.
    #[error(
        "the model takes {bytes} bytes where {MAX_FILE_BYTES} are read: fit it from fewer inputs or devices"
    )]
    TooLarge {
        /// What it takes.
        bytes: usize,
    },
}

#[derive(Serialize, Deserialize)]
struct Body {
    function: String,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    choices: Vec<String>,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    features: Vec<String>,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    device_features: Vec<String>,
    selector: SelectorBody,
    strategy: String,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    sources: Vec<String>,
    training_inputs: u64,
    seed: u64,
    recordings_digest: String,
}

#[derive(Serialize, Deserialize)]
enum SelectorBody {
    Constant(u32),
    Svm(Svm),
    Forest(Forest),
}

pub(super) fn to_bytes(model: &Model) -> Vec<u8> {
    let body = Body {
        function: model.function.clone(),
        choices: model.choices.clone(),
        features: model.features.clone(),
        device_features: model.device_features.clone(),
        selector: match &model.selector {
            Selector::Constant { choice } => SelectorBody::Constant(*choice as u32),
            Selector::Svm(svm) => SelectorBody::Svm(svm.clone()),
            Selector::Forest(forest) => SelectorBody::Forest(forest.clone()),
        },
        strategy: model.provenance.strategy.clone(),
        sources: model.provenance.sources.clone(),
        training_inputs: model.provenance.training_inputs as u64,
        seed: model.provenance.seed,
        recordings_digest: model.provenance.recordings_digest.clone(),
    };
    let mut body = postcard::to_allocvec(&body).expect("plain data serialises into memory");
    if !model.coverage.is_empty() {
        body.extend(postcard::to_allocvec(&model.coverage).expect("plain data serialises into memory"));
    }
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<Model, ModelError> {
    let body = checked_body(bytes)?;
    let (body, rest): (Body, _) = postcard::take_from_bytes(body).map_err(ModelError::Body)?;
    let model = Model {
        function: body.function,
        choices: body.choices,
        features: body.features,
        device_features: body.device_features,
        selector: match body.selector {
            SelectorBody::Constant(choice) => Selector::Constant { choice: choice as usize },
            SelectorBody::Svm(svm) => Selector::Svm(svm),
            SelectorBody::Forest(forest) => Selector::Forest(forest),
        },
        coverage: coverage(rest)?,
        provenance: Provenance {
            strategy: body.strategy,
            sources: body.sources,
            training_inputs: body.training_inputs as usize,
            seed: body.seed,
            recordings_digest: body.recordings_digest,
        },
    };
    check(&model).map_err(|what| ModelError::Inconsistent { what })?;
    Ok(model)
}

/// The part behind the model, which older trainers do not write.
fn coverage(bytes: &[u8]) -> Result<Coverage, ModelError> {
    if bytes.is_empty() {
        return Ok(Coverage::default());
    }
    let (coverage, rest): (Coverage, _) = postcard::take_from_bytes(bytes).map_err(ModelError::Body)?;
    if !rest.is_empty() || coverage.is_empty() {
        return Err(ModelError::Inconsistent { what: "bytes behind the model" });
    }
    Ok(coverage)
}

/// The body behind a header that is whole and right.
fn checked_body(bytes: &[u8]) -> Result<&[u8], ModelError> {
    if !bytes.starts_with(MAGIC) {
        return Err(ModelError::Magic);
    }
    let Some((header, body)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Err(ModelError::Length { found: bytes.len() as u64, announced: HEADER_BYTES as u64 });
    };
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let found = word(8);
    if found != FORMAT_VERSION {
        return Err(ModelError::Version { found });
    }
    let announced = u64::from(word(16)) | u64::from(word(20)) << 32;
    if announced != body.len() as u64 {
        return Err(ModelError::Length { found: body.len() as u64, announced });
    }
    if crc32fast::hash(body) != word(12) {
        return Err(ModelError::Checksum);
    }
    Ok(body)
}

/// A model that passes cannot make a prediction panic.
fn check(model: &Model) -> Result<(), &'static str> {
    let choices = model.choices.len();
    if choices == 0 || choices > MAX_CHOICES {
        return Err("number of choices");
    }
    if model.features.len() > MAX_FEATURES {
        return Err("number of features");
    }
    check_names(model)?;
    model.coverage.check(model.features.len())?;
    let columns = model.features.len() + model.device_features.len();
    match &model.selector {
        Selector::Constant { choice } if *choice >= choices => Err("constant choice"),
        Selector::Constant { .. } => Ok(()),
        Selector::Svm(svm) => svm.check(choices, columns),
        Selector::Forest(forest) => forest.check(choices, model.features.len(), columns).map(|_| ()),
    }
}

/// Names may be shown on a terminal, and name files.
fn check_names(model: &Model) -> Result<(), &'static str> {
    name::check_function(&model.function).map_err(|_| "name of the function")?;
    let provenance = &model.provenance;
    let lists = [
        ("name of a choice", &model.choices),
        ("name of a feature", &model.features),
        ("name of a device feature", &model.device_features),
        ("name of a source", &provenance.sources),
    ];
    let columns = model.coverage.devices.iter().map(|devices| ("name of a column", &devices.features));
    for (what, names) in lists.into_iter().chain(columns) {
        names.iter().try_for_each(|one| name::check(one)).map_err(|_| what)?;
    }
    let texts = [("strategy", &provenance.strategy), ("digest", &provenance.recordings_digest)];
    let ill = texts.into_iter().find(|(_, text)| !text.is_empty() && name::check(text).is_err());
    ill.map_or(Ok(()), |(what, _)| Err(what))
}

pub(super) fn read(path: &Path) -> Result<Model, ModelError> {
    let bytes =
        files::read(path, MAX_FILE_BYTES).map_err(|source| ModelError::Io { path: path.into(), source })?;
    from_bytes(&bytes).map_err(|source| ModelError::File { path: path.into(), source: source.into() })
}

pub(super) fn write(model: &Model, path: &Path) -> Result<(), ModelError> {
    let refused = |source: ModelError| ModelError::File { path: path.into(), source: source.into() };
    let bytes = readable(model).map_err(refused)?;
    files::replace_with_folder(path, &bytes).map_err(|source| ModelError::Io { path: path.into(), source })
}

/// The bytes of the model, if they are read back.
fn readable(model: &Model) -> Result<Vec<u8>, ModelError> {
    let bytes = to_bytes(model);
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ModelError::TooLarge { bytes: bytes.len() });
    }
    from_bytes(&bytes).map(|_| bytes)
}
