//! See `nitro_fuzz::kernel_tuner`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::kernel_tuner(data));
