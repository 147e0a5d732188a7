//! The output of the command.

use std::io::{self, Write};
use std::path::PathBuf;

use nitro_search::Floor;

use crate::evolve::EvolveResult;
use crate::finding::{Contract, ExplainedEdit, Finding, Verdict};
use crate::floors::{nearness, nearness_of_test};
use crate::machine_code::MachineCode;
use crate::runner::CaseResult;
use crate::subject::Subject;
use crate::workload::Set;

/// Prints the times of the original in each set, with their floors where these are known.
pub(super) fn check(
    subject: &Subject,
    on: &str,
    sets: &[(Set, &[CaseResult], Vec<Floor>)],
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{} on {on}", subject.workload().kernels().join(", "))?;
    for (set, cases, floors) in sets {
        for (number, case) in cases.iter().enumerate() {
            let name = subject.workload().case_name(*set, number);
            let set = format!("{set:?}").to_lowercase();
            writeln!(out, "{set:>10}  {:>12}  {name}", time(case.time_ns))?;
            if let Some(floor) = floors.get(number) {
                writeln!(out, "{:>24}  {}, {floor}", "", floor.of(case.time_ns))?;
            }
        }
    }
    Ok(())
}

/// Prints the findings, and the files that were written.
pub(super) fn evolved(evolved: &EvolveResult, files: &[PathBuf], out: &mut dyn Write) -> io::Result<()> {
    let counts = &evolved.history.counts;
    let failed: usize = counts.failed.values().sum();
    writeln!(
        out,
        "{} candidates in {} generations on {}: {} ran, {} were the same code as others, {failed} failed.",
        counts.trials,
        evolved.generations,
        evolved.on.join(", "),
        counts.ran,
        counts.same
    )?;
    writeln!(out, "Where the time went: {}.", evolved.time)?;
    if let Some(nearness) = nearness(evolved) {
        writeln!(out, "With the inputs of the search {nearness}.")?;
    }
    for (case, floor) in &evolved.floors {
        writeln!(out, "  {case}: {floor}")?;
    }
    if evolved.findings.is_empty() {
        writeln!(out, "Nothing was found that is faster.")?;
    }
    for (number, finding) in evolved.findings.iter().enumerate() {
        self::finding(number + 1, finding, out)?;
    }
    for file in files {
        writeln!(out, "written: {}", file.display())?;
    }
    Ok(())
}

/// Describes a finding as text.
pub(crate) fn describe(number: usize, finding: &Finding) -> String {
    let mut out = Vec::new();
    self::finding(number, finding, &mut out).expect("memory can be written to");
    String::from_utf8_lossy(&out).trim_start().to_owned()
}

/// Prints a finding.
fn finding(number: usize, finding: &Finding, out: &mut dyn Write) -> io::Result<()> {
    let edits = finding.edits.len();
    let speedup = finding
        .speedup()
        .map_or(String::new(), |speedup| format!("{speedup:.2}x as fast on the test inputs, "));
    let near = nearness_of_test(&finding.test).map_or(String::new(), |nearness| format!("{nearness}, "));
    let ground = finding.exactness.as_ref().map_or(String::new(), |exactness| format!(", {exactness}"));
    let verdict = match &finding.verdict {
        Verdict::Accepted(Contract::Exact) => format!("accepted: results are the original's{ground}"),
        Verdict::Accepted(Contract::Approx { max_error, over }) => {
            format!("accepted: results are off by up to {max_error:.1e} ({over}){ground}")
        }
        Verdict::Refused(why) => format!("refused: {why}"),
    };
    writeln!(out, "\nPatch {number}, {edits} edits (of {}): {speedup}{near}{verdict}", finding.edits_before)?;
    match &finding.machine_code {
        MachineCode::Compared(change) => writeln!(out, "  machine code: {}", change.summary())?,
        MachineCode::Unknown(why) => writeln!(out, "  machine code: not shown, {why}")?,
    }
    finding.edits.iter().try_for_each(|edit| self::edit(edit, out))?;
    for dropped in &finding.dropped {
        let edit = dropped.edit.lines().next().unwrap_or_default();
        writeln!(out, "  dropped: {edit}, since with it {}", dropped.why)?;
    }
    if let Some(undone) = finding.what_is_undone() {
        writeln!(out, "  {undone}")?;
    }
    Ok(())
}

/// Prints an edit.
fn edit(edit: &ExplainedEdit, out: &mut dyn Write) -> io::Result<()> {
    let kind = edit.kind();
    let barrier = if edit.is_barrier { ", a barrier" } else { "" };
    writeln!(
        out,
        "  {}  alone {}, without it {} lost, {kind}{barrier}",
        edit.edit.lines().next().unwrap_or_default(),
        percent(edit.alone),
        percent(edit.loss)
    )?;
    let (shown, more) = edit.first_instructions();
    shown.iter().try_for_each(|instruction| writeln!(out, "      {instruction}"))?;
    if more > 0 {
        writeln!(out, "      and {more} more")?;
    }
    Ok(())
}

/// Writes a share in percent.
fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// Writes a time in the unit that fits.
fn time(time_ns: f64) -> String {
    match time_ns {
        _ if time_ns < 1e3 => format!("{time_ns:.0} ns"),
        _ if time_ns < 1e6 => format!("{:.2} us", time_ns / 1e3),
        _ => format!("{:.2} ms", time_ns / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Workload;

    const RUN: &str = r#"
        buffer = [{ name = "x", type = "f32", length = "n", role = "out" }]
        step = [{ kernel = "k", grid = [1], block = [32], arguments = [] }]
        search = [{ n = 1 }, { n = 2 }]
        validation = [{ n = 3 }]
        test = [{ n = 4 }]
    "#;

    #[test]
    fn times_of_the_original_stand_beside_their_floors_where_these_are_known() {
        let workload = Workload::parse(Path::new("k.toml"), RUN).unwrap();
        let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
        let subject = Subject::new(ptx, workload).unwrap();
        let times = [2000.0, 3000.0].map(|time_ns| CaseResult { time_ns, error: 0.0 });
        let floor = Floor { ns: 500.0, limit: "memory".to_owned(), reason: "7 bytes".to_owned() };
        let sets = [(Set::Search, &times[..], vec![floor; 2]), (Set::Test, &times[..1], Vec::new())];
        let mut out = Vec::new();
        check(&subject, "a device", &sets, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[2], "25 % of what memory allows, at least 500.0 ns by memory: 7 bytes");
        assert!(lines[4].starts_with("16 % of what memory allows"), "{text}");
        assert_eq!((lines.len(), lines[5].contains("n=4")), (6, true), "{text}");
    }
}
