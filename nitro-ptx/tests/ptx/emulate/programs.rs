//! What the tree has as kernels can be run here, or it is said what is missing.

use nitro_ptx::Module;
use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};

use super::support::unpack;
use crate::support::{OTHERS, PROGRAMS, STYLES, compile, nvcc, program};

/// Everything of the tree that is not known here, by its opcode: matrix units, textures, surfaces.
const UNSUPPORTED: [&str; 5] = [
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16: it is not known",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: it is not known",
    "suld.b.2d.b32.trap: it is not known",
    "tex.2d.v4.f32.f32: it is not known",
    "sust.b.2d.b32.trap: it is not known",
];

#[test]
fn every_program_of_the_tree_is_known_but_for_a_few_instructions() {
    let Some(nvcc) = nvcc() else { return };
    let mut unsupported: Vec<String> = Vec::new();
    for (_, source) in PROGRAMS.iter().map(program) {
        let module = Module::parse(&compile(&nvcc, &source)).unwrap();
        let refused = Emulator::unsupported(&module);
        unsupported.extend(refused.iter().map(|one| format!("{}: {}", one.opcode, one.why)));
    }
    assert_eq!(unsupported, UNSUPPORTED);
}

#[test]
fn so_is_what_compilers_seldom_write() {
    let module = Module::parse(OTHERS).unwrap();
    assert_eq!(Emulator::unsupported(&module), []);
    let styles = Module::parse(STYLES).unwrap();
    let unsupported: Vec<String> = Emulator::unsupported(&styles).iter().map(ToString::to_string).collect();
    let expected = ["vadd.u32.u32.u32.sat", "tex.2d.v4.f32.f32"].map(|opcode| {
        let line = line_of(opcode);
        format!("line {line}: `{opcode}` in `default_function_kernel0` cannot be emulated: it is not known")
    });
    assert_eq!(unsupported, expected);
}

/// Where something stands in the styles.
fn line_of(text: &str) -> usize {
    1 + STYLES.lines().position(|line| line.contains(text)).unwrap()
}

/// Kernels that are launched matter, and what they call; others may be what nobody knows.
#[test]
fn what_is_not_launched_need_not_be_known() {
    let text = "\
.version 8.0
.target sm_80
.address_size 64
.global .texref picture;
.global .strange odd;
.func unknown () { frobnicate.b32 0; ret; }
.func known () { ret; }
.global .u64 table[1] = {unknown};
.visible .entry plain() { call known; ret; }
.visible .entry calls()
{
    call known;
    call unknown;
    ret;
}
.visible .entry through() { .reg .b64 %rd<2>; ld.global.u64 %rd1, [table]; ret; }
.visible .entry names() { .reg .b64 %rd<2>; mov.u64 %rd1, odd; ret; }
.visible .entry looks() { .reg .b64 %rd<2>; mov.u64 %rd1, picture; ret; }
.visible .entry matrix()
{
    .reg .b32 %r<3>;
    mma.sync.aligned.m8n8k4.row.col.f32 %r1, %r2;
    ret;
}";
    let module = Module::parse(text).unwrap();
    let refused = |kernels: &[&str]| {
        Emulator::for_kernels(&module, kernels).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(&["plain", "looks"]), "");
    let unknown = "line 6: `frobnicate.b32` in `unknown` cannot be emulated: it is not known";
    assert_eq!((refused(&["calls"]).as_str(), refused(&["through"]).as_str()), (unknown, unknown));
    assert_eq!(refused(&["names"]), "the module cannot be emulated: the type .strange is not known");
    let matrix =
        "line 22: `mma.sync.aligned.m8n8k4.row.col.f32` in `matrix` cannot be emulated: it is not known";
    assert_eq!(refused(&["plain", "matrix"]), matrix);
}

/// As before there were masks: those vote that are there together.
#[test]
fn votes_and_shuffles_of_old_are_of_those_that_are_there() {
    let text = "\
.version 6.0
.target sm_60
.address_size 64
.visible .entry old(.param .u64 to)
{
    .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, 0;
    setp.lt.u32 %p1, %r1, 20;
    @!%p1 bra DONE;
    setp.gt.u32 %p2, %r1, 3;
    vote.ballot.b32 %r2, %p2;
    vote.all.pred %p3, %p2;
    @%p3 mov.u32 %r2, 1;
    vote.uni.pred %p3, !%p1;
    @!%p3 mov.u32 %r2, 2;
    shfl.down.b32 %r3|%p3, %r1, 1, 31;
    @%p3 add.u32 %r2, %r2, %r3;
DONE:
    st.global.u32 [%rd3], %r2;
    ret;
}";
    let emulator = Emulator::new(&Module::parse(text).unwrap()).unwrap();
    let mut memory = Memory::new();
    let to = memory.allocate(vec![0; 4 * 32]);
    let parameters = [to.to_le_bytes().to_vec()];
    let launch =
        Launch { kernel: "old", grid: [1; 3], block: [32, 1, 1], shared_bytes: 0, parameters: &parameters };
    emulator.launch(&launch, &mut memory, &Options::default()).unwrap();
    let found: Vec<u32> = unpack(memory.bytes(to));
    // What the last of them gets is of a thread that is not there.
    assert!((0..19).all(|at| found[at] == 0xf_fff0 + at as u32 + 1), "{found:x?}");
    assert!(found[20..].iter().all(|value| *value == 0), "{found:x?}");
}
