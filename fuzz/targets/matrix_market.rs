//! See `nitro_fuzz::matrix_market`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::matrix_market(data));
