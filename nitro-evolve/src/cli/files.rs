//! What is written into the folder.

use std::path::{Path, PathBuf};

use crate::evolve::EvolveError;
use crate::finding::Verdict;
use crate::{Evolved, PlannedSubject, report};

pub(super) struct Written {
    pub files: Vec<PathBuf>,
}

/// What the files of an evolution are called by: `gemm` of gemm.ptx and of gemm.plan.json.
pub(super) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    stem.strip_suffix(".plan").unwrap_or(&stem).to_owned()
}

/// Writes the page, the numbers, and of each accepted finding the patch and the whole patched PTX, and the launch
/// plan with that where it came of one.
pub(super) fn write(
    folder: &Path,
    path: &Path,
    evolved: &Evolved,
    planned: Option<&PlannedSubject>,
) -> Result<Written, EvolveError> {
    let stem = stem(path);
    let mut files = vec![
        (folder.join("report.html"), report::page(&stem, evolved)),
        (folder.join("evolved.json"), serde_json::to_string_pretty(evolved).unwrap_or_default()),
    ];
    let accepted = evolved.findings.iter().enumerate();
    for (at, finding) in accepted.filter(|(_, finding)| matches!(finding.verdict, Verdict::Accepted(_))) {
        let name = |extension: &str| folder.join(format!("{stem}-{}.{extension}", at + 1));
        files.push((name("patch"), finding.patch.clone()));
        files.push((name("ptx"), finding.ptx.clone()));
        if let Some(planned) = planned {
            files.push((name("plan.json"), planned.patched(&finding.ptx)?.to_json()));
        }
    }
    let bytes: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
    nitro_core::files::replace_all(&bytes)
        .map_err(|error| EvolveError::Write { path: error.path, source: error.source })?;
    Ok(Written { files: files.into_iter().map(|(path, _)| path).collect() })
}
