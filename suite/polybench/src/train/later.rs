//! Generators that are made when they are first asked for: of many, a command needs one or two.

use std::sync::OnceLock;

use nitro_train::BoxError;
use nitro_train::generate::{
    Crossing, Decisions, Description, Generator, PathBound, ProofPlan, Prover, Target,
};

/// A named text of generated code.
pub(super) type Preset = (String, String);

/// A function that returns presets for a generator.
type MorePresets<G> = dyn Fn(&G) -> Vec<Preset> + Send + Sync;

/// A generator that is made when it is first asked for.
pub(super) struct Later<G> {
    make: Box<dyn Fn() -> G + Send + Sync>,
    made: OnceLock<G>,
    /// Adds presets to the generator's own.
    more: Box<MorePresets<G>>,
}

impl<G> Later<G> {
    pub(super) fn new(make: impl Fn() -> G + Send + Sync + 'static) -> Self {
        Self { make: Box::new(make), made: OnceLock::new(), more: Box::new(|_| Vec::new()) }
    }

    /// Adds presets, which are made with the generator.
    pub(super) fn with_presets(self, more: impl Fn(&G) -> Vec<Preset> + Send + Sync + 'static) -> Self {
        Self { more: Box::new(more), ..self }
    }

    fn get(&self) -> &G {
        self.made.get_or_init(|| (self.make)())
    }
}

impl<G: Generator> Generator for Later<G> {
    fn decisions(&self) -> &dyn Decisions {
        self.get().decisions()
    }

    fn artifact(&self, path: &[Crossing]) -> Result<String, BoxError> {
        self.get().artifact(path)
    }

    fn path_bound(&self, device: &dyn Fn(&str) -> Option<f64>) -> Option<PathBound<'_>> {
        self.get().path_bound(device)
    }

    fn prover(&self, device: &dyn Fn(&str) -> Option<f64>, plan: &ProofPlan) -> Option<Prover<'_>> {
        self.get().prover(device, plan)
    }

    fn presets(&self) -> Vec<Preset> {
        let mut presets = self.get().presets();
        presets.extend((self.more)(self.get()));
        presets
    }

    fn guesses(&self, input: &str, device: &dyn Fn(&str) -> Option<f64>) -> Vec<String> {
        self.get().guesses(input, device)
    }

    fn part_of(&self, artifact: &str, kernel: &str) -> Option<String> {
        self.get().part_of(artifact, kernel)
    }

    fn describe(&self, artifact: &str, target: Option<Target<'_>>) -> Option<Result<Description, BoxError>> {
        self.get().describe(artifact, target)
    }
}
