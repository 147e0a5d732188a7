//! What only a GPU can show: `cargo test -p nitro-variants-cuda --test device -- --ignored --test-threads=1`.

mod buffers;
mod devices;
mod executables;
mod guarded;
mod launches;
mod modules;
mod threads;
mod timing;

use nitro_cuda::{Cuda, Grid, Kernel, Program, Stream, device, partition};

static KERNELS: Program = Program::new("device.cu", include_str!("../device.cu"));

const PARTITIONS: [usize; 5] = [8, 16, 32, 64, 128];

/// The partitions that this GPU has: those below its size.
fn partitions() -> Vec<Cuda> {
    let whole = device(0).unwrap();
    PARTITIONS
        .into_iter()
        .filter(|&count| count < whole.multiprocessors())
        .map(|n| partition(0, n).unwrap())
        .collect()
}

fn kernel(name: &str) -> Kernel<'static> {
    KERNELS.kernel(name).unwrap()
}

/// Keeps a stream busy so long that the host is far ahead.
fn keep_busy(stream: Stream) {
    let spin = KERNELS.kernel_on(stream.device(), "spin").unwrap();
    // SAFETY: the argument is of the kernel's type.
    unsafe { spin.launch_on(stream, Grid::linear(1, 1), &[50_000_000u64.into()]) }.unwrap();
}
