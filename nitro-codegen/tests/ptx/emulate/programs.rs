//! What the tree has as kernels can be run here, or it is said what is missing.

use nitro_codegen::ptx::Module;
use nitro_codegen::ptx::emulate::Emulator;

use crate::support::{OTHERS, PROGRAMS, compile, nvcc, program};

/// Everything of the tree that is not known here, by its opcode: matrix units, textures, surfaces, printing.
const UNSUPPORTED: [&str; 6] = [
    "b500 `call.uni` cannot be emulated: it calls `vprintf`, which the module does not have",
    "b631 `ldmatrix.sync.aligned.m8n8.x4.shared.b16` cannot be emulated: it is not known",
    "b640 `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32` cannot be emulated: it is not known",
    "b697 `suld.b.2d.b32.trap` cannot be emulated: it is not known",
    "b699 `tex.2d.v4.f32.f32` cannot be emulated: it is not known",
    "b702 `sust.b.2d.b32.trap` cannot be emulated: it is not known",
];

#[test]
fn every_program_of_the_tree_is_known_but_for_a_few_instructions() {
    let Some(nvcc) = nvcc() else { return };
    let mut unsupported: Vec<String> = Vec::new();
    for (_, source) in PROGRAMS.iter().map(program) {
        let module = Module::parse(&compile(&nvcc, &source)).unwrap();
        unsupported.extend(Emulator::unsupported(&module).iter().map(|one| one.to_string()));
    }
    assert_eq!(unsupported, UNSUPPORTED);
}

#[test]
fn so_is_what_compilers_seldom_write() {
    let module = Module::parse(OTHERS).unwrap();
    assert_eq!(Emulator::unsupported(&module), []);
}
