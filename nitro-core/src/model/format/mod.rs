//! The model file: `NITROMDL`, format version (u32), checksum of the body (u32, CRC-32), length of the body (u64),
//! all little-endian, then the body: [sections](section), each in [postcard's encoding](wire). A reader passes over an
//! optional section that it does not know and refuses the file for a required one, so that later versions can add
//! either kind.
//!
//! | section | | holds |
//! | --- | --- | --- |
//! | `names` | required | function, input features, device features |
//! | `choices` | required | what the model can pick, by name |
//! | `selector` | required | what maps features to a choice |
//! | `gate` | required where it is there | what decides before the selector is asked |
//! | `caution` | optional | when the selector is too unsure to be followed |
//! | `distilled` | optional | that the selector is asked as a small tree |
//! | `inputs` | optional | some of the inputs that it was trained on, which the tree is made for |
//! | `provenance` | optional | how it came to be |
//! | `objective` | optional | what makes one selector better than another in its eyes |
//! | `coverage` | optional | which inputs and devices it was trained on |
//! | `meanings` | optional | digests of what the input features compute |
//! | `artifacts` | optional | the texts of generated code among the choices |
//! | `calibrations` | optional | what takes the selector's place on devices where a little was measured |
//!
//! The structs here are not those that the program works with, so that either side can change alone. The exceptions
//! are `Svm`, whose arrays are LIBSVM's layout, which is as stable as a format can be, `Forest` and `Gate`, whose
//! arrays are trees in preorder, and `Coverage`, `TrainingInputs` and `Caution`, which are numbers alone.

mod check;
mod error;
mod section;
pub(super) mod wire;

use std::path::Path;

use self::error::MAX_FILE_BYTES;
pub use self::error::{FORMAT_VERSION, ModelError};
use self::section::Section;
use self::wire::{MANY, Wire, list, wire_structs};
use super::{
    Calibration, Coverage, Forest, Gate, MAX_ARTIFACTS, MAX_RATIOS, Model, Provenance, Ratio, Selector, Svm,
    TrainingInputs,
};
use crate::{Artifact, MAX_ARTIFACT_BYTES, files};

const MAGIC: &[u8; 8] = b"NITROMDL";
const HEADER_BYTES: usize = 24;

struct Names {
    function: String,
    features: Vec<String>,
    device_features: Vec<String>,
}

struct Choices {
    choices: Vec<String>,
}

#[derive(Default)]
struct Meanings {
    digests: Vec<u64>,
}

/// The texts of generated code. So many are read and no more, whatever a file says.
#[derive(Default)]
struct Artifacts {
    artifacts: Vec<ArtifactBody>,
}

struct ArtifactBody {
    digest: u64,
    text: String,
}

enum SelectorBody {
    Constant(u32),
    Svm(Svm),
    Forest(Forest),
    /// A forest whose columns have origins. One without is written as before they were known.
    ShiftedForest {
        forest: Forest,
        origins: Vec<f64>,
    },
    /// A forest that has ratios. One without is written as before they were known.
    RatioForest {
        forest: Forest,
        origins: Vec<f64>,
        ratios: Vec<Ratio>,
    },
}

#[derive(Default)]
struct Calibrations {
    calibrations: Vec<CalibrationBody>,
}

struct CalibrationBody {
    device: String,
    measured_inputs: u64,
    selector: SelectorBody,
}

#[derive(Default)]
struct ProvenanceBody {
    strategy: String,
    sources: Vec<String>,
    training_inputs: u64,
    seed: u64,
    recordings_digest: String,
}

const NAMES: &str = "names";
const CHOICES: &str = "choices";
const SELECTOR: &str = "selector";
const GATE: &str = "gate";
const DISTILLED: &str = "distilled";
const TRAINING_INPUTS: &str = "inputs";
const CAUTION: &str = "caution";
const OBJECTIVE: &str = "objective";
const COVERAGE: &str = "coverage";
const PROVENANCE: &str = "provenance";
const CALIBRATIONS: &str = "calibrations";
const ARTIFACTS: &str = "artifacts";
const MEANINGS: &str = "meanings";

wire_structs! {
    Names { function, features: MANY, device_features: MANY }
    Choices { choices: MANY }
    Meanings { digests: MANY }
    Artifacts { artifacts: MAX_ARTIFACTS }
    ArtifactBody { digest, text }
    Calibrations { calibrations: MANY }
    CalibrationBody { device, measured_inputs, selector }
    ProvenanceBody { strategy, sources: MANY, training_inputs, seed, recordings_digest }
}

impl Wire for SelectorBody {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Constant(choice) => {
                0_u32.write(bytes);
                choice.write(bytes);
            }
            Self::Svm(svm) => {
                1_u32.write(bytes);
                svm.write(bytes);
            }
            Self::Forest(forest) => {
                2_u32.write(bytes);
                forest.write(bytes);
            }
            Self::ShiftedForest { forest, origins } => {
                3_u32.write(bytes);
                forest.write(bytes);
                origins.write(bytes);
            }
            Self::RatioForest { forest, origins, ratios } => {
                4_u32.write(bytes);
                forest.write(bytes);
                origins.write(bytes);
                ratios.write(bytes);
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u32::read(bytes)? {
            0 => u32::read(bytes).map(Self::Constant),
            1 => Svm::read(bytes).map(Self::Svm),
            2 => Forest::read(bytes).map(Self::Forest),
            3 => Some(Self::ShiftedForest { forest: Forest::read(bytes)?, origins: list(bytes, MANY)? }),
            4 => Some(Self::RatioForest {
                forest: Forest::read(bytes)?,
                origins: list(bytes, MANY)?,
                ratios: list(bytes, MAX_RATIOS)?,
            }),
            _ => None,
        }
    }
}

impl SelectorBody {
    fn of(selector: &Selector) -> Self {
        match selector {
            Selector::Constant { choice } => Self::Constant(*choice as u32),
            Selector::Svm(svm) => Self::Svm(svm.clone()),
            Selector::Forest(forest) if !forest.ratios.is_empty() => Self::RatioForest {
                forest: forest.clone(),
                origins: forest.origins.clone(),
                ratios: forest.ratios.clone(),
            },
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
            Self::RatioForest { forest, origins, ratios } => {
                Selector::Forest(Forest { origins, ratios, ..forest })
            }
        }
    }
}

impl Artifacts {
    /// The texts that are known; the others could not be read back.
    fn of(model: &Model) -> Self {
        let mut artifacts = Vec::new();
        for own in &model.artifacts {
            if let Some(text) = own.text() {
                artifacts.push(ArtifactBody { digest: own.digest(), text: text.to_owned() });
            }
        }
        Self { artifacts }
    }

    /// Checks that each text has its digest.
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

impl Model {
    /// Reads a model file.
    ///
    /// # Errors
    /// When the file cannot be read, is no model file, is damaged, or is of another format version.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let bytes = Self::read_bytes(path)?;
        Self::from_bytes(&bytes)
            .map_err(|source| ModelError::File { path: path.into(), source: source.into() })
    }

    /// The bytes of a file that may be one.
    pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, ModelError> {
        files::read(path, MAX_FILE_BYTES).map_err(|source| ModelError::Io { path: path.into(), source })
    }

    /// Writes the model as a file in one step. A reader sees the old file or the new one, never half of one.
    ///
    /// # Errors
    /// When the file or its temporary neighbour cannot be written, and when [`Model::read`] would refuse it; the
    /// old file is still there then.
    pub fn write(&self, path: &Path) -> Result<(), ModelError> {
        let bytes =
            readable(self).map_err(|source| ModelError::File { path: path.into(), source: source.into() })?;
        files::replace_with_folder(path, &bytes)
            .map_err(|source| ModelError::Io { path: path.into(), source })
    }

    /// The bytes of a model file, e.g. for `#[code_variant(model = include_bytes!(..))]`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let body = body(self);
        let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes.extend_from_slice(&checksum(&body).to_le_bytes());
        bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The model in the bytes of a model file.
    ///
    /// # Errors
    /// When the bytes are no model, are damaged, or are of another format version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        let (model, artifacts) = decode(bytes)?;
        // What is kept stays for the life of the process: only of a model that is one.
        for own in &artifacts.artifacts {
            Artifact::keep(&own.text);
        }
        Ok(model)
    }

    /// Reads a model as [`Model::from_bytes`]. None where the model carries generated code, of which nothing is kept
    /// then.
    pub(crate) fn from_bytes_without_code(bytes: &[u8]) -> Result<Option<Self>, ModelError> {
        let (model, _) = decode(bytes)?;
        Ok(Some(model).filter(|model| model.artifacts.is_empty()))
    }
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
    if model.is_distilled {
        write_part(&mut body, DISTILLED, false, &true);
    }
    if model.training_inputs != TrainingInputs::default() {
        write_part(&mut body, TRAINING_INPUTS, false, &model.training_inputs);
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

fn write_part(body: &mut Vec<u8>, name: &str, is_required: bool, part: &impl Wire) {
    let mut bytes = Vec::new();
    part.write(&mut bytes);
    section::write(body, name, is_required, &bytes);
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
            DISTILLED,
            TRAINING_INPUTS,
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
        is_distilled: part(&sections, DISTILLED)?.unwrap_or_default(),
        training_inputs: part(&sections, TRAINING_INPUTS)?.unwrap_or_default(),
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

fn required<T: Wire>(
    sections: &[Section<'_>],
    name: &'static str,
    what: &'static str,
) -> Result<T, ModelError> {
    part(sections, name)?.ok_or(ModelError::Inconsistent { what })
}

/// Reads what a section holds, if it is there; nothing may stand behind it.
fn part<T: Wire>(sections: &[Section<'_>], name: &'static str) -> Result<Option<T>, ModelError> {
    let Some(section) = sections.iter().find(|section| section.name == name) else { return Ok(None) };
    let mut bytes = section.bytes;
    let part = T::read(&mut bytes).ok_or(ModelError::Body { section: name })?;
    match bytes.is_empty() {
        true => Ok(Some(part)),
        false => Err(ModelError::Inconsistent { what: "bytes at the end of a section" }),
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
    let found = word(header, 8);
    if found != FORMAT_VERSION {
        return Err(ModelError::Version { found });
    }
    let announced = u64::from(word(header, 16)) | u64::from(word(header, 20)) << 32;
    if announced != body.len() as u64 {
        return Err(ModelError::Length { found: body.len() as u64, announced });
    }
    if checksum(body) != word(header, 12) {
        return Err(ModelError::Checksum);
    }
    Ok(body)
}

/// The CRC-32 of IEEE 802.3.
fn checksum(bytes: &[u8]) -> u32 {
    const POLYNOMIAL: u32 = 0xEDB8_8320;
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < table.len() {
            let (mut own, mut bit) = (byte as u32, 0);
            while bit < u8::BITS {
                own = own >> 1 ^ if own & 1 == 1 { POLYNOMIAL } else { 0 };
                bit += 1;
            }
            table[byte] = own;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, &byte| sum >> 8 ^ TABLE[(sum as u8 ^ byte) as usize])
}

/// Reads the number at a place of the header.
fn word(header: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
}

/// The bytes of the model, if they are read back.
fn readable(model: &Model) -> Result<Vec<u8>, ModelError> {
    if let Some(&artifact) = model.artifacts.iter().find(|own| !own.is_known()) {
        return Err(ModelError::Artifact { artifact });
    }
    let bytes = model.to_bytes();
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ModelError::TooLarge { bytes: bytes.len() });
    }
    Model::from_bytes(&bytes).map(|_| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value that is published with the polynomial.
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
