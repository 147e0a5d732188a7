//! The subjects: that their workloads fit them, and that kernels give what plain functions give, emulated at small
//! sizes and on a device at those of their workloads.

mod case;
mod device;
mod emulated;
mod expected;
mod planned;
mod planted;
mod proved;
mod references;
mod workloads;

use nitro_evolve_subjects::{Subject, ours, planted, subjects};
use nitro_test_support::tools::NVRTC;

/// The PTX of a subject; none leaves the test out.
fn ptx(subject: &Subject) -> Option<String> {
    NVRTC.found(nitro_cuda::nvrtc_version())?;
    let image = subject.compile(90).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
    Some(image.ptx().expect("PTX was asked for").to_owned())
}

/// With planted defects and without, and those of our own functions.
fn all() -> impl Iterator<Item = &'static Subject> {
    subjects().iter().chain(ours()).chain(planted().iter().map(|planted| &planted.subject))
}
