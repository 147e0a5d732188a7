//! Guarded memory is where it says, and shows what is written beside it.

use nitro_cuda::{CudaError, Grid, GuardedBuffer, Place, device};

use crate::kernel;

#[test]
#[ignore = "needs a CUDA device"]
fn guarded_memory_gives_back_what_it_was_given_wherever_it_is() {
    let stream = device(0).unwrap().stream();
    for bytes in [0, 1, 1003, 2 << 20, (4 << 20) + 5] {
        let values: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
        let (mut first, mut second) =
            (GuardedBuffer::new(stream, bytes).unwrap(), GuardedBuffer::new(stream, bytes).unwrap());
        let mut places = Vec::new();
        for place in [Place::End, Place::Begin] {
            first.place(place);
            first.copy_from_slice(&values).unwrap();
            second.fill(0x0403_0201).unwrap();
            assert!(second.to_vec().unwrap().iter().zip([1, 2, 3, 4].iter().cycle()).all(|(a, b)| a == b));
            second.copy_from(&first).unwrap();
            first.fill_slack(0xff).unwrap();
            assert!(first.to_vec().unwrap() == values && second.to_vec().unwrap() == values, "{bytes}");
            let [(before, length), (behind, _)] = first.slack();
            assert_eq!((before + length as u64, behind), (first.pointer(), first.pointer() + bytes as u64));
            places.push(first.pointer());
        }
        assert!(bytes == 2 << 20 || places[0] != places[1], "{bytes}");
        assert!(matches!(first.copy_from_slice(&[0; 3]).unwrap_err(), CudaError::Length { .. }));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn memory_comes_back_when_it_is_dropped() {
    let device = device(0).unwrap();
    drop(GuardedBuffer::new(device.stream(), 1).unwrap());
    let before = device.free_bytes().unwrap();
    let buffer = GuardedBuffer::new(device.stream(), 1 << 30).unwrap();
    assert!(device.free_bytes().unwrap() + (1 << 30) <= before);
    drop(buffer);
    assert_eq!(device.free_bytes().unwrap(), before);
    let error = GuardedBuffer::new(device.stream(), 1 << 42).unwrap_err();
    assert!(matches!(error, CudaError::OutOfMemory { .. }), "{error}");
}

#[test]
#[ignore = "needs a CUDA device"]
fn kernels_work_on_guarded_memory() {
    let stream = device(0).unwrap().stream();
    let mut x = GuardedBuffer::new(stream, 4000).unwrap();
    x.fill(41).unwrap();
    assert_eq!(kernel("add").parameter_bytes().unwrap(), [8, 4, 4]);
    // SAFETY: the arguments are of the kernel's types, and the buffer has so many elements.
    unsafe { kernel("add").launch(Grid::covering(1000, 256), &[(&x).into(), 1000u32.into(), 1u32.into()]) }
        .unwrap();
    assert!(x.to_vec().unwrap().as_chunks::<4>().0.iter().all(|&word| u32::from_le_bytes(word) == 42));
}
