//! See `nitro_fuzz::model`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::model(data));
