//! The first run of a candidate: most fail, and what ends a process costs more than a hundred others.

use nitro_ptx::Edit;
use nitro_search::evolve::Fitness;

use crate::bench::{Bench, BenchError, Code, Effort, RunOutcome};
use crate::evaluate::Assemble;
use crate::judge::fitness;
use crate::subject::Subject;
use crate::workload::Set;

/// How long loops may take, beside twice what the original takes when it is run so.
const LEAST_NS: f64 = 100e6;
/// And at most so many times what the original takes as it is: a worker is given more than twice as long.
const MOST_TIMES: f64 = 8.0;
/// Results may be off by so many times what the original's are off in that form: the assembler joins a
/// multiplication and an addition to one operation where they stand together, and what looks at accesses comes
/// between them.
const MOST_TIMES_ERROR: f64 = 10.0;
/// Years, while it is not known how long the original takes so.
const NEVER_NS: u64 = 1 << 60;

/// In what form a candidate runs first: its loops end
/// ([`Module::with_deadline`](nitro_ptx::Module::with_deadline)), and so do threads that leave its buffers
/// ([`Module::with_bounds`](nitro_ptx::Module::with_bounds)), unless the original itself accesses something else,
/// such as variables of its module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FirstRun {
    /// With the error of what is right.
    pub effort: Effort,
    pub most_ns: u64,
    pub is_bounded: bool,
}

impl FirstRun {
    /// For candidates of a subject; and why it does not look at what they access, if it does not.
    pub(crate) fn new(
        subject: &Subject,
        assemble: &Assemble<'_>,
        bench: &mut dyn Bench,
        original: &Code,
        effort: Effort,
        max_error: f64,
    ) -> Result<(Self, Option<String>), BenchError> {
        let bounded = Self { effort, most_ns: NEVER_NS, is_bounded: true };
        let code = bounded.code(subject, assemble, &[]);
        let (mut most_ns, mut most_error, mut objection) = (0.0f64, max_error, None);
        // What looks faster has a first run with the inputs of the validation, too.
        for set in [Set::Search, Set::Validation] {
            let mut fitness = |code| fitness_of(bench.run(code, set, Effort { runs: 1, ..effort })?);
            let usual_ns = fitness(original)?.map_or(0.0, |usual| usual.time_ns);
            let so = match &code {
                Some(code) => fitness(code)?,
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
        let effort = effort.within(most_error);
        Ok((
            Self { effort, most_ns: (LEAST_NS + most_ns) as u64, is_bounded: objection.is_none() },
            objection,
        ))
    }

    /// The code of a candidate for its first run; none if there is none, which its own code tells better.
    pub(crate) fn code(&self, subject: &Subject, assemble: &Assemble<'_>, edits: &[Edit]) -> Option<Code> {
        let module = subject.kernels(edits).ok()?.with_deadline(self.most_ns);
        let module = if self.is_bounded { module.with_bounds() } else { module };
        subject.assembled(&module, assemble).ok()
    }
}

/// What all cases take together and the largest error; otherwise why they are not what they should be.
fn fitness_of(outcome: RunOutcome) -> Result<Result<Fitness, String>, BenchError> {
    Ok(match outcome {
        RunOutcome::Failed(_, why) => Err(why),
        RunOutcome::Ran(cases) => match fitness(&cases) {
            Some(Fitness { time_ns, error }) => Ok(Fitness { time_ns: time_ns * cases.len() as f64, error }),
            None => Err("it gives something else so".to_owned()),
        },
    })
}
