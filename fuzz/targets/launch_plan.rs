//! See `nitro_fuzz::launch_plan`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| nitro_fuzz::launch_plan(data));
