//! Memory holds what it was given, in the order of its streams.

use nitro_cuda::{Buffer, CudaError, Stream, device, partition};

use crate::keep_busy;

#[test]
#[ignore = "needs a CUDA device"]
fn buffers_give_back_what_they_were_given() {
    device(0).unwrap().enter();
    let values: Vec<u64> = (0..1_000_003).map(|n| n * n).collect();
    let first = Buffer::from_slice(&values).unwrap();
    let mut second = Buffer::<u64>::zeroed(values.len()).unwrap();
    assert!(second.to_vec().unwrap().iter().all(|&value| value == 0));
    second.copy_from(&first).unwrap();
    drop(first); // freed in the order of the stream, after the copy
    assert!(second.to_vec().unwrap() == values);
    assert_eq!(second.get(1000).unwrap(), 1_000_000);
    assert!(matches!(second.get(values.len()).unwrap_err(), CudaError::Index { .. }));
    second.fill_bytes(0xff).unwrap();
    assert_eq!(second.get(5).unwrap(), u64::MAX);
    assert!(matches!(second.copy_from_slice(&values[1..]).unwrap_err(), CudaError::Length { .. }));
    let empty = Buffer::<f32>::from_slice(&[]).unwrap();
    assert!(empty.is_empty() && empty.to_vec().unwrap().is_empty());
}

const LENGTH: usize = 1 << 20;

/// Of two streams, the copy's and the source's.
fn streams() -> [(Stream, Stream); 3] {
    let (whole, part) = (device(0).unwrap(), partition(0, 8).unwrap());
    let other = || Stream::new(whole).unwrap();
    [(whole.stream(), other()), (other(), whole.stream()), (part.stream(), whole.stream())]
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_copy_between_streams_waits_for_the_source() {
    for (here, there) in streams() {
        let mut source = Buffer::<u32>::uninit_on(there, LENGTH).unwrap();
        let mut target = Buffer::<u32>::uninit_on(here, LENGTH).unwrap();
        source.fill_bytes(1).unwrap();
        there.synchronize().unwrap();
        keep_busy(there);
        source.fill_bytes(2).unwrap();
        target.copy_from(&source).unwrap();
        assert!(target.to_vec().unwrap().iter().all(|&value| value == 0x0202_0202));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_source_may_be_changed_or_dropped_while_it_is_copied_to_another_stream() {
    for (here, there) in streams() {
        for drops in [true, false] {
            let mut source = Buffer::<u32>::uninit_on(there, LENGTH).unwrap();
            let mut target = Buffer::<u32>::uninit_on(here, LENGTH).unwrap();
            source.fill_bytes(3).unwrap();
            there.synchronize().unwrap();
            keep_busy(here);
            target.copy_from(&source).unwrap();
            // The same memory, as a rule: it has just been given back.
            let mut next = if drops {
                drop(source);
                Buffer::<u32>::uninit_on(there, LENGTH).unwrap()
            } else {
                source
            };
            next.fill_bytes(0xff).unwrap();
            assert!(target.to_vec().unwrap().iter().all(|&value| value == 0x0303_0303), "drops: {drops}");
        }
    }
}
