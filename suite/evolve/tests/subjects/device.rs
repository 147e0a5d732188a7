//! On a GPU: `cargo test --release -p nitro-evolve-subjects device -- --ignored`.

use nitro_cuda::{Argument, Buffer, Cuda, Grid, Image, Kernel, Module, device};
use nitro_evolve::Set;
use nitro_evolve::workload::{InputBuffer, Launch, Role};
use nitro_evolve_subjects::Subject;

use crate::case::{Case, workload};
use crate::expected::compare;
use crate::references::reference;
use crate::{all, ptx};

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_give_what_references_give() {
    let device = device(0).unwrap();
    for subject in all() {
        let Some(ptx) = ptx(subject) else { return };
        let module = Module::load(device, &Image::from_ptx(subject.file, &ptx)).unwrap();
        for set in [Set::Search, Set::Validation, Set::Test] {
            check(subject, &module, set);
        }
    }
}

fn check(subject: &Subject, module: &Module, set: Set) {
    let workload = workload(subject);
    for number in 0..workload.cases(set) {
        let case = Case::new(subject, &workload, set, number);
        let expected = reference(subject.name)(&case);
        // Twice: what the first run left behind makes no difference.
        let first = run(module, &case);
        assert_eq!(first, run(module, &case), "{}: every run gives the same", case.name);
        compare(&case, &expected, &first);
    }
}

/// What the buffers hold after all launches.
fn run(module: &Module, case: &Case) -> Vec<Vec<u8>> {
    let buffers: Vec<Buffer<u8>> =
        case.inputs.buffers.iter().map(|buffer| upload(module.device(), buffer)).collect();
    for launch in case.inputs.launches.iter().chain(&case.inputs.judge) {
        let kernel = module.kernel(&launch.kernel).unwrap();
        launched(kernel, launch, &buffers);
    }
    let read = |(buffer, input): (&Buffer<u8>, &InputBuffer)| match input.role {
        Role::Scratch => Vec::new(),
        _ => buffer.to_vec().unwrap(),
    };
    buffers.iter().zip(&case.inputs.buffers).map(read).collect()
}

/// What a kernel has to write itself holds a pattern before.
fn upload(device: Cuda, input: &InputBuffer) -> Buffer<u8> {
    device.scope(|| match input.role {
        Role::In | Role::InOut => Buffer::from_slice(&input.bytes).unwrap(),
        Role::Out | Role::Scratch => {
            let mut buffer = Buffer::uninit(input.bytes.len()).unwrap();
            buffer.fill_bytes(0xff).unwrap();
            buffer
        }
    })
}

fn launched(kernel: Kernel<'_>, launch: &Launch, buffers: &[Buffer<u8>]) {
    let triple = |[x, y, z]: [u32; 3]| (x, y, z);
    let grid = Grid {
        blocks: triple(launch.grid),
        threads: triple(launch.block),
        shared_bytes: launch.shared_bytes,
    };
    let addresses: Vec<u64> = buffers.iter().map(Buffer::pointer).collect();
    let values: Vec<Vec<u8>> = launch.arguments.iter().map(|argument| argument.bytes(&addresses)).collect();
    let arguments: Vec<Argument<'_>> = values.iter().map(|value| Argument::bytes(value)).collect();
    // SAFETY: the arguments have the number and the sizes of the parameters (`workloads.rs`), and the kernel stays
    // within the buffers of its workload (`emulated.rs`).
    unsafe { kernel.launch(grid, &arguments).unwrap() };
}
