//! A search that proves: branch and bound over the texts of a generator, after its presets.

use std::cell::RefCell;
use std::collections::BTreeMap;

use nitro_core::{DeviceEntry, Function, MAX_ARTIFACT_BYTES};
use nitro_learn::configurations::evaluation;
use nitro_search::{
    Ask, Budget, Engine, Evaluation, Failure, Observation, Proposer, Prover, StopReason, TellError, gap,
};
use nitro_store::store::Evaluated;

use super::error::SearchError;
use super::plan::candidate_of;
use super::result::Reasons;
use super::{
    Certificate, GeneratedVariant, Proof, Sample, SearchPlan, SearchResult, SearchStrategy, VariantSearch,
};
use crate::measure::Candidate;

/// The number of proposals of a step, which can be compiled at once.
///
/// They are told together, in their order, so that what is proposed next does not depend on which was done first.
const STEP: usize = 32;

/// A search of the generated code of one variant on one input that proves what it found.
pub(crate) struct ProofSearch<'a> {
    function: &'static Function,
    variant: usize,
    engine: Engine<Prover<'a>>,
    /// The texts that are evaluated first; none once they were asked for.
    presets: Option<Vec<String>>,
    /// The step that is under way.
    step: Vec<Open>,
    evaluations: usize,
    ended: Option<StopReason>,
    /// A time under its bound, with the reasons of that bound.
    refuted: Option<String>,
    reasons: Reasons,
    /// What is certified in the end.
    certificate: Certificate,
    result: SearchResult,
}

/// A text that was asked for.
struct Open {
    text: String,
    is_preset: bool,
    candidate: Candidate,
    evaluated: Option<Evaluated>,
}

impl<'a> ProofSearch<'a> {
    /// Creates a search that has not begun; none where there is no bound of the times on the device.
    pub(crate) fn new(
        plan: &SearchPlan<'_>,
        sought: &GeneratedVariant<'a>,
        function: &'static Function,
        device: &DeviceEntry,
        input: &str,
    ) -> Option<Self> {
        let rates = RefCell::new(BTreeMap::new());
        let prover = plan.prover(sought, &|feature| {
            let value = device.feature(feature);
            rates.borrow_mut().extend(value.map(|value| (feature.to_owned(), value)));
            value
        })?;
        let presets = sought.first_texts(plan.evaluations, input, device);
        let budget = Budget::evaluations(plan.evaluations - presets.len());
        let name = function.variants()[sought.variant].name();
        let result = SearchResult::of(function.name(), name, device, input, SearchStrategy::Prove);
        let SearchPlan { within_percent, classes, seed, .. } = *plan;
        let certificate = Certificate {
            rates: rates.into_inner(),
            within_percent,
            classes,
            seed,
            root_ns: prover.proved_ns(),
            best_ns: f64::INFINITY,
            ..Certificate::begin()
        };
        Some(Self {
            function,
            variant: sought.variant,
            engine: Engine::new(prover, budget),
            presets: Some(presets),
            step: Vec::new(),
            evaluations: 0,
            ended: None,
            refuted: None,
            reasons: Reasons::default(),
            certificate,
            result,
        })
    }

    /// Takes a text into the step. One that is too long to be kept has failed.
    fn propose(&mut self, text: String, is_preset: bool) {
        if text.len() > MAX_ARTIFACT_BYTES {
            self.evaluations += 1;
            self.learn(text, is_preset, Evaluation::Failed(Failure::Invalid), (0, 0.0));
            return;
        }
        let candidate = candidate_of(self.function, self.variant, &text);
        if !self.step.iter().any(|own| own.candidate == candidate) {
            self.step.push(Open { text, is_preset, candidate, evaluated: None });
        }
    }

    /// Tells the proof what came of a text. Of a preset it takes notice if the space has it.
    fn learn(&mut self, text: String, is_preset: bool, report: Evaluation, repeats: (u32, f64)) {
        let learned = match is_preset {
            true => {
                let observation = Observation { proposal: text.clone(), report };
                self.engine.proposer_mut().recall(&observation).map(drop)
            }
            false => self.engine.tell(&text, report),
        };
        if learned.is_ok() {
            let name = self.engine.proposer().name(&text);
            self.certificate.samples.push(Sample::new(name, &text, report, repeats));
            if let Some(time_ns) = report.time_ns().filter(|time_ns| *time_ns < self.certificate.best_ns) {
                (self.certificate.best_ns, self.certificate.best) = (time_ns, text);
            }
        }
        // Nothing else is refused: it was asked for, and a store keeps only times that can be.
        if let Err(error @ TellError::Unsound { .. }) = learned {
            tracing::warn!(variant = self.result.variant, input = self.result.input, "{error}");
            self.refuted.get_or_insert(error.to_string());
        }
    }

    /// Learns from a step of which everything is known.
    fn end_step(&mut self) {
        for Open { text, is_preset, candidate, evaluated } in std::mem::take(&mut self.step) {
            let Some(Evaluated { outcome, reason, repeats, spread_ns, .. }) = evaluated else { continue };
            self.evaluations += 1;
            self.reasons.note(&reason);
            let report = evaluation(outcome);
            let time_ns = report.time_ns().map(|time_ns| (candidate.configuration, time_ns));
            self.result.times_ns.extend(time_ns);
            self.learn(text, is_preset, report, (repeats, spread_ns));
        }
    }

    /// Returns what is proved of the best, whoever proposed it.
    fn proof(&self, best_ns: Option<f64>) -> Proof {
        let is_complete = self.ended == Some(StopReason::Exhausted) && self.refuted.is_none();
        let proved_ns = self.engine.proposer().proved_ns();
        let proved_ns = Some(proved_ns).filter(|own| own.is_finite() && self.refuted.is_none());
        let gap = proved_ns.zip(best_ns).map(|(proved_ns, best_ns)| gap(proved_ns, best_ns));
        let classes = self.engine.proposer().tree().and_then(|tree| tree.classes);
        Proof { proved_ns, gap, is_complete, classes, refuted: self.refuted.clone() }
    }
}

impl ProofSearch<'_> {
    /// Returns the certificate of what is proved, if anything is.
    fn certified(&mut self, proof: &Proof) -> Option<Box<Certificate>> {
        let mut own = std::mem::take(&mut self.certificate);
        own.proved_ns = proof.proved_ns.filter(|_| own.best_ns.is_finite())?;
        let SearchResult { function, variant, device, input, .. } = self.result.clone();
        let (is_complete, tree) = (proof.is_complete, self.engine.proposer().tree());
        own.samples.sort_by(|one, other| one.name.cmp(&other.name));
        Some(Box::new(Certificate { function, variant, device, input, is_complete, tree, ..own }))
    }
}

impl VariantSearch for ProofSearch<'_> {
    fn open(&mut self) -> Result<Vec<Candidate>, SearchError> {
        for text in self.presets.take().unwrap_or_default() {
            self.propose(text, true);
        }
        while self.step.is_empty() && self.refuted.is_none() {
            let Ok(asked) = self.engine.ask(STEP);
            match asked {
                Ask::Evaluate(texts) => texts.into_iter().for_each(|text| self.propose(text, false)),
                Ask::Done(ended) => {
                    self.ended = Some(ended);
                    break;
                }
                Ask::Wait => break, // everything that was asked for is told
            }
        }
        let open = self.step.iter().filter(|own| own.evaluated.is_none());
        Ok(open.map(|own| own.candidate.clone()).collect())
    }

    fn tell(&mut self, known: Vec<Option<Evaluated>>) {
        let open = self.step.iter_mut().filter(|own| own.evaluated.is_none());
        for (own, evaluated) in open.zip(known) {
            own.evaluated = evaluated;
        }
        if self.step.iter().all(|own| own.evaluated.is_some()) {
            self.end_step();
        }
    }

    fn finish(mut self: Box<Self>) -> SearchResult {
        self.end_step(); // which a rule may have cut short
        let (result, reasons) = (self.result.clone(), std::mem::take(&mut self.reasons));
        let result = result.sorted().ended(self.evaluations, reasons);
        let proof = self.proof(result.best_ns);
        SearchResult { certificate: self.certified(&proof), proof: Some(proof), ..result }
    }
}
