//! The hardware counters of candidates of a search.
//!
//! Each candidate is called once more in a process that Nsight Compute watches.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nitro_core::Choice;
use nitro_store::printable::sentence;
use nitro_store::recordings::named_artifact;
use tempfile::TempDir;

use super::profiler::Profiler;
use super::request::ProfileRequest;
use super::task::OneCall;
use crate::profile::counters::{rate_metrics, rates};
use crate::profile::ncu::Ncu;
use crate::profile::{KernelMetrics, ProfileError};
use crate::trainer::error::TrainError;
use crate::trainer::observer::{Nobody, Observer};
use crate::trainer::tunable::Tunable;

/// The time for one call, the start of its process included.
const TIME: Duration = Duration::from_secs(60);
/// Launches of a call of which counters are read.
const LAUNCHES: u16 = 32;
/// The most consecutive failures before counting ends.
const MOST_FAILURES: usize = 3;

/// Reads the counters of the candidates of one function on one device.
pub(in crate::trainer) struct Counting<'a> {
    tunable: &'a Tunable,
    device: &'a str,
    observer: &'a dyn Observer,
    folder: &'a TempDir,
    state: Mutex<State<'a>>,
}

struct State<'a> {
    profiler: Profiler<'a>,
    /// Number of failures since the last success.
    failures: usize,
}

impl<'a> Counting<'a> {
    /// Returns the request to a profiler whose logs are in this folder.
    pub(in crate::trainer) fn request(inputs: Option<&Path>, folder: &TempDir) -> ProfileRequest {
        let (inputs, out) = (inputs.map(Path::to_owned), folder.path().to_owned());
        ProfileRequest { inputs, out, launches: LAUNCHES, ..ProfileRequest::default() }
    }

    /// # Errors
    /// When there is no profiler.
    pub(in crate::trainer) fn new(
        (tunable, device): (&'a Tunable, &'a str),
        request: &'a ProfileRequest,
        observer: &'a dyn Observer,
        folder: &'a TempDir,
    ) -> Result<Self, TrainError> {
        let profiler = Profiler::new(Ncu::find()?, request, &Nobody, rate_metrics())?;
        let state = Mutex::new(State { profiler, failures: 0 });
        Ok(Self { tunable, device, observer, folder, state })
    }

    /// Returns by part how well a candidate's kernels use the device. Nothing where that cannot be read, which is said
    /// once.
    pub(in crate::trainer) fn of(&self, choice: Choice, input: &str) -> BTreeMap<String, Vec<(String, f64)>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.failures >= MOST_FAILURES {
            return BTreeMap::new();
        }
        let Some(text) = self.text(choice) else { return BTreeMap::new() };
        match self.kernels(&mut state.profiler, choice, text, input) {
            Ok(kernels) => {
                state.failures = 0;
                self.by_part(choice, text, kernels)
            }
            Err(error) => {
                self.note(&mut state, &error);
                BTreeMap::new()
            }
        }
    }

    fn note(&self, state: &mut State<'_>, error: &ProfileError) {
        let is_final = matches!(error, ProfileError::NotPermitted);
        state.failures = if is_final { MOST_FAILURES } else { state.failures + 1 };
        if state.failures == MOST_FAILURES {
            let (name, why) = (self.tunable.name(), sentence(error));
            self.observer.message(&format!("{name}: goes on without hardware counters: {why}"));
        }
    }

    /// Returns the text of generated code.
    fn text(&self, choice: Choice) -> Option<&'static str> {
        let parameters = self.tunable.function.variants()[choice.variant].parameters();
        named_artifact(&parameters.text(choice.configuration))?.text()
    }

    fn variant(&self, choice: Choice) -> &'static str {
        self.tunable.function.variants()[choice.variant].name()
    }

    /// Returns the kernels of a further call of the candidate.
    fn kernels(
        &self,
        profiler: &mut Profiler<'_>,
        choice: Choice,
        text: &str,
        input: &str,
    ) -> Result<Vec<KernelMetrics>, ProfileError> {
        let artifact = self.folder.path().join("candidate");
        fs::write(&artifact, text)
            .map_err(|source| ProfileError::Io { what: artifact.display().to_string(), source })?;
        let (variant, input) = (self.variant(choice).to_owned(), input.to_owned());
        profiler.only = Some(OneCall { variant, artifact, input });
        let sections = profiler.profile(self.device, Some(self.tunable.name()), TIME)?;
        Ok(sections.into_iter().flat_map(|(_, kernels)| kernels).collect())
    }

    /// Returns the metrics of each part, over all launches of its kernels.
    fn by_part(
        &self,
        choice: Choice,
        text: &str,
        kernels: Vec<KernelMetrics>,
    ) -> BTreeMap<String, Vec<(String, f64)>> {
        let generators = self.tunable.generators();
        let own = generators.0.iter().find(|(variant, _)| *variant == self.variant(choice));
        let Some((_, generator)) = own else { return BTreeMap::new() };
        let mut sums = BTreeMap::<String, KernelMetrics>::new();
        for kernel in kernels {
            // A profiler may show the arguments too.
            let name = kernel.kernel.split('(').next().unwrap_or_default();
            let Some(part) = generator.part_of(text, name) else { continue };
            let sum = sums.entry(part).or_default();
            sum.launches += kernel.launches;
            for (name, value) in kernel.metrics {
                *sum.metrics.entry(name).or_default() += value;
            }
        }
        sums.into_iter().map(|(part, sum)| (part, rates(&sum.metrics, sum.launches))).collect()
    }
}
