use nitro_benchmarks::inputs::spmv::load;

use crate::scratch;

/// A Matrix Market file, plain or gzip: read or refused, at the cost of what it announces at most.
pub fn matrix_market(data: &[u8]) {
    let path = scratch("fuzzed.mtx");
    std::fs::write(&path, data).expect("temporary files can be written");
    match load(path.to_str().expect("temporary folders have plain names")) {
        Ok(_) => {}
        Err(error) => assert!(error.to_string().contains("fuzzed.mtx"), "{error}"),
    }
}
