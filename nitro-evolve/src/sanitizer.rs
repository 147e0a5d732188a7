//! The check by NVIDIA's compute-sanitizer.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use crate::check::{Check, CheckOutcome, Depth, Objection};
use crate::deadline::Deadline;
use crate::tool::{self, End};

/// The exit code of the sanitizer when it found something.
const FOUND: i32 = 86;
const TOOLS: [&str; 4] = ["memcheck", "racecheck", "synccheck", "initcheck"];
/// The program.
const PROGRAM: &str = "compute-sanitizer";

/// A check that runs a patch under one tool of compute-sanitizer, with the smallest inputs of search and validation: as
/// many as begin within two seconds, since large ones take longer than a whole search.
///
/// `racecheck` covers shared memory alone, and one order of threads on one card; the emulator covers global memory
/// and other orders. Where a tool finds something, it is asked about the original too: what that has is no objection.
pub(crate) struct Sanitizer {
    tool: &'static str,
    start: Start,
    original: Arc<str>,
    /// The outcome for the original, once that is asked for.
    own: OnceLock<CheckOutcome>,
}

/// The command line by which this program runs a PTX text in its own process.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub program: PathBuf,
    pub workload: PathBuf,
    pub device: String,
}

impl Sanitizer {
    /// Returns a check for each tool, or says why the program cannot be run.
    pub(crate) fn all(start: &Start, original: &Arc<str>) -> Result<Vec<Self>, String> {
        tool::run(Command::new(PROGRAM).arg("--version"), tool::MOST_TIME)?;
        let new = |tool| {
            let (start, original) = (start.clone(), Arc::clone(original));
            Self { tool, start, original, own: OnceLock::new() }
        };
        Ok(TOOLS.map(new).into())
    }

    /// Returns the command line of a check.
    fn command(&self, ptx: &Path) -> Command {
        let Start { program, workload, device } = &self.start;
        let mut command = Command::new(PROGRAM);
        if self.tool == "memcheck" {
            // The driver is asked things that it may refuse, such as a parameter behind a kernel's last one.
            command.args(["--report-api-errors", "no"]);
        }
        command.args(["--tool", self.tool, "--print-limit", "1", "--error-exitcode", &FOUND.to_string()]);
        command.arg(program).arg("evolve").arg(ptx).arg("--workload").arg(workload);
        command.args(["--device", device, "--check", "--in-process"]);
        command
    }

    /// Runs a text under the tool.
    fn run(&self, ptx: &str, until: Deadline) -> Result<CheckOutcome, String> {
        let folder = tool::folder_with("patched.ptx", ptx.as_bytes(), PROGRAM)?;
        let mut command = self.command(&folder.path().join("patched.ptx"));
        let patience = until.left().map_or(tool::MOST_TIME, |left| left.min(tool::MOST_TIME));
        let End { status, output, errors } = tool::end(&mut command, patience)?;
        Ok(match status.code() {
            Some(0) => CheckOutcome::Clean,
            Some(FOUND) => CheckOutcome::Found(Objection::new(finding(&output))),
            _ => {
                let why = errors.lines().last().map_or_else(|| format!("it ended ({status})"), str::to_owned);
                CheckOutcome::NotRun(why)
            }
        })
    }
}

/// Returns the first finding among the lines of the sanitizer, which begin with signs of equality.
fn finding(output: &str) -> String {
    let mut own = output.lines().filter_map(|line| line.strip_prefix("=========")).map(str::trim);
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

    fn takes_seconds(&self) -> bool {
        true
    }

    fn check(&self, ptx: &str, _: Depth, until: Deadline) -> CheckOutcome {
        let outcome = self.run(ptx, until).unwrap_or_else(CheckOutcome::NotRun);
        let CheckOutcome::Found(_) = &outcome else { return outcome };
        let own =
            self.own.get_or_init(|| self.run(&self.original, until).unwrap_or_else(CheckOutcome::NotRun));
        match own {
            CheckOutcome::Clean | CheckOutcome::Off { .. } => outcome,
            CheckOutcome::Found(what) => {
                CheckOutcome::NotRun(format!("it finds something in the PTX as it is: {what}"))
            }
            CheckOutcome::NotRun(why) => CheckOutcome::NotRun(why.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_finding_is_told() {
        let lines = "========= COMPUTE-SANITIZER\nk on cuda:0\n========= Error: Race reported between Write access at k+0x80 and Read access at k+0xa0 [64 hazards]\n=========\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)";
        assert!(finding(lines).starts_with("Error: Race reported between Write"), "{}", finding(lines));
        assert_eq!(finding(""), "something");
    }
}
