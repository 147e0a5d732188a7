//! What is written into the folder.

use std::path::{Path, PathBuf};

use crate::evolve::EvolveError;
use crate::finding::Verdict;
use crate::{Evolved, report};

pub(super) struct Written {
    pub files: Vec<PathBuf>,
}

/// Writes the page, the numbers, and of each accepted finding the patch and the whole patched PTX.
pub(super) fn write(folder: &Path, ptx: &Path, evolved: &Evolved) -> Result<Written, EvolveError> {
    let stem = ptx.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![
        (folder.join("report.html"), report::page(&stem, evolved)),
        (folder.join("evolved.json"), serde_json::to_string_pretty(evolved).unwrap_or_default()),
    ];
    let accepted = evolved.findings.iter().enumerate();
    for (at, finding) in accepted.filter(|(_, finding)| matches!(finding.verdict, Verdict::Accepted(_))) {
        let name = |extension: &str| folder.join(format!("{stem}-{}.{extension}", at + 1));
        files.push((name("patch"), finding.patch.clone()));
        files.push((name("ptx"), finding.ptx.clone()));
    }
    let bytes: Vec<(&Path, &[u8])> =
        files.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
    nitro_core::files::replace_all(&bytes)
        .map_err(|error| EvolveError::Write { path: error.path, source: error.source })?;
    Ok(Written { files: files.into_iter().map(|(path, _)| path).collect() })
}
