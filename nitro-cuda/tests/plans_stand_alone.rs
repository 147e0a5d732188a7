//! The source of a launch plan comes with a model: the compiler gets no file for it. Needs NVRTC and no GPU.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nitro_cuda::{CudaError, Executable, Options, Output, nvrtc_version};
use nitro_launch::{Integers, LaunchPlan};
use nitro_test_support::tools::NVRTC;

/// The file that the process of a test is to read.
const PIPE: &str = "NITRO_TEST_PIPE";

/// Most of what follows is a wait for a process that hangs.
const DEADLINE: Duration = Duration::from_secs(120);

const PLAN: &str = r#"{"format":1,"name":"fill","sizes":["n"],"scalars":["value"],"temporaries":[],"iterators":[],
    "contracts":true,"cuda":"","arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],
    "is_written":true}],"kernels":[{"name":"fill_0","part":"0","host_iterators":[],"block":[256,1,1],
    "points":[1,1,1],"grid":[{"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":0},1]],
    "constant":0}],"step":1}]}],"host":[{"Launch":0}]}"#;

/// Compiles a plan with this before its kernel.
fn compiled(head: &str) -> Result<(), String> {
    let kernel = "extern \"C\" __global__ void fill_0(nitro_int n, float value, float* x) { x[0] = value; }";
    let plan = LaunchPlan { cuda: format!("{head}\n{kernel}\n"), ..LaunchPlan::from_json(PLAN).unwrap() };
    match Executable::image(&plan, Integers::Bits32, Options::new(90)) {
        Ok(_) => Ok(()),
        Err(CudaError::Compile { log, .. }) => Err(log),
        Err(other) => panic!("{other}"),
    }
}

/// Tries all ways to a file that NVRTC 13 knows.
fn read_all_ways(file: &Path) {
    let file = file.display();
    let ways = [
        (format!("#include \"{file}\""), 1, "include"),
        (format!("#include <{file}>"), 1, "include"),
        (format!("#define FILE \"{file}\"\n#include FILE"), 2, "include"),
        (format!("%:in\\\nclude \"{file}\""), 1, "include"),
        (format!("\n#/**/include \"{file}\""), 2, "include"),
        (format!("#if __has_include(\"{file}\")\n#endif"), 1, "__has_include"),
        (format!("#define PASTE(a, b) a##b\n#if PASTE(__has_, include)(\"{file}\")\n#endif"), 1, "##"),
    ];
    for (head, line, what) in ways {
        let expected = format!(
            "fill.cu({line}): `{what}` could read a file, and the source of a launch plan has to stand alone"
        );
        assert_eq!(compiled(&head), Err(expected));
    }
    assert_eq!(compiled("#pragma once\n#define TILE 8"), Ok(()), "what reads nothing is compiled");
}

#[test]
fn a_plan_compiles_with_two_axes_of_its_grid_in_each_others_place() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    let kernel = r#"extern "C" __global__ void fill_0(nitro_int n, float value, float* x)
{
    x[blockIdx.x + n * (blockIdx.y + 10 * threadIdx.x)] = gridDim.z;
}"#;
    let plan = LaunchPlan { cuda: kernel.into(), ..LaunchPlan::from_json(PLAN).unwrap() };
    for (axis, expected) in
        [(0, ["%ctaid.x", "%ctaid.y", "%nctaid.z"]), (2, ["%ctaid.z", "%ctaid.y", "%nctaid.x"])]
    {
        let options = Options::new(90).with_output(Output::Ptx);
        let image = Executable::image(&plan.turned(axis), Integers::Bits32, options);
        let image = image.unwrap_or_else(|error| panic!("{error}"));
        let ptx = image.ptx().unwrap();
        let registers = ["%ctaid", "%nctaid"].map(|register| {
            let named = ptx.match_indices(register).map(|(at, name)| &ptx[at..at + name.len() + 2]);
            named.collect::<BTreeSet<_>>()
        });
        assert_eq!(
            registers.into_iter().flatten().collect::<BTreeSet<_>>(),
            expected.into_iter().collect(),
            "{ptx}"
        );
    }
}

#[test]
fn a_plan_that_names_a_pipe_or_a_file_is_refused_at_once() {
    let Some(_) = NVRTC.found(nvrtc_version()) else { return };
    if let Some(pipe) = std::env::var_os(PIPE) {
        return read_all_ways(Path::new(&pipe));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.h");
    std::fs::write(&file, "int secret;").unwrap();
    read_all_ways(&file);

    // Whoever opens a pipe that nobody writes waits for ever.
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["a_plan_that_names_a_pipe_or_a_file_is_refused_at_once", "--exact"])
        .env(PIPE, &pipe)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let (ended, end) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = output.read_to_string(&mut text);
        let _ = ended.send(text);
    });
    let text = end.recv_timeout(DEADLINE);
    if text.is_err() {
        child.kill().unwrap();
    }
    assert!(child.wait().unwrap().success(), "{text:?}");
}
