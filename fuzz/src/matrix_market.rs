use nitro_benchmarks::inputs::spmv::load;

use crate::scratch;

/// A Matrix Market file, plain or gzip: read or refused, at the cost of what it announces at most. What is read can be multiplied by.
pub fn matrix_market(data: &[u8]) {
    let path = scratch("fuzzed.mtx");
    std::fs::write(&path, data).expect("temporary files can be written");
    match load(path.to_str().expect("temporary folders have plain names")) {
        Ok(matrix) => {
            let mut sums = vec![0.0; matrix.rows()];
            matrix.entries().for_each(|(row, _, value)| sums[row as usize] += 2.0 * value.abs());
            assert!(sums.iter().all(|sum: &f64| sum.is_finite()));
        }
        Err(error) => assert!(error.to_string().contains("fuzzed.mtx"), "{error}"),
    }
}
