use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_ptx::{Base, Module, Patch, machine_code};

use crate::{assert_printable, parts};

/// Reads a text of PTX, a patch of it and an image of the assembler, separated by bytes 0, or refuses each.
///
/// A text or patch that is printed and read again is the same. A patch is applied or refused, and what the emulator
/// supports is run for a while.
pub fn ptx(data: &[u8]) {
    let [text, patch, image] = parts(data);
    let _ = (machine_code(image), machine_code(text));
    let (Ok(text), Ok(patch)) = (std::str::from_utf8(text), std::str::from_utf8(patch)) else { return };
    let module = match Module::parse(text) {
        Ok(module) => module,
        Err(error) => return assert_printable(&error),
    };
    let printed = module.to_string();
    let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{error} in {printed}"));
    assert_eq!((again.instructions(), again.to_string()), (module.instructions(), printed));
    emulate(&module);
    match patch.parse::<Patch>() {
        Ok(patch) => {
            assert_eq!(patch.to_string().parse().as_ref(), Ok(&patch), "what was read can be written");
            let base = Base::new(module);
            if let Err(error) = base.apply(&patch.edits) {
                assert_printable(&error);
            }
            let edit = base.mutate(&[], 1);
            edit.map(|edit| base.apply(&[edit]).expect("an edit of the module's own can be applied"));
        }
        Err(error) => assert_printable(&error),
    }
}

/// Runs each supported kernel for a few instructions, in two orders of its warps.
fn emulate(module: &Module) {
    for unsupported in Emulator::unsupported(module) {
        assert_printable(&unsupported);
    }
    let Ok(emulator) = Emulator::new(module) else { return };
    for (kernel, sizes) in emulator.kernels().filter(|(_, sizes)| sizes.iter().sum::<usize>() < 4096) {
        let mut memory = Memory::new();
        let buffer = memory.allocate(vec![7; 256]);
        let parameters: Vec<Vec<u8>> =
            sizes.iter().map(|&size| buffer.to_le_bytes().into_iter().cycle().take(size).collect()).collect();
        for adversarial in [false, true] {
            let options =
                Options { max_instructions: 300, adversarial, uninitialised: true, ..Options::default() };
            let launch = Launch {
                kernel,
                grid: [2, 1, 1],
                block: [40, 1, 1],
                shared_bytes: 64,
                parameters: &parameters,
            };
            if let Err(fault) = emulator.launch(&launch, &mut memory, &options) {
                assert_printable(&fault);
            }
        }
    }
}
