use std::path::Path;

use nitro_evolve::{Set, Workload};

/// Reads a workload and describes it, or refuses it in one line that names the file.
///
/// Its buffers are not made: they may take gigabytes.
pub fn workload(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match Workload::parse(Path::new("w.toml"), text) {
        Ok(workload) => {
            assert!(!workload.kernels().is_empty());
            for set in [Set::Search, Set::Validation, Set::Test] {
                for number in 0..workload.cases(set) {
                    assert!(!workload.case_name(set, number).is_empty());
                }
            }
            let _ = workload.summary();
        }
        Err(error) => {
            let sentence = error.to_string();
            assert!(sentence.starts_with("w.toml:") && !sentence.contains('\n'), "{sentence}");
        }
    }
}
