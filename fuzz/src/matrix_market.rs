use nitro_benchmarks::inputs::spmv::load;

use crate::scratch_file;

/// Reads a Matrix Market file, plain or gzip, or refuses it.
///
/// What is read can be multiplied by a vector, and takes no more memory than the file announces.
pub fn matrix_market(data: &[u8]) {
    let path = scratch_file("fuzzed.mtx", data);
    match load(path.to_str().expect("temporary folders have plain names")) {
        Ok(matrix) => {
            let mut sums = vec![0.0; matrix.rows()];
            for (row, _, value) in matrix.entries() {
                sums[row as usize] += 2.0 * value.abs();
            }
            assert!(sums.iter().all(|sum: &f64| sum.is_finite()));
        }
        Err(error) => assert!(error.to_string().contains("fuzzed.mtx"), "{error}"),
    }
}
