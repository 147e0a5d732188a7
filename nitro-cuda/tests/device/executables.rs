//! A launch plan gives what its kernels give, launch by launch and as a graph.

use std::sync::Arc;

use nitro::Artifact;
use nitro_cuda::{
    Buffer, Cuda, CudaError, Executable, Integers, LaunchError, LaunchPlan, Options, Output, PlanError,
    PlannedPtx, Stream, device,
};

use crate::partitions;

/// `for t in 0..steps { old = x; x[i] = old[(i + 1) % n] + by * t; }`; `large` is there to ask for large integers.
const ROTATE: &str = r#"{"format":1,"name":"rotate","sizes":["n","steps","large"],"scalars":["by"],
    "arrays":[{"name":"x","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
    "temporaries":[{"name":"old","shape":[{"terms":[[{"Parameter":0},1]],"constant":0}],"is_written":true}],
    "iterators":["t"],
    "kernels":[
        {"name":"keep","part":"0","host_iterators":[0],"block":[64,1,1],"points":[1,1,1],
         "grid":[{"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]},
        {"name":"rotate","part":"1","host_iterators":[0],"block":[64,1,1],"points":[1,1,1],
         "grid":[{"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":0},1]],"constant":0}],"step":1}]}],
    "host":[{"Loop":[{"iterator":0,"lower":[{"terms":[],"constant":0}],"upper":[{"terms":[[{"Parameter":1},1]],"constant":0}],"step":1,"is_reversed":false},
        [{"Launch":0},{"Launch":1}]]}],
    "contracts":false,
    "cuda":"extern \"C\" __global__ void keep(nitro_int n, nitro_int steps, nitro_int large, nitro_int t, float by, float* x, float* old)\n{\n    nitro_int i = 64 * (nitro_int)blockIdx.x + (nitro_int)threadIdx.x;\n    if (i < n) old[i] = x[i];\n}\nextern \"C\" __global__ void rotate(nitro_int n, nitro_int steps, nitro_int large, nitro_int t, float by, float* x, float* old)\n{\n    nitro_int i = 64 * (nitro_int)blockIdx.x + (nitro_int)threadIdx.x;\n    if (i < n) x[i] = old[(i + 1) % n] + by * t;\n}\n"}"#;

const N: usize = 1000;

fn expected(mut x: Vec<f32>, steps: i64, by: f32) -> Vec<f32> {
    for t in 0..steps {
        x.rotate_left(1);
        x.iter_mut().for_each(|element| *element += by * t as f32);
    }
    x
}

fn executable(device: Cuda) -> Executable {
    Executable::new(LaunchPlan::from_json(ROTATE).unwrap(), device).unwrap()
}

fn numbers() -> Vec<f32> {
    (0..N).map(|index| index as f32).collect()
}

fn run(executable: &Executable, stream: Stream, steps: i64, by: f32, x: &Buffer<f32>) {
    // SAFETY: the kernels stay within the array, which is of this stream.
    unsafe { executable.run_on(stream, &[N as i64, steps, 1], &[by], &[x]) }.unwrap();
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_plan_gives_what_its_kernels_give_in_either_integers() {
    let device = device(0).unwrap();
    device.enter();
    let executable = executable(device);
    for large in [1, 1 << 40] {
        let x = Buffer::from_slice(&numbers()).unwrap();
        // SAFETY: the kernels stay within the array.
        unsafe { executable.run(&[N as i64, 3, large], &[0.5], &[&x]) }.unwrap();
        assert_eq!(x.to_vec().unwrap(), expected(numbers(), 3, 0.5));
    }
    assert_eq!(executable.graphs(), 0, "six launches are few");
}

/// `x[i, j] = 2 * i + j + by` by a block for each row, of which there are more than a device has along y.
#[test]
#[ignore = "needs a CUDA device"]
fn rows_beyond_what_a_device_has_along_y_are_all_computed() {
    let device = device(0).unwrap();
    device.enter();
    let mut plan = LaunchPlan::from_json(ROTATE).unwrap();
    let (columns, rows) = (96_usize, 70_000_usize);
    let of = |size| nitro_launch::Affine::from(nitro_launch::Variable::Parameter(size));
    plan.arrays[0].shape = vec![of(1), of(0)];
    plan.temporaries.clear();
    plan.kernels.truncate(1);
    plan.kernels[0].host_iterators.clear();
    let mut along_y = plan.kernels[0].grid[0].clone();
    along_y.upper = vec![of(1)];
    plan.kernels[0].grid.push(along_y);
    plan.host = vec![nitro_launch::Host::Launch(0)];
    plan.cuda =
        r#"extern "C" __global__ void keep(nitro_int n, nitro_int rows, nitro_int large, float by, float* x)
{
    nitro_int j = 64 * (nitro_int)blockIdx.x + (nitro_int)threadIdx.x;
    nitro_int i = blockIdx.y;
    if (j < n && gridDim.x == 2 && gridDim.y == rows) x[i * n + j] = 2 * i + j + by;
}"#
        .into();
    let executable = Executable::new(plan, device).unwrap();
    let x = Buffer::<f32>::zeroed(columns * rows).unwrap();
    // SAFETY: the kernel stays within the array.
    unsafe { executable.run(&[columns as i64, rows as i64, 1], &[0.5], &[&x]) }.unwrap();
    let expected: Vec<f32> =
        (0..columns * rows).map(|at| (2 * (at / columns) + at % columns) as f32 + 0.5).collect();
    assert!(x.to_vec().unwrap() == expected);
}

#[test]
#[ignore = "needs a CUDA device"]
fn many_launches_become_a_graph_when_the_call_comes_again() {
    for device in std::iter::once(device(0).unwrap()).chain(partitions().into_iter().take(1)) {
        device.enter();
        let executable = executable(device);
        for stream in [device.stream(), Stream::new(device).unwrap()] {
            let before = executable.graphs();
            let mut x = Buffer::uninit_on(stream, N).unwrap();
            x.copy_from_slice(&numbers()).unwrap();
            let mut wanted = numbers();
            for call in 0..4 {
                run(&executable, stream, 60, 0.5, &x);
                wanted = expected(wanted, 60, 0.5);
                assert_eq!(executable.graphs() - before, usize::from(call > 0));
            }
            assert_eq!(x.to_vec().unwrap(), wanted);
            // What is another call has another graph, or none yet.
            run(&executable, stream, 60, 0.25, &x);
            run(&executable, stream, 59, 0.5, &x);
            wanted = expected(expected(wanted, 60, 0.25), 59, 0.5);
            assert_eq!((x.to_vec().unwrap(), executable.graphs() - before), (wanted, 1));
        }
    }
    device(0).unwrap().enter();
}

/// More calls than there are graphs: those that were not used for longest go, while they may still run.
#[test]
#[ignore = "needs a CUDA device"]
fn graphs_may_be_dropped_while_they_run() {
    let device = device(0).unwrap();
    device.enter();
    let x = Buffer::from_slice(&numbers()).unwrap();
    let mut wanted = numbers();
    {
        let executable = executable(device);
        for call in 0..24 {
            let by = (call / 2) as f32;
            run(&executable, device.stream(), 60, by, &x);
            wanted = expected(wanted, 60, by);
        }
        assert_eq!(executable.graphs(), 8);
    }
    assert_eq!(x.to_vec().unwrap(), wanted);
}

#[test]
#[ignore = "needs a CUDA device"]
fn threads_may_launch_one_graph() {
    let device = device(0).unwrap();
    device.enter();
    let (executable, x) = (executable(device), Buffer::from_slice(&numbers()).unwrap());
    device.stream().synchronize().unwrap();
    // Launches of two calls may alternate; those of a graph stay together.
    (0..2).for_each(|_| run(&executable, device.stream(), 100, 0.0, &x));
    assert_eq!(executable.graphs(), 1);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..5).for_each(|_| run(&executable, device.stream(), 100, 0.0, &x)));
        }
    });
    assert_eq!(x.to_vec().unwrap(), expected(numbers(), 2200, 0.0));
}

#[test]
#[ignore = "needs a CUDA device"]
fn what_does_not_fit_is_refused_and_the_device_goes_on() {
    let device = device(0).unwrap();
    device.enter();
    let executable = executable(device);
    let x = Buffer::from_slice(&numbers()).unwrap();
    let none: [&Buffer<f32>; 0] = [];
    // SAFETY: nothing is launched.
    let [short, missing, sizes, endless] = unsafe {
        [
            executable.run(&[N as i64 + 1, 1, 1], &[0.5], &[&x]),
            executable.run(&[N as i64, 1, 1], &[0.5], &none),
            executable.run(&[N as i64, 1], &[0.5], &[&x]),
            executable.run(&[-1, 1, 1], &[0.5], &[&x]),
        ]
    }
    .map(|run| run.unwrap_err().to_string());
    assert_eq!(short, "`rotate` takes 1001 elements of `x` and was given 1000");
    assert_eq!(missing, "`rotate` takes 1 arrays and was given 0");
    assert_eq!(sizes, "`rotate` takes 3 sizes and was given 2");
    assert_eq!(endless, "the array `x` cannot have the shape [-1]");
    if let Some(part) = partitions().first() {
        // SAFETY: nothing is launched.
        let other = unsafe { executable.run_on(part.stream(), &[N as i64, 1, 1], &[0.5], &[&x]) };
        assert!(matches!(other, Err(LaunchError::Cuda(CudaError::OtherDevice { .. }))), "{other:?}");
    }
    let wrong = LaunchPlan { cuda: "no C++".into(), ..executable.plan().clone() };
    let wrong = Executable::new(wrong, device).unwrap().kernel(Integers::Bits32, 0).unwrap_err();
    assert!(matches!(&wrong, CudaError::Compile { file, .. } if file == "rotate.cu"), "{wrong}");
    run(&executable, device.stream(), 1, 0.5, &x);
    assert_eq!(x.to_vec().unwrap(), expected(numbers(), 1, 0.5));
}

/// As machine code of PTX that was compiled elsewhere, perhaps changed.
#[test]
#[ignore = "needs a CUDA device"]
fn a_plan_of_ptx_runs_and_is_for_its_devices_alone() {
    let device = device(0).unwrap();
    device.enter();
    let plan = executable(device).plan().clone();
    for integers in [Integers::Bits32, Integers::Bits64] {
        let options = Options::for_device(device).with_output(Output::Ptx);
        let image = Executable::image(&plan, integers, options).unwrap();
        let text = image.ptx().unwrap().to_owned();
        let of_ptx = plan.with_ptx(PlannedPtx { integers, text: text.clone() }).unwrap();
        let artifact = Artifact::keep(&of_ptx.to_json());
        assert!(Executable::runs_on(artifact, device));
        let (executable, x) =
            (Executable::of_artifact(artifact, device).unwrap(), Buffer::from_slice(&numbers()).unwrap());
        run(&executable, device.stream(), 3, 0.5, &x);
        assert_eq!(x.to_vec().unwrap(), expected(numbers(), 3, 0.5), "{integers:?}");

        let target = format!("sm_{}", device.architecture());
        let newer = PlannedPtx { integers, text: text.replace(&target, "sm_999") };
        let newer = Artifact::keep(&plan.with_ptx(newer).unwrap().to_json());
        assert!(!Executable::runs_on(newer, device));
        let error = Executable::of_artifact(newer, device).unwrap_err();
        assert!(matches!(error, LaunchError::Plan(PlanError::Target { .. })), "{error}");
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_text_is_read_once_a_device() {
    let device = device(0).unwrap();
    let of = |artifact| Executable::of_artifact(artifact, device);
    let artifact = Artifact::of(ROTATE);
    assert!(matches!(of(artifact).unwrap_err(), LaunchError::Cuda(CudaError::UnknownArtifact(_))));
    Artifact::keep(ROTATE);
    let (first, again) = (of(artifact).unwrap(), of(artifact).unwrap());
    assert!(Arc::ptr_eq(&first, &again), "and what was not known is tried again");
    let error = of(Artifact::keep("{}")).unwrap_err();
    assert!(matches!(error, LaunchError::Plan(PlanError::Text(_))), "{error}");
    Executable::prepare(artifact, device.architecture(), Integers::Bits32).unwrap();
}
