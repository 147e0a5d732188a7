//! What it takes until code and memory are on a device, without the driver's cache of compiled PTX.

use std::error::Error;

use nitro_cuda::{GuardedBuffer, Image, Module, Options, Output, Source, compile};
use nitro_evolve::sandbox::Assembler;

use crate::{REPEATS, row, timed};

pub fn measure() -> Result<(), Box<dyn Error>> {
    let device = nitro_cuda::device(0)?;
    let source = Source::new("faults.cu", include_str!("../../tests/sandbox/faults.cu"));
    let options = Options::for_device(device).define("FAULT", "RIGHT").with_output(Output::Ptx);
    let image = compile(&source, &options)?;
    let ptx = image.ptx().ok_or("NVRTC makes PTX")?;
    load("PTX loaded, by the driver's compiler (median)", &Image::from_ptx("faults.ptx", ptx))?;
    if let Some(assembler) = Assembler::find(device.architecture()) {
        let mut assembled = [(); REPEATS].map(|()| timed(|| assembler.assemble(ptx)).1);
        assembled.sort();
        row("PTX assembled by ptxas on the host (median)", assembled[REPEATS / 2]);
        let cubin = assembler.assemble(ptx)?;
        load("machine code loaded (median)", &Image::from_cubin("faults.cubin", &cubin))?;
    }
    for bytes in [1 << 20, 1 << 30] {
        let (buffer, taken) = timed(|| GuardedBuffer::new(device.stream(), bytes));
        let buffer = buffer?;
        row(&format!("guarded buffer of {} MiB made", bytes >> 20), taken);
        row("  dropped", timed(|| drop(buffer)).1);
    }
    Ok(())
}

fn load(what: &str, image: &Image) -> Result<(), Box<dyn Error>> {
    let device = nitro_cuda::device(0)?;
    let mut taken = Vec::new();
    for _ in 0..REPEATS {
        let (loaded, time) = timed(|| {
            let module = Module::load(device, image)?;
            module.kernel("scale")?.resources() // brings it to the device
        });
        loaded?;
        taken.push(time);
    }
    taken.sort();
    row(what, taken[REPEATS / 2]);
    Ok(())
}
