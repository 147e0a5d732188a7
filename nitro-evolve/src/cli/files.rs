//! The files of an evolution.

use std::path::{Path, PathBuf};

use nitro_train::BoxError;

use super::args::EvolveArgs;
use crate::error::EvolveError;
use crate::evolve::EvolveResult;
use crate::finding::Verdict;
use crate::minimise::MOST_FINDINGS;
use crate::plan::PlannedSubject;
use crate::report;

/// Returns the name of an evolution's files: `gemm` of gemm.ptx and of gemm.plan.json.
pub(super) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_suffix(".plan").unwrap_or(&stem).to_owned()
}

/// Returns the folder of an evolution.
pub(super) fn folder(args: &EvolveArgs, path: &Path) -> PathBuf {
    args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.evolved", stem(path))))
}

/// Makes a folder, unless it is there.
pub(super) fn make_folder(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot write {}: {error}", folder.display()))
}

/// Returns the file of what a plan was compiled to (`ptx`), or of how that is run (`toml`).
pub(super) fn kept(args: &EvolveArgs, path: &Path, extension: &str) -> PathBuf {
    folder(args, path).join(format!("{}.{extension}", stem(path)))
}

/// Writes the PTX of a plan and its workload.
///
/// With them the evolution can be made without the plan, and compute-sanitizer runs it.
pub(super) fn keep(args: &EvolveArgs, path: &Path, planned: &PlannedSubject) -> Result<(), BoxError> {
    make_folder(&folder(args, path))?;
    let subject = planned.subject();
    let mut files = vec![(kept(args, path, "ptx"), subject.original().ptx.to_string())];
    let workload = kept(args, path, "toml");
    // One that a person wrote stays where it is.
    if subject.workload().file() == workload {
        files.push((workload, subject.workload().text().to_owned()));
    }
    Ok(write_all(&files)?)
}

/// Writes the [files](of) of an evolution, and removes those of an earlier state.
pub(super) fn write(
    folder: &Path,
    path: &Path,
    evolved: &EvolveResult,
    planned: Option<&PlannedSubject>,
) -> Result<(), EvolveError> {
    write_all(&of(folder, path, evolved, planned)?)?;
    remove_others(folder, &stem(path), evolved);
    Ok(())
}

/// Removes the files of findings that an earlier state had, and this one has not.
fn remove_others(folder: &Path, stem: &str, evolved: &EvolveResult) {
    for number in 1..=MOST_FINDINGS {
        let finding = evolved.findings.get(number - 1);
        if finding.is_some_and(|finding| matches!(finding.verdict, Verdict::Accepted(_))) {
            continue;
        }
        for ending in ["patch", "ptx", "plan.json"] {
            // There may be none.
            let _ = std::fs::remove_file(folder.join(format!("{stem}-{number}.{ending}")));
        }
    }
}

/// Returns the page, the numbers, and the files of each accepted finding, with their texts.
///
/// A finding has its patch, the whole patched PTX, and the launch plan with that where it came of one.
pub(super) fn of(
    folder: &Path,
    path: &Path,
    evolved: &EvolveResult,
    planned: Option<&PlannedSubject>,
) -> Result<Vec<(PathBuf, String)>, EvolveError> {
    let stem = stem(path);
    let mut files = vec![
        (folder.join("report.html"), report::page(&stem, evolved)),
        (folder.join("evolved.json"), serde_json::to_string_pretty(evolved).unwrap_or_default()),
    ];
    for (number, finding) in (1..).zip(&evolved.findings) {
        if !matches!(finding.verdict, Verdict::Accepted(_)) {
            continue;
        }
        let stem = format!("{stem}-{number}");
        files.push((folder.join(format!("{stem}.patch")), finding.patch.clone()));
        files.push((folder.join(format!("{stem}.ptx")), finding.ptx.clone()));
        if let Some(planned) = planned {
            let plan = planned.patched(&finding.ptx)?.to_json();
            files.push((folder.join(format!("{stem}.plan.json")), plan));
        }
    }
    Ok(files)
}

/// Writes files, each as a whole or not at all.
fn write_all(files: &[(PathBuf, String)]) -> Result<(), EvolveError> {
    let bytes: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
    nitro_core::files::replace_all(&bytes)
        .map_err(|error| EvolveError::Write { path: error.path, source: error.source })
}
