//! The requests of a sandbox, and the answers of its worker.

use std::path::PathBuf;

use nitro_search::Floor;
use serde::{Deserialize, Serialize};

use crate::effort::Effort;
use crate::runner::{CaseResult, Code, RunOutcome};
use crate::workload::{Set, Workload};

/// A request to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// As [`Runner::prepare`](crate::Runner::prepare).
    Prepare(WorkloadText, Vec<Set>),
    /// As [`Runner::begin`](crate::Runner::begin).
    Begin(WorkloadText, Code, Vec<Set>),
    /// As [`Runner::run`](crate::Runner::run).
    Run(Code, Set, Effort),
    /// As [`Runner::floors`](crate::Runner::floors).
    Floors(Code, Set),
}

/// An answer of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// The worker runs on this, and is ready.
    Ready { name: String, architecture: Option<u32> },
    /// The inputs are made.
    Prepared,
    /// The original has run, with these results for each set.
    Begun(Vec<Vec<CaseResult>>),
    /// A candidate has run or failed.
    Ran(RunOutcome),
    /// The floors of a set's cases, or why they are not known.
    Floors(Result<Vec<Floor>, String>),
    /// The worker cannot run anything any more, or never could.
    Lost(String),
}

/// A workload as it was written.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorkloadText {
    file: PathBuf,
    text: String,
}

impl WorkloadText {
    /// Returns the text of a workload.
    pub(super) fn of(workload: &Workload) -> Self {
        Self { file: workload.file().to_owned(), text: workload.text().to_owned() }
    }

    /// Reads the workload again.
    pub(super) fn workload(&self) -> Result<Workload, String> {
        Workload::parse(&self.file, &self.text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nitro_process::{read_frame, write_frame};

    use super::*;

    #[test]
    fn infinite_errors_arrive() {
        let sent = RunOutcome::Ran(vec![
            CaseResult { time_ns: 0.1, error: f64::INFINITY },
            CaseResult { time_ns: 2.0, error: 1.0 / 3.0 },
        ]);
        let mut bytes = Vec::new();
        write_frame(&mut bytes, &Answer::Ran(sent.clone())).unwrap();
        let Some(Answer::Ran(found)) = read_frame(&mut &bytes[..]).unwrap() else { panic!("another answer") };
        assert_eq!(found, sent);
    }

    #[test]
    fn code_arrives_with_and_without_machine_code() {
        let image = |bytes: &'static [u8]| -> Arc<[u8]> { Arc::from(bytes) };
        for images in [vec![], vec![image(b"\x7fELF")], vec![image(b"one"), image(b""), image(b"other")]] {
            let code = Code { ptx: "// ä".into(), images };
            let mut bytes = Vec::new();
            write_frame(&mut bytes, &Request::Run(code.clone(), Set::Test, Effort::new(1, 1))).unwrap();
            let Some(Request::Run(found, Set::Test, _)) = read_frame(&mut &bytes[..]).unwrap() else {
                panic!("another request")
            };
            assert_eq!(found, code);
        }
    }
}
