//! A task of `train evolve`: to evolve a subject, or to run its original alone.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use nitro_ptx::{DeviceVariable, Patch};
use nitro_search::threads::cores;
use nitro_train::BoxError;

use super::args::EvolveArgs;
use super::progress::Terminal;
use super::{files, input, print};
use crate::check::Check;
use crate::devices::{Devices, checks, devices, disassembler, small_inputs};
use crate::effort::Efforts;
use crate::emulated::EmulatorCheck;
use crate::error::EvolveError;
use crate::evolve::{EvolveRequest, evolve, original_code};
use crate::floors;
use crate::observer::Observer;
use crate::plan::PlannedSubject;
use crate::runner::{Runner, RunnerError};
use crate::subject::Subject;
use crate::workload::Set;

/// A subject with what was asked for.
pub(super) struct Task<'a> {
    pub args: &'a EvolveArgs,
    /// The file of the subject.
    pub path: &'a Path,
    pub subject: &'a Subject,
    /// The launch plan that the subject was made of, if it was.
    pub planned: Option<&'a PlannedSubject>,
    /// The moment from which the minutes count.
    pub began: Instant,
}

impl Task<'_> {
    /// Checks or evolves the subject, on devices that are opened unless they are already.
    pub(super) fn run(&self, opened: Option<Devices>, out: &mut dyn Write) -> Result<(), BoxError> {
        let begin_with = input::patches(&self.args.begin_with, self.subject)?;
        let devices = match opened {
            Some(devices) => devices,
            None => devices(&self.args.devices)?,
        };
        if devices.is_counted {
            self.subject.check_emulated().map_err(|error| input::wrong(self.path, error))?;
        }
        if self.args.check {
            return self.check(devices, out);
        }
        if let Some(planned) = self.planned {
            files::keep(self.args, self.path, planned)?;
        }
        self.evolve(devices, begin_with, out)
    }

    /// Names the file whose text cannot be run.
    fn failed(&self, error: &RunnerError) -> BoxError {
        format!("{}: {error}", self.path.display()).into()
    }

    /// Runs the original alone, and prints its times.
    fn check(&self, devices: Devices, out: &mut dyn Write) -> Result<(), BoxError> {
        let workload = self.subject.workload();
        warn(self.subject, &Terminal::new());
        let Devices { mut runners, assemble, .. } = devices;
        let original = original_code(self.subject, &*assemble).map_err(|error| self.failed(&error))?;
        let sets = &[Set::Search, Set::Validation, Set::Test];
        let Some(runner) = runners.first_mut() else { return Ok(()) };
        let results = runner.begin(workload, &original, sets).map_err(|error| self.failed(&error))?;
        let (subject, terminal) = (self.subject, Terminal::new());
        let mut cases = Vec::new();
        for (&set, results) in sets.iter().zip(&results) {
            let floors = floors::of_set(subject, &*assemble, runner.as_mut(), set, &terminal);
            cases.push((set, results.as_slice(), floors));
        }
        print::check(subject, &runner.name(), &cases, out)?;
        let small_inputs = small_inputs(self.subject, workload.max_error()).ok();
        if let Some(faults) = small_inputs.and_then(|check| check.faults()) {
            writeln!(out, "{faults}")?;
        }
        for (set, results, floors) in &cases {
            for (number, (floor, result)) in floors.iter().zip(*results).enumerate() {
                let timed = (&*workload.case_name(*set, number), result.time_ns);
                floors::check_original(floor, timed, Efforts::MEASURED.search, &runner.name())?;
            }
        }
        Ok(())
    }

    /// Evolves the subject, then writes and prints what was found.
    fn evolve(&self, devices: Devices, begin_with: Vec<Patch>, out: &mut dyn Write) -> Result<(), BoxError> {
        let folder = files::folder(self.args, self.path);
        files::make_folder(&folder)?;
        let log = folder.join("evolution.jsonl");
        let terminal = Terminal::new();
        let Devices { mut runners, assemble, is_counted } = devices;
        let args = self.args;
        let max_error = args.max_error.unwrap_or(self.subject.workload().max_error());
        let subject = self.subject.clone().within(max_error);
        let Prepared { checks, left_out, small_inputs, subject } =
            prepare(&subject, args, max_error, &mut runners);
        left_out.iter().for_each(|line| terminal.message(line));
        let small_inputs = self.small_inputs(small_inputs, &terminal);
        warn(&subject, &terminal);
        say_proposed(&subject, &terminal);
        let cores = cores();
        let request = EvolveRequest {
            plan: args.plan(max_error),
            most_time: args.most_time(),
            most_time_after: args.most_time_after(),
            most_trials: args.evaluations.unwrap_or(usize::MAX),
            until: args.until,
            efforts: if is_counted { Efforts::COUNTED } else { Efforts::MEASURED },
            // Whoever gives a device its work has a core, so that times do not depend on what is assembled meanwhile.
            threads: if is_counted { cores } else { cores.saturating_sub(runners.len()).max(1) },
            checks,
            small_inputs,
            relies_on_inputs: args.rely_on_inputs,
            disassembler: disassembler(&runners, &subject.original().ptx),
            log: &log,
            begin_with,
            elapsed: &|| self.began.elapsed(),
            keep: &|known| files::write(&folder, self.path, known, self.planned),
        };
        let evolved =
            evolve(&subject, runners, &*assemble, request, &terminal).map_err(|error| match error {
                EvolveError::Runner(error) => self.failed(&error),
                other => other.into(),
            })?;
        terminal.end();
        let files: Vec<PathBuf> = files::of(&folder, self.path, &evolved, self.planned)?
            .into_iter()
            .map(|(file, _)| file)
            .collect();
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(&evolved)?)?,
            false => print::evolved(&evolved, &files, out)?,
        }
        Ok(())
    }

    /// Returns the check with small inputs, or says what follows where there is none.
    fn small_inputs(
        &self,
        check: Result<EmulatorCheck, RunnerError>,
        terminal: &Terminal,
    ) -> Option<Box<dyn Check>> {
        match check {
            Ok(check) => Some(Box::new(check)),
            Err(why) => {
                if !self.args.rely_on_inputs {
                    terminal.message(&format!(
                        "patches may rely on what all inputs of the workload have in common, since the emulator \
                         cannot look at small ones that nobody wrote: {why}"
                    ));
                }
                None
            }
        }
    }
}

/// What the emulator and the tools say of the original before a search.
struct Prepared {
    checks: Vec<Box<dyn Check>>,
    left_out: Vec<String>,
    small_inputs: Result<EmulatorCheck, RunnerError>,
    /// The subject with what a profile proposes, unless that was forbidden.
    subject: Subject,
}

/// Prepares a search: small inputs, the profile and what devices run side by side, since each takes seconds.
fn prepare(
    subject: &Subject,
    args: &EvolveArgs,
    max_error: f64,
    runners: &mut [Box<dyn Runner>],
) -> Prepared {
    let is_guided = !args.unguided;
    std::thread::scope(|scope| {
        for runner in runners {
            // What cannot be made is said when the search begins with it.
            let sets = [Set::Search, Set::Validation, Set::Test];
            scope.spawn(move || runner.prepare(subject.workload(), &sets));
        }
        let proposing =
            scope.spawn(|| if is_guided { subject.with_proposals(cores()) } else { subject.clone() });
        let small_inputs = scope.spawn(|| small_inputs(subject, max_error));
        let (checks, left_out) = checks(subject, &args.devices, max_error);
        let small_inputs = small_inputs.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let subject = proposing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Prepared { checks, left_out, small_inputs, subject }
    })
}

/// Says how many edits are proposed, by reason.
fn say_proposed(subject: &Subject, terminal: &Terminal) {
    let mut proposed = Vec::new();
    for (reason, count) in subject.proposed() {
        proposed.push(format!("{count} about {reason}"));
    }
    if !proposed.is_empty() {
        terminal.message(&format!("edits that profile and text suggest: {}", proposed.join(", ")));
    }
}

/// Says what a workload lets evolution rely on, and what it leaves out.
fn warn(subject: &Subject, terminal: &Terminal) {
    let workload = subject.workload();
    for DeviceVariable { name, is_constant, .. } in subject.unnamed_variables() {
        let what = match is_constant {
            true => format!("the constant `{name}` is all zeros"),
            false => format!("the variable `{name}` begins with zeros, and what is left there is no result"),
        };
        terminal.message(&format!(
            "{}: {what}, since no buffer is it; `variable = \"{name}\"` under [[buffer]] makes one so",
            workload.file().display()
        ));
    }
    for name in workload.undrawn() {
        terminal.message(&format!(
            "{}: `{name}` holds values that no seed changes: a patch may rely on them, and no test will show it; \
             where they may be others, draw them, as by uniform(0, 1)",
            workload.file().display()
        ));
    }
}
