//! The same recordings, options and seed give the same bytes, whatever the number of threads.

use nitro_learn::{FitOptions, Strategy, fit};

use crate::synthetic::{Planted, recordings};

fn bytes(threads: usize, options: &FitOptions) -> Vec<u8> {
    let recordings = recordings(&Planted { devices: 5, inputs: 40, ..Planted::default() });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| fit(&recordings, options)).expect("there is enough to learn from").model.to_bytes()
}

#[test]
fn models_are_byte_identical() {
    for names in [&[][..], &["svm-none"], &["svm-cross-validation"], &["forest-all"]] {
        let strategies: Vec<Strategy> = names.iter().map(|name| name.parse().unwrap()).collect();
        let options = FitOptions { strategies, seed: 9, ..FitOptions::default() };
        let (expected, strategies) = (bytes(1, &options), &options.strategies);
        assert_eq!(bytes(1, &options), expected, "{strategies:?} again");
        assert_eq!(bytes(3, &options), expected, "{strategies:?} on three threads");
    }
}
