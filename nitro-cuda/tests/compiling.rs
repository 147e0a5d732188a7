//! Compiling kernels needs NVRTC and no GPU. Without NVRTC these tests are left out; with
//! `NITRO_REQUIRE_NVRTC=1` they fail instead.

#[path = "../../tests/left_out/mod.rs"]
mod left_out;

use left_out::NVRTC;
use nitro_cuda::{CudaError, Program, nvrtc_architectures, nvrtc_version};

#[test]
fn machine_code_is_made_for_every_architecture_that_nvrtc_knows() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static PROGRAM: Program = Program::new("one.cu", r#"extern "C" __global__ void one(int* x) { *x = 1; }"#);
    static TESTS: Program = Program::new("device.cu", include_str!("device.cu"));
    let architectures = nvrtc_architectures().unwrap();
    assert!(architectures.contains(&90) && nvrtc_version().unwrap().0 >= 12, "{architectures:?}");
    for architecture in architectures {
        assert!(PROGRAM.compile(architecture).unwrap().starts_with(b"\x7fELF"), "sm_{architecture}");
        TESTS.compile(architecture).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_mistake_is_reported_with_file_and_line() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static WRONG: Program =
        Program::new("wrong.cu", "extern \"C\" __global__ void k() {\n    undeclared = 1;\n}");
    let error = WRONG.compile(90).unwrap_err();
    assert!(matches!(error, CudaError::Compile { architecture: 90, .. }));
    let message = error.to_string();
    assert!(message.contains("wrong.cu(2)") && message.contains("undeclared"), "{message}");
}

#[test]
fn options_reach_the_compiler() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    const SOURCE: &str = "extern \"C\" __global__ void k(int* x) { *x = LIMIT; }";
    static WITH: Program = Program::new("limit.cu", SOURCE).with_options(&["-DLIMIT=3"]);
    static WITHOUT: Program = Program::new("limit.cu", SOURCE);
    static UNKNOWN: Program = Program::new("limit.cu", SOURCE).with_options(&["--no-such-option"]);
    WITH.compile(90).unwrap();
    assert!(WITHOUT.compile(90).unwrap_err().to_string().contains("LIMIT"));
    assert!(matches!(UNKNOWN.compile(90).unwrap_err(), CudaError::Compile { .. }));
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_an_error() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static EMPTY: Program = Program::new("empty.cu", "");
    let message = EMPTY.compile(1).unwrap_err().to_string();
    assert!(message.contains("sm_1"), "{message}");
}
