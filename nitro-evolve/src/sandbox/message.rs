//! The requests of a sandbox, and the answers of its worker.

use std::path::PathBuf;
use std::sync::Arc;

use nitro_search::Failure;
use serde::{Deserialize, Serialize};

use super::process::encode;
use crate::effort::Effort;
use crate::runner::{CaseResult, Code, RunOutcome};
use crate::workload::{Set, Workload};

/// A request to a worker, with code as the payload.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// As [`Runner::prepare`](crate::Runner::prepare).
    Prepare { file: PathBuf, workload: String, sets: Vec<Set> },
    /// As [`Runner::begin`](crate::Runner::begin).
    Begin { file: PathBuf, workload: String, sets: Vec<Set>, code: Parts },
    /// As [`Runner::run`](crate::Runner::run).
    Run { set: Set, effort: Effort, code: Parts },
}

/// An answer of a worker, with results as the payload: JSON knows no infinite number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// The worker runs on this, and is ready.
    Ready { name: String, architecture: Option<u32> },
    /// The inputs are made.
    Prepared,
    /// The original has run, with so many results for each set.
    Begun { cases: Vec<usize> },
    /// All cases have run.
    Ran,
    /// The candidate has no times.
    Failed(Failure, String),
    /// The worker cannot run anything any more, or never could.
    Lost(String),
}

/// The division of a payload into PTX and machine code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parts {
    ptx_bytes: usize,
    image_bytes: Vec<usize>,
}

impl Request {
    /// Writes a request to prepare inputs.
    pub(super) fn prepare(workload: &Workload, sets: &[Set]) -> Result<Vec<u8>, String> {
        let (file, text) = (workload.file().to_owned(), workload.text().to_owned());
        encode(&Self::Prepare { file, workload: text, sets: sets.to_vec() }, &[])
    }

    /// Writes a request to begin.
    pub(super) fn begin(workload: &Workload, original: &Code, sets: &[Set]) -> Result<Vec<u8>, String> {
        let (file, text) = (workload.file().to_owned(), workload.text().to_owned());
        Self::Begin { file, workload: text, sets: sets.to_vec(), code: Parts::of(original) }.with(original)
    }

    /// Writes a request to run a candidate.
    pub(super) fn run(candidate: &Code, set: Set, effort: Effort) -> Result<Vec<u8>, String> {
        Self::Run { set, effort, code: Parts::of(candidate) }.with(candidate)
    }

    /// Writes a request with code.
    fn with(&self, code: &Code) -> Result<Vec<u8>, String> {
        let images = code.images.iter().map(|image| &image[..]);
        encode(self, &[code.ptx.as_bytes()].into_iter().chain(images).collect::<Vec<_>>())
    }
}

impl Parts {
    /// Measures the parts of code.
    fn of(code: &Code) -> Self {
        Self { ptx_bytes: code.ptx.len(), image_bytes: code.images.iter().map(|image| image.len()).collect() }
    }

    /// Takes the code out of a payload.
    pub(super) fn code(self, payload: &[u8]) -> Result<Code, String> {
        let (ptx, mut rest) = payload.split_at_checked(self.ptx_bytes).ok_or("the code is cut off")?;
        let ptx = std::str::from_utf8(ptx).map_err(|error| error.to_string())?;
        let mut images = Vec::with_capacity(self.image_bytes.len().min(payload.len()));
        for bytes in self.image_bytes {
            let (image, others) = rest.split_at_checked(bytes).ok_or("the machine code is cut off")?;
            images.push(Arc::from(image));
            rest = others;
        }
        Ok(Code { ptx: ptx.into(), images })
    }
}

impl Answer {
    /// Writes the answer to a beginning.
    pub(super) fn begun(results: &[Vec<CaseResult>]) -> Result<Vec<u8>, String> {
        let cases = results.iter().map(Vec::len).collect();
        encode(&Self::Begun { cases }, &[&bytes(&results.concat())])
    }

    /// Writes the answer to a run.
    pub(super) fn ran(outcome: RunOutcome) -> Result<Vec<u8>, String> {
        match outcome {
            RunOutcome::Ran(results) => encode(&Self::Ran, &[&bytes(&results)]),
            RunOutcome::Failed(failure, message) => encode(&Self::Failed(failure, message), &[]),
        }
    }

    /// Writes an answer without a payload.
    pub(super) fn other(&self) -> Result<Vec<u8>, String> {
        encode(self, &[])
    }
}

/// Writes results as bytes.
fn bytes(results: &[CaseResult]) -> Vec<u8> {
    let numbers = results.iter().flat_map(|result| [result.time_ns, result.error]);
    numbers.flat_map(f64::to_le_bytes).collect()
}

/// Takes the results out of a payload; none where it has no whole number of them.
pub(super) fn results(payload: &[u8]) -> Option<Vec<CaseResult>> {
    let (numbers, rest) = payload.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().copied().map(f64::from_le_bytes).collect();
    let (pairs, odd) = numbers.as_chunks::<2>();
    let whole = rest.is_empty() && odd.is_empty();
    whole.then(|| pairs.iter().map(|&[time_ns, error]| CaseResult { time_ns, error }).collect())
}

#[cfg(test)]
mod tests {
    use super::super::process::read;
    use super::*;

    #[test]
    fn infinite_errors_arrive() {
        let sent = vec![
            CaseResult { time_ns: 0.1, error: f64::INFINITY },
            CaseResult { time_ns: 2.0, error: 1.0 / 3.0 },
        ];
        let bytes = Answer::ran(RunOutcome::Ran(sent.clone())).unwrap();
        let (answer, payload) = read::<Answer>(&mut &bytes[..]).unwrap().unwrap();
        assert!(matches!(answer, Answer::Ran));
        assert_eq!(results(&payload), Some(sent));
        assert_eq!(results(&payload[1..]), None);
        assert_eq!(results(&payload[8..]), None);
    }

    #[test]
    fn code_arrives_with_and_without_machine_code() {
        let image = |bytes: &'static [u8]| -> Arc<[u8]> { Arc::from(bytes) };
        for images in [vec![], vec![image(b"\x7fELF")], vec![image(b"one"), image(b""), image(b"other")]] {
            let code = Code { ptx: "// ä".into(), images };
            let bytes = Request::run(&code, Set::Test, Effort::new(1, 1)).unwrap();
            let (request, payload) = read::<Request>(&mut &bytes[..]).unwrap().unwrap();
            let Request::Run { set: Set::Test, code: parts, .. } = request else { panic!("{request:?}") };
            assert_eq!(parts.clone().code(&payload), Ok(code));
            assert!(parts.code(&payload[..3]).is_err());
        }
    }
}
