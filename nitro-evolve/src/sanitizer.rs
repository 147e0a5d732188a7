//! NVIDIA's compute-sanitizer as a check.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::finding::{Check, CheckOutcome};
use nitro_search::threads::on_threads;

/// The exit code by which the sanitizer says that it found something.
const FOUND: i32 = 86;
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];
/// What of its output is read.
const MOST_BYTES: u64 = 1 << 20;

/// Runs a patch under one tool of compute-sanitizer, with the inputs of search and validation.
///
/// `racecheck` covers shared memory alone, and one order of threads on one card; the emulator covers global memory
/// and other orders.
pub struct Sanitizer {
    tool: &'static str,
    runs: Runs,
}

/// How this program runs a PTX text in its own process.
#[derive(Clone, Debug)]
pub(crate) struct Runs {
    pub program: PathBuf,
    pub workload: PathBuf,
    pub device: String,
}

impl Sanitizer {
    /// The tools that are there, and under which the original is clean; a line for people about each that is left out.
    pub(crate) fn all(runs: &Runs, original: &str) -> (Vec<Self>, Vec<String>) {
        let (mut clean, mut left_out) = (Vec::new(), Vec::new());
        let outcomes = on_threads(TOOLS.len(), &TOOLS, |&tool| {
            let own = Self { tool, runs: runs.clone() };
            let outcome = own.check(original);
            (own, outcome)
        });
        for (own, outcome) in outcomes {
            let tool = own.tool;
            match outcome {
                CheckOutcome::Clean => clean.push(own),
                CheckOutcome::Found(what) => {
                    left_out
                        .push(format!("{tool} finds something in the PTX as it is, and is left out: {what}"));
                }
                CheckOutcome::NotRun(why) => left_out.push(format!("{tool} cannot be run: {why}")),
            }
        }
        (clean, left_out)
    }

    fn command(&self, ptx: &Path) -> Command {
        let Runs { program, workload, device } = &self.runs;
        let mut command = Command::new("compute-sanitizer");
        if self.tool == "memcheck" {
            // The driver is asked things that it may refuse, such as a parameter behind a kernel's last one.
            command.args(["--report-api-errors", "no"]);
        }
        command.args(["--tool", self.tool, "--print-limit", "1", "--error-exitcode", &FOUND.to_string()]);
        command.arg(program).arg("evolve").arg(ptx).arg("--workload").arg(workload);
        command.args(["--device", device, "--check", "--in-process"]);
        command
    }

    fn run(&self, ptx: &str) -> std::io::Result<CheckOutcome> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("patched.ptx");
        std::fs::write(&file, ptx)?;
        let mut command = self.command(&file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let errors = process.stderr.take().map(|errors| std::thread::spawn(move || read(errors)));
        let lines = process.stdout.take().map(read).unwrap_or_default();
        let status = process.wait()?;
        let errors = errors.and_then(|errors| errors.join().ok()).unwrap_or_default();
        Ok(match status.code() {
            Some(0) => CheckOutcome::Clean,
            Some(FOUND) => CheckOutcome::Found(finding(&lines)),
            _ => {
                CheckOutcome::NotRun(errors.last().cloned().unwrap_or_else(|| format!("it ended ({status})")))
            }
        })
    }
}

/// The lines of what comes, as far as they are read.
fn read(mut from: impl Read) -> Vec<String> {
    let lines = BufReader::new((&mut from).take(MOST_BYTES)).lines().map_while(Result::ok).collect();
    // Whoever writes more than is read would wait for ever.
    let _ = std::io::copy(&mut from, &mut std::io::sink());
    lines
}

/// The first finding among the lines of the sanitizer, which begin with signs of equality.
fn finding(lines: &[String]) -> String {
    let mut own = lines.iter().filter_map(|line| line.strip_prefix("=========")).map(str::trim);
    let first = own.find(|line| {
        ["Error", "Invalid", "Barrier", "Uninitialized", "Warning", "Race"]
            .iter()
            .any(|word| line.contains(word))
    });
    first.unwrap_or("something").to_owned()
}

impl Check for Sanitizer {
    fn name(&self) -> String {
        format!("compute-sanitizer {}", self.tool)
    }

    fn finds_races(&self) -> bool {
        self.tool == "racecheck"
    }

    fn check(&self, ptx: &str) -> CheckOutcome {
        self.run(ptx).unwrap_or_else(|error| CheckOutcome::NotRun(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_finding_is_told() {
        let lines = "========= COMPUTE-SANITIZER\nk on cuda:0\n========= Error: Race reported between Write access at k+0x80 and Read access at k+0xa0 [64 hazards]\n=========\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)";
        let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        assert!(finding(&lines).starts_with("Error: Race reported between Write"), "{}", finding(&lines));
        assert_eq!(finding(&[]), "something");
    }
}
