//! See `nitro_fuzz::ptx`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::ptx(data));
