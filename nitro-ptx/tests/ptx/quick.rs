//! Quotients and roots of ordinary numbers, without a look at others.

use nitro_ptx::emulate::{Emulator, Launch, Memory, Options};
use nitro_ptx::{Base, Module, Patch};
use nitro_stats::random::Random;

use crate::support::{assemble, ptxas};

/// The opcodes, with the bytes of a number and the operands.
const OPCODES: [(&str, usize, usize); 5] = [
    ("div.rn.f32", 4, 2),
    ("rcp.rn.f32", 4, 1),
    ("sqrt.rn.f32", 4, 1),
    ("div.rn.f64", 8, 2),
    ("rcp.rn.f64", 8, 1),
];

const BLOCKS: u32 = 40;
const THREADS: u32 = 256;

/// Of each thread two numbers, and what comes of them.
fn kernel(opcode: &str, bytes: usize, operands: usize) -> String {
    let bits = 8 * bytes;
    let operands = ["%a", "%b"][..operands].join(", ");
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 of) {{\n\
         .reg .b64 %rd<4>; .reg .b32 %r<5>; .reg .f{bits} %a, %b, %d;\n\
         ld.param.u64 %rd1, [of]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n\
         mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, {}; add.s64 %rd3, %rd1, %rd2;\n\
         ld.global.f{bits} %a, [%rd3]; ld.global.f{bits} %b, [%rd3+{bytes}];\n\
         {opcode} %d, {operands}; st.global.f{bits} [%rd3+{}], %d; ret;\n}}\n",
        3 * bytes,
        2 * bytes
    )
}

fn patched(text: &str, edits: &str) -> String {
    let base = Base::new(Module::parse(text).unwrap());
    let patch: Patch = format!("patch of {}\n{edits}", base.module().digest()).parse().unwrap();
    base.apply(&patch.edits).unwrap_or_else(|error| panic!("{error}")).to_string()
}

/// What is left of these numbers.
fn run(text: &str, numbers: &[u8]) -> Vec<u8> {
    let emulator = Emulator::new(&Module::parse(text).unwrap()).unwrap();
    let mut memory = Memory::new();
    let of = memory.allocate(numbers.to_vec());
    let parameters = [of.to_le_bytes().to_vec()];
    let (grid, block) = ([BLOCKS, 1, 1], [THREADS, 1, 1]);
    let launch = Launch { kernel: "k", grid, block, shared_bytes: 0, parameters: &parameters };
    emulator.launch(&launch, &mut memory, &Options::default()).unwrap();
    memory.bytes(of).to_vec()
}

/// Numbers from 2^-30 to 2^30, of which every hundredth numerator is 0.
fn ordinary(bytes: usize, is_positive: bool) -> Vec<u8> {
    let mut random = Random::new(bytes as u64);
    let mut numbers = Vec::new();
    for number in 0..3 * BLOCKS * THREADS {
        let size = (60.0 * random.unit() - 30.0).exp2();
        let is_zero = number % 300 == 0;
        let value = match (random.below(2), is_positive) {
            _ if is_zero => 0.0,
            (0, false) => -size,
            _ => size,
        };
        match bytes {
            4 => numbers.extend((value as f32).to_le_bytes()),
            _ => numbers.extend(value.to_le_bytes()),
        }
    }
    numbers
}

#[test]
fn of_ordinary_numbers_all_bits_are_those_of_the_opcode() {
    for (opcode, bytes, operands) in OPCODES {
        let text = kernel(opcode, bytes, operands);
        let quick = patched(&text, "quick all of k\n");
        assert!(!quick.contains(opcode), "{quick}");
        let mut numbers = ordinary(bytes, opcode.starts_with("sqrt"));
        if opcode.starts_with("rcp") {
            // The reciprocal of 0 is none of an ordinary number.
            let one = if bytes == 4 { 1f32.to_le_bytes().to_vec() } else { 1f64.to_le_bytes().to_vec() };
            numbers.chunks_mut(bytes).filter(|own| own.iter().all(|byte| *byte == 0)).for_each(|own| {
                own.copy_from_slice(&one);
            });
        }
        assert!(run(&text, &numbers) == run(&quick, &numbers), "{opcode}");
    }
}

#[test]
fn a_root_of_a_negative_number_is_no_number() {
    let text = kernel("sqrt.rn.f32", 4, 1);
    let numbers: Vec<u8> =
        (0..3 * BLOCKS * THREADS).flat_map(|number| (-(number as f32) - 1.0).to_le_bytes()).collect();
    let left = run(&patched(&text, "quick all of k\n"), &numbers);
    let mut results = left.chunks(4).skip(2).step_by(3);
    assert!(results.all(|own| f32::from_le_bytes(own.try_into().unwrap()).is_nan()));
}

/// What a device says of a reciprocal may be off by a unit in the last place.
#[test]
fn a_quotient_is_right_also_where_the_reciprocal_is_not_to_the_last_bit() {
    let mut random = Random::new(7);
    let mut number = || (((60.0 * random.unit() - 30.0).exp2()) as f32).copysign(random.unit() as f32 - 0.5);
    for _ in 0..100_000 {
        let (a, b) = (number(), number());
        for off in [-1i32, 0, 1] {
            let r = f32::from_bits((1.0 / b).to_bits().wrapping_add_signed(off));
            let e = (-b).mul_add(r, 1.0);
            let s = r.mul_add(e, r);
            let q = a * s;
            let m = (-b).mul_add(q, a);
            assert_eq!(s.mul_add(m, q), a / b, "{a} / {b}");
        }
    }
}

#[test]
fn the_assembler_needs_no_function_for_special_operands() {
    let Some(ptxas) = ptxas() else { return };
    for (opcode, bytes, operands) in OPCODES {
        let text = kernel(opcode, bytes, operands);
        let code =
            |text: &str| assemble(&ptxas, text).unwrap_or_else(|error| panic!("{error}\n{text}")).len();
        assert!(code(&patched(&text, "quick all of k\n")) < code(&text), "{opcode}");
    }
}

#[test]
fn an_edit_is_about_one_place_with_its_guard_and_new_registers() {
    let text = kernel("div.rn.f32", 4, 2)
        .replace(
            "div.rn.f32 %d, %a, %b;",
            "setp.lt.f32 %p, %a, %b; @!%p div.rn.f32 %d, %a, %b; @%p rcp.rn.f32 %d, %b;",
        )
        .replace("%a, %b, %d;", "%a, %b, %d; .reg .pred %p;")
        .replace("%a", "%quick_b10_r");
    let one = patched(&text, "quick b10\n").replace('\t', "");
    assert!(
        one.contains("@!%p rcp.approx.ftz.f32 %quick_b10_r_, %b;") && one.contains("@%p rcp.rn.f32 %d, %b;"),
        "{one}"
    );
    assert!(one.contains("@!%p fma.rn.f32 %d, %quick_b10_s, %quick_b10_m, %quick_b10_q;"), "{one}");
    let both = patched(&text, "quick b10 b11\n");
    assert_eq!(both, patched(&text, "quick all of k\n"));
    assert_eq!(both.matches("rcp.approx.ftz.f32").count(), 2);
    assert!(Module::parse(&both).is_ok());
    let base = Base::new(Module::parse(&text).unwrap());
    let proposed = base.rewrites().into_iter().map(|own| own.operation.to_string());
    let quick: Vec<String> = proposed.filter(|own| own.starts_with("quick")).collect();
    assert_eq!(quick, ["quick b10", "quick b11", "quick all of k"]);
}
