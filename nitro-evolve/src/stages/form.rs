//! The form of code in a first run.

use nitro_ptx::Edit;
use nitro_search::evolve::Fitness;

use crate::effort::Effort;
use crate::runner::{Assemble, Code, RunOutcome, Runner, RunnerError, fitness};
use crate::subject::Subject;
use crate::workload::Set;

/// The time that loops may take beside twice the original's time in this form.
const LEAST_NS: f64 = 100e6;
/// The most times the original's usual time that loops may take; a worker is given more than twice as long.
const MOST_TIMES: f64 = 8.0;
/// The most times the original's error in this form that results may be off. The assembler joins a multiplication
/// and an addition where they stand together, and a check of accesses comes between them.
const MOST_TIMES_ERROR: f64 = 10.0;
/// The deadline of loops, in years, while the original's time in this form is not known.
const NEVER_NS: u64 = 1 << 60;

/// The form in which a candidate runs first.
///
/// Its loops end ([`Module::with_deadline`](nitro_ptx::Module::with_deadline)). Threads that leave their buffers end
/// too ([`Module::with_bounds`](nitro_ptx::Module::with_bounds)), unless the original itself accesses something else,
/// such as variables of its module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FirstRunForm {
    /// The effort of a first run, with the error that a right candidate may have.
    pub effort: Effort,
    pub most_ns: u64,
    pub is_bounded: bool,
}

impl FirstRunForm {
    /// Finds out how the original runs in this form. Returns also why accesses are not checked, if they are not.
    pub(crate) fn new(
        subject: &Subject,
        assemble: &Assemble<'_>,
        runner: &mut dyn Runner,
        original: &Code,
        effort: Effort,
        max_error: f64,
    ) -> Result<(Self, Option<String>), RunnerError> {
        let bounded = Self { effort, most_ns: NEVER_NS, is_bounded: true };
        let code = bounded.code(subject, assemble, &[]);
        let timed = Effort { runs: 1, ..effort };
        let (mut most_ns, mut most_error, mut objection) = (0.0f64, max_error, None);
        // A candidate that looks faster has a first run with the inputs of the validation, too.
        for set in [Set::Search, Set::Validation] {
            let usual = total(runner.run(original, set, timed)?);
            let usual_ns = usual.map_or(0.0, |usual| usual.time_ns);
            let so = match &code {
                Some(code) => total(runner.run(code, set, timed)?),
                None => Err("it cannot be assembled so".to_owned()),
            };
            let so = so.unwrap_or_else(|why| {
                objection = Some(why);
                Fitness { time_ns: f64::INFINITY, error: 0.0 }
            });
            most_ns = most_ns.max((2.0 * so.time_ns).min(MOST_TIMES * usual_ns));
            most_error = most_error.max(MOST_TIMES_ERROR * so.error);
        }
        let most_error = if objection.is_none() { most_error } else { max_error };
        let (effort, most_ns) = (effort.within(most_error), (LEAST_NS + most_ns) as u64);
        Ok((Self { effort, most_ns, is_bounded: objection.is_none() }, objection))
    }

    /// Assembles a candidate in this form; none where that cannot be.
    pub(super) fn code(&self, subject: &Subject, assemble: &Assemble<'_>, edits: &[Edit]) -> Option<Code> {
        let module = subject.kernels(edits).ok()?.with_deadline(self.most_ns);
        let module = if self.is_bounded { module.with_bounds() } else { module };
        subject.assembled(&module, assemble).ok()
    }
}

/// Returns the time of all cases together and the largest error, or the reason of a failure.
fn total(outcome: RunOutcome) -> Result<Fitness, String> {
    match outcome {
        RunOutcome::Failed(_, why) => Err(why),
        RunOutcome::Ran(cases) => match fitness(&cases) {
            Some(Fitness { time_ns, error }) => Ok(Fitness { time_ns: time_ns * cases.len() as f64, error }),
            None => Err("it gives something else so".to_owned()),
        },
    }
}
