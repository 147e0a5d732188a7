//! What the fuzzer once found of interest is still answered or refused.

use std::path::Path;

/// Goes through a folder of the corpus, which is not empty.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut inputs = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
        inputs += 1;
    }
    assert!(inputs > 0, "{} is empty", folder.display());
}

#[test]
fn model_files() {
    replay("model", nitro_fuzz::model);
}

#[test]
fn imported_tables() {
    replay("import", nitro_fuzz::import);
}

#[test]
fn files_of_kernel_tuner() {
    replay("kernel_tuner", nitro_fuzz::kernel_tuner);
}

#[test]
fn matrix_market_files() {
    replay("matrix_market", nitro_fuzz::matrix_market);
}

#[test]
fn stores() {
    replay("store", nitro_fuzz::store);
}

#[test]
fn attributes() {
    replay("attribute", nitro_fuzz::attribute);
}

#[test]
fn launch_plans() {
    replay("launch_plan", nitro_fuzz::launch_plan);
}

#[test]
fn ptx() {
    replay("ptx", nitro_fuzz::ptx);
}

#[test]
fn workloads() {
    replay("workload", nitro_fuzz::workload);
}
