//! Launch plans without a GPU: NVRTC compiles the text of their kernels, and the emulator of PTX runs it.

use nitro_cuda::{Executable, LaunchPlan, Options, Output, PlanError, nvrtc_version};
use nitro_ptx::Module;
use nitro_ptx::emulate::{self, Emulator, Launch, Memory};
use nitro_test_support::tools::NVRTC;

/// Runs a plan on arrays, and then those of subscripts, all of them as bytes, and returns what they are then.
///
/// Every access is checked: an element that is none, or a race, ends the test. None: there is no NVRTC.
pub fn emulated(
    plan: &LaunchPlan,
    sizes: &[i64],
    scalars: &[Vec<u8>],
    arrays: Vec<Vec<u8>>,
) -> Option<Vec<Vec<u8>>> {
    NVRTC.found(nvrtc_version())?;
    let mut memory = Memory::new();
    let bytes = |shape: Vec<i64>| plan.element.bytes() * shape.into_iter().product::<i64>() as usize;
    let temporaries = plan.shapes(sizes).unwrap().split_off(plan.arrays.len());
    let mut addresses: Vec<u64> = arrays.into_iter().map(|array| memory.allocate(array)).collect();
    let given = addresses.clone();
    // Temporaries come between arrays of numbers and of subscripts.
    let temporaries: Vec<u64> =
        temporaries.into_iter().map(|shape| memory.allocate_uninitialised(bytes(shape))).collect();
    addresses.splice(plan.arrays.len()..plan.arrays.len(), temporaries);
    let integers = plan.integers(sizes).unwrap();
    let launched = plan.launches(sizes, |launch| {
        let first = launch.first_axis().unwrap();
        let turned = plan.turned(first);
        let options = Options::new(90).with_output(Output::Ptx);
        let image = Executable::image(&turned, integers, options).unwrap_or_else(|error| panic!("{error}"));
        let module = Module::parse(image.ptx().unwrap()).unwrap_or_else(|error| panic!("{error}"));
        let emulator = Emulator::new(&module).unwrap_or_else(|error| panic!("{error}"));
        let kernel = &plan.kernels[launch.kernel];
        let mut parameters = Vec::new();
        for value in &launch.integers {
            parameters.push(match integers {
                nitro_cuda::Integers::Bits32 => (*value as i32).to_le_bytes().to_vec(),
                nitro_cuda::Integers::Bits64 => value.to_le_bytes().to_vec(),
            });
        }
        parameters.extend(scalars.iter().cloned());
        parameters.extend(addresses.iter().map(|address| address.to_le_bytes().to_vec()));
        let grid = launch.turned_grid(first).map(|blocks| blocks as u32);
        let (kernel, block) = (&kernel.name, kernel.block);
        let launch = Launch { kernel, grid, block, shared_bytes: 0, parameters: &parameters };
        let run = emulator.launch(&launch, &mut memory, &emulate::Options { seed: 7, ..Default::default() });
        run.unwrap_or_else(|fault| panic!("{fault}\n{}", turned.cuda));
        Ok::<(), PlanError>(())
    });
    launched.unwrap_or_else(|error| panic!("{error}"));
    Some(given.iter().map(|address| memory.bytes(*address).to_vec()).collect())
}
