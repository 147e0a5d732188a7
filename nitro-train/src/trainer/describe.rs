//! The generated code there is, and descriptions of it by its generators.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use nitro_core::Artifact;
use nitro_core::model::file_name;
use nitro_store::recordings::{Recordings, named_artifact};
use serde::Serialize;

use super::builder::Trainer;
use super::error::TrainError;
use super::layered_store::LayeredStore;
use super::request::{DataRequest, read_model};
use super::tunable::Tunable;
use crate::generate::{Description, Generator, Target};

/// A request for a list of generated code.
///
/// ```
/// use nitro_train::GeneratedRequest;
///
/// let found = GeneratedRequest { variant: Some("found".into()), ..GeneratedRequest::default() };
/// assert!(found.data.functions.is_empty(), "of all functions");
/// ```
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct GeneratedRequest {
    /// The functions, and the store.
    #[command(flatten)]
    pub data: DataRequest,
    /// Variant whose kernels are shown [default: every variant with a generator]
    #[arg(long, value_name = "V")]
    pub variant: Option<String>,
    /// Folder of models
    #[arg(long, value_name = "DIR", env = "NITRO_MODELS", default_value = "models")]
    pub models: PathBuf,
}

impl Default for GeneratedRequest {
    /// Returns a request for all that the generators, the default store and the models in `models/` have.
    fn default() -> Self {
        Self { data: DataRequest::default(), variant: None, models: PathBuf::from("models") }
    }
}

/// A text of a variant that runs generated code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GeneratedCode {
    /// The function.
    pub function: String,
    /// The variant.
    pub variant: String,
    /// The name of a preset, or the digest.
    pub name: String,
    /// The digest, as in stores and models.
    pub digest: String,
    /// True if the generator has it as a preset.
    pub is_preset: bool,
    /// True if the function's model can pick it.
    pub is_in_model: bool,
    /// True if the store, or recordings that the program carries, have its text.
    pub is_in_store: bool,
    /// The text itself.
    #[serde(skip)]
    pub text: String,
}

/// A request to describe generated code.
///
/// ```
/// use nitro_train::DescribeRequest;
///
/// let request = DescribeRequest { architecture: Some(90), ..DescribeRequest::new("sane") };
/// assert_eq!(request.name, "sane");
/// ```
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct DescribeRequest {
    /// The code to look among.
    #[command(flatten)]
    pub among: GeneratedRequest,
    /// The name of a preset, or the beginning of a digest that no other has.
    #[arg(skip)]
    pub name: String,
    /// Device of this machine to compile for, for example cuda:0. Without: the first that the function runs on, if
    /// there is one; else nothing is compiled
    #[arg(long, value_name = "D", requires = "kernel")]
    pub device: Option<String>,
    /// Architecture to compile for, with or without such a device here: 90 for sm_90
    #[arg(long, value_name = "N", requires = "kernel", conflicts_with = "device")]
    pub architecture: Option<u32>,
}

impl DescribeRequest {
    /// Returns the code of this name, for this machine, among all there is.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { among: GeneratedRequest::default(), name: name.into(), device: None, architecture: None }
    }
}

/// A piece of generated code with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// The code.
    pub code: GeneratedCode,
    /// The description by its generator.
    pub description: Description,
}

/// A variant with the generator of its code.
struct Source<'t> {
    tunable: &'t Tunable,
    variant: &'static str,
    generator: &'t dyn Generator,
}

impl Trainer {
    /// Returns the generated code there is: the presets of each generator, then what models and store have, by digest.
    ///
    /// ```
    /// # mod app {
    /// #     use nitro::code_variant;
    /// #     #[code_variant(features(length = values.len()),
    /// #         variants(plain, found { kernel in artifacts }), default = plain, crate = nitro)]
    /// #     pub fn sum(values: &[u32]) -> u32;
    /// #     fn plain(values: &[u32]) -> u32 { values.iter().sum() }
    /// #     fn found(p: sum::Found, values: &[u32]) -> u32 { plain(values) }
    /// # }
    /// # use app::sum;
    /// # use nitro_train::generate::{BoxError, Crossing, Decision, Decisions, Description};
    /// # use nitro_train::generate::{Generator, NodeKey, Step, Target};
    /// # struct Blocks;
    /// # impl Decisions for Blocks { fn next(&self, _: &[Crossing]) -> Step { Step::Complete } }
    /// # impl Generator for Blocks {
    /// #     fn decisions(&self) -> &dyn Decisions { self }
    /// #     fn artifact(&self, _: &[Crossing]) -> Result<String, BoxError> { Ok("block=16".into()) }
    /// #     fn presets(&self) -> Vec<(String, String)> { vec![("small".into(), "block=16".into())] }
    /// #     fn describe(&self, text: &str, _: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
    /// #         Some(Ok(Description { text: format!("sums in parts: {text}"), ..Description::default() }))
    /// #     }
    /// # }
    /// use nitro_train::{DescribeRequest, GeneratedRequest, Trainer, Tunable};
    ///
    /// let tunable = Tunable::new(sum::function(), |session| Ok(session.input("ten", || sum(&[1; 10]))?));
    /// let trainer = Trainer::new().tunable(tunable.generated("found", Blocks)); // a `Generator` with one preset
    /// assert_eq!(trainer.generated(&GeneratedRequest::default())?[0].name, "small");
    /// let described = trainer.describe_generated(&DescribeRequest::new("small"))?;
    /// assert_eq!(described.description.text, "sums in parts: block=16");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the program has no such function, or none of its variants a generator, and when store or models cannot
    /// be read.
    pub fn generated(&self, request: &GeneratedRequest) -> Result<Vec<GeneratedCode>, TrainError> {
        let all = self.sources(request)?.into_iter().map(|source| self.code(request, &source));
        Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Describes generated code; [`generated`](Self::generated) has an example.
    ///
    /// # Errors
    /// As [`generated`](Self::generated); when nothing or several have the name, when the device is not here, and
    /// when the generator describes nothing, or not this text.
    pub fn describe_generated(&self, request: &DescribeRequest) -> Result<Described, TrainError> {
        let sources = self.sources(&request.among)?;
        let mut all = Vec::new();
        for source in &sources {
            let code = self.code(&request.among, source)?;
            all.extend(code.into_iter().map(|one| (source, one)));
        }
        let (source, code) = wanted(all, &request.name)?;
        let device = self.described_device(request, source.tunable)?;
        let device = device.as_deref().map(Target::Device);
        let target = request.architecture.map(Target::Architecture).or(device);
        let (function, variant) = (code.function.clone(), code.variant.clone());
        match source.generator.describe(&code.text, target) {
            None => Err(TrainError::NoDescription { function, variant }),
            Some(Err(source)) => Err(TrainError::Describe { function, name: code.name, source }),
            Some(Ok(description)) => Ok(Described { code, description }),
        }
    }

    /// Returns the device that is named, which has to be here, or else the first of the function's kind.
    fn described_device(
        &self,
        request: &DescribeRequest,
        tunable: &Tunable,
    ) -> Result<Option<String>, TrainError> {
        match &request.device {
            Some(name) => self.open_device(name).map(|_| Some(name.clone())),
            None => Ok(tunable.runs_on.and_then(|kind| self.first_of_kind(kind))),
        }
    }

    /// Returns the variants with generators that are asked for.
    fn sources(&self, request: &GeneratedRequest) -> Result<Vec<Source<'_>>, TrainError> {
        let tunables = self.wanted(&request.data.functions)?;
        let mut sources: Vec<Source<'_>> = Vec::new();
        for &tunable in &tunables {
            for (variant, generator) in &tunable.generators {
                sources.push(Source { tunable, variant, generator: &**generator });
            }
        }
        let known: Vec<String> =
            sources.iter().map(|own| format!("`{}` of `{}`", own.variant, own.tunable.name())).collect();
        sources.retain(|own| request.variant.as_ref().is_none_or(|variant| own.variant == variant));
        if sources.is_empty() {
            return Err(TrainError::NoGenerated {
                functions: tunables.iter().map(|tunable| format!("`{}`", tunable.name())).collect(),
                variant: request.variant.clone(),
                known,
            });
        }
        Ok(sources)
    }

    /// Returns the generated code of one variant.
    fn code(
        &self,
        request: &GeneratedRequest,
        source: &Source<'_>,
    ) -> Result<Vec<GeneratedCode>, TrainError> {
        let function = source.tunable.name();
        let in_model = of_model(request, source)?;
        let recordings = LayeredStore::open(self, &request.data)?.everything(function)?.unwrap_or_default();
        let in_store = of_recordings(&recordings, source.variant);
        // Presets have their names, everything else its digest.
        let mut named: Vec<(Artifact, String, String)> = Vec::new();
        for (name, text) in source.generator.presets() {
            named.push((Artifact::of(&text), name, text));
        }
        let presets: BTreeSet<Artifact> = named.iter().map(|(artifact, ..)| *artifact).collect();
        for artifact in in_model.union(&in_store).filter(|own| !presets.contains(own)) {
            let text = recordings.artifacts.get(artifact).map(String::as_str).or_else(|| artifact.text());
            named.extend(text.map(|text| (Artifact::of(text), artifact.to_string(), text.to_owned())));
        }
        let mut all = Vec::new();
        for (artifact, name, text) in named {
            all.push(GeneratedCode {
                function: function.to_owned(),
                variant: source.variant.to_owned(),
                name,
                digest: artifact.to_string(),
                is_preset: presets.contains(&artifact),
                is_in_model: in_model.contains(&artifact),
                is_in_store: in_store.contains(&artifact),
                text,
            });
        }
        Ok(all)
    }
}

/// Returns the artifacts of the variant that the function's model can pick; none without a model.
fn of_model(request: &GeneratedRequest, source: &Source<'_>) -> Result<BTreeSet<Artifact>, TrainError> {
    let function = source.tunable.name();
    if !request.models.join(file_name(function)).exists() {
        return Ok(BTreeSet::new());
    }
    let mut artifacts = BTreeSet::new();
    for choice in read_model(&request.models, function)?.choices {
        if choice.split_once('{').is_some_and(|(name, _)| name == source.variant) {
            artifacts.extend(named_artifact(&choice));
        }
    }
    Ok(artifacts)
}

/// Returns the texts that were measured as this variant, or that nobody measured yet.
fn of_recordings(recordings: &Recordings, variant: &str) -> BTreeSet<Artifact> {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    for one in &recordings.measurements {
        let is_own = recordings.variants[one.variant] == variant;
        let measured = if is_own { &mut own } else { &mut others };
        measured.extend(named_artifact(&one.configuration));
    }
    let known = recordings.artifacts.keys();
    known.filter(|artifact| own.contains(artifact) || !others.contains(artifact)).copied().collect()
}

/// The most names in a message.
const MOST_NAMES: usize = 12;

/// Returns the one code of this name, or whose digest begins with it.
fn wanted<'s, 't>(
    all: Vec<(&'s Source<'t>, GeneratedCode)>,
    name: &str,
) -> Result<(&'s Source<'t>, GeneratedCode), TrainError> {
    let mut names: Vec<String> = all.iter().map(|(_, own)| own.name.clone()).collect();
    let is_named = all.iter().any(|(_, own)| own.name == name);
    let is_meant = |own: &GeneratedCode| match is_named {
        true => own.name == name,
        false => !name.is_empty() && own.digest.starts_with(name),
    };
    let mut found: Vec<_> = all.into_iter().filter(|(_, own)| is_meant(own)).collect();
    // Two presets may be one text.
    found.dedup_by(|(_, a), (_, b)| {
        (&a.function, &a.variant, &a.digest) == (&b.function, &b.variant, &b.digest)
    });
    let name = name.to_owned();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => {
            let more = names.len().saturating_sub(MOST_NAMES);
            names.truncate(MOST_NAMES);
            Err(TrainError::UnknownGenerated { name, known: names, more })
        }
        _ => {
            let found = found.iter().take(MOST_NAMES).map(|(_, own)| own);
            let found = found.map(|own| format!("{} ({} of {})", own.digest, own.variant, own.function));
            Err(TrainError::SeveralGenerated { name, found: found.collect() })
        }
    }
}
