//! A worker whose runner does what the text of the code says.

use std::io::{Read, Write};
use std::net::TcpStream;

use nitro_evolve::Effort;
use nitro_evolve::runner::{CaseResult, Code, RunOutcome, Runner, RunnerError};
use nitro_evolve::sandbox::{CudaRunner, serve};
use nitro_evolve::{Set, Workload};
use nitro_search::{Failure, Floor};

/// Where what hangs connects to, so that its end shows.
pub const ADDRESS: &str = "NITRO_TEST_ADDRESS";
/// What a device that is there once makes, so that the next one finds it.
pub const FILE: &str = "NITRO_TEST_FILE";

/// A worker of some kind.
pub fn work(kind: &str) {
    match kind {
        "deaf" => hang(),
        "cuda" => serve(|| CudaRunner::open("cuda:0"), std::io::stdin(), std::io::stdout()).unwrap(),
        "garbage" => print!("Hello, I am a worker."),
        "without device" => without_device(),
        "once" => {
            let file = std::env::var(FILE).unwrap();
            match std::fs::File::create_new(file) {
                Ok(_) => work("fake"),
                Err(_) => without_device(),
            }
        }
        _ => {
            let open = || Ok(Fake { begun: Vec::new(), prepared: Vec::new() });
            serve(open, std::io::stdin(), std::io::stdout()).unwrap()
        }
    }
}

fn without_device() {
    let open = || Err::<Fake, _>(RunnerError("there is no device".to_owned()));
    serve(open, std::io::stdin(), std::io::stdout()).unwrap();
}

struct Fake {
    begun: Vec<Set>,
    prepared: Vec<Set>,
}

impl Runner for Fake {
    fn name(&self) -> String {
        "fake".to_owned()
    }

    fn architecture(&self) -> Option<u32> {
        Some(75)
    }

    fn prepare(&mut self, _: &Workload, sets: &[Set]) -> Result<(), RunnerError> {
        self.prepared = sets.to_vec();
        Ok(())
    }

    fn begin(
        &mut self,
        workload: &Workload,
        original: &Code,
        sets: &[Set],
    ) -> Result<Vec<Vec<CaseResult>>, RunnerError> {
        self.begun = sets.to_vec();
        let results = sets.iter().map(|&set| {
            (0..workload.cases(set)).map(|case| result(original, case)).collect::<Result<Vec<_>, _>>()
        });
        results.collect()
    }

    fn run(&mut self, candidate: &Code, set: Set, effort: Effort) -> Result<RunOutcome, RunnerError> {
        assert!(self.begun.contains(&set), "the sandbox begins with what it runs");
        match &*candidate.ptx {
            "hang" => hang(),
            "abort" => {
                eprintln!("{}\nabout to abort", "noise ".repeat(100_000));
                std::process::abort()
            }
            "lost" | "lost again" => return Err(RunnerError("the device answers 700".to_owned())),
            "cuda" => serve(|| CudaRunner::open("cuda:0"), std::io::stdin(), std::io::stdout()).unwrap(),
            "garbage" => print!("a kernel printed this, which is not allowed"),
            "giant" => {
                std::io::stdout().write_all(b"ntro\x02\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff").unwrap()
            }
            "late end" => {
                // After its answer: what the next one meets.
                std::thread::spawn(|| {
                    let mut test = TcpStream::connect(std::env::var(ADDRESS).unwrap()).unwrap();
                    test.write_all(&std::process::id().to_le_bytes()).unwrap();
                    let _ = test.read(&mut [0]);
                    std::process::exit(3)
                });
            }
            "prepared" => return Ok(RunOutcome::Failed(Failure::Launch, format!("{:?}", self.prepared))),
            "wrong" => return Ok(RunOutcome::Failed(Failure::Launch, "too many threads".to_owned())),
            _ => {}
        }
        let takes = if &*candidate.ptx == "late end" { "takes 1" } else { &*candidate.ptx };
        let candidate = &Code::text(takes);
        let cases = if set == Set::Search { 2 } else { 1 };
        let results = (0..cases).map(|case| result(candidate, case)).collect::<Result<Vec<_>, _>>();
        Ok(RunOutcome::Ran(
            results?
                .into_iter()
                .map(|result| CaseResult { error: f64::from(effort.checks), ..result })
                .collect(),
        ))
    }

    fn floors(&mut self, idle: &Code, set: Set) -> Result<Vec<Floor>, RunnerError> {
        match &*idle.ptx {
            "abort" => std::process::abort(),
            _ => floors(idle, if set == Set::Search { 2 } else { 1 }),
        }
    }
}

/// A floor for each case where the text is a time.
fn floors(idle: &Code, cases: usize) -> Result<Vec<Floor>, RunnerError> {
    let floor = |case| {
        let ns = result(idle, case)?.time_ns;
        Ok(Floor { ns, limit: "memory".to_owned(), reason: "7 bytes".to_owned() })
    };
    (0..cases).map(floor).collect()
}

/// Texts such as `takes 5`.
fn result(code: &Code, case: usize) -> Result<CaseResult, RunnerError> {
    let time_ns = code.ptx.strip_prefix("takes ").and_then(|time| time.parse::<f64>().ok());
    let time_ns = time_ns.ok_or_else(|| RunnerError(format!("`{}` does not run", code.ptx)))?;
    Ok(CaseResult { time_ns: time_ns * (1 + case) as f64, error: f64::INFINITY })
}

fn hang() -> ! {
    let _open = std::env::var(ADDRESS).ok().map(|address| TcpStream::connect(address).unwrap());
    loop {
        std::thread::park();
    }
}
