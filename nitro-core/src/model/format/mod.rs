//! The model file: `NITROMDL`, format version (u32), checksum of the body (u32, CRC-32), length of the body (u64),
//! all little-endian, then the body: [sections](section), each in postcard. A reader passes over an optional
//! section that it does not know and refuses the file for a required one, so that later versions can add either
//! kind.
//!
//! | section | | holds |
//! | --- | --- | --- |
//! | `names` | required | function, input features, device features |
//! | `choices` | required | what the model can pick, by name |
//! | `selector` | required | what maps features to a choice |
//! | `gate` | required where it is there | what decides before the selector is asked |
//! | `caution` | optional | when the selector is too unsure to be followed |
//! | `provenance` | optional | how it came to be |
//! | `objective` | optional | what makes one selector better than another in its eyes |
//! | `coverage` | optional | which inputs and devices it was trained on |
//! | `meanings` | optional | digests of what the input features compute |
//! | `artifacts` | optional | the texts of generated code among the choices |
//! | `calibrations` | optional | what takes the selector's place on devices where a little was measured |
//!
//! The structs here are not those that the program works with, so that either side can change alone. The exceptions
//! are `Svm`, whose arrays are LIBSVM's layout, which is as stable as a format can be, `Forest` and `Gate`, whose
//! arrays are trees in preorder, and `Coverage` and `Caution`, which are numbers alone.

mod check;
mod section;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use self::section::Section;
use super::{Calibration, Coverage, Forest, Gate, MAX_ARTIFACTS, Model, Provenance, Selector, Svm, limited};
use crate::{Artifact, MAX_ARTIFACT_BYTES, files};

const MAGIC: &[u8; 8] = b"NITROMDL";
const HEADER_BYTES: usize = 24;
/// Model files are kilobytes; anything above this is not one, and is not read into memory.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The version of model files that this crate writes, and the only one it reads.
pub const FORMAT_VERSION: u32 = 3;

/// Why bytes or a file gave no model, or a model no file. Of a file the error is its path; what is wrong is the
/// `source`.
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
    /// The model has a part that this crate does not know and cannot do without.
    #[error(
        "the model has a section `{name}` that this program does not know: use the version of the trainer"
    )]
    Section {
        /// Its name.
        name: String,
    },
    /// The parts of the model contradict one another.
    #[error("inconsistent model: {what}")]
    Inconsistent {
        /// The part that does not fit.
        what: &'static str,
    },
    /// A choice is generated code whose text nobody has kept.
    #[error("the text of the artifact {artifact} is not known here: keep it before the model is written")]
    Artifact {
        /// The artifact.
        artifact: Artifact,
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
struct Names {
    function: String,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    features: Vec<String>,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    device_features: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Choices {
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    choices: Vec<String>,
}

#[derive(Default, Serialize, Deserialize)]
struct Meanings {
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    digests: Vec<u64>,
}

/// What is listed is read up to that and no further, whatever a file says.
#[derive(Default, Serialize, Deserialize)]
struct Artifacts {
    #[serde(deserialize_with = "limited::list::<{ MAX_ARTIFACTS }, _, _>")]
    artifacts: Vec<ArtifactBody>,
}

#[derive(Serialize, Deserialize)]
struct ArtifactBody {
    digest: u64,
    text: String,
}

#[derive(Serialize, Deserialize)]
enum SelectorBody {
    Constant(u32),
    Svm(Svm),
    Forest(Forest),
    /// A forest whose columns have origins. One without is written as before they were known.
    ShiftedForest {
        forest: Forest,
        #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
        origins: Vec<f64>,
    },
}

#[derive(Default, Serialize, Deserialize)]
struct Calibrations {
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    calibrations: Vec<CalibrationBody>,
}

#[derive(Serialize, Deserialize)]
struct CalibrationBody {
    device: String,
    measured_inputs: u64,
    selector: SelectorBody,
}

#[derive(Default, Serialize, Deserialize)]
struct ProvenanceBody {
    strategy: String,
    #[serde(deserialize_with = "limited::list::<{ limited::MANY }, _, _>")]
    sources: Vec<String>,
    training_inputs: u64,
    seed: u64,
    recordings_digest: String,
}

const NAMES: &str = "names";
const CHOICES: &str = "choices";
const SELECTOR: &str = "selector";
const GATE: &str = "gate";
const CAUTION: &str = "caution";
const OBJECTIVE: &str = "objective";
const COVERAGE: &str = "coverage";
const PROVENANCE: &str = "provenance";
const CALIBRATIONS: &str = "calibrations";
const ARTIFACTS: &str = "artifacts";
const MEANINGS: &str = "meanings";

impl SelectorBody {
    fn of(selector: &Selector) -> Self {
        match selector {
            Selector::Constant { choice } => Self::Constant(*choice as u32),
            Selector::Svm(svm) => Self::Svm(svm.clone()),
            Selector::Forest(forest) if forest.origins.is_empty() => Self::Forest(forest.clone()),
            Selector::Forest(forest) => {
                Self::ShiftedForest { forest: forest.clone(), origins: forest.origins.clone() }
            }
        }
    }

    fn selector(self) -> Selector {
        match self {
            Self::Constant(choice) => Selector::Constant { choice: choice as usize },
            Self::Svm(svm) => Selector::Svm(svm),
            Self::Forest(forest) => Selector::Forest(forest),
            Self::ShiftedForest { forest, origins } => Selector::Forest(Forest { origins, ..forest }),
        }
    }
}

impl Artifacts {
    /// Those whose texts are known; the others could not be read back.
    fn of(model: &Model) -> Self {
        let body = |own: &Artifact| Some(ArtifactBody { digest: own.digest(), text: own.text()?.to_owned() });
        Self { artifacts: model.artifacts.iter().filter_map(body).collect() }
    }

    /// A digest is believed when the text has it.
    fn check(&self) -> Result<(), &'static str> {
        for ArtifactBody { digest, text } in &self.artifacts {
            if text.len() > MAX_ARTIFACT_BYTES {
                return Err("length of an artifact");
            }
            if Artifact::of(text).digest() != *digest {
                return Err("digest of an artifact");
            }
        }
        Ok(())
    }
}

impl CalibrationBody {
    fn of(calibration: &Calibration) -> Self {
        let Calibration { device, measured_inputs, selector } = calibration;
        let (device, measured_inputs) = (device.clone(), *measured_inputs as u64);
        Self { device, measured_inputs, selector: SelectorBody::of(selector) }
    }

    fn calibration(self) -> Calibration {
        let Self { device, measured_inputs, selector } = self;
        Calibration { device, measured_inputs: measured_inputs as usize, selector: selector.selector() }
    }
}

pub(super) fn to_bytes(model: &Model) -> Vec<u8> {
    let body = body(model);
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

fn body(model: &Model) -> Vec<u8> {
    let names = Names {
        function: model.function.clone(),
        features: model.features.clone(),
        device_features: model.device_features.clone(),
    };
    let Provenance { strategy, sources, objective, training_inputs, seed, recordings_digest } =
        model.provenance.clone();
    let training_inputs = training_inputs as u64;
    let provenance = ProvenanceBody { strategy, sources, training_inputs, seed, recordings_digest };
    let mut body = Vec::new();
    write_part(&mut body, NAMES, true, &names);
    write_part(&mut body, CHOICES, true, &Choices { choices: model.choices.clone() });
    write_part(&mut body, SELECTOR, true, &SelectorBody::of(&model.selector));
    if let Some(gate) = &model.gate {
        write_part(&mut body, GATE, true, gate);
    }
    if let Some(caution) = &model.caution {
        write_part(&mut body, CAUTION, false, caution);
    }
    write_part(&mut body, PROVENANCE, false, &provenance);
    if !objective.is_empty() {
        write_part(&mut body, OBJECTIVE, false, &objective);
    }
    if !model.coverage.is_empty() {
        write_part(&mut body, COVERAGE, false, &model.coverage);
    }
    if !model.feature_digests.is_empty() {
        let digests = model.feature_digests.clone();
        write_part(&mut body, MEANINGS, false, &Meanings { digests });
    }
    if !model.artifacts.is_empty() {
        write_part(&mut body, ARTIFACTS, false, &Artifacts::of(model));
    }
    if !model.calibrations.is_empty() {
        let calibrations = model.calibrations.iter().map(CalibrationBody::of).collect();
        write_part(&mut body, CALIBRATIONS, false, &Calibrations { calibrations });
    }
    body
}

fn write_part(body: &mut Vec<u8>, name: &str, is_required: bool, part: &impl Serialize) {
    let bytes = postcard::to_allocvec(part).expect("plain data serialises into memory");
    section::write(body, name, is_required, &bytes);
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<Model, ModelError> {
    let (model, artifacts) = decode(bytes)?;
    // What is kept stays for the life of the process: only of a model that is one.
    for own in &artifacts.artifacts {
        Artifact::keep(&own.text);
    }
    Ok(model)
}

/// The model; none where it carries generated code, of which nothing is kept then.
pub(super) fn from_bytes_without_code(bytes: &[u8]) -> Result<Option<Model>, ModelError> {
    let (model, _) = decode(bytes)?;
    Ok(Some(model).filter(|model| model.artifacts.is_empty()))
}

fn decode(bytes: &[u8]) -> Result<(Model, Artifacts), ModelError> {
    let body = checked_body(bytes)?;
    let sections = section::read(
        body,
        &[
            NAMES,
            CHOICES,
            SELECTOR,
            GATE,
            CAUTION,
            OBJECTIVE,
            COVERAGE,
            PROVENANCE,
            CALIBRATIONS,
            ARTIFACTS,
            MEANINGS,
        ],
    )?;
    let names: Names = required(&sections, NAMES, "it has no names")?;
    let Choices { choices } = required(&sections, CHOICES, "no choices")?;
    let provenance: ProvenanceBody = part(&sections, PROVENANCE)?.unwrap_or_default();
    let Calibrations { calibrations } = part(&sections, CALIBRATIONS)?.unwrap_or_default();
    let artifacts: Artifacts = part(&sections, ARTIFACTS)?.unwrap_or_default();
    artifacts.check().map_err(|what| ModelError::Inconsistent { what })?;
    let model = Model {
        function: names.function,
        artifacts: artifacts.artifacts.iter().map(|own| Artifact::of(&own.text)).collect(),
        choices,
        feature_digests: part::<Meanings>(&sections, MEANINGS)?.unwrap_or_default().digests,
        features: names.features,
        device_features: names.device_features,
        selector: required::<SelectorBody>(&sections, SELECTOR, "no selector")?.selector(),
        gate: part::<Gate>(&sections, GATE)?,
        caution: part(&sections, CAUTION)?,
        calibrations: calibrations.into_iter().map(CalibrationBody::calibration).collect(),
        coverage: part(&sections, COVERAGE)?.unwrap_or_else(Coverage::default),
        provenance: Provenance {
            strategy: provenance.strategy,
            sources: provenance.sources,
            objective: part(&sections, OBJECTIVE)?.unwrap_or_default(),
            training_inputs: provenance.training_inputs as usize,
            seed: provenance.seed,
            recordings_digest: provenance.recordings_digest,
        },
    };
    check::check(&model).map_err(|what| ModelError::Inconsistent { what })?;
    Ok((model, artifacts))
}

fn required<'a, T: Deserialize<'a>>(
    sections: &[Section<'a>],
    name: &str,
    what: &'static str,
) -> Result<T, ModelError> {
    part(sections, name)?.ok_or(ModelError::Inconsistent { what })
}

/// What a section holds, if it is there; nothing stands behind it.
fn part<'a, T: Deserialize<'a>>(sections: &[Section<'a>], name: &str) -> Result<Option<T>, ModelError> {
    let Some(section) = sections.iter().find(|section| section.name == name) else { return Ok(None) };
    match postcard::take_from_bytes(section.bytes).map_err(ModelError::Body)? {
        (part, []) => Ok(Some(part)),
        _ => Err(ModelError::Inconsistent { what: "bytes at the end of a section" }),
    }
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

pub(super) fn read(path: &Path) -> Result<Model, ModelError> {
    let bytes = read_bytes(path)?;
    from_bytes(&bytes).map_err(|source| ModelError::File { path: path.into(), source: source.into() })
}

pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
    files::read(path, MAX_FILE_BYTES).map_err(|source| ModelError::Io { path: path.into(), source })
}

pub(super) fn write(model: &Model, path: &Path) -> Result<(), ModelError> {
    let refused = |source: ModelError| ModelError::File { path: path.into(), source: source.into() };
    let bytes = readable(model).map_err(refused)?;
    files::replace_with_folder(path, &bytes).map_err(|source| ModelError::Io { path: path.into(), source })
}

/// The bytes of the model, if they are read back.
fn readable(model: &Model) -> Result<Vec<u8>, ModelError> {
    if let Some(&artifact) = model.artifacts.iter().find(|own| !own.is_known()) {
        return Err(ModelError::Artifact { artifact });
    }
    let bytes = to_bytes(model);
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ModelError::TooLarge { bytes: bytes.len() });
    }
    from_bytes(&bytes).map(|_| bytes)
}
