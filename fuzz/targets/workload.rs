//! See `nitro_fuzz::workload`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::workload(data));
