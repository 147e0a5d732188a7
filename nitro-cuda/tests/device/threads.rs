//! Threads work where they are told to, and what others do to their contexts is undone.

use cudarc::driver::sys::{self, CUcontext};
use nitro_core::Device;
use nitro_cuda::{Buffer, Cuda, Grid, Stream, current, device, partition};

use crate::{kernel, partitions};

#[test]
#[ignore = "needs a CUDA device"]
fn threads_work_on_devices_of_their_own_at_once() {
    let whole = device(0).unwrap();
    let devices: Vec<Cuda> = partitions().into_iter().chain([whole]).collect();
    std::thread::scope(|scope| {
        for (value, &device) in devices.iter().enumerate() {
            scope.spawn(move || {
                device.enter();
                assert_eq!(current().entry(), device.entry());
                let n = 100_000u32;
                let x = Buffer::<u32>::zeroed(n as usize).unwrap();
                for _ in 0..20 {
                    let arguments = [(&x).into(), n.into(), (value as u32).into()];
                    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
                    unsafe { kernel("add").launch(Grid::covering(n as usize, 256), &arguments) }.unwrap();
                }
                assert!(x.to_vec().unwrap().iter().all(|&x| x == 20 * value as u32));
            });
        }
    });
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_scope_ends_also_by_a_panic() {
    let whole = device(0).unwrap();
    whole.enter();
    let part = partition(0, 8).unwrap();
    assert_eq!(part.scope(|| Stream::current().unwrap().device()), part);
    let panicked = std::panic::catch_unwind(|| part.scope(|| panic!("on purpose")));
    assert!(panicked.is_err());
    assert_eq!(Stream::current().unwrap().device(), whole);
}

/// The driver's context that is current on this thread.
fn current_context() -> CUcontext {
    let mut context = std::ptr::null_mut();
    // SAFETY: `context` lives through the call.
    unsafe { sys::cuCtxGetCurrent(&raw mut context) }.result().unwrap();
    context
}

#[test]
#[ignore = "needs a CUDA device"]
fn what_others_do_with_contexts_is_undone() {
    /// Pushes a context and leaves it there.
    fn push() {
        let context = partition(0, 8).unwrap().with_context(current_context).unwrap();
        // SAFETY: the context lives as long as the process.
        unsafe { sys::cuCtxPushCurrent_v2(context) }.result().unwrap();
    }
    /// Pops what somebody else has pushed.
    fn pop() {
        let mut popped = std::ptr::null_mut();
        // SAFETY: `popped` lives through the call.
        unsafe { sys::cuCtxPopCurrent_v2(&raw mut popped) }.result().unwrap();
    }
    fn panic() {
        panic!("on purpose");
    }
    let check = |foreign: fn()| {
        let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
        let before = current_context();
        let disturb = || drop(std::panic::catch_unwind(|| whole.with_context(foreign)));
        disturb();
        assert_eq!(current_context(), before);
        part.with_context(|| {
            let before = current_context();
            disturb();
            assert_eq!(current_context(), before);
        })
        .unwrap();
        assert_eq!(current_context(), before);
    };
    for foreign in [push, pop, panic] {
        // Each on a thread of its own, whose contexts nobody has touched.
        std::thread::spawn(move || check(foreign)).join().unwrap();
    }
}
