//! The command `train check`, which tells an application's continuous integration whether models may be shipped.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use nitro_learn::plain_table::Table;
use nitro_store::printable::{list, printable};

use super::args::{CheckArgs, ShowArgs};
use super::json;
use crate::terminal::say;
use crate::trainer::{CheckRequest, ModelCheck, Trainer};

/// Checks the models, and prints what was found. Fails with 1 if a model has a problem.
pub(super) fn run(trainer: &Trainer, args: &CheckArgs, out: &mut dyn Write) -> Result<ExitCode> {
    if let Some(file) = &args.certificate {
        return certificates(trainer, file, &args.show, out);
    }
    let checks = trainer.check(&request(args))?;
    print(out, &checks, &args.show)?;
    let problems: Vec<&String> = checks.iter().flat_map(|check| &check.problems).collect();
    problems.iter().for_each(|problem| say!("error: {problem}"));
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Checks certificates, and prints what they rest on. Fails with 1 if one does not hold.
fn certificates(trainer: &Trainer, file: &Path, show: &ShowArgs, out: &mut dyn Write) -> Result<ExitCode> {
    let checks = trainer.check_certificates(file)?;
    for check in &checks {
        match show.json.json {
            true => json::print(out, check)?,
            false => check.to_string().lines().try_for_each(|line| writeln!(out, "{}", printable(line)))?,
        }
    }
    let problems: Vec<&String> = checks.iter().flat_map(|check| &check.problems).collect();
    problems.iter().for_each(|problem| say!("error: {problem}"));
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the request of a command line. The last of several bounds for a function, or for all, counts.
fn request(args: &CheckArgs) -> CheckRequest {
    let mut request = args.request.clone();
    for bound in &args.max_regret {
        let max_regret = bound.percent / 100.0;
        match &bound.function {
            Some(function) => drop(request.max_regret_of.insert(function.clone(), max_regret)),
            None => request.max_regret = max_regret,
        }
    }
    request
}

fn print(out: &mut dyn Write, checks: &[ModelCheck], show: &ShowArgs) -> Result<()> {
    if show.json.json {
        return checks.iter().try_for_each(|check| json::print(out, check));
    }
    let mut table = Table::new(["function", "regret %", "bound %", "device"]);
    for check in checks {
        for (device, regret) in &check.devices {
            table.row([check.function.clone(), percent(*regret), String::new(), device.clone()]);
        }
        if let Some(regret) = check.regret {
            let bound = percent(check.max_regret);
            table.row([check.function.clone(), percent(regret), bound, "mean".to_owned()]);
        }
    }
    writeln!(out, "{table:0$}", show.columns())?;
    for check in checks {
        for worst in &check.worst_inputs {
            writeln!(out, "{}", printable(&format!("{} {worst}", check.function)))?;
        }
    }
    let counting = checks.iter().filter(|check| check.counts_choosing && check.regret.is_some());
    let counting: Vec<&str> = counting.map(|check| check.function.as_str()).collect();
    if !counting.is_empty() {
        let text = format!("with the time for choosing counted as in a fit: {}", list(&counting));
        writeln!(out, "{}", printable(&text))?;
    }
    for ModelCheck { function, doubtful, .. } in checks.iter().filter(|check| check.doubtful > 0) {
        let those = if *doubtful == 1 {
            "1 of its test inputs does"
        } else {
            &format!("{doubtful} of its test inputs do")
        };
        let why = "measured while others took the processors";
        writeln!(out, "{}", printable(&format!("{function}: {those} not count, {why}")))?;
    }
    let passed = checks.iter().filter(|check| check.problems.is_empty()).count();
    writeln!(out, "{passed} of {} models may be shipped", checks.len())?;
    Ok(())
}

/// Returns a share in percent.
fn percent(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}
