//! The first run of a candidate: most fail, and what ends a process costs more than a hundred others.

use nitro_codegen::ptx::Edit;

use crate::bench::{Bench, BenchError, Code, Effort, RunOutcome};
use crate::evaluate::Assemble;
use crate::subject::Subject;
use crate::workload::Set;

/// How long loops may take, beside twice what the original takes when it is run so.
const LEAST_NS: f64 = 100e6;
/// And at most so many times what the original takes as it is: a worker is given more than twice as long.
const MOST_TIMES: f64 = 8.0;

/// In what form a candidate runs first: its loops end ([`Module::with_deadline`](nitro_codegen::ptx::Module::with_deadline)), and so do threads that leave its buffers
/// ([`Module::with_bounds`](nitro_codegen::ptx::Module::with_bounds)), unless the original itself accesses something else, such as variables of its module.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FirstRun {
    pub effort: Effort,
    pub most_ns: u64,
    pub is_bounded: bool,
}

impl FirstRun {
    /// For candidates of a subject, which takes `usual_ns` as it is.
    pub(crate) fn new(
        subject: &Subject,
        assemble: &Assemble<'_>,
        bench: &mut dyn Bench,
        effort: Effort,
        usual_ns: f64,
    ) -> Result<Self, BenchError> {
        let most_ns = |times_ns: f64| (LEAST_NS + (2.0 * times_ns).min(MOST_TIMES * usual_ns)) as u64;
        let unbounded = Self { effort, most_ns: most_ns(MOST_TIMES * usual_ns), is_bounded: false };
        let bounded = Self { is_bounded: true, ..unbounded };
        let Some(code) = bounded.code(subject, assemble, &[]) else { return Ok(unbounded) };
        // Of the original it is asked how long it takes so.
        Ok(match bench.run(&code, Set::Search, Effort { runs: 1, ..effort })? {
            RunOutcome::Ran(cases) if cases.iter().all(|case| case.error == 0.0) => {
                Self { most_ns: most_ns(cases.iter().map(|case| case.time_ns).sum()), ..bounded }
            }
            _ => unbounded,
        })
    }

    /// The code of a candidate for its first run; none if there is none, which its own code tells better.
    pub(crate) fn code(&self, subject: &Subject, assemble: &Assemble<'_>, edits: &[Edit]) -> Option<Code> {
        let module = subject.kernels(edits).ok()?.with_deadline(self.most_ns);
        let module = if self.is_bounded { module.with_bounds() } else { module };
        subject.assembled(&module, assemble).ok()
    }
}
