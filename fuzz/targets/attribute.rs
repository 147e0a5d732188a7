//! See `nitro_fuzz::attribute`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::attribute(data));
