//! What a sandbox asks its worker, and what that answers.

use std::path::PathBuf;
use std::sync::Arc;

use nitro_search::Failure;
use serde::{Deserialize, Serialize};

use super::frame;
use crate::bench::{CaseResult, Code, Effort, RunOutcome};
use crate::{Set, Workload};

/// To a worker. The code is the payload.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// As [`Bench::prepare`](crate::Bench::prepare).
    Prepare { file: PathBuf, workload: String, sets: Vec<Set> },
    /// As [`Bench::begin`](crate::Bench::begin).
    Begin { file: PathBuf, workload: String, sets: Vec<Set>, code: Parts },
    /// As [`Bench::run`](crate::Bench::run).
    Run { set: Set, effort: Effort, code: Parts },
}

/// Of a worker. Results are the payload: text knows no infinite number.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// It runs on this, and is ready.
    Ready { name: String, architecture: Option<u32> },
    /// The inputs are made.
    Prepared,
    /// For each set, so many results.
    Begun { cases: Vec<usize> },
    /// All cases have run.
    Ran,
    /// The candidate has no times.
    Failed(Failure, String),
    /// It cannot run anything any more, or never could.
    Lost(String),
}

/// How a payload divides into PTX and machine code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parts {
    ptx_bytes: usize,
    image_bytes: Vec<usize>,
}

impl Request {
    pub(super) fn prepare(workload: &Workload, sets: &[Set]) -> Result<Vec<u8>, String> {
        let (file, text) = (workload.file().to_owned(), workload.text().to_owned());
        frame::encode(&Self::Prepare { file, workload: text, sets: sets.to_vec() }, &[])
    }

    pub(super) fn begin(workload: &Workload, original: &Code, sets: &[Set]) -> Result<Vec<u8>, String> {
        let (file, text) = (workload.file().to_owned(), workload.text().to_owned());
        Self::Begin { file, workload: text, sets: sets.to_vec(), code: Parts::of(original) }.with(original)
    }

    pub(super) fn run(candidate: &Code, set: Set, effort: Effort) -> Result<Vec<u8>, String> {
        Self::Run { set, effort, code: Parts::of(candidate) }.with(candidate)
    }

    fn with(&self, code: &Code) -> Result<Vec<u8>, String> {
        let images = code.images.iter().map(|image| &image[..]);
        frame::encode(self, &[code.ptx.as_bytes()].into_iter().chain(images).collect::<Vec<_>>())
    }
}

impl Parts {
    fn of(code: &Code) -> Self {
        Self { ptx_bytes: code.ptx.len(), image_bytes: code.images.iter().map(|image| image.len()).collect() }
    }

    /// The code in a payload.
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
    pub(super) fn begun(results: &[Vec<CaseResult>]) -> Result<Vec<u8>, String> {
        let cases = results.iter().map(Vec::len).collect();
        frame::encode(&Self::Begun { cases }, &[&bytes(&results.concat())])
    }

    pub(super) fn ran(outcome: RunOutcome) -> Result<Vec<u8>, String> {
        match outcome {
            RunOutcome::Ran(results) => frame::encode(&Self::Ran, &[&bytes(&results)]),
            RunOutcome::Failed(failure, message) => frame::encode(&Self::Failed(failure, message), &[]),
        }
    }

    pub(super) fn other(&self) -> Result<Vec<u8>, String> {
        frame::encode(self, &[])
    }
}

fn bytes(results: &[CaseResult]) -> Vec<u8> {
    let numbers = results.iter().flat_map(|result| [result.time_ns, result.error]);
    numbers.flat_map(f64::to_le_bytes).collect()
}

/// The results in a payload; none where it has no whole number of them.
pub(super) fn results(payload: &[u8]) -> Option<Vec<CaseResult>> {
    let (numbers, rest) = payload.as_chunks::<8>();
    let numbers: Vec<f64> = numbers.iter().copied().map(f64::from_le_bytes).collect();
    let (pairs, odd) = numbers.as_chunks::<2>();
    let whole = rest.is_empty() && odd.is_empty();
    whole.then(|| pairs.iter().map(|&[time_ns, error]| CaseResult { time_ns, error }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinite_errors_arrive() {
        let sent = vec![
            CaseResult { time_ns: 0.1, error: f64::INFINITY },
            CaseResult { time_ns: 2.0, error: 1.0 / 3.0 },
        ];
        let bytes = Answer::ran(RunOutcome::Ran(sent.clone())).unwrap();
        let (answer, payload) = frame::read::<Answer>(&mut &bytes[..]).unwrap().unwrap();
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
            let (request, payload) = frame::read::<Request>(&mut &bytes[..]).unwrap().unwrap();
            let Request::Run { set: Set::Test, code: parts, .. } = request else { panic!("{request:?}") };
            assert_eq!(parts.clone().code(&payload), Ok(code));
            assert!(parts.code(&payload[..3]).is_err());
        }
    }
}
