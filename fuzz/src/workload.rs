use std::path::Path;

use nitro_evolve::{Set, Workload};

/// A workload is read or refused in one line that names the file; one that is read can be described. Its buffers are not made: they may take gigabytes.
pub fn workload(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Workload::parse(Path::new("w.toml"), text) {
        Ok(workload) => {
            assert!(!workload.kernels().is_empty());
            for set in [Set::Search, Set::Validation, Set::Test] {
                (0..workload.cases(set))
                    .for_each(|number| assert!(!workload.case_name(set, number).is_empty()));
            }
            let _ = workload.summary();
        }
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with("w.toml:") && !said.contains('\n'), "{said}");
        }
    }
}
