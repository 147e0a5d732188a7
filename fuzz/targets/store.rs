//! See `nitro_fuzz::store`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::store(data));
