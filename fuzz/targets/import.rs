//! See `nitro_fuzz::import`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::import(data));
