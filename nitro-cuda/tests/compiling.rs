//! Compiling kernels needs NVRTC and no GPU. Without NVRTC these tests are left out; with
//! `NITRO_REQUIRE_NVRTC=1` they fail instead.

use nitro_cuda::{
    CudaError, Image, Options, Output, Program, Source, compile, nvrtc_architectures, nvrtc_version,
};
use nitro_test_support::tools::NVRTC;

#[test]
fn machine_code_is_made_for_every_architecture_that_nvrtc_knows() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static PROGRAM: Program = Program::new("one.cu", r#"extern "C" __global__ void one(int* x) { *x = 1; }"#);
    static TESTS: Program = Program::new("device.cu", include_str!("device.cu"));
    let architectures = nvrtc_architectures().unwrap();
    assert!(architectures.contains(&90) && nvrtc_version().unwrap().0 >= 12, "{architectures:?}");
    for architecture in architectures {
        let image = PROGRAM.compile(architecture, &[]).unwrap();
        assert!(image.cubin().unwrap().starts_with(b"\x7fELF"), "sm_{architecture}");
        TESTS.compile(architecture, &[]).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn a_mistake_is_reported_with_file_and_line() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static WRONG: Program =
        Program::new("wrong.cu", "extern \"C\" __global__ void k() {\n    undeclared = 1;\n}");
    let error = WRONG.compile(90, &[]).unwrap_err();
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
    WITH.compile(90, &[]).unwrap();
    assert!(WITHOUT.compile(90, &[]).unwrap_err().to_string().contains("LIMIT"));
    assert!(matches!(UNKNOWN.compile(90, &[]).unwrap_err(), CudaError::Compile { .. }));
}

#[test]
fn an_architecture_that_nvrtc_does_not_know_is_an_error() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static EMPTY: Program = Program::new("empty.cu", "");
    let message = EMPTY.compile(1, &[]).unwrap_err().to_string();
    assert!(message.contains("sm_1"), "{message}");
}

#[test]
fn definitions_of_a_configuration_reach_the_compiler() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    static TILED: Program = Program::new(
        "tiled.cu",
        "extern \"C\" __global__ void k(int* x) { __shared__ int t[TILE]; t[threadIdx.x] = *x; __syncthreads(); *x = t[ROWS]; }",
    );
    for tile in [16, 32] {
        let image = TILED.compile(90, &[("TILE", tile), ("ROWS", 2)]).unwrap();
        assert_eq!(image.usage("k").unwrap().static_shared_bytes, 4 * tile as u32);
    }
    assert!(TILED.compile(90, &[("TILE", 16)]).unwrap_err().to_string().contains("ROWS"));
}

#[test]
fn a_source_of_the_moment_is_compiled_to_machine_code_or_to_ptx() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let text = format!("extern \"C\" __global__ void k(int* x) {{ *x = {}; }}", 6 * 7);
    let source = Source::new("generated.cu", &text);
    let machine_code = compile(&source, &Options::new(90)).unwrap();
    assert!(machine_code.cubin().unwrap().starts_with(b"\x7fELF") && machine_code.ptx().is_none());
    let ptx = compile(&source, &Options::new(90).with_output(Output::Ptx)).unwrap();
    let text = ptx.ptx().unwrap();
    assert!(text.contains(".entry k") && text.contains(".target sm_90") && ptx.cubin().is_none(), "{text}");
    assert_eq!(Image::from_ptx("shipped.ptx", text).ptx(), Some(text));
}

/// The log of the assembler has no promised form: this shows that it is understood.
#[test]
fn the_compiler_says_what_a_kernel_takes_on_every_architecture() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let source = Source::new(
        "spilling.cu",
        r#"
        extern "C" __global__ void small(int* x) { __shared__ int t[64]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); *x = t[1]; }
        extern "C" __global__ void __launch_bounds__(1024) spilling(double* x) {
            double v[128];
            #pragma unroll
            for (int i = 0; i < 128; i++) v[i] = x[i];
            __syncthreads();
            #pragma unroll
            for (int i = 0; i < 128; i++) x[i] = v[127 - i] * v[i];
        }"#,
    );
    for architecture in nvrtc_architectures().unwrap() {
        let image = compile(&source, &Options::new(architecture)).unwrap();
        let of = |kernel| image.usage(kernel).unwrap_or_else(|| panic!("sm_{architecture}: {}", image.log()));
        let (small, spilling) = (of("small"), of("spilling"));
        assert_eq!((small.spill_bytes, small.stack_bytes), (0, 0), "sm_{architecture}");
        assert!(small.static_shared_bytes >= 256 && small.registers > 0, "sm_{architecture}: {small:?}");
        assert!(spilling.spill_bytes > 0 && spilling.registers <= 64, "sm_{architecture}: {spilling:?}");
        assert_eq!(image.usage("absent"), None);
    }
}

#[test]
fn warnings_are_in_the_log_of_what_compiles() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let source = Source::new("unused.cu", "extern \"C\" __global__ void k() { int unused; }");
    let log = compile(&source, &Options::new(90)).unwrap().log().to_owned();
    assert!(log.contains("unused.cu(1)") && log.contains("never referenced"), "{log}");
}
