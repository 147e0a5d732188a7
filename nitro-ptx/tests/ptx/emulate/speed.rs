//! How fast the emulator is: no assertion, figures for people.

use std::time::Instant;

use nitro_ptx::emulate::{Memory, Options, Races};

use super::support::{emulator, kernels, launch, pack};

/// `cargo test -p nitro-variants-ptx --test ptx -- --ignored --nocapture instructions_a_second`
#[test]
#[ignore = "prints figures; with `-- --ignored --nocapture instructions_a_second`"]
fn instructions_a_second() {
    let Some(module) = kernels() else { return };
    let buffers = |count: usize| vec![1 << 20; count];
    let cases = [
        ("reduce", [64, 1, 1], [256, 1, 1], buffers(2), vec![262_144]),
        ("transpose", [32, 32, 1], [16, 16, 1], buffers(2), vec![512, 512]),
        ("histogram", [64, 1, 1], [256, 1, 1], buffers(2), vec![1_000_000]),
        ("multiply", [16, 16, 1], [8, 8, 1], buffers(3), vec![128]),
        ("stencil", [1024, 1, 1], [128, 1, 1], buffers(2), vec![131_072]),
        ("doubles", [64, 1, 1], [256, 1, 1], buffers(2), vec![256]),
        ("calls", [256, 1, 1], [128, 1, 1], buffers(4), vec![32_768]),
    ];
    for (kernel, grid, block, bytes, numbers) in cases {
        let emulator = emulator(&module, kernel);
        for (name, races, adversarial) in [
            ("no races", Races::Ignored, false),
            ("races", Races::Listed, false),
            ("races, adversarial", Races::Listed, true),
        ] {
            let mut memory = Memory::new();
            let mut parameters: Vec<Vec<u8>> =
                bytes.iter().map(|&bytes| pack(&[memory.allocate(vec![0; bytes])])).collect();
            parameters.extend(numbers.iter().map(|number| pack(&[*number])));
            let options = Options { races, adversarial, ..Options::default() };
            let begun = Instant::now();
            let launched =
                launch(&emulator, kernel, (grid, block), &parameters, &mut memory, &options).unwrap();
            let seconds = begun.elapsed().as_secs_f64();
            eprintln!(
                "{kernel}, {name}: {:.1} million thread instructions a second ({} in {seconds:.3} s, \
                {} of warps, {} cycles)",
                launched.thread_instructions as f64 / seconds / 1e6,
                launched.thread_instructions,
                launched.instructions,
                launched.cycles,
            );
        }
    }
}
